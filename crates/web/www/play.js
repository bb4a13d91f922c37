// Play: the user plays, and a coach tells what moves are worth.

import { chooser, packMoves, unpackMoves } from "./address.js";
import { Board, swatch } from "./board.js";
import { Bars } from "./charts.js";
import { Clock, inTurn } from "./clock.js";
import { about, boardInput, element, facts, field, iconButton, intro, isTyping, numberInput, setIcon, tick } from "./elements.js";
import { directionOf, pad, swipes } from "./steer.js";
import { endingOf, rulesOf, rulesText, worthRows, worthTable } from "./words.js";

/** What is chosen where the address does not say. */
export const USUAL = { board: "10x10", rules: "", seed: "", moves: "", pace: 5, show: "" };

/** Steps a second to choose from; 0 waits for each press. */
const PACES = [0, 2, 3, 4, 5, 6, 8, 10, 12, 15];
/** The snake glides to the next cell as at this speed, or quicker. */
const QUICK = 10;
/** The most letters of moves that a link carries. */
const LONGEST = 1500;

const anySeed = () => Math.floor(Math.random() * 2 ** 32);

export function open(root, page) {
  const engine = page.engine();
  const coaching = { engine: undefined, coach: undefined, of: "", asked: 0, review: undefined, reviews: 0 };
  let game;
  let known;
  let choices = { ...USUAL };
  let reviewed = false;
  /** Whether board, rules, seed and moves tell the game, so that the address does. */
  let isTold = true;
  let loads = 0;
  let turn = inTurn();

  const { change, adjust } = chooser(page, () => choices, select, { moves: "" });
  const canvas = element("canvas", { role: "img" });
  const board = new Board(canvas, page.palette);
  const clock = new Clock(() => step());

  const back = iconButton("back", "One step back (comma)", () => lookBy(-1));
  const play = iconButton("play", "Go on (space)", () => toggle());
  const forward = iconButton("forward", "One step forward (full stop)", () => lookBy(1));
  play.classList.add("primary");
  const scrubber = element("input", { type: "range", min: 0, max: 0, value: 0, className: "scrubber" });
  scrubber.setAttribute("aria-label", "Step");
  scrubber.oninput = () => look(Number(scrubber.value));
  const steering = pad(press);
  swipes(canvas, press);

  const { input: boardField, list: boards } = boardInput((name) => change({ board: name, rules: "", seed: "" }));
  const seed = numberInput((text) => change({ seed: text }));
  const again = element("button", { type: "button", className: "primary", onclick: () => change({ seed: "" }) }, "New game");
  const same = element("button", { type: "button", onclick: () => (isTold ? change({}) : look(0)) }, "Same game again");
  const pace = element("input", { type: "range", min: 0, max: PACES.length - 1, step: 1 });
  const paceText = element("output", { className: "note" });
  pace.oninput = () => adjust({ pace: PACES[pace.value] });
  const coachTick = tick("Coach", "Tells before each move what every move is worth", () => adjust({ show: shown() }));
  const reachTick = tick("Reach", "Marks the cells that the head can get to, given that the body moves on", () => adjust({ show: shown() }));
  reachTick.label.append(swatch(page.palette, "mark"));
  const told = facts(["Length", "Steps", "Steps since food"], 3);
  const status = element("p", { className: "status", role: "status" });
  const worth = element("div", { className: "worth" });
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "The board is being solved");
  const solving = element("p", { className: "note", hidden: true }, bar, " ", element("span"));
  const note = element("p", { className: "note" });
  const review = element("section", { className: "review", hidden: true });
  const verdict = element("p");
  const bars = new Bars("Steps that each move gave away", (index) => look(index));
  review.append(element("h2", {}, "What your moves gave away"), verdict, bars.element);

  const save = element("button", { type: "button", onclick: () => download() }, "Save the record");
  const file = element("input", { type: "file", accept: ".txt,text/plain", className: "visually-hidden", tabIndex: -1 });
  file.setAttribute("aria-hidden", "true");
  file.onchange = () => file.files[0]?.text().then(openRecord).then(() => (file.value = ""));
  const load = element("button", { type: "button", onclick: () => file.click() }, "Open a record …");
  const link = element("button", { type: "button", onclick: () => copyLink() }, "Copy a link");

  root.append(
    element("div", { className: "two" },
      intro("Play", "Fill the board with your snake. A coach can tell what each move is worth."),
      element("div", { className: "stage" }, canvas, steering,
        element("div", { className: "transport" }, back, play, forward, scrubber), status, review),
      element("div", { className: "panel" },
        told.list,
        element("div", { className: "row" }, again, same),
        element("div", { className: "row" }, field("Board", boardField, boards), field("Seed", seed)),
        note,
        field("Pace", pace, paceText),
        element("fieldset", { className: "layers" }, element("legend", {}, "Show"), coachTick.label, reachTick.label),
        solving,
        worth,
        element("div", { className: "row" }, save, load, file, link),
        about(
          "Steer with the arrow keys or WASD, or by swiping over the board. Presses wait for their turn, and none is lost. Space pauses. The game is won when the snake fills the board.",
          "The coach tells what each move is worth, in steps: less is better. Boards of up to 25 cells, such as 4x4 and 5x5, are solved exactly, and the numbers are the expected steps to the full board if you play perfectly from there on. On larger boards they are what certified thinks, the strongest solver: the steps to the food, and what the body after it will cost.",
          "After the game you see what each move gave away against the best one. Choose a step in the chart, or go back, and press a direction: the game goes on from there.",
          "A record is a small text with the rules, the seed and the moves. The command opens it, too: hognose replay FILE.",
        ))),
  );

  function shown() {
    return [["coach", coachTick], ["reach", reachTick]].filter(([, { box }]) => box.checked).map(([name]) => name).join(",");
  }

  const coached = () => coachTick.box.checked;
  const waits = () => PACES[pace.value] === 0;

  /** Shows what was chosen; a game begins if it is another one. */
  async function select(chosen, isNew = false) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    if (`${choices.seed}` === "") {
      choices.seed = anySeed();
      page.write(choices, false);
    }
    showGame();
    const at = PACES.findIndex((known) => known >= Number(choices.pace));
    pace.value = at < 0 ? PACES.length - 1 : at;
    if (!waits()) clock.speed = PACES[pace.value];
    paceText.value = waits() ? "one step for each press" : `${PACES[pace.value]} steps a second`;
    pace.setAttribute("aria-valuetext", paceText.value);
    const layers = choices.show.split(",");
    coachTick.box.checked = layers.includes("coach");
    reachTick.box.checked = layers.includes("reach");
    const isOther = ["board", "rules", "seed", "moves"].some((key) => `${choices[key]}` !== `${before[key]}`);
    if (!game || isOther || isNew) {
      const its = [rulesOf(choices), `${choices.seed}`];
      const moves = unpackMoves(choices.moves);
      if (moves === "") await begin(() => engine.create("Play", its));
      else await begin(() => engine.create("Play", [...its, moves], { method: "with_moves" }));
    } else {
      clock.pause();
      await show();
    }
  }

  /** Shows which game was chosen. */
  function showGame() {
    [boardField.value, seed.value] = [choices.board, choices.seed];
    note.textContent = rulesText(choices.rules);
  }

  /** Begins the game that this makes. One that nobody has chosen tells its board, rules and seed itself. */
  async function begin(make, isChosen = true) {
    const load = ++loads;
    clock.abandon();
    turn = inTurn();
    unjudge();
    forget();
    try {
      const made = await make();
      const [name, rules, itsSeed] = await Promise.all([made.board(), made.rules(), made.seed()]);
      if (load !== loads) {
        made.free();
        return;
      }
      game?.free();
      game = made;
      isTold = rules !== undefined;
      if (!isChosen) {
        choices = { ...choices, board: name, rules: rules ?? "", seed: itsSeed, moves: "" };
        showGame();
      }
      board.resize(name);
      page.say();
      await show();
    } catch (error) {
      if (load === loads) page.complain(error);
    }
  }

  /** A direction was pressed. */
  async function press(direction) {
    if (!game || !known || known.end !== null) return;
    if (waits()) {
      if (!(await game.go(direction))) return;
      unjudge();
      await show();
      return;
    }
    await game.press(direction);
    if (!clock.playing && (await game.began())) clock.play();
    update();
  }

  /** Makes the next move. */
  async function step() {
    unjudge();
    await Promise.all([game.step(), show()]);
  }

  /** Looks at another step of the game. */
  async function look(at) {
    await clock.pause();
    if (!game) return;
    await Promise.all([game.look_at(Math.max(0, at)), show()]);
  }

  /** Looks on or back from the step that earlier presses lead to. */
  function lookBy(steps) {
    turn(() => look(known.step + steps));
  }

  async function show() {
    const its = game;
    if (!its) return;
    const [picture, text] = await Promise.all([its.picture(reachTick.box.checked), its.facts()]);
    if (its !== game) return;
    known = JSON.parse(text);
    // The user sees soon where the snake is.
    board.show(picture, { speed: Math.max(clock.speed, QUICK) });
    told.show([`${known.length} of ${known.area}`, known.step.toLocaleString("en"), known.hunger]);
    scrubber.max = known.played;
    scrubber.value = known.step;
    const isLast = known.step === known.played;
    if (known.end !== null && isLast) {
      clock.pause();
      if (!reviewed) over();
    }
    status.textContent = sentence();
    update();
    if (coaching.review) drawReview();
    if (coached() && known.end === null) coach(picture);
    else forget();
  }

  /** Takes back what was said of the moves: others are made. */
  function unjudge() {
    reviewed = false;
    coaching.reviews += 1;
    coaching.review = undefined;
    review.hidden = true;
  }

  /** Takes back what the coach said, and does not wait for what it was asked. */
  function forget() {
    coaching.asked += 1;
    worth.setAttribute("aria-busy", "false");
    worth.replaceChildren();
  }

  function sentence() {
    if (known.end !== null) return endingOf(known).replace("Won:", "You won:").replace("Lost", "You lost");
    if (known.step < known.played) return `Step ${known.step} of ${known.played}. Press a direction to go on from here.`;
    if (known.step === 0) return "Press an arrow, or swipe, to begin.";
    return clock.playing || waits() ? "" : "Paused.";
  }

  function update() {
    if (!known) return;
    const goesOn = known.end === null;
    setIcon(play, clock.playing ? "pause" : "play", clock.playing ? "Pause (space)" : "Go on (space)");
    play.disabled = !goesOn || waits();
    back.disabled = known.step === 0 || clock.playing;
    forward.disabled = known.step === known.played || clock.playing;
    canvas.setAttribute("aria-label", `The board: length ${known.length}, step ${known.step}`);
  }

  function toggle() {
    if (!game || play.disabled) return;
    if (clock.playing) {
      clock.pause();
      keep();
      status.textContent = "Paused.";
    } else {
      clock.play();
      status.textContent = "";
    }
    update();
  }

  /** Writes the moves into the address, if they are few. */
  async function keep() {
    const its = game;
    const moves = isTold ? packMoves(await its.moves()) : "";
    if (its !== game) return;
    choices.moves = moves.length <= LONGEST ? moves : "";
    page.write(choices, false);
  }

  /** The game is over: shows what moves gave away. */
  async function over() {
    reviewed = true;
    const asked = coaching.reviews;
    await keep();
    const made = await withCoach(async (coach, record) => JSON.parse(await coach.review(record, progress("The moves are being judged"))));
    if (asked !== coaching.reviews) return;
    reviewed = made !== undefined;
    if (!made) return;
    coaching.review = made;
    drawReview();
  }

  function drawReview() {
    const { scale, moves, steps } = coaching.review;
    const judged = moves.filter((move) => move.steps !== null);
    const best = judged.filter((move) => move.steps < 1e-9).length;
    const lost = moves.flatMap(({ sure_win: sure }, index) => (sure ? [index] : []));
    const how = scale === "exact" ? "exactly" : "as the solver certified estimates";
    const parts = [
      judged.length === 0 ? "None of these moves could be judged: no sure win is known from there."
        : best === judged.length ? `All ${best} moves that could be judged were best ones, ${how}.`
          : `${best} of the ${judged.length} moves that could be judged were best ones. The others gave away ${steps.toFixed(1)} steps in all, ${how}.`,
      lost.length ? `A certain win was given away by ${lost.length === 1 ? "move" : "the moves"} ${lost.map((index) => index + 1).join(", ")}.` : "",
    ];
    review.hidden = false;
    bars.element.toggleAttribute("hidden", best === judged.length && lost.length === 0);
    verdict.textContent = parts.filter(Boolean).join(" ");
    bars.show(moves.map((move) => move.steps ?? 0), lost, Math.min(known.step, moves.length));
  }

  /** Tells what moves are worth now. Only the newest position counts. */
  async function coach(picture) {
    const asked = ++coaching.asked;
    worth.setAttribute("aria-busy", "true");
    const { step } = known;
    const judged = await withCoach(async (coach, record) => (asked === coaching.asked ? JSON.parse(await coach.worth(record, step)) : undefined));
    if (asked !== coaching.asked) return;
    worth.setAttribute("aria-busy", "false");
    if (!judged) return;
    const rows = worthRows(judged);
    worth.replaceChildren(worthTable(judged, rows));
    board.show(picture, { worth: { head: known.head, texts: rows } });
  }

  /** Asks the coach of this board, which may have to solve it first. */
  async function withCoach(ask) {
    const record = await game.record();
    const of = record.split("\nseed ")[0];
    if (coaching.of !== of) {
      coaching.engine?.close();
      Object.assign(coaching, { engine: page.engine(), of });
      coaching.coach = coaching.engine.create("Coach", [record], { onProgress: progress(`${choices.board} is being solved`) });
    }
    const { coach } = coaching;
    try {
      return await ask(await coach, record);
    } catch (error) {
      // The next question goes to another coach.
      if (coach === coaching.coach) coaching.of = "";
      page.complain(error);
      return undefined;
    } finally {
      solving.hidden = true;
    }
  }

  function progress(what) {
    return (share) => {
      solving.hidden = share >= 1;
      bar.value = share;
      solving.lastChild.textContent = `${what}: ${Math.round(100 * share)} %`;
    };
  }

  async function download() {
    if (!game) return;
    const address = URL.createObjectURL(new Blob([await game.record()], { type: "text/plain" }));
    element("a", { href: address, download: `hognose-${choices.board}-${choices.seed}.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  async function openRecord(text) {
    await begin(() => engine.create("Play", [text], { method: "open" }), false);
    if (known?.end === null) await keep();
  }

  async function copyLink() {
    if (!game) return;
    await keep();
    const carries = choices.moves !== "" || (isTold && known.played === 0);
    const leads = carries ? "It leads to this game." : "It leads to this board and seed; no link can tell this game, so save its record.";
    const seconds = 4;
    try {
      await navigator.clipboard.writeText(location.href);
      page.say(`The link is copied. ${leads}`, { seconds });
    } catch {
      page.say("The browser does not let the page copy. The address of the page is the link.", { seconds });
    }
  }

  const KEYS = {
    " ": ({ repeat }) => repeat || toggle(),
    ",": () => lookBy(-1),
    ".": () => lookBy(1),
    n: ({ repeat }) => repeat || change({ seed: "" }),
  };

  function keydown(event) {
    if (isTyping(event)) return;
    const turn = directionOf(event);
    if (turn !== undefined) {
      event.preventDefault();
      // A key that is held repeats itself: that is no new press, unless the snake waits for each.
      if (!event.repeat || waits()) press(turn);
    } else if (KEYS[event.key] && known) {
      event.preventDefault();
      KEYS[event.key](event);
    }
  }

  const hide = () => {
    if (document.hidden && clock.playing) toggle();
  };
  addEventListener("keydown", keydown);
  document.addEventListener("visibilitychange", hide);
  return {
    choose: (chosen) => select(chosen),
    close() {
      removeEventListener("keydown", keydown);
      document.removeEventListener("visibilitychange", hide);
      clock.pause();
      engine.close();
      coaching.engine?.close();
    },
  };
}
