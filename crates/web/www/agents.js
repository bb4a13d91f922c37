// Trained agents, which are fetched on demand, with the WebAssembly that plays them.

import { Engine, Refused } from "./engine.js";
import { ownBytes, ownPolicies } from "./own.js";

const FOLDER = new URL("agents/", import.meta.url);

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
  // One after another, so that there are no reports after a failure.
  const bytes = [];
  for (const name of names) bytes.push(await agent(name, report));
  const module = await program(report);
  report();
  let its = engine;
  if (!its?.agents) {
    its = new Engine(module, new URL("hognose.js", FOLDER));
    its.agents = new Set();
  }
  for (const [index, name] of names.entries()) {
    if (!its.agents.has(name)) await its.call("add_agent", name, bytes[index]);
    its.agents.add(name);
  }
  return its;
}

/** Returns the name of the best agent on a board, or else on the default one, and the board; undefined if there is none. */
export function bestOf(policies, board, usual) {
  const plays = (its, { board, boards }) => board === its || isIn(its, boards);
  const best = (its, kind) => policies.find((known) => known.kind === kind && plays(its, known));
  const offers = [board, usual].flatMap((its) => Object.keys(KINDS).map((kind) => ({ name: best(its, kind)?.name, board: its })));
  return offers.find(({ name }) => name);
}

/** Returns whether a board such as "9x6" is in a range such as "4x4..12x12"; false if the range is undefined. */
function isIn(board, boards) {
  const sides = (text) => /^(\d+)x(\d+)$/.exec(text)?.slice(1).map(Number);
  const [its, least, most] = [board, ...(boards ?? "").split("..")].map(sides);
  return [its, least, most].every(Boolean) && its.every((side, index) => least[index] <= side && side <= most[index]);
}

/** Returns the list of agents, and the size of the WebAssembly that plays them, which is 0 if there is none. */
async function list() {
  listed ??= load("agents.json").then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  listed.catch(() => (listed = undefined));
  return listed;
}

/** Returns the WebAssembly that plays and trains agents. */
async function program(report) {
  const { module } = await list();
  if (!module) throw new Refused("This page was built without agents.");
  return shared("hognose_bg.wasm", async (file, onShare) => {
    const bytes = await load(file, module, onShare);
    return WebAssembly.compile(bytes).catch((error) => {
      throw new Refused(`The WebAssembly of agents is damaged, or this browser is too old for it. (${error.message})`);
    });
  }, (share) => report("Fetching the WebAssembly of agents", share));
}

/** Returns the bytes of an agent's file. */
async function agent(name, report) {
  const own = ownBytes(name);
  if (own) return own;
  const known = (await list()).agents.find((its) => its.name === name);
  if (!known && name.startsWith("own-")) throw new Refused(`The agent ${name} is not in this browser. Load its file in Learn, or train one there.`);
  if (!known) throw new Refused(`There is no agent ${name} here.`);
  const get = (file, onShare) => load(file, known.bytes, onShare);
  return shared(`${name}.safetensors`, get, (share) => report(`Fetching the agent ${name}`, share));
}

/** Fetches a file once for all callers, and reports progress to all of them. A failed download is tried again. */
function shared(file, get, report) {
  if (!downloads.has(file)) {
    const listeners = new Set();
    const result = get(file, (share) => listeners.forEach((listener) => listener(share)));
    downloads.set(file, { result, listeners });
    result.catch(() => downloads.delete(file));
  }
  const { result, listeners } = downloads.get(file);
  listeners.add(report);
  const leave = () => listeners.delete(report);
  result.then(leave, leave);
  return result;
}

/** Loads a file of `size` bytes, and reports the loaded share. */
async function load(file, size, report = () => {}) {
  const offline = new Refused(`${file} can't be fetched: there is no connection to the page's server.`);
  const response = await fetch(new URL(file, FOLDER)).catch(() => {
    throw offline;
  });
  if (!response.ok) throw new Refused(`${file} can't be fetched: the server returned ${response.status}.`);
  const chunks = [];
  let got = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw offline;
    });
    if (done) break;
    chunks.push(value);
    got += value.length;
    report(Math.min(got / (size || got), 1));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
