// Names of policies for people. Identifiers, as in the address and the command, come second.

/** Titles by identifier, in groups. */
const GROUPS = {
  "Never lose": {
    certified: "Planner",
    optimal: "Perfect player",
    "cell-tree": "Tree walker",
    reroute: "Cycle that bends to the food",
    killer: "Cautious hunter",
    shortcut: "Cycle with short cuts",
    hamiltonian: "Cycle follower",
  },
  "May lose": {
    greedy: "Greedy snake",
    bfs: "Reckless snake",
    random: "Random snake",
  },
  "Have learned": {
    "dqn:every-board-plans": "Network that chooses plans",
    "dqn:every-board-safe": "Network with safe moves",
    "dqn:every-board": "Network on its own",
    "dqn:quickstart-6x6": "Network of the first minutes",
  },
  "From published projects": {
    "hamiltonian-extended": "Follower of an extended cycle",
    "hamiltonian-random": "Follower of a random cycle",
    "hamilton-shortcut": "Cycle, short cuts up to half",
    phc: "Random cycle with short cuts",
    "modified-cycle": "Cycle with jumps",
    "modified-endgame": "Cycle with jumps up to half",
    "sub-hamiltonian": "Half cycles",
    "sub-hamiltonian-reverse": "Half cycles that reverse",
    series: "Series of small cycles",
    "almighty-long": "Two cycles in turn",
    "almighty-long-reverse": "Two cycles that reverse",
    "almighty-branch": "Rows and columns in turn",
    "bfs-row-first": "Reckless snake, rows first",
    dfs: "Short-sighted snake",
    longest: "Snake on long paths",
  },
};

/** Titles of bots, which play duels. */
export const BOTS = {
  hognose: "Best bot without learning",
  selfplay: "Network that played itself",
  nega: "Winner of AI Snakes",
  adder: "Second of AI Snakes",
};

/** Titles by identifier. */
const TITLES = Object.assign({}, ...Object.values(GROUPS));

/** Returns the title of a policy, whose identifier may end with a number; the identifier if it has no title. */
export function titleOf(name) {
  if (TITLES[name]) return TITLES[name];
  const [base, number] = name.split(":");
  return TITLES[base] ? `${TITLES[base]} (${number})` : name;
}

/** Returns the labels of groups with their policies, in order. Agents without a title are in the group of agents. */
export function grouped(policies) {
  return Object.entries(GROUPS).map(([label, titles]) => {
    const known = Object.keys(titles).flatMap((name) => policies.find((policy) => policy.name === name) ?? []);
    const others = policies.filter(({ name, learned }) => label === "Have learned" && learned && !TITLES[name]);
    return { label, policies: [...known, ...others] };
  }).filter(({ policies: its }) => its.length > 0);
}
