// Play: the user plays, and a coach shows the values of moves.

import { chooser, packMoves, unpackMoves } from "./address.js";
import { Board, swatch } from "./board.js";
import { Bars } from "./charts.js";
import { Clock, inTurn } from "./clock.js";
import { about, boardInput, element, facts, field, iconButton, intro, isTyping, numberInput, setIcon, tick } from "./elements.js";
import { download, resultLine } from "./share.js";
import { directionOf, pad, swipes } from "./steer.js";
import { endingOf, rulesOf, rulesText, worthRows, worthTable } from "./words.js";

/** Defaults of the address. */
export const USUAL = { board: "10x10", rules: "", seed: "", moves: "", pace: 5, show: "" };

/** The available paces, in steps per second; 0 waits for each press. */
const PACES = [0, 2, 3, 4, 5, 6, 8, 10, 12, 15];
/** The lowest speed at which the snake glides, in steps per second. */
const QUICK = 10;
/** The maximum number of letters of moves in a link. */
const LONGEST = 1500;
/** The time after the end of a game in which presses do not begin another one, in milliseconds. */
const PATIENCE = 500;
/** The shorter side from which boards have room to begin away from the walls, and how far. */
const [ROOMY, MARGIN] = [8, 3];
/** The name of the best scores in the browser's storage. */
const BEST = "hognose-best";

const anySeed = () => Math.floor(Math.random() * 2 ** 32);

export function open(root, page) {
  const engine = page.engine();
  const coaching = { engine: undefined, coach: undefined, of: "", asked: 0, review: undefined, reviews: 0 };
  let game;
  let known;
  let choices = { ...USUAL };
  let reviewed = false;
  /** Whether the user made every move of the game, in their order, without the coach. */
  let isHonest = false;
  let endedAt = 0;
  /** The coach's values before the last move, and what it says about that move. */
  let before;
  let comment = "";
  /** Whether board, rules, seed and moves define the game, so that an address can. */
  let isLinkable = true;
  let loads = 0;
  let turn = inTurn();

  const { change, adjust } = chooser(page, () => choices, select, { moves: "" });
  const canvas = element("canvas", { role: "img" });
  const board = new Board(canvas, page.palette);
  const clock = new Clock(() => step());

  const back = iconButton("back", "One step back (comma)", () => lookBy(-1));
  const play = iconButton("play", "Continue (space)", () => toggle());
  const forward = iconButton("forward", "One step forward (period)", () => lookBy(1));
  play.classList.add("primary");
  const scrubber = element("input", { type: "range", min: 0, max: 0, value: 0, className: "scrubber" });
  scrubber.setAttribute("aria-label", "Step");
  scrubber.oninput = () => look(Number(scrubber.value));
  const steering = pad(press);
  swipes(canvas, press);

  const { input: boardField, list: boards } = boardInput((name) => change({ board: name, rules: "", seed: "" }));
  const seed = numberInput((text) => change({ seed: text }));
  const again = element("button", { type: "button", className: "primary", onclick: () => change({ seed: "" }) }, "New game");
  const same = element("button", { type: "button", onclick: () => (isLinkable ? change({}) : look(0)) }, "Same game again");
  const lesson = element("button", { type: "button", onclick: () => change({ board: "4x4", rules: "", seed: "", pace: 0, show: "coach" }) }, "A lesson with the coach");
  const pace = element("input", { type: "range", min: 0, max: PACES.length - 1, step: 1 });
  const paceText = element("output", { className: "note" });
  pace.oninput = () => adjust({ pace: PACES[pace.value] });
  const coachTick = tick("Coach", "Shows the value of every move before you play", () => adjust({ show: shown() }));
  const reachTick = tick("Reach", "Marks the cells that the head can reach as the body moves on", () => adjust({ show: shown() }));
  reachTick.label.append(swatch(page.palette, "mark"));
  const counts = facts(["Length", "Steps", "Steps since food"], 3);
  const status = element("p", { className: "status", role: "status" });
  const heard = element("p", { className: "visually-hidden", "aria-live": "polite" });
  const [outcome, score, record] = [element("h2"), element("p"), element("p", { className: "note" })];
  const rival = element("p", { className: "note" });
  const card = element("section", { className: "result", "aria-label": "Result", hidden: true }, outcome, score, record, rival,
    element("div", { className: "row" },
      element("button", { type: "button", className: "primary", onclick: () => restart() }, "Play again"),
      element("button", { type: "button", onclick: () => (card.hidden = true) }, "Look")));
  canvas.onclick = () => restart();
  const worth = element("div", { className: "worth" });
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Solving the board");
  const solving = element("p", { className: "note", hidden: true }, bar, " ", element("span"));
  const note = element("p", { className: "note" });
  const review = element("section", { className: "review", hidden: true });
  const verdict = element("p");
  const bars = new Bars("Steps lost by each move", (index) => look(index));
  review.append(element("h2", {}, "Steps lost by your moves"), verdict, bars.element);

  const save = element("button", { type: "button", onclick: () => saveRecord() }, "Save the record");
  const file = element("input", { type: "file", accept: ".txt,text/plain", className: "visually-hidden", tabIndex: -1 });
  file.setAttribute("aria-hidden", "true");
  file.onchange = () => file.files[0]?.text().then(openRecord).then(() => (file.value = ""));
  const load = element("button", { type: "button", onclick: () => file.click() }, "Open a record …");

  root.append(
    element("div", { className: "two play" },
      intro("Play", "Fill the board with your snake. A coach can show the value of each move."),
      element("div", { className: "stage" },
        element("div", { className: "frame" }, canvas, card), steering, status,
        element("div", { className: "transport" }, back, play, forward, scrubber), heard, review),
      element("div", { className: "panel" },
        counts.list,
        element("div", { className: "row" }, again, same, lesson),
        element("div", { className: "row" }, field("Board", boardField, boards), field("Seed", seed)),
        note,
        field("Pace", pace, paceText),
        element("fieldset", { className: "layers" }, element("legend", {}, "Show"), coachTick.label, reachTick.label),
        solving,
        worth,
        element("div", { className: "row" }, save, load, file),
        about(
          "Steer with the arrow keys or WASD, or by swiping over the board. Presses are queued, and none is lost. Space pauses. You win when the snake fills the board. After the end Enter, Space or a tap on the board begins the next game.",
          "The best scores stay in this browser: the greatest length on each board, and then the fewest steps. Games in which you went back, or asked the coach, don't count.",
          "The coach shows the value of each move in steps: less is better. Boards of up to 25 cells, such as 4x4 and 5x5, are solved exactly, and the values are the expected steps to win if you play optimally from there. On larger boards they are estimates of certified, the strongest solver: the steps to the food, plus the later cost of the body.",
          "After the game a chart shows the steps that each move lost against the best one. Choose a step in the chart, or go back, and press a direction to continue the game from there.",
          "A record is a short text with the rules, the seed and the moves. The command line opens it, too: hognose replay FILE.",
        ))),
  );

  function shown() {
    return [["coach", coachTick], ["reach", reachTick]].filter(([, { box }]) => box.checked).map(([name]) => name).join(",");
  }

  const coached = () => coachTick.box.checked;
  const waits = () => PACES[pace.value] === 0;

  /** Shows choices, and begins another game if they define one. */
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
    paceText.value = waits() ? "one step per press" : `${PACES[pace.value]} steps per second`;
    pace.setAttribute("aria-valuetext", paceText.value);
    const layers = choices.show.split(",");
    coachTick.box.checked = layers.includes("coach");
    reachTick.box.checked = layers.includes("reach");
    const isOther = ["board", "rules", "seed", "moves"].some((key) => `${choices[key]}` !== `${before[key]}`);
    if (!game || isOther || isNew) {
      const its = [rulesOf({ ...choices, rules: choices.rules || roomyRules(choices.board) }), `${choices.seed}`];
      const moves = unpackMoves(choices.moves);
      if (moves === "") await begin(() => engine.create("Play", its));
      else await begin(() => engine.create("Play", [...its, moves], { method: "with_moves" }));
    } else {
      clock.pause();
      await show();
    }
  }

  /** Shows the chosen game. */
  function showGame() {
    [boardField.value, seed.value] = [choices.board, choices.seed];
    note.textContent = rulesText(choices.rules);
  }

  /** Begins the game that `make` creates. Unless it was chosen, its board, rules and seed become the choices. */
  async function begin(make, isChosen = true) {
    const load = ++loads;
    clock.abandon();
    turn = inTurn();
    isHonest = false;
    before = undefined;
    comment = "";
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
      isLinkable = rules !== undefined;
      if (!isChosen) {
        // Without rules, a large board would have other ones.
        choices = { ...choices, board: name, rules: rules === "" && roomyRules(name) ? "{}" : rules ?? "", seed: itsSeed, moves: "" };
        showGame();
      }
      board.resize(name);
      page.say();
      await show();
    } catch (error) {
      if (load === loads) page.complain(error);
    }
  }

  /** Handles a direction. */
  async function press(direction) {
    if (!game || !known || known.end !== null) return;
    if (known.step < known.played) isHonest = false;
    else if (known.step === 0) isHonest = !coached();
    if (waits()) {
      if (!(await game.go(direction))) return;
      unjudge();
      comment = commentOn(direction);
      await show();
      return;
    }
    await game.press(direction);
    if (!clock.playing && (await game.began())) clock.play();
    update();
  }

  /** Plays the next move. */
  async function step() {
    unjudge();
    await Promise.all([game.step(), show()]);
  }

  /** Shows another step of the game. */
  async function look(at) {
    await clock.pause();
    if (!game) return;
    await Promise.all([game.look_at(Math.max(0, at)), show()]);
  }

  /** Moves by a number of steps from the step of earlier presses. */
  function lookBy(steps) {
    turn(() => look(known.step + steps));
  }

  async function show() {
    const its = game;
    if (!its) return;
    const [picture, text] = await Promise.all([its.picture(reachTick.box.checked), its.facts()]);
    if (its !== game) return;
    known = JSON.parse(text);
    // The snake glides quickly, so that the user soon sees where it is.
    board.show(picture, { speed: Math.max(clock.speed, QUICK) });
    counts.show([`${known.length} of ${known.area}`, known.step.toLocaleString("en"), known.hunger]);
    scrubber.max = known.played;
    scrubber.value = known.step;
    const isLast = known.step === known.played;
    const isOver = known.end !== null && isLast;
    if (isOver) {
      clock.pause();
      if (!reviewed) {
        endedAt = performance.now();
        showResult();
        over();
      }
    } else {
      card.hidden = true;
    }
    status.textContent = sentence();
    hear();
    update();
    if (coaching.review) drawReview();
    if (coached() && known.end === null) coach(picture);
    else forget();
  }

  /** Removes the review, since the moves change. */
  function unjudge() {
    reviewed = false;
    coaching.reviews += 1;
    coaching.review = undefined;
    review.hidden = true;
  }

  /** Removes the coach's values, and ignores pending ones. */
  function forget() {
    coaching.asked += 1;
    worth.setAttribute("aria-busy", "false");
    worth.replaceChildren();
  }

  function sentence() {
    if (known.end !== null) return endingOf(known).replace("Won:", "You won:").replace("Lost", "You lost");
    if (known.step < known.played) return `Step ${known.step} of ${known.played}. Press a direction to continue from here.`;
    if (coached() && waits()) return `${comment} ${lessonOf(known)}`.trim();
    if (known.step === 0) return "Press an arrow, or swipe, to begin.";
    return clock.playing || waits() ? "" : "Paused.";
  }

  /** Returns what the coach says about a move. */
  function commentOn(direction) {
    if (!coached() || before?.step !== known.step) return "";
    const { rows } = before;
    const row = rows[direction];
    const best = rows.find((other) => other.best);
    if (row.best) return `${row.direction} was the best move.`;
    if (row.number && best) return `${row.direction} costs ${row.more.slice(1)} steps more than ${best.direction.toLowerCase()}.`;
    return row.text.startsWith("gives away") ? `${row.direction} gave away the certain win.` : "";
  }

  /** Tells people who can't see the board where the food is, when that changes in a way that they can follow. */
  function hear() {
    const where = foodText(known);
    canvas.setAttribute("aria-label", `The board: length ${known.length}, step ${known.step}. ${where}`);
    if (waits() || known.step === 0 || known.hunger === 0 || !clock.playing) heard.textContent = where;
  }

  /** Shows how the game ended, beside the best score. */
  function showResult() {
    const { end, step, length, area } = known;
    outcome.textContent = end === "won" ? "You won!" : "You lost";
    score.textContent = `Length ${length} of ${area} in ${step.toLocaleString("en")} ${step === 1 ? "step" : "steps"}.`;
    const isPlain = !choices.rules && isLinkable;
    record.textContent = isHonest && isPlain ? bestText(choices.board, { length, steps: step, area }) : "";
    rival.textContent = "";
    card.hidden = false;
  }

  /** Begins the next game after the end of one. */
  function restart() {
    if (known?.end === null || known?.step !== known?.played || performance.now() - endedAt < PATIENCE) return;
    change({ seed: "" });
  }

  function update() {
    if (!known) return;
    const goesOn = known.end === null;
    setIcon(play, clock.playing ? "pause" : "play", clock.playing ? "Pause (space)" : "Continue (space)");
    play.disabled = !goesOn || waits();
    back.disabled = known.step === 0 || clock.playing;
    forward.disabled = known.step === known.played || clock.playing;
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

  /** Writes the moves to the address, if they are few. */
  async function keep() {
    const its = game;
    const moves = isLinkable ? packMoves(await its.moves()) : "";
    if (its !== game) return;
    choices.moves = moves.length <= LONGEST ? moves : "";
    page.write(choices, false);
  }

  /** Shows the review after the end of the game. */
  async function over() {
    reviewed = true;
    const asked = coaching.reviews;
    await keep();
    const made = await withCoach(async (coach, record) => JSON.parse(await coach.review(record, progress("Evaluating the moves"))));
    if (asked !== coaching.reviews) return;
    reviewed = made !== undefined;
    if (!made) return;
    coaching.review = made;
    if (made.solver_steps !== null) rival.textContent = `To beat: the solver certified wins this game in ${made.solver_steps.toLocaleString("en")} steps.`;
    drawReview();
  }

  function drawReview() {
    const { scale, moves, steps } = coaching.review;
    const judged = moves.filter((move) => move.steps !== null);
    const best = judged.filter((move) => move.steps < 1e-9).length;
    const lost = moves.flatMap(({ sure_win: sure }, index) => (sure ? [index] : []));
    const how = scale === "exact" ? "by exact play" : "by estimates of the solver certified";
    const parts = [
      judged.length === 0 ? "None of these moves could be evaluated: no certain win is known from there."
        : best === judged.length ? `All ${best} evaluated moves were the best ones, ${how}.`
          : `${best} of the ${judged.length} evaluated moves were the best ones. The others lost ${steps.toFixed(1)} steps in total, ${how}.`,
      lost.length ? `A certain win was given away by ${lost.length === 1 ? "move" : "the moves"} ${lost.map((index) => index + 1).join(", ")}.` : "",
    ];
    review.hidden = false;
    bars.element.toggleAttribute("hidden", best === judged.length && lost.length === 0);
    verdict.textContent = parts.filter(Boolean).join(" ");
    bars.show(moves.map((move) => move.steps ?? 0), lost, Math.min(known.step, moves.length));
  }

  /** Shows the values of the current moves. Only the newest position counts. */
  async function coach(picture) {
    const asked = ++coaching.asked;
    isHonest = false;
    worth.setAttribute("aria-busy", "true");
    const { step } = known;
    const judged = await withCoach(async (coach, record) => (asked === coaching.asked ? JSON.parse(await coach.worth(record, step)) : undefined));
    if (asked !== coaching.asked) return;
    worth.setAttribute("aria-busy", "false");
    if (!judged) return;
    const rows = worthRows(judged);
    before = { step, rows };
    worth.replaceChildren(worthTable(judged, rows));
    board.show(picture, { worth: { head: known.head, texts: rows } });
  }

  /** Calls `ask` with the coach of this board, which may have to solve the board first. */
  async function withCoach(ask) {
    const record = await game.record();
    const of = record.split("\nseed ")[0];
    if (coaching.of !== of) {
      coaching.engine?.close();
      Object.assign(coaching, { engine: page.engine(), of });
      coaching.coach = coaching.engine.create("Coach", [record], { onProgress: progress(`Solving ${choices.board}`) });
    }
    const { coach } = coaching;
    try {
      return await ask(await coach, record);
    } catch (error) {
      // The next call creates another coach.
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

  async function saveRecord() {
    if (!game) return;
    download(new Blob([await game.record()], { type: "text/plain" }), `hognose-${choices.board}-${choices.seed}.txt`);
  }

  async function openRecord(text) {
    await begin(() => engine.create("Play", [text], { method: "open" }), false);
    if (known?.end === null) await keep();
  }

  async function share() {
    await keep();
    const carries = choices.moves !== "" || (isLinkable && known.played === 0);
    return { text: resultLine(choices, known), note: carries ? "" : "A link can't contain this game: save its record." };
  }

  const KEYS = {
    " ": ({ repeat }) => repeat || (known.end === null ? toggle() : restart()),
    Enter: ({ repeat }) => repeat || restart(),
    ",": () => lookBy(-1),
    ".": () => lookBy(1),
    n: ({ repeat }) => repeat || change({ seed: "" }),
  };

  function keydown(event) {
    // Enter presses a focused button or link.
    if (isTyping(event) || (event.key === "Enter" && event.target.matches("button, summary, a"))) return;
    const turn = directionOf(event);
    if (turn !== undefined) {
      event.preventDefault();
      // Repeats of a held key count only if the snake waits for each press.
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
    share,
    close() {
      removeEventListener("keydown", keydown);
      document.removeEventListener("visibilitychange", hide);
      clock.pause();
      engine.close();
      coaching.engine?.close();
    },
  };
}

/** Returns rules that begin away from the walls, for boards with room for that; empty for others. */
function roomyRules(board) {
  const sides = /^(\d+)x(\d+)$/.exec(board)?.slice(1).map(Number) ?? [0];
  return Math.min(...sides) < ROOMY ? "" : JSON.stringify({ start: { length: 1, margin: MARGIN } });
}

/** Returns where the food is from the head: "Food: 3 right, 2 up". */
function foodText({ food, head: [column, row] }) {
  const steps = (number, [one, other]) => (number === 0 ? [] : [`${Math.abs(number)} ${number > 0 ? one : other}`]);
  const places = food.map(([x, y]) => [...steps(x - column, ["right", "left"]), ...steps(y - row, ["down", "up"])].join(", "));
  return places.length ? `Food: ${places.join("; ")}.` : "";
}

/** Returns what the coach explains at this point of a game. */
function lessonOf({ step, length, area, hunger }) {
  if (step === 0) return "The numbers around the head are the steps that each move needs to fill the board: fewer are better. Press the direction of the green one.";
  if (hunger > 0) return "";
  if (length === 2) return "The snake has eaten and grows. The next food appears anywhere; you can't know where.";
  if (length === Math.ceil(area / 2)) return "Half the board is full: from here on, always keep a way to your tail.";
  return "";
}

/** Notes the result of a game if it is the best on its board, and returns what to say about it. */
function bestText(board, { length, steps, area }) {
  const shown = (its) => (its.length === area ? `${its.steps} steps to fill the board` : `length ${its.length}`);
  let all;
  try {
    all = JSON.parse(localStorage.getItem(BEST) ?? "{}");
  } catch {
    return "The browser does not let this page keep best scores.";
  }
  const best = all[board];
  if (best && (best.length > length || (best.length === length && best.steps <= steps))) return `Your best on ${board}: ${shown(best)}.`;
  try {
    localStorage.setItem(BEST, JSON.stringify({ ...all, [board]: { length, steps } }));
  } catch {
    return "The browser's storage is full, so this best score is not kept.";
  }
  return best ? `A new best on ${board}! Before: ${shown(best)}.` : `Your first score on ${board}: ${shown({ length, steps })}.`;
}
