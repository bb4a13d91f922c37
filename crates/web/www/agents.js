// Trained agents: fetched when somebody chooses one, with the WebAssembly that plays them.

import { Engine, Refused } from "./engine.js";

const FOLDER = new URL("agents/", import.meta.url);

/** What the agents do, by the kind of their actions: the best ones come first. */
const KINDS = {
  plans: "has learned to choose among ways to the food after each of which a win is still certain",
  safe: "has learned to choose among moves after which a win is still certain",
  legal: "has learned the game without any help, so it may lose",
};

let listed;
/** What is fetched once for all who ask for it, by its name: its promise, and who hears how much of it is there. */
const downloads = new Map();

/** The agents to choose from, as policies, with the board of each that plays one; none if their list can't be had. */
export async function agents() {
  const { agents: all } = await list().catch(() => ({ agents: [] }));
  return all.map(({ name, board, boards, kind }) => ({
    name: `dqn:${name}`, board: boards ? undefined : board, boards, kind, learned: true,
    description: `${KINDS[kind]}. It plays ${boards ? boards.replace("..", " to ") : board}`,
  }));
}

/**
 * A worker that plays these policies: the one at hand if it can, or else a new one. Without policies it is one that can
 * train. `tell(text, share)` hears what is fetched.
 */
export async function engineFor(engine, policies, tell) {
  const names = policies.map((policy) => /^dqn(?:-safe)?:(.*)$/.exec(policy)?.[1]).filter((name) => name !== undefined);
  if (names.length === 0 && policies.length > 0) return engine;
  // One after another, so that nothing is told after one has failed.
  const bytes = [];
  for (const name of names) bytes.push(await agent(name, tell));
  const module = await program(tell);
  tell();
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

/** The name of the best of these agents on a board, or else on the usual one, and the board; undefined if there is none. */
export function bestOf(policies, board, usual) {
  const plays = (its, { board, boards }) => board === its || isIn(its, boards);
  const best = (its, kind) => policies.find((known) => known.kind === kind && plays(its, known));
  const offers = [board, usual].flatMap((its) => Object.keys(KINDS).map((kind) => ({ name: best(its, kind)?.name, board: its })));
  return offers.find(({ name }) => name);
}

/** Whether a board such as "9x6" is in a range such as "4x4..12x12"; none is in undefined. */
function isIn(board, boards) {
  const sides = (text) => /^(\d+)x(\d+)$/.exec(text)?.slice(1).map(Number);
  const [its, least, most] = [board, ...(boards ?? "").split("..")].map(sides);
  return [its, least, most].every(Boolean) && its.every((side, index) => least[index] <= side && side <= most[index]);
}

/** What agents there are, and the size of what plays them, which is 0 where there is none. */
async function list() {
  listed ??= load("agents.json").then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  listed.catch(() => (listed = undefined));
  return listed;
}

/** The WebAssembly that plays and trains agents. */
async function program(tell) {
  const { module } = await list();
  if (!module) throw new Refused("This page was built without agents that learn.");
  return shared("hognose_bg.wasm", async (file, hear) => {
    const bytes = await load(file, module, hear);
    return WebAssembly.compile(bytes).catch((error) => {
      throw new Refused(`What plays agents is damaged, or this browser is too old for it. (${error.message})`);
    });
  }, (share) => tell("What plays agents is being fetched", share));
}

/** The bytes of an agent's file. */
async function agent(name, tell) {
  const known = (await list()).agents.find((its) => its.name === name);
  if (!known) throw new Refused(`There is no agent ${name} here.`);
  const get = (file, hear) => load(file, known.bytes, hear);
  return shared(`${name}.safetensors`, get, (share) => tell(`The agent ${name} is being fetched`, share));
}

/** Fetches a file unless it is there or on its way. All who wait hear how much is there; a failure is forgotten. */
function shared(file, get, tell) {
  if (!downloads.has(file)) {
    const listeners = new Set();
    const result = get(file, (share) => listeners.forEach((listener) => listener(share)));
    downloads.set(file, { result, listeners });
    result.catch(() => downloads.delete(file));
  }
  const { result, listeners } = downloads.get(file);
  listeners.add(tell);
  const leave = () => listeners.delete(tell);
  result.then(leave, leave);
  return result;
}

/** Loads a file of so many bytes, and tells how much of it is there. */
async function load(file, size, tell = () => {}) {
  const offline = new Refused(`${file} can't be fetched: there is no connection to where the page comes from.`);
  const response = await fetch(new URL(file, FOLDER)).catch(() => {
    throw offline;
  });
  if (!response.ok) throw new Refused(`${file} can't be fetched: the answer was ${response.status}.`);
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
    tell(Math.min(got / (size || got), 1));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
