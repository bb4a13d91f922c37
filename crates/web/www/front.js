// Start: what this is about in ten seconds, and the story behind it.

import { bestOf } from "./agents.js";
import { element } from "./elements.js";
import { titleOf } from "./names.js";
import { Scene } from "./scene.js";
import { daily } from "./share.js";
import { format } from "./address.js";

/** Defaults of the address. */
export const USUAL = {};

/** The steps of the story: a title, what one sees, its board, and where to go from there. */
const STORY = [
  {
    title: "Greed gets you killed",
    text: "Always take the shortest way to the food. That is quick, and it ends early: sooner or later the snake shuts itself in.",
    scene: { policy: "bfs", board: "8x8", seconds: 8, layers: [false, true] },
  },
  {
    title: "A cycle never dies, but it is slow",
    text: "The thin line visits every cell once and comes back. A snake that follows it can't hit itself, and fills every board. But most steps lead nowhere near the food.",
    scene: { policy: "hamiltonian", board: "8x8", seconds: 20 },
  },
  {
    title: "Short cuts save steps",
    text: "The snake may leave out parts of the cycle as long as it stays behind its own tail on it. While it is short, that saves a lot.",
    scene: { policy: "shortcut", board: "8x8", seconds: 16 },
  },
  {
    title: "Plans with a certificate",
    text: "Before each food our strongest solver searches for a short path, and takes it only if it also finds a new cycle through the whole board for afterwards. That cycle is its certificate: it can't lose any more, whatever comes.",
    scene: { policy: "certified", board: "8x8", seconds: 14 },
  },
  {
    title: "How close is that to perfect?",
    text: "Small boards can be solved exactly: for every position it is known how many steps perfect play needs on average. On 6x6 that is 151.3 steps. The solver above needs 157, and the best of the published ones 182. Here perfect play fills 4x4.",
    scene: { policy: "optimal", board: "4x4", seconds: 10 },
    link: ["What is each move worth?", "#watch?policy=optimal&board=4x4&show=plan,worth"],
  },
  {
    title: "A network learns it",
    text: "Nobody tells this network how to play. It learned by playing, millions of steps, which plans to the food are quick in the end. Now it needs as few steps as the solver.",
    agent: { seconds: 14 },
    link: ["Watch one learn, from the first clumsy game", "#learn"],
  },
];

/** The project's links by their relations in index.html, where build.sh writes them. */
const LINKS = { "code-repository": "Source code", help: "The book, with all commands" };

export function open(root, page) {
  const engine = page.engine();
  const hasAgents = page.policies.some((policy) => policy.learned);
  let learned;
  const scenes = [];

  /** Creates a board; the worker is shared, and answers in order. */
  function scene(settings, its = engine) {
    const made = new Scene(page, its, settings);
    scenes.push(made);
    return made;
  }

  const opening = scene({ policy: "certified", board: "8x8", seconds: 13, label: "The snake that never loses" });
  const go = (text, href, primary = false) => element("a", { href, className: primary ? "button primary" : "button" }, text);
  root.append(
    element("section", { className: "opening" },
      element("h1", {}, "This snake never loses. Can you beat it?"),
      opening.element,
      element("div", { className: "claim" },
        element("p", {}, "It plans ahead, and always knows a way to fill the whole board. Here it needs about 400 steps."),
        element("p", { className: "row" }, go("Play against it", "#play?board=8x8", true), go("Play today's board", format("play", daily())), go("Watch it race", "#race")),
        element("p", { className: "note" }, "Orange is its way to the food, gray the way on that would fill the board. Tap the board to pause. ", element("a", { href: "#story" }, "How does it work?")))),
    element("section", { className: "story", id: "story", "aria-label": "How it works" }, ...STORY.map((step, index) => chapter(step, index + 1))),
    element("section", { className: "ending" },
      element("h2", {}, "Your turn"),
      element("p", { className: "row" }, go("Play", "#play", true), go("Let snakes race", "#race"), go("Duel against a bot", "#duel"), hasAgents && go("Train an agent", "#learn")),
      element("p", {}, ...links())),
  );
  root.querySelector(".claim a[href='#story']").onclick = (event) => {
    event.preventDefault();
    root.querySelector("#story").scrollIntoView({ behavior: "smooth" });
  };

  function chapter({ title, text, scene: settings, agent, link }, number) {
    const live = settings ? scene({ ...settings, label: title }).element : learner(agent, title);
    const policy = settings?.policy;
    const more = link ?? ["Look closer: step by step, with its plan", `#watch?policy=${policy}&board=${settings?.board}&show=plan,cycle`];
    return element("article", {},
      element("div", {}, element("h2", {}, `${number}. ${title}`), element("p", {}, text),
        policy && element("p", { className: "note" }, titleOf(policy), ": ", element("code", {}, policy)),
        hasAgents || settings ? element("p", {}, element("a", { href: more[1] }, more[0])) : undefined),
      live);
  }

  /** Returns a board for an agent, which is large and only fetched if the reader wants it. */
  function learner(settings, label) {
    const best = bestOf(page.policies, "8x8", "6x6");
    if (!best) return element("p", { className: "note" }, "This copy of the page was built without agents.");
    const place = element("div", { className: "scene empty" });
    const load = element("button", { type: "button", className: "primary", onclick: async () => {
      load.disabled = true;
      try {
        learned = await page.engineFor(undefined, [best.name], () => true);
        if (!root.contains(place)) return learned.close();
        place.replaceWith(scene({ ...settings, policy: best.name, board: best.board, label }, learned).element);
      } catch (error) {
        load.disabled = false;
        page.complain(error);
      }
      return undefined;
    } }, "Fetch the network and let it play");
    place.append(load);
    return place;
  }

  function links() {
    const known = Object.entries(LINKS).flatMap(([relation, text]) => {
      const href = document.querySelector(`link[rel=${relation}]`)?.href;
      return href ? [element("a", { href }, text), " · "] : [];
    });
    return [...known, "In a terminal: ", element("code", {}, "hognose watch --policy certified --board 8x8")];
  }

  return {
    choose() {},
    share: async () => ({ text: "This snake never loses. Can you beat it?", canvases: [opening.canvas] }),
    close() {
      scenes.forEach((its) => its.close());
      engine.close();
      learned?.close();
    },
  };
}
