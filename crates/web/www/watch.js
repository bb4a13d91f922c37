// Watch: a policy plays a game.

import { boardOf, chooser, gameNumber, number } from "./address.js";
import { bestOf } from "./agents.js";
import { Ahead } from "./ahead.js";
import { Board, swatch } from "./board.js";
import { Clock, inTurn } from "./clock.js";
import {
  about, boardInput, calm, choose, element, facts, field, intro, listen, more, numberInput, policySelect, refusalNote, tick,
} from "./elements.js";
import { titleOf } from "./names.js";
import { SpeedSlider, Transport } from "./transport.js";
import { descriptionOf, endingOf, opinionRows, opinionTable, rulesOf, rulesText, solverOf, worthRows, worthTable } from "./words.js";

/** Defaults of the address. */
export const USUAL = { policy: "certified", board: "10x10", rules: "", seed: 0, game: 0, speed: 15, show: "plan", step: "" };

/** The highest speed at which every step is shown, in steps per second. */
const SMOOTH = 60;

/** The number of steps between pictures on the way to a later step. */
const LONG = 20_000;

/** The layers to show: a name, an explanation, and the color in the picture. */
const LAYERS = {
  plan: ["Plan", "The planned moves to the food", "plan"],
  cycle: ["Cycle", "The cycle through the whole board that the policy follows", "cycle"],
  reach: ["Reach", "The cells that the head can reach as the body moves on", "mark"],
  worth: ["Value of each move", "The steps that each move costs; small boards are solved exactly"],
  opinion: ["The agent's own values", "The agent's learned value of each move"],
};

export function open(root, page) {
  let engine = page.engine();
  let game;
  let choices = { ...USUAL };
  let step = 0;
  let played = 0;
  let end = null;
  let loads = 0;
  let turn = inTurn();

  const { change, adjust } = chooser(page, () => choices, select, { step: "" });
  const canvas = element("canvas", { role: "img" });
  const board = new Board(canvas, page.palette);
  const ahead = new Ahead((wanted) => ask(wanted, SMOOTH));
  const clock = new Clock((steps) => show(step + steps, steps), (reached) => speed.reached(reached));
  const transport = new Transport({ toggle: () => turn(() => toggle()), stepBy, jump });
  // As in video players.
  canvas.onclick = () => turn(() => toggle());

  const policy = policySelect(page.policies, (name, board) => change(board ? { policy: name, board, rules: "" } : { policy: name }));
  const description = element("p", { className: "note" });
  const { input: boardField, list: boards } = boardInput((name) => change({ board: name, rules: "" }));
  const seed = numberInput((text) => change({ seed: text }));
  const gameField = numberInput((text) => change({ game: gameNumber(text) }));
  const next = element("button", { type: "button", onclick: () => change({ game: choices.game + 1 }) }, "Next game");
  const speed = new SpeedSlider((chosen) => adjust({ speed: chosen }));
  const layers = Object.entries(LAYERS).map(([name, [label, title, color]]) => {
    const { box, label: labelled } = tick(label, title, () => adjust({ show: shownLayers() }));
    if (color) labelled.append(swatch(page.palette, color));
    return { name, box, labelled };
  });
  const known = facts(["Step", "Length", "Steps since food", "Steps per food"], 2);
  const status = element("p", { className: "status", role: "status" });
  const refusal = element("div");
  const rulesNote = element("p", { className: "note" });
  const offer = element("button", { type: "button", className: "offer", onclick: () => change(offered()) });
  const worth = element("div", { className: "worth" });
  const command = element("code");

  root.append(
    element("div", { className: "two" },
      intro("Watch", "A policy plays Snake. Pause it, step back and forth, or choose another one."),
      element("div", { className: "stage" }, canvas, refusal, transport.element, status),
      element("div", { className: "panel" },
        offer,
        known.list,
        worth,
        field("Who plays", policy, description),
        element("div", { className: "row" }, field("Board", boardField, boards), next),
        field("Speed", speed.input, speed.text),
        element("fieldset", { className: "layers" }, element("legend", {}, "Show"), ...layers.map(({ labelled }) => labelled)),
        about(
          "A policy plays Snake. It sees the board, but not where food will appear. The green line is the snake, the large dot is its head, and the red dot is the food.",
          "The yellow line is the plan: the policy's path to the food. The thin line is the cycle that it follows, if any: a snake that follows a cycle through all cells can't lose.",
          "“Value of each move” counts steps, so less is better. Boards of up to 25 cells are solved exactly, and the values are the expected steps until the board is full. On larger boards they are estimates of the solver certified: the steps to the food, plus the later cost of the body.",
          "An agent has its own learned values. For moves it estimates returns (Q-values), so more is better. If it chooses among plans, it estimates steps, so less is better. If both kinds of values are shown, the board has the agent's.",
          "The seed and the number of the game determine where the snake begins and where food appears. The page's address contains all choices: share it to show the same game.",
        ),
        more(element("div", { className: "row" }, field("Seed", seed), field("Game", gameField)), rulesNote,
          element("p", { className: "note" }, "In a terminal: ", command))),
    ),
  );

  function shownLayers() {
    return layers.filter(({ box }) => box.checked).map(({ name }) => name).join(",");
  }

  /** Returns whether a trained agent plays. */
  function isLearned() {
    return choices.policy.startsWith("dqn");
  }

  /** Returns choices for a trained agent, on this board if possible; undefined if there are no agents. */
  function offered() {
    const best = bestOf(page.policies, choices.board, USUAL.board);
    return best && { policy: best.name, board: best.board, rules: "" };
  }

  /** Shows choices, and begins another game if they define one. */
  async function select(chosen, autoplay) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    choices.game = gameNumber(choices.game);
    choices.board = boardOf(choices.board);
    choose(policy, choices.policy);
    const agent = offered();
    offer.hidden = !agent || isLearned();
    offer.textContent = agent ? `Let a trained agent play ${agent.board}` : "";
    description.textContent = descriptionOf(page.policies, choices.policy);
    [boardField.value, seed.value, gameField.value] = [choices.board, choices.seed, choices.game];
    rulesNote.textContent = rulesText(choices.rules);
    speed.show(choices.speed);
    clock.speed = speed.speed;
    const shown = choices.show.split(",");
    layers.forEach(({ name, box, labelled }) => {
      box.checked = shown.includes(name);
      labelled.hidden = name === "opinion" && !isLearned();
    });
    const usual = !choices.rules;
    command.parentElement.hidden = !usual;
    command.textContent = `hognose watch --policy ${choices.policy.replace(/^(dqn(?:-safe)?:)/, "$1checkpoints/")} --board ${choices.board} --seed ${choices.seed} --game ${choices.game}`;
    const isOther = (key) => `${choices[key]}` !== `${before[key]}`;
    if (!game || ["policy", "board", "rules", "seed", "game"].some(isOther)) await load(autoplay);
    else if (isOther("step") && choices.step !== "") await jump(number(choices.step, 0));
    else if (isOther("show")) {
      ahead.forget();
      await show(step, 0);
    }
  }

  async function load(autoplay) {
    const load = ++loads;
    clock.abandon();
    ahead.forget();
    turn = inTurn();
    update();
    if (engine.busy) {
      engine.close();
      engine = page.engine();
    } else {
      game?.free();
    }
    game = undefined;
    status.textContent = "";
    refusal.replaceChildren();
    canvas.hidden = false;
    const refusals = () => page.refusals(rulesOf(choices), choices.board, choices.seed);
    const slow = setTimeout(() => load === loads && page.say("Loading …"), 300);
    const onProgress = (share) => page.say(`Solving ${choices.board}: ${Math.round(100 * share)} %`);
    try {
      const rules = rulesOf(choices);
      const suited = await page.engineFor(engine, [choices.policy], () => load === loads);
      const [taken, spare] = load === loads ? [suited, engine] : [engine, suited];
      if (taken !== spare) spare.close();
      if (load !== loads) return;
      engine = taken;
      const made = await engine.create("Watch", [choices.policy, rules, `${choices.seed}`, choices.game], { onProgress });
      if (load !== loads) return;
      game = made;
      clearTimeout(slow);
      page.say();
      board.resize(choices.board);
      step = played = 0;
      const wanted = number(choices.step, 0);
      await show(wanted, Math.max(wanted, 1));
      if (autoplay && choices.step === "") toggle(true);
      const refused = await refusals();
      if (load === loads) policy.refuse(refused, choices.board);
    } catch (error) {
      if (load !== loads) return;
      known.show(["–", "–", "–", "–"]);
      worth.replaceChildren();
      const refused = await refusals();
      if (load !== loads) return;
      policy.refuse(refused, choices.board);
      const its = refused.find(({ name }) => name === solverOf(choices.policy));
      if (!its) {
        board.clear();
        page.complain(error);
        return;
      }
      page.say();
      canvas.hidden = true;
      refusal.replaceChildren(refusalNote(its, (other) => change({ board: other, rules: "" })));
    } finally {
      clearTimeout(slow);
    }
  }

  /** Returns the picture and facts of a step, playing at most `most` moves to reach it. */
  async function ask(wanted, most) {
    const its = game;
    const layer = Object.fromEntries(layers.map(({ name, box }) => [name, box.checked]));
    const onProgress = (share) => page.say(share < 1 ? `Solving ${choices.board}: ${Math.round(100 * share)} %` : undefined);
    // Calls are answered in order, so they need not wait for each other.
    const [, picture, ...texts] = await Promise.all([
      its.look_at(Math.max(wanted, 0), most),
      its.picture(layer.cycle, layer.plan, layer.reach),
      its.facts(),
      layer.worth ? its.worth(onProgress) : "null",
      layer.opinion && isLearned() ? its.opinion() : "null",
    ]);
    const [facts, judged, opinion] = texts.map((text) => JSON.parse(text));
    return { picture, facts, judged, opinion };
  }

  /** Shows a step, playing at most `most` moves to reach it. */
  async function show(wanted, most) {
    const its = game;
    if (!its) return;
    const isSmooth = clock.playing && clock.speed <= SMOOTH;
    if (!isSmooth) ahead.forget();
    try {
      const shown = await (isSmooth ? ahead.take(wanted, clock.speed) : ask(wanted, most));
      if (its === game) paint(shown);
    } catch (error) {
      if (its !== game) return;
      clock.pause();
      update();
      page.complain(error);
    }
  }

  function paint({ picture, facts: now, judged, opinion }) {
    const [worthTexts, opinionTexts] = [judged && worthRows(judged), opinion && opinionRows(opinion)];
    step = now.step;
    played = Math.max(played, step);
    const texts = opinionTexts ?? worthTexts;
    board.show(picture, { worth: texts && { head: now.head, texts }, speed: clock.playing ? clock.speed : 0 });
    const tables = [judged && worthTable(judged, worthTexts), opinion && opinionTable(opinion, opinionTexts)];
    worth.replaceChildren(...tables.filter(Boolean));
    const each = now.foods > 0 ? (now.step / now.foods).toFixed(1) : "–";
    known.show([now.step.toLocaleString("en"), `${now.length} of ${now.area}`, now.hunger, each]);
    end = now.end;
    const ending = endingOf(now);
    if (status.textContent !== ending) status.textContent = ending;
    if (end !== null && clock.playing) {
      clock.pause();
      write();
    }
    update();
  }

  function update() {
    transport.show({ playing: clock.playing, step, played, hasMore: end === null });
    if (game && !clock.playing) canvas.setAttribute("aria-label", `The board ${choices.board} at step ${step}`);
  }

  /** Goes to a step, pauses, and writes the step to the address, unless the user does something else meanwhile. */
  async function jump(to) {
    const isThere = await clock.jump(to, async () => {
      await show(Math.min(to, 2 ** 32 - 1), LONG);
      return step;
    });
    if (!isThere) return;
    update();
    write();
  }

  /** Moves by a number of steps from the step of earlier presses. */
  function stepBy(steps) {
    turn(() => jump(step + steps));
  }

  async function toggle(playing = !clock.playing) {
    if (!playing) await clock.pause();
    else {
      if (end !== null) await show(0, 0);
      clock.play();
    }
    update();
    write();
  }

  /** Writes the shown step to the address, for links. */
  function write() {
    choices.step = clock.playing ? "" : step;
    page.write(choices, false);
  }

  const stopListening = listen({
    ...transport.keys,
    ArrowUp: () => speed.change(1),
    ArrowDown: () => speed.change(-1),
    n: () => change({ game: choices.game + 1 }),
  });
  const moves = !calm.matches;
  return {
    choose: (chosen) => select(chosen, moves),
    share: async () => ({ text: `${titleOf(choices.policy)} (${choices.policy}) plays Snake on ${choices.board}. ${status.textContent}`.trim() }),
    close() {
      loads += 1;
      stopListening();
      clock.pause();
      engine.close();
    },
  };
}
