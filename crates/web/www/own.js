// The user's own agents: trained here, or loaded from a file. They are kept in the browser's storage.

import { Refused } from "./engine.js";

/** The largest file of an agent, in bytes. Those of the largest networks here have 3 MB. */
const MOST = 64 * 2 ** 20;
const PREFIX = "hognose-agent:";

/** Own agents by name: `board`, `boards`, `kind`, `about`, and the bytes of the file. */
const own = restore();

/** Returns own agents as policies. */
export function ownPolicies() {
  return [...own].map(([name, { board, boards, kind, about }]) => ({
    name: `dqn:${name}`, board: boards ? undefined : board, boards, kind, learned: true, own: true, about,
    description: `your own agent: ${about}`,
  }));
}

/** Returns the bytes of an own agent; undefined if there is none of this name. */
export const ownBytes = (name) => own.get(name)?.bytes;

/** Returns a name that no own agent has yet. */
export function freeName(board) {
  let name = `own-${board}`;
  for (let number = 2; own.has(name); number++) name = `own-${board}-${number}`;
  return name;
}

/** Keeps an agent under a name. Returns why it is lost when the page is closed; nothing if it is not. */
export function keep(name, agent) {
  own.set(name, agent);
  const { bytes, ...facts } = agent;
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ ...facts, text: toText(bytes) }));
  } catch (error) {
    const why = error.name === "QuotaExceededError" ? "the browser's storage for this page is full" : "the browser does not let this page store anything";
    return `${why[0].toUpperCase()}${why.slice(1)}, so the agent stays only until you close the page. Save it as a file.`;
  }
  return undefined;
}

/** Removes an agent. */
export function remove(name) {
  own.delete(name);
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing is stored where storing is forbidden.
  }
}

/** Reads an agent's file with a worker that plays agents, and keeps it. Returns its name, and what `keep` returns. */
export async function load(file, engine) {
  if (file.size > MOST) {
    throw new Refused(`${file.name} is too large for an agent: it has ${Math.round(file.size / 2 ** 20)} MiB, and at most ${MOST / 2 ** 20} are read.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer().catch((error) => {
    throw new Refused(`${file.name} can't be read: ${error.message}`);
  }));
  const text = await engine.call("describe_agent", file.name, bytes).catch((error) => {
    throw new Refused(`${file.name} is not a complete agent: it is damaged, or a file of another kind. (${error.message.replace(/^.*?: /, "")})`);
  });
  const facts = JSON.parse(text);
  const name = freeName(facts.boards ?? facts.board);
  return { name, warning: keep(name, { ...facts, about: `loaded from ${file.name}`, bytes }) };
}

/** Returns the kept agents. Entries that can't be read are left alone. */
function restore() {
  const found = new Map();
  try {
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).sort()) {
      try {
        const { text, ...facts } = JSON.parse(localStorage.getItem(key));
        found.set(key.slice(PREFIX.length), { ...facts, bytes: toBytes(text) });
      } catch {
        continue;
      }
    }
  } catch {
    // The browser forbids storing.
  }
  return found;
}

function toText(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}

function toBytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
