// Learn: trains an agent in the page, and shows how.

import { chooser, number } from "./address.js";
import { hasAgents } from "./agents.js";
import { Board } from "./board.js";
import { Curve } from "./curves.js";
import { about, calm, element, facts, field, iconButton, intro, listen, numberInput, setIcon } from "./elements.js";
import { Refused } from "./engine.js";
import { BatchView, Gauge, NetworkView } from "./inside.js";
import { freeName, keep, load as loadAgent, ownBytes, ownPolicies, remove } from "./own.js";
import { download } from "./share.js";
import { Training } from "./training.js";
import { SpeedSlider } from "./transport.js";
import { opinionRows } from "./words.js";

/** Defaults of the address. Sliders have the experiment's values by default. */
export const USUAL = { board: "4x4", moves: "free", seed: 0, speed: 8, pace: 3, rate: "", discount: "", epsilon: "", death: "", n: "" };

const BOARDS = ["4x4", "5x5"];
const MOVES = {
  free: ["All moves", "Only those that lose at once are masked. The agent can still trap itself."],
  safe: ["Safe moves only", "They keep a win certain, so the agent can't lose."],
};
/** What sliders change: their values, and the settings of `hognose train` for a value. */
const SLIDERS = {
  rate: ["Learning rate", [0.00005, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05], (value) => [`train.learning_rate.start=${value}`, `train.learning_rate.end=${value / 40}`]],
  discount: ["Discount", [0, 0.5, 0.8, 0.9, 0.95, 0.965, 0.99, 1], (value) => [`train.discount=${value}`]],
  epsilon: ["Epsilon at the start", [0, 0.05, 0.1, 0.2, 0.5, 1], (value) => [`train.epsilon.start=${value}`, `train.epsilon.end=${value / 20}`]],
  death: ["Price of death, in foods", [0, 1, 3, 10, 30], (value) => [`env.reward.death=${-value}`]],
  n: ["Steps of n-step returns", [1, 2, 3, 5, 8, 12], (value) => [`train.n_step=${value}`]],
};
/** The share of time in which the worker learns, by the speed of learning. */
const PACES = [0.02, 0.1, 0.4, 1];
const PACE_TEXTS = ["very slowly", "slowly", "half as fast as it can", "as fast as it can"];
/** The choices that define a training. */
const DEFINE = ["board", "moves", "seed", ...Object.keys(SLIDERS)];
/** The time between two updates of numbers, and of the batch, in milliseconds. */
const [NUMBERS_EVERY, BATCH_EVERY] = [100, 700];

const count = (value) => value.toLocaleString("en");

/** The training, which goes on while other parts are open. It also has its choices, command and name. */
let training;

export function open(root, page) {
  let choices = { ...USUAL };
  let isNew = true;
  let loads = 0;
  let earlier = [];
  let painted = {};

  const { change, adjust } = chooser(page, () => choices, select);
  // As in video players.
  const canvas = element("canvas", { role: "img", onclick: () => toggle() });
  const firstCanvas = element("canvas", { role: "img", "aria-label": "The first game of the agent, before it learned" });
  const [board, firstBoard] = [canvas, firstCanvas].map((its) => new Board(its, page.palette));
  const [gameText, firstText] = [element("figcaption"), element("figcaption")];
  const play = iconButton("play", "Learn (space)", () => toggle());
  play.classList.add("primary");
  const reset = iconButton("restart", "Start over", () => load());
  const status = element("p", { className: "status", role: "status" });
  const known = facts(["Environment steps", "Gradient steps", "Seconds of learning"], 3);

  const boards = options(BOARDS.map((name) => [name, name]), (value) => change({ board: value, rate: "", discount: "", epsilon: "", death: "", n: "" }));
  const moves = options(Object.entries(MOVES).map(([value, [text]]) => [value, text]), (value) => change({ moves: value, death: "" }));
  const movesNote = element("p", { className: "note" });
  const seed = numberInput((text) => change({ seed: text }));
  const pace = element("input", { type: "range", min: 0, max: PACES.length - 1, step: 1 });
  const paceText = element("output", { className: "note" });
  pace.oninput = () => adjust({ pace: pace.value });
  const speed = new SpeedSlider((chosen) => adjust({ speed: chosen }));
  const sliders = Object.entries(SLIDERS).map(([key, [label, values]]) => {
    const input = element("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
    const text = element("output", { className: "note" });
    const tell = () => input.setAttribute("aria-valuetext", (text.value = `${values[input.value]}`));
    input.oninput = tell;
    // A training begins when the slider is released, not on the way.
    input.onchange = () => change({ [key]: values[input.value] });
    const show = (value) => {
      const at = values.findIndex((its) => Math.abs(its - value) < 1e-9);
      input.value = Math.max(at, 0);
      tell();
    };
    return { key, input, show, field: field(label, input, text) };
  });
  const usual = element("button", { type: "button", onclick: () => change({ rate: "", discount: "", epsilon: "", death: "", n: "" }) }, "Usual settings");

  const epsilon = new Gauge("Epsilon");
  const buffer = new Gauge("Replay buffer");
  const target = new Gauge("Gradient steps since the target network was copied");
  const batch = new BatchView(page.palette);
  const network = new NetworkView();
  const loss = new Curve("Loss over environment steps", { range: (shown) => [0, Math.max(...shown.map(({ value }) => value), 1e-3)] });
  const wins = new Curve("Win rate over environment steps", { range: () => [0, 1], percent: true });
  const steps = new Curve("Mean steps to win over environment steps", {
    range(shown, optimum) {
      const values = shown.map(({ value }) => value);
      const low = optimum ?? Math.min(...values, Infinity);
      const high = Math.max(...values, low * 1.2);
      if (!Number.isFinite(low)) return [0, 1];
      return [Math.floor((low * 0.9) / 5) * 5, Math.ceil(Math.min(high, 2.5 * low) / 5) * 5];
    },
    line: (optimum) => `optimum: ${optimum.toFixed(1)}`,
  });
  const caption = (text) => element("h2", { className: "caption" }, text);
  const part = (title, text, ...its) => element("li", {}, element("h2", {}, title), element("p", { className: "note" }, text), ...its);
  const inside = element("ol", { className: "inside" },
    part("It plays", "64 games at once, each by the move with the highest Q-value. With the probability epsilon the move is random instead, to find out where it leads (epsilon-greedy).", epsilon.element),
    part("It remembers", "Every transition goes into the replay buffer, and pushes out the oldest one when the buffer is full.", buffer.element),
    part("It draws a batch", "The dots are 128 transitions from the buffer. The TD target of each is the rewards of the next n steps, plus the Q-value of the best move after them, all discounted. The best move is the network's choice, and the target network values it (double Q-learning). The TD error is the distance from the line; transitions with large ones are drawn more often (prioritized replay).", batch.element),
    part("It corrects itself", "A gradient step moves the predictions of the batch towards their targets. The loss is the mean Huber loss of the TD errors: half the square, but linear beyond 1.", loss.element),
    part("It copies itself", "Targets come from an older copy of the network, the target network, so that they hold still for a while.", target.element),
    part("Its network", "It values the position after each move: the Q-value is the reward of the move, plus that value, discounted. For the board above: what the network sees after the best move (turned so that the snake faces up, with its head in the middle), and what its units make of each move. Blue units are active. The parts of the value add up to it: green ones speak for the move, orange ones against it.", network.element),
  );

  const command = element("code");
  const keepButton = action("Keep this agent", () => keepIt());
  const raceButton = action("Race it against certified", () => go("race"));
  const watchButton = action("Watch it", () => go("watch"));
  const saveButton = action("Save it as a file", async () => save(await training.policy()));
  const file = element("input", { type: "file", accept: ".safetensors", className: "visually-hidden", tabIndex: -1 });
  file.setAttribute("aria-hidden", "true");
  file.onchange = () => openFile(file.files[0]);
  const loadButton = action("Load a file …", () => file.click());
  const ownList = element("ul", { className: "own" });

  root.append(
    element("div", { className: "two learn" },
      intro("Learn", "A small neural network learns Snake from scratch in your browser, by deep Q-learning (DQN). See how."),
      element("div", { className: "stage" },
        element("div", { className: "games" },
          element("figure", {}, canvas, gameText),
          element("figure", {}, firstCanvas, firstText)),
        element("div", { className: "transport" }, reset, play), status, known.list, inside),
      element("div", { className: "panel" },
        element("div", {}, caption("Win rate"), wins.element, caption("Steps to win"), steps.element),
        element("section", { className: "settings" },
          element("h2", {}, "Settings"),
          element("p", { className: "note" }, "A change of these starts the training over. The curve of the earlier one stays, in gray."),
          element("div", { className: "row" }, field("Board", boards), field("Seed", seed)),
          field("Moves", moves, movesNote),
          ...sliders.map((slider) => slider.field), usual),
        field("Speed of learning", pace, paceText),
        field("Speed of the games", speed.input, speed.text),
        element("section", { className: "settings" },
          element("h2", {}, "Your agent"),
          element("div", { className: "row" }, keepButton, raceButton, watchButton, saveButton, loadButton, file),
          ownList),
        about(
          "A small neural network learns Snake from scratch, by double Q-learning with prioritized replay: it plays 64 games at once, and updates its weights after each step of all games. It values the position after each move, and plays the move with the highest value.",
          "The left board shows a game of the agent as it is now, with the value of each move: the rewards that it expects, later ones discounted. A food pays 1. The right board shows its first game, before it learned.",
          "During training the agent also plays rounds of 100 games, from which it does not learn. The curves show its win rate and its mean steps to win in these games. Bars are 95 % intervals (Wilson's for win rates, Student's t for means).",
          "With safe moves only, the agent can't lose, and learns to win faster. On 4x4 the optimum is known, and drawn as a line.",
          "The training goes on in a background tab and while another part is open.",
          "This is the trainer of hognose train, on one thread. A saved file plays in a terminal, too: hognose evaluate --policies dqn:policy.safetensors.",
        ),
        element("p", { className: "note" }, "In a terminal: ", command)),
    ),
  );

  const view = { show, update, fail: (error) => page.complain(error) };

  /** Shows choices, and begins another training if they define one. */
  async function select(chosen) {
    const isFirst = isNew;
    isNew = false;
    // A plain link to this part leads back to the training.
    const returns = isFirst && Object.keys(chosen).length === 0 && training;
    const [valid, problems] = checked(returns ? training.choices : chosen);
    choices = valid;
    // A broken link does not end a training.
    if (problems.length && training) DEFINE.forEach((key) => (choices[key] = training.choices[key]));
    if (returns || problems.length) page.write(choices, false);
    boards.value = choices.board;
    moves.value = choices.moves;
    movesNote.textContent = MOVES[choices.moves][1];
    seed.value = choices.seed;
    pace.value = choices.pace;
    paceText.value = PACE_TEXTS[pace.value];
    pace.setAttribute("aria-valuetext", paceText.value);
    speed.show(choices.speed);
    if (!training || DEFINE.some((key) => `${choices[key]}` !== `${training.choices[key]}`)) await load();
    else if (training.view !== view) await attach();
    else follow();
    if (problems.length) page.complain(new Refused(problems.join(" ")));
  }

  /** Passes on what a training can change on the way. */
  function follow() {
    Object.assign(training, { choices, pace: PACES[pace.value], speed: speed.speed });
  }

  /** Creates a new training, before its first step. */
  async function load() {
    const turn = ++loads;
    const old = training;
    training = undefined;
    old?.stop();
    let engine = old?.engine;
    if (engine?.busy) {
      engine.close();
      engine = undefined;
    } else {
      old?.free();
    }
    const isAlike = old && ["board", "moves"].every((key) => old.choices[key] === choices[key]);
    earlier = isAlike && old.points.length > 1 ? old.points : isAlike ? earlier : [];
    try {
      if (!(await hasAgents())) {
        if (turn === loads) explain();
        return;
      }
      const its = await page.engineFor(engine, [], () => turn === loads);
      if (turn !== loads) {
        its.close();
        return;
      }
      const changes = Object.entries(SLIDERS).flatMap(([key, [, , settings]]) => (choices[key] === "" ? [] : settings(Number(choices[key]))));
      const made = await its.create("Learn", [choices.board, choices.moves === "safe", `${choices.seed}`, changes.join("\n")]);
      const [settings, values] = await Promise.all([made.settings(), made.values()]);
      if (turn !== loads) {
        its.close();
        return;
      }
      training = new Training(its, made);
      follow();
      training.values = JSON.parse(values);
      training.command = `hognose train page --seed ${choices.seed} ${settings.split("\n").map((setting) => `--set "${setting}"`).join(" ")}`;
      page.say();
      await training.read();
      if (turn !== loads) return;
      await attach();
      if (!calm.matches) training.run();
    } catch (error) {
      if (turn === loads) page.complain(error);
    }
  }

  /** Shows the training. */
  async function attach() {
    training.view = view;
    follow();
    const { values } = training;
    sliders.forEach(({ key, show: showValue, input }) => {
      showValue(key === "death" ? -values.death : values[key]);
      input.disabled = key === "death" && choices.moves === "safe";
    });
    command.textContent = training.command;
    [board, firstBoard].forEach((its) => its.resize(choices.board));
    painted = { numbers: 0, batch: 0 };
    listOwn();
    update();
    await show();
    if (training.error) page.complain(training.error);
    // A training that ended unseen has stopped; its agent still plays.
    if (training.state.finished && !calm.matches) training.run();
  }

  async function show() {
    const its = training;
    const { state, points, losses } = its;
    const { game, first } = state;
    const now = performance.now();
    const moves = `${game.number} ${game.step} ${first.step}`;
    // Pictures take time in which nothing is learned.
    if (moves === painted.moves && now - painted.numbers < NUMBERS_EVERY) return;
    const showsGames = moves !== painted.moves;
    const showsBatch = now - painted.batch > BATCH_EVERY;
    const [games, drawn] = await Promise.all([
      showsGames && Promise.all([its.picture(false), its.picture(true), its.network()]), showsBatch && its.batch(),
    ]);
    if (its !== training || its.view !== view) return;
    if (games) {
      const [picture, firstPicture, layers] = games;
      const rows = game.end === null && game.q_values.some((value) => value !== null) ? opinionRows(game) : [];
      board.show(picture, { worth: { head: game.head, texts: rows } });
      firstBoard.show(firstPicture, { speed: speed.speed });
      network.show(layers);
    }
    if (drawn) batch.show(drawn, choices.board);
    const last = { true: " A random move!", false: " Its best move." }[game.random] ?? "";
    gameText.textContent = `Game ${count(game.number + 1)}, now: ${gameState(game)}${game.end === null ? last : ""}`;
    firstText.textContent = `Its first game: ${gameState(first)}`;
    known.show([count(state.step), count(state.gradient_steps), its.seconds.toFixed(0)]);
    epsilon.show({ now: state.epsilon, of: 1 }, `epsilon ${state.epsilon.toFixed(3)}: ${(100 * state.epsilon).toFixed(1)}\u00a0% of the moves are random`);
    buffer.show(state.buffer, `${count(state.buffer.now)} of ${count(state.buffer.of)} transitions`);
    const { now: since, of: every } = state.target;
    target.show(state.target, `${since} of ${every} gradient steps to the next copy, ${count((state.gradient_steps - since) / every)} so far`);
    if (losses.length !== painted.losses) loss.show(losses, state.total);
    if (points.length !== painted.points) {
      wins.show(points.map((point) => ({ step: point.step, value: point.win_rate, interval: point.win_rate_interval })), state.total, undefined,
        earlier.map((point) => ({ step: point.step, value: point.win_rate })));
      steps.show(points.map((point) => ({ step: point.step, value: point.steps, interval: point.steps_interval })), state.total, state.optimum,
        earlier.map((point) => ({ step: point.step, value: point.steps })));
    }
    painted = { moves, numbers: now, batch: drawn ? now : painted.batch, losses: losses.length, points: points.length };
    update();
  }

  /** Returns the results of the last round of games as a sentence. */
  function sentence() {
    const { state, points } = training;
    const point = points.at(-1);
    const begin = state.finished ? `The training is complete, after ${count(state.gradient_steps)} gradient steps. Its agent` : "It";
    if (!point) return training.running ? "It plays its first games." : "Press play to start training.";
    const won = `${begin} wins ${(100 * point.win_rate).toFixed(0)}\u00a0% of ${point.games} games`;
    const next = state.finished ? " Keep it, race it, or train another one." : "";
    if (point.steps === null) return `${won}; its mean length is ${point.mean_length.toFixed(1)}.${next}`;
    const above = state.optimum === null ? "" : `, ${(100 * (point.steps / state.optimum - 1)).toFixed(0)}\u00a0% above the optimum`;
    return `${won}, in ${point.steps.toFixed(1)} steps${above}.${next}`;
  }

  function update() {
    const done = training?.state.finished ?? false;
    const running = training?.running ?? false;
    setIcon(play, running ? "pause" : "play", running ? "Pause (space)" : done ? "Keep playing (space)" : "Learn (space)");
    canvas.setAttribute("aria-label", `A game of the agent on ${choices.board}`);
    const text = training ? sentence() : "";
    // Screen readers read a status when it is set.
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("complete", done);
    [keepButton, raceButton, watchButton, saveButton].forEach((button) => (button.disabled = !training));
  }

  function toggle() {
    if (!training) return;
    if (training.running) training.stop();
    else training.run();
  }

  /** Shows why there is nothing to see, instead of the part. */
  function explain() {
    page.say();
    root.replaceChildren(
      intro("Learn", "Here a small neural network learns Snake from scratch while you look on."),
      element("p", {}, "This copy of the page was built without agents and training, so there is nothing to see here. ",
        "Whoever builds it includes them with crates/web/build.sh, without the option --without-agents."),
      element("p", {}, "All other parts work: ", element("a", { href: "#watch" }, "watch a solver"), " or ", element("a", { href: "#play" }, "play yourself"), "."));
  }

  /** Keeps the agent as it is now, and returns its name. */
  async function keepIt() {
    const its = training;
    const bytes = await its.policy();
    const { board: on, moves: which } = its.choices;
    its.name ??= freeName(on);
    const point = its.points.at(-1);
    const wins = point ? `, wins ${(100 * point.win_rate).toFixed(0)} %` : "";
    const about = `${on}, ${MOVES[which][0].toLowerCase()}, ${count(its.state.step)} steps${wins}`;
    const warning = keep(its.name, { board: on, kind: which === "safe" ? "safe" : "legal", about, bytes });
    listOwn();
    if (warning) page.complain(new Refused(warning));
    else page.say(`Kept in this browser as ${its.name}. Race and Watch offer it, too.`, { seconds: 5 });
    return its.name;
  }

  async function go(part) {
    const name = await keepIt();
    location.hash = addressOf(part, name, choices.board);
  }

  const addressOf = (part, name, on) => (part === "race" ? `#race?policies=dqn:${name},certified&board=${on}` : `#watch?policy=dqn:${name}&board=${on}`);

  function save(bytes) {
    download(new Blob([bytes]), "policy.safetensors");
  }

  async function openFile(chosen) {
    if (!chosen) return;
    try {
      const engine = training?.engine ?? (await page.engineFor(undefined, [], () => true));
      const { name, warning } = await loadAgent(chosen, engine);
      if (engine !== training?.engine) engine.close();
      listOwn();
      if (warning) page.complain(new Refused(warning));
      else page.say(`Loaded as ${name}. Race and Watch offer it, too.`, { seconds: 5 });
    } catch (error) {
      page.complain(error);
    } finally {
      file.value = "";
    }
  }

  /** Lists the user's own agents here, and among the policies of other parts. */
  function listOwn() {
    const mine = ownPolicies();
    page.policies.splice(0, Infinity, ...page.policies.filter(({ own }) => !own), ...mine);
    ownList.replaceChildren(...mine.map(({ name: policy, board: on, boards: range, about: text }) => {
      const name = policy.slice("dqn:".length);
      const its = on ?? range.split("..")[0];
      const forget = () => {
        remove(name);
        if (training?.name === name) training.name = undefined;
        listOwn();
      };
      return element("li", {}, element("strong", {}, name), ` ${text} `,
        element("a", { href: addressOf("race", name, its) }, "Race"), " ",
        element("a", { href: addressOf("watch", name, its) }, "Watch"), " ",
        action("Save", () => save(ownBytes(name)), `Save ${name} as a file`), action("Remove", forget, `Remove ${name}`));
    }));
  }

  const stopListening = listen({ " ": toggle });
  return {
    choose: select,
    share: async () => ({
      text: `A neural network learns Snake on ${choices.board} in the browser. ${status.textContent}`.trim(),
      note: "The link trains the same agent, move by move.",
      canvases: [canvas, firstCanvas],
    }),
    close() {
      loads += 1;
      stopListening();
      if (training?.view === view) training.view = undefined;
    },
  };
}

/** Returns choices with defaults in place of those that do not exist, and a sentence about each of these. */
function checked(chosen) {
  const its = { ...USUAL, ...chosen };
  const problems = [];
  const check = (key, label, isValid, instead) => {
    if (isValid) return;
    problems.push(`There is no ${label} \u201c${its[key]}\u201d here; the page uses ${instead}.`);
    its[key] = USUAL[key];
  };
  check("board", "training on", BOARDS.includes(its.board), USUAL.board);
  check("moves", "choice of moves", Object.hasOwn(MOVES, its.moves), `\u201c${MOVES[USUAL.moves][0].toLowerCase()}\u201d`);
  check("seed", "seed", /^\d{1,20}$/.test(its.seed) && BigInt(its.seed) < 2n ** 64n, USUAL.seed);
  for (const [key, [label, values]] of Object.entries(SLIDERS)) {
    check(key, label.toLowerCase(), its[key] === "" || values.includes(Number(its[key])), "the usual one");
  }
  its.pace = number(its.pace, USUAL.pace, 0, PACES.length - 1);
  return [its, problems];
}

/** Returns how far a game is as text. */
function gameState({ step, length, area, end }) {
  const ending = { won: ": won!", wall: ": it hit a wall", body: ": it hit itself", limit: ": it ate nothing for too long" }[end] ?? ".";
  return `step ${step}, length ${length} of ${area}${ending}`;
}

/** Creates a control to choose one of `[value, text]`. */
function options(all, onchange) {
  const select = element("select", {}, ...all.map(([value, text]) => element("option", { value }, text)));
  select.onchange = () => onchange(select.value);
  return select;
}

function action(text, onclick, label = text) {
  return element("button", { type: "button", onclick, "aria-label": label }, text);
}
