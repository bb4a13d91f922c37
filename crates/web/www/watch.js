// Watch: a policy plays a game.

import { number } from "./address.js";
import { bestOf } from "./agents.js";
import { Board } from "./board.js";
import { Clock, inTurn, SPEEDS } from "./clock.js";
import {
  about, boardInput, choose, element, facts, field, iconButton, listen, numberInput, policySelect, setIcon, tick,
} from "./elements.js";
import { endingOf, rulesOf, sentence, worthRows, worthTable } from "./words.js";

/** What is chosen where the address does not say. */
export const USUAL = { policy: "certified", board: "10x10", rules: "", seed: 0, game: 0, speed: 15, show: "plan", step: "" };

const LAYERS = {
  cycle: ["Cycle", "The cycle through the whole board that the policy follows"],
  plan: ["Plan", "The moves that it plans, up to the food"],
  reach: ["Reach", "The cells that the head can get to, given that the body moves on"],
  worth: ["Worth of each move", "How many steps each move costs; small boards are solved exactly"],
};

export function open(root, page) {
  let engine = page.engine();
  let game;
  let choices = { ...USUAL };
  let step = 0;
  let end = null;
  let loads = 0;
  let turn = inTurn();

  const canvas = element("canvas", { role: "img" });
  const board = new Board(canvas, page.palette);
  const clock = new Clock((steps) => go(step + steps, steps));

  const restart = iconButton("restart", "Restart (Home)", () => jump(0));
  const back = iconButton("back", "One step back (comma)", () => stepBy(-1));
  const play = iconButton("play", "Play (space)", () => turn(() => toggle()));
  const forward = iconButton("forward", "One step forward (full stop)", () => stepBy(1));
  const toEnd = iconButton("end", "To the end (End)", () => jump(Infinity));
  play.classList.add("primary");
  const scrubber = element("input", { type: "range", min: 0, max: 0, value: 0, className: "scrubber" });
  scrubber.setAttribute("aria-label", "Step");
  scrubber.oninput = () => jump(Number(scrubber.value));

  const policy = policySelect(page.policies, (name, board) => change(board ? { policy: name, board, rules: "" } : { policy: name }));
  const description = element("p", { className: "note" });
  const { input: boardField, list: boards } = boardInput((name) => change({ board: name, rules: "" }));
  const seed = numberInput((text) => change({ seed: text }));
  const number_ = numberInput((text) => change({ game: number(text, 0, 0, 2 ** 32 - 1) }));
  const next = element("button", { type: "button", onclick: () => change({ game: Number(choices.game) + 1 }) }, "Next game");
  const speed = element("input", { type: "range", min: 0, max: SPEEDS.length - 1, step: 1 });
  const speedText = element("output", { className: "note" });
  speed.oninput = () => adjust({ speed: SPEEDS[speed.value] });
  const layers = Object.entries(LAYERS).map(([name, [label, title]]) => {
    const { box, label: labelled } = tick(label, title, () => adjust({ show: shownLayers() }));
    return { name, box, labelled };
  });
  const known = facts(["Step", "Length", "Steps since food", "Steps for each food"], 2);
  const status = element("p", { className: "status", role: "status" });
  const offer = element("button", { type: "button", className: "offer", onclick: () => change(offered()) });
  const worth = element("div", { className: "worth" });
  const command = element("code");

  root.append(
    element("div", { className: "two" },
      element("div", { className: "stage" }, canvas,
        element("div", { className: "transport" }, restart, back, play, forward, toEnd, scrubber), status),
      element("div", { className: "panel" },
        element("h1", {}, "Watch"),
        offer,
        known.list,
        worth,
        field("Who plays", policy, description),
        element("div", { className: "row" }, field("Board", boardField, boards), field("Seed", seed),
          field("Game", number_), next),
        field("Speed", speed, speedText),
        element("fieldset", { className: "layers" }, element("legend", {}, "Show"), ...layers.map(({ labelled }) => labelled)),
        about(
          "A program plays Snake. It sees the board, and not the food that is still to come. The green line is the snake, its head is the large dot, and the red dot is the food.",
          "The yellow line is the plan: the way to the food that the program has decided on. The thin line is the cycle that it follows, if it does: whoever walks around a cycle through all cells can't lose.",
          "“Worth of each move” counts steps, so less is better. Boards of up to 25 cells are solved exactly, and the numbers are the expected steps until the board is full. On larger boards they are what certified thinks: the steps to the food, and what the body after it will cost.",
          "The seed and the number of the game decide where the snake begins and where food appears. The address of the page has all that you chose: send it to somebody, and they see the same game.",
        ),
        element("p", { className: "note" }, "In a terminal: ", command)),
    ),
  );

  function shownLayers() {
    return layers.filter(({ box }) => box.checked).map(({ name }) => name).join(",");
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
    choose(policy, choices.policy);
    const told = page.policies.find(({ name }) => name === choices.policy || name === choices.policy.split(":")[0]);
    const agent = offered();
    offer.hidden = !agent || choices.policy.startsWith("dqn");
    offer.textContent = agent ? `Let a trained agent play ${agent.board}` : "";
    description.textContent = told ? sentence(told.description) : "";
    [boardField.value, seed.value, number_.value] = [choices.board, choices.seed, choices.game];
    const fastest = SPEEDS.length - 1;
    const at = SPEEDS.findIndex((known) => known >= Number(choices.speed));
    speed.value = at < 0 ? fastest : at;
    clock.speed = SPEEDS[speed.value];
    speedText.value = clock.speed === Infinity ? "as fast as it goes" : `${clock.speed} steps a second`;
    speed.setAttribute("aria-valuetext", speedText.value);
    const shown = choices.show.split(",");
    layers.forEach(({ name, box }) => (box.checked = shown.includes(name)));
    const usual = !choices.rules;
    command.parentElement.hidden = !usual;
    command.textContent = `hognose watch --policy ${choices.policy.replace(/^(dqn(?:-safe)?:)/, "$1checkpoints/")} --board ${choices.board} --seed ${choices.seed} --game ${choices.game}`;
    const isOther = (key) => `${choices[key]}` !== `${before[key]}`;
    if (!game || ["policy", "board", "rules", "seed", "game"].some(isOther)) await load(autoplay);
    else if (isOther("step") && choices.step !== "") await jump(number(choices.step, 0));
    else await show();
  }

  async function load(autoplay) {
    const load = ++loads;
    clock.abandon();
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
    const slow = setTimeout(() => page.say("One moment …"), 300);
    const onProgress = (share) => page.say(`${choices.board} is being solved: ${Math.round(100 * share)} %`);
    try {
      const rules = rulesOf(choices);
      const suited = await page.engineFor(engine, [choices.policy]);
      const [taken, spare] = load === loads ? [suited, engine] : [engine, suited];
      if (taken !== spare) spare.close();
      if (load !== loads) return;
      engine = taken;
      const made = await engine.create("Watch", [choices.policy, rules, `${choices.seed}`, number(choices.game, 0)], { onProgress });
      if (load !== loads) return;
      game = made;
      clearTimeout(slow);
      page.say();
      board.resize(choices.board);
      step = 0;
      scrubber.max = 0;
      const wanted = number(choices.step, 0);
      await go(wanted, Math.max(wanted, 1));
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

  /** Shows a step, and plays as far as it takes. */
  async function go(to, most) {
    const its = game;
    if (!its) return;
    try {
      // Calls are answered in their order, so that nobody need wait in between.
      await Promise.all([its.look_at(Math.max(to, 0), most), show()]);
    } catch (error) {
      if (its !== game) return;
      clock.pause();
      page.complain(error);
    }
  }

  /** Goes to a step, pauses, and writes the step into the address. */
  async function jump(to) {
    await clock.pause();
    const LONG = 20_000;
    let before;
    // The end may be far away: the picture tells how far the game is.
    do {
      before = step;
      await go(Math.min(to, 2 ** 32 - 1), LONG);
    } while (game && step < to && step !== before && end === null && !clock.playing);
    update();
    write();
  }

  /** Goes on or back from the step that earlier presses lead to. */
  function stepBy(steps) {
    turn(() => jump(step + steps));
  }

  async function show() {
    const its = game;
    if (!its) return;
    const layer = Object.fromEntries(layers.map(({ name, box }) => [name, box.checked]));
    const onProgress = (share) => page.say(share < 1 ? `${choices.board} is being solved: ${Math.round(100 * share)} %` : undefined);
    const [picture, factsText, worthText] = await Promise.all([
      its.picture(layer.cycle, layer.plan, layer.reach),
      its.facts(),
      layer.worth ? its.worth(onProgress) : undefined,
    ]);
    if (its !== game) return;
    const told = JSON.parse(factsText);
    step = told.step;
    const judged = worthText === undefined ? undefined : JSON.parse(worthText);
    const rows = judged ? worthRows(judged) : [];
    board.show(picture, judged && { head: told.head, texts: rows });
    worth.replaceChildren(...(judged ? [worthTable(judged, rows)] : []));
    const each = told.foods > 0 ? (told.step / told.foods).toFixed(1) : "–";
    known.show([told.step.toLocaleString("en"), `${told.length} of ${told.area}`, told.hunger, each]);
    scrubber.max = told.played;
    scrubber.value = told.step;
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
    setIcon(play, clock.playing ? "pause" : "play", clock.playing ? "Pause (space)" : "Play (space)");
    back.disabled = restart.disabled = step === 0;
    forward.disabled = toEnd.disabled = end !== null;
    if (game && !clock.playing) canvas.setAttribute("aria-label", `The board ${choices.board} at step ${step}`);
  }

  async function toggle(playing = !clock.playing) {
    if (!playing) {
      await clock.pause();
      write();
    } else if (end !== null) {
      await go(0, 0);
      clock.play();
    } else {
      clock.play();
    }
    update();
  }

  /** Chooses another game. */
  function change(chosen) {
    const made = { ...choices, ...chosen, step: "" };
    page.write(made, true);
    select(made, true);
  }

  /** Chooses how the game is shown. */
  function adjust(chosen) {
    const made = { ...choices, ...chosen };
    page.write(made, false);
    select(made, false);
  }

  /** Writes into the address which step is shown, so that a link leads to it. */
  function write() {
    choices.step = clock.playing ? "" : step;
    page.write(choices, false);
  }

  const KEYS = {
    " ": () => turn(() => toggle()),
    ",": () => stepBy(-1),
    ".": () => stepBy(1),
    ArrowLeft: () => stepBy(-1),
    ArrowRight: () => stepBy(1),
    ArrowUp: () => faster(1),
    ArrowDown: () => faster(-1),
    Home: () => jump(0),
    End: () => jump(Infinity),
    n: () => change({ game: Number(choices.game) + 1 }),
  };

  function faster(by) {
    const at = Math.min(Math.max(Number(speed.value) + by, 0), SPEEDS.length - 1);
    adjust({ speed: SPEEDS[at] });
  }

  const stopListening = listen(KEYS);
  const moves = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  return {
    choose: (chosen) => select(chosen, moves),
    close() {
      stopListening();
      clock.pause();
      engine.close();
    },
  };
}
