// The page: loads the WebAssembly, and shows the part in the address.

import { format, parse } from "./address.js";
import { agents, engineFor, fetchNamed, GLUE, program, refusing } from "./agents.js";
import { element, leaveAfterPointer } from "./elements.js";
import { Engine, Refused } from "./engine.js";
import { compiled } from "./load.js";
import { shareMenu } from "./share.js";

/** The parts by their names in the address; the first one is the default. */
const PARTS = {
  start: { title: "Start", load: () => import("./front.js") },
  watch: { title: "Watch", load: () => import("./watch.js") },
  race: { title: "Race", load: () => import("./race.js") },
  play: { title: "Play", load: () => import("./play.js") },
  duel: { title: "Duel", load: () => import("./duel.js") },
  learn: { title: "Learn", load: () => import("./learn.js") },
};

/** The time that the first game gets for itself before other parts are fetched, in milliseconds. */
const SETTLED = 1500;

/** The delay before a rejected change of the address is tried again, in milliseconds. */
const AGAIN = 1000;

const root = document.getElementById("part");
const message = document.getElementById("message");
const links = new Map(
  Object.entries(PARTS).map(([name, { title }]) => [name, element("a", { href: `#${name}` }, title)]),
);
document.getElementById("parts").append(...links.values());
document.getElementById("parts").after(shareMenu(root, () => shown?.part.share?.(), say));
document.getElementById("skip").onclick = (event) => {
  event.preventDefault();
  root.focus();
};
leaveAfterPointer(root);

let fading;

/**
 * Shows a message at the bottom of the window, or hides it without a text. It may have a progress bar for `share`, and
 * disappear after `seconds`.
 */
function say(text, { isError = false, share, seconds } = {}) {
  clearTimeout(fading);
  if (seconds) fading = setTimeout(say, 1000 * seconds);
  message.hidden = !text;
  message.replaceChildren(text ?? "");
  if (share !== undefined) message.append(element("progress", { value: share, max: 1, "aria-label": text }));
  message.classList.toggle("error", isError);
}

/** Shows an error to the user. */
function complain(error) {
  if (!(error instanceof Refused)) console.error(error);
  say(error instanceof Refused ? error.message : `An error occurred: ${error.message}`, { isError: true });
}

/** Returns what the page provides to parts. */
async function prepare() {
  // index.html requests the WebAssembly that the address needs; the one with agents does everything that the other does.
  const { href, dataset: { bytes } } = document.getElementById("wasm");
  const plays = href.endsWith("/agents/hognose_bg.wasm");
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Loading" });
  root.querySelector(".loading")?.replaceChildren("Loading … ", bar);
  const learning = agents();
  if (plays) fetchNamed(location.hash);
  const report = (share) => (bar.value = share);
  const arriving = plays ? program(report) : compiled(href, Number(bytes), report);
  const create = () => Object.assign(new Engine(arriving, plays ? GLUE : undefined), plays && { agents: new Set() });
  const engine = create();
  await arriving;
  const [light, dark, seats, margin, solvers, learned] = await Promise.all([
    engine.call("colors", false),
    engine.call("colors", true),
    engine.call("seats"),
    engine.call("margin"),
    engine.call("policies"),
    learning,
  ]);
  const policies = [...JSON.parse(solvers), ...learned];
  let spare = engine;
  let judge;
  const judged = new Map();
  return {
    palette: { light, dark, seats, margin },
    policies,
    /** Returns a worker with the WebAssembly, which the caller closes. */
    engine() {
      const taken = spare ?? create();
      spare = undefined;
      return taken;
    },
    /** Returns the policies that refuse a game, with the reason and a board that they play; none if its rules are invalid. */
    refusals(rules, board, seed) {
      const game = `${rules} ${seed}`;
      judge ??= create();
      if (!judged.has(game)) judged.set(game, judge.call("refusals", rules, `${seed}`).then(JSON.parse, () => []));
      return judged.get(game).then((refused) => [...refused, ...refusing(learned, board)]);
    },
  };
}

let page;
let shown;
let turns = 0;
let later;

/** Writes the address. Browsers reject too many changes in a few seconds: then it is tried again. */
function write(address, isNew) {
  clearTimeout(later);
  if (address === (location.hash || `#${Object.keys(PARTS)[0]}`)) return;
  try {
    history[isNew ? "pushState" : "replaceState"](null, "", address);
  } catch {
    later = setTimeout(() => write(address, isNew), AGAIN);
  }
}

/** Loads the module of a part. */
async function moduleOf({ title, load }) {
  try {
    return await load();
  } catch (error) {
    // Errors of this type mean that the module can't be loaded.
    if (!(error instanceof TypeError)) throw error;
    throw new Refused(`${title} can't be loaded: there is no connection to the page's server.`);
  }
}

/** Shows the part and the choices in the address. */
async function show() {
  const { part: named, choices } = parse(location.hash);
  const name = Object.hasOwn(PARTS, named) ? named : Object.keys(PARTS)[0];
  if (shown?.name === name) {
    shown.part.choose(choices);
    return;
  }
  const turn = ++turns;
  clearTimeout(later);
  if (shown) {
    shown.part.close();
    shown = undefined;
    root.replaceChildren();
  }
  say();
  links.forEach((link, other) => {
    if (other === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  document.title = `${PARTS[name].title} – hognose`;
  page ??= prepare().catch((error) => {
    page = undefined;
    throw error;
  });
  try {
    const [{ open, USUAL }, prepared] = await Promise.all([moduleOf(PARTS[name]), page]);
    if (turn !== turns) return;
    root.replaceChildren();
    /** Ignores messages and addresses of a part that is no longer shown. */
    const whileShown = (act) => (...words) => turn === turns && act(...words);
    const its = {
      ...prepared,
      say: whileShown(say),
      complain: whileShown(complain),
      /** Writes choices to the address: as a new entry of the history, or in place of the last one. */
      write: whileShown((made, isNew) => write(format(name, made, USUAL), isNew)),
      /**
       * Returns a worker that plays these policies, or trains if there are none, in place of `current`. Reports the
       * progress of downloads while `isWanted()`.
       */
      engineFor: (current, names, isWanted) =>
        engineFor(current, names, (text, share) => isWanted() && its.say(text, { share })),
    };
    shown = { name, part: open(root, its) };
    shown.part.choose(choices);
    setTimeout(() => idle(fetchAhead), SETTLED);
  } catch (error) {
    if (turn !== turns) return;
    root.replaceChildren();
    complain(error);
  }
}

const idle = globalThis.requestIdleCallback ?? setTimeout;

/** Fetches the other parts while nothing else happens, and keeps the page for visits without a connection. */
function fetchAhead() {
  Object.values(PARTS).forEach(({ load }) => load().catch(() => {}));
  navigator.serviceWorker?.register("sw.js").catch(() => {});
}

// The back button and typed addresses fire this event.
addEventListener("popstate", show);
addEventListener("unhandledrejection", ({ reason }) => complain(reason));
// Warnings of resize observers come as events without an error.
addEventListener("error", ({ error }) => error && complain(error));
show();
