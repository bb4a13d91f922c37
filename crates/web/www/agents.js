// Trained agents, which are fetched on demand, with the WebAssembly that plays them.

import { Engine, Refused } from "./engine.js";
import { compiled, fetched } from "./load.js";
import { titleOf } from "./names.js";
import { ownBytes, ownPolicies } from "./own.js";

const FOLDER = new URL("agents/", import.meta.url);

/** The agents that play duels. */
const DUELISTS = ["2021", "2020"];

/** Descriptions of agents by the kind of their actions, best first. */
const KINDS = {
  plans: "has learned to choose among paths to the food that keep a win certain",
  safe: "has learned to choose among moves that keep a win certain",
  legal: "has learned to choose among all legal moves, so it may lose",
};

let listed;
/** Downloads by file name: the promise of each, and its listeners for progress. */
const downloads = new Map();

/** Returns the agents as policies, with the board of each that plays only one; only the user's own if the list can't be
 * fetched. */
export async function agents() {
  const { agents: all } = await list().catch(() => ({ agents: [] }));
  const listed = all.map(({ name, board, boards, kind }) => ({
    name: `dqn:${name}`, board: boards ? undefined : board, boards, kind, learned: true,
    description: `${KINDS[kind]}. It plays ${boards ? boards.replace("..", " to ") : board}`,
  }));
  return [...listed, ...ownPolicies()];
}

/** Returns whether the page was built with the WebAssembly that plays and trains agents. */
export async function hasAgents() {
  return (await list()).module > 0;
}

/**
 * Returns a worker that plays these policies, or one that can train if there are none: `engine` if it can, or else a new
 * one. `report(text, share)` receives the progress of downloads.
 */
export async function engineFor(engine, policies, report) {
  const names = policies.map((policy) => /^dqn(?:-safe)?:(.*)$/.exec(policy)?.[1]).filter((name) => name !== undefined);
  if (names.length === 0 && policies.length > 0) return engine;
  // All at once; the one that is furthest behind counts.
  const shares = [0, ...names.map(() => 0)];
  let ended = false;
  const part = (index) => (share) => {
    shares[index] = share;
    if (!ended) report(`Fetching ${names.length ? names.map((name) => titleOf(`dqn:${name}`)).join(", ") : "the trainer"}`, Math.min(...shares));
  };
  const [module, ...bytes] = await Promise.all([program(part(0)), ...names.map((name, index) => agent(name, part(index + 1)))])
    .finally(() => (ended = true));
  report();
  let its = engine;
  if (!its?.agents) {
    its = new Engine(module, GLUE);
    its.agents = new Set();
  }
  for (const [index, name] of names.entries()) {
    if (!its.agents.has(name)) await its.call("add_agent", name, bytes[index]);
    its.agents.add(name);
  }
  return its;
}

/** Adds the agents that play duels to a worker, if one of these bots is an agent. */
export async function addDuelists(engine, bots) {
  if (engine.hasDuelists || !bots.some((bot) => bot.startsWith("selfplay"))) return;
  await Promise.all(DUELISTS.map(async (name) => {
    const response = await fetched(new URL(`duel/${name}.safetensors`, import.meta.url));
    await engine.call("add_duel_agent", name, new Uint8Array(await response.arrayBuffer()));
  }));
  engine.hasDuelists = true;
}

/** Returns the name of the best agent on a board, or else on the default one, and the board; undefined if there is none. */
export function bestOf(policies, board, usual) {
  const plays = (its, { board, boards }) => board === its || isIn(its, boards);
  const best = (its, kind) => policies.find((known) => known.kind === kind && plays(its, known));
  const offers = [board, usual].flatMap((its) => Object.keys(KINDS).map((kind) => ({ name: best(its, kind)?.name, board: its })));
  return offers.find(({ name }) => name);
}

/** Returns whether an agent has been fetched. */
export const isFetched = (policy) => downloads.has(new URL(`${policy.replace(/^dqn:/, "")}.safetensors`, FOLDER).href);

/** Returns the agents that refuse a board, with the reason and a board that they play. Others change to their own board. */
export function refusing(policies, board) {
  const refusing = policies.filter(({ boards }) => boards && !isIn(board, boards));
  return refusing.map(({ name, boards }) => ({
    name, why: `it has learned boards from ${boards.replace("..", " to ")}`, board: boards.split("..").at(-1),
  }));
}

/** Returns whether a board such as "9x6" is in a range such as "4x4..12x12"; false if the range is undefined. */
function isIn(board, boards) {
  const sides = (text) => /^(\d+)x(\d+)$/.exec(text)?.slice(1).map(Number);
  const [its, least, most] = [board, ...(boards ?? "").split("..")].map(sides);
  return [its, least, most].every(Boolean) && its.every((side, index) => least[index] <= side && side <= most[index]);
}

/** Returns the list of agents, and the size of the WebAssembly that plays them, which is 0 if there is none. */
async function list() {
  listed ??= fetched(new URL("agents.json", FOLDER)).then((response) => response.json());
  listed.catch(() => (listed = undefined));
  return listed;
}

/** The JavaScript of the WebAssembly that plays and trains agents. */
export const GLUE = new URL("hognose.js", FOLDER);

/** Returns the WebAssembly that plays and trains agents. */
export async function program(report) {
  const { module } = await list();
  if (!module) throw new Refused("This page was built without agents.");
  const file = new URL("hognose_bg.wasm", FOLDER).href;
  return shared(file, (onShare) => compiled(file, module, onShare), report);
}

/** Returns the bytes of an agent's file. */
async function agent(name, report) {
  const own = ownBytes(name);
  if (own) {
    report(1);
    return own;
  }
  const known = (await list()).agents.find((its) => its.name === name);
  if (!known && name.startsWith("own-")) throw new Refused(`The agent ${name} is not in this browser. Load its file in Learn, or train one there.`);
  if (!known) throw new Refused(`There is no agent ${name} here.`);
  const file = new URL(`${name}.safetensors`, FOLDER).href;
  const get = async (onShare) => {
    const response = await fetched(file, known.bytes, onShare);
    return new Uint8Array(await response.arrayBuffer().catch(() => {
      throw new Refused(`${name}.safetensors can't be fetched: the connection broke off.`);
    }));
  };
  return shared(file, get, report);
}

/** Begins to fetch the agents that an address names, beside the WebAssembly; whoever plays them reports failures. */
export function fetchNamed(address) {
  for (const [, name] of address.matchAll(/dqn(?:-safe)?:([\w-]+)/g)) agent(name, () => {}).catch(() => {});
}

/** Fetches a file once for all callers, and reports progress to all of them. A failed download is tried again. */
function shared(file, get, report) {
  if (!downloads.has(file)) {
    const listeners = new Set();
    const result = get((share) => listeners.forEach((listener) => listener(share)));
    downloads.set(file, { result, listeners });
    result.catch(() => downloads.delete(file));
  }
  const { result, listeners } = downloads.get(file);
  listeners.add(report);
  const leave = () => listeners.delete(report);
  result.then(leave, leave);
  return result;
}
