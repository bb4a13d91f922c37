// Watch: a policy plays a game.

import { chooser, gameNumber, number } from "./address.js";
import { bestOf } from "./agents.js";
import { Ahead } from "./ahead.js";
import { Board, swatch } from "./board.js";
import { Clock, inTurn } from "./clock.js";
import {
  about, boardInput, calm, choose, element, facts, field, intro, listen, numberInput, policySelect, tick,
} from "./elements.js";
import { SpeedSlider, Transport } from "./transport.js";
import { descriptionOf, endingOf, opinionRows, opinionTable, rulesOf, worthRows, worthTable } from "./words.js";

/** What is chosen where the address does not say. */
export const USUAL = { policy: "certified", board: "10x10", rules: "", seed: 0, game: 0, speed: 15, show: "plan", step: "" };

/** Up to so many steps a second, each is shown. */
const SMOOTH = 60;

/** How many steps are played before the picture tells how far the game is. */
const LONG = 20_000;

/** What can be shown of the program's thoughts: a name, an explanation, and the color in the picture. */
const LAYERS = {
  plan: ["Plan", "The moves that it plans, up to the food", "plan"],
  cycle: ["Cycle", "The cycle through the whole board that it follows", "cycle"],
  reach: ["Reach", "The cells that the head can get to, given that the body moves on", "mark"],
  worth: ["Worth of each move", "How many steps each move costs; small boards are solved exactly"],
  opinion: ["The agent's own values", "What the agent has learned to expect of each move"],
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
  const clock = new Clock((steps) => show(step + steps, steps));
  const transport = new Transport({ toggle: () => turn(() => toggle()), stepBy, jump });
  // As in players of films.
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
  const known = facts(["Step", "Length", "Steps since food", "Steps for each food"], 2);
  const status = element("p", { className: "status", role: "status" });
  const offer = element("button", { type: "button", className: "offer", onclick: () => change(offered()) });
  const worth = element("div", { className: "worth" });
  const command = element("code");

  root.append(
    element("div", { className: "two" },
      intro("Watch", "A program plays Snake. Pause it, step back and forth, or let another one play."),
      element("div", { className: "stage" }, canvas, transport.element, status),
      element("div", { className: "panel" },
        offer,
        known.list,
        worth,
        field("Who plays", policy, description),
        element("div", { className: "row" }, field("Board", boardField, boards), field("Seed", seed),
          field("Game", gameField), next),
        field("Speed", speed.input, speed.text),
        element("fieldset", { className: "layers" }, element("legend", {}, "Show what it thinks"), ...layers.map(({ labelled }) => labelled)),
        about(
          "A program plays Snake. It sees the board, and not the food that is still to come. The green line is the snake, its head is the large dot, and the red dot is the food.",
          "The yellow line is the plan: the way to the food that the program has decided on. The thin line is the cycle that it follows, if it does: whoever walks around a cycle through all cells can't lose.",
          "“Worth of each move” counts steps, so less is better. Boards of up to 25 cells are solved exactly, and the numbers are the expected steps until the board is full. On larger boards they are what certified thinks: the steps to the food, and what the body after it will cost.",
          "An agent has learned values of its own. Of moves it expects rewards to come (Q-values), so more is better. If it chooses among plans, it estimates steps, so less is better. Where both are shown, the board has the agent's numbers.",
          "The seed and the number of the game decide where the snake begins and where food appears. The address of the page has all that you chose: send it to somebody, and they see the same game.",
        ),
        element("p", { className: "note" }, "In a terminal: ", command)),
    ),
  );

  function shownLayers() {
    return layers.filter(({ box }) => box.checked).map(({ name }) => name).join(",");
  }

  /** Whether a trained agent plays. */
  function isLearned() {
    return choices.policy.startsWith("dqn");
  }

  /** The choices with which a trained agent plays, of this board if there is one; undefined if there are no agents. */
  function offered() {
    const best = bestOf(page.policies, choices.board, USUAL.board);
    return best && { policy: best.name, board: best.board, rules: "" };
  }

  /** Shows what was chosen; the game begins again if it is another one. */
  async function select(chosen, autoplay) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    choices.game = gameNumber(choices.game);
    choose(policy, choices.policy);
    const agent = offered();
    offer.hidden = !agent || isLearned();
    offer.textContent = agent ? `Let a trained agent play ${agent.board}` : "";
    description.textContent = descriptionOf(page.policies, choices.policy);
    [boardField.value, seed.value, gameField.value] = [choices.board, choices.seed, choices.game];
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
    const slow = setTimeout(() => load === loads && page.say("One moment …"), 300);
    const onProgress = (share) => page.say(`${choices.board} is being solved: ${Math.round(100 * share)} %`);
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
    } catch (error) {
      if (load !== loads) return;
      board.clear();
      known.show(["–", "–", "–", "–"]);
      worth.replaceChildren();
      page.complain(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** What is to be shown of a step, which is played if it was not yet: at most so many moves for it. */
  async function ask(wanted, most) {
    const its = game;
    const layer = Object.fromEntries(layers.map(({ name, box }) => [name, box.checked]));
    const onProgress = (share) => page.say(share < 1 ? `${choices.board} is being solved: ${Math.round(100 * share)} %` : undefined);
    // Calls are answered in their order, so that nobody need wait in between.
    const [, picture, ...texts] = await Promise.all([
      its.look_at(Math.max(wanted, 0), most),
      its.picture(layer.cycle, layer.plan, layer.reach),
      its.facts(),
      layer.worth ? its.worth(onProgress) : "null",
      layer.opinion && isLearned() ? its.opinion() : "null",
    ]);
    const [told, judged, opinion] = texts.map((text) => JSON.parse(text));
    return { picture, told, judged, opinion };
  }

  /** Shows a step, and plays as far as it takes: at most so many moves. */
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

  function paint({ picture, told, judged, opinion }) {
    const [worthTexts, opinionTexts] = [judged && worthRows(judged), opinion && opinionRows(opinion)];
    step = told.step;
    played = Math.max(played, step);
    const texts = opinionTexts ?? worthTexts;
    board.show(picture, { worth: texts && { head: told.head, texts }, speed: clock.playing ? clock.speed : 0 });
    const tables = [judged && worthTable(judged, worthTexts), opinion && opinionTable(opinion, opinionTexts)];
    worth.replaceChildren(...tables.filter(Boolean));
    const each = told.foods > 0 ? (told.step / told.foods).toFixed(1) : "–";
    known.show([told.step.toLocaleString("en"), `${told.length} of ${told.area}`, told.hunger, each]);
    end = told.end;
    const ending = endingOf(told);
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

  /** Goes to a step, pauses, and writes the step into the address, unless the user does something else meanwhile. */
  async function jump(to) {
    const isThere = await clock.jump(to, async () => {
      await show(Math.min(to, 2 ** 32 - 1), LONG);
      return step;
    });
    if (!isThere) return;
    update();
    write();
  }

  /** Goes on or back from the step that earlier presses lead to. */
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

  /** Writes into the address which step is shown, so that a link leads to it. */
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
    close() {
      loads += 1;
      stopListening();
      clock.pause();
      engine.close();
    },
  };
}
