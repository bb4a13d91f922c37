// Learn: trains an agent in the page.

import { chooser, number } from "./address.js";
import { Board } from "./board.js";
import { Curve } from "./curves.js";
import { about, calm, choose, element, facts, field, iconButton, intro, listen, numberInput, setIcon } from "./elements.js";
import { SpeedSlider } from "./transport.js";

/** Defaults of the address. */
export const USUAL = { board: "4x4", moves: "safe", seed: 0, speed: 15, pace: 3 };

const MOVES = {
  safe: ["Safe moves only", "They keep a win certain, so the agent can't lose."],
  free: ["Legal moves", "All moves that do not lose at once."],
};
/** The share of time in which the worker learns, by the speed of learning. */
const PACES = [0.02, 0.1, 0.4, 1];
const PACE_TEXTS = ["very slowly", "slowly", "half as fast as it can", "as fast as it can"];
/** The time of learning between two pictures, in milliseconds. */
const SLICE = 30;

export function open(root, page) {
  let engine;
  let learn;
  let choices = { ...USUAL };
  let points = [];
  let state;
  let loads = 0;
  let running = false;
  let runs = 0;
  let seconds = 0;

  const { change, adjust } = chooser(page, () => choices, select);
  // As in video players.
  const canvas = element("canvas", { role: "img", onclick: () => toggle() });
  const board = new Board(canvas, page.palette);
  const play = iconButton("play", "Learn (space)", () => toggle());
  play.classList.add("primary");
  const reset = iconButton("restart", "Start over", () => load());
  const gameText = element("p", { className: "status quiet" });
  const boards = element("select", {}, ...["4x4", "5x5"].map((name) => element("option", { value: name }, name)));
  boards.onchange = () => change({ board: boards.value });
  const moves = element("select", {}, ...Object.entries(MOVES).map(([value, [text]]) => element("option", { value }, text)));
  moves.onchange = () => change({ moves: moves.value });
  const movesNote = element("p", { className: "note" });
  const seed = numberInput((text) => change({ seed: text }));
  const pace = element("input", { type: "range", min: 0, max: PACES.length - 1, step: 1 });
  const paceText = element("output", { className: "note" });
  pace.oninput = () => adjust({ pace: pace.value });
  const speed = new SpeedSlider((chosen) => adjust({ speed: chosen }));
  const known = facts(["Environment steps", "Gradient steps", "Seconds of learning"], 3);
  const status = element("p", { className: "status", role: "status" });
  const command = element("code");

  const wins = new Curve("Win rate over environment steps", { range: () => [0, 1], percent: true });
  const steps = new Curve("Mean steps to win over environment steps", {
    range(shown, optimum) {
      const values = shown.map(({ value }) => value);
      const low = optimum ?? Math.min(...values, Infinity);
      const high = Math.max(...values, low * 1.2);
      if (!Number.isFinite(low)) return [0, 1];
      return [Math.floor((low * 0.9) / 5) * 5, Math.ceil(Math.min(high, 2.5 * low) / 5) * 5];
    },
    line: (optimum) => `optimum: ${optimum.toFixed(1)}`,
  });

  root.append(
    element("div", { className: "two" },
      intro("Learn", "A small neural network learns Snake from scratch, in your browser."),
      element("div", { className: "stage" }, canvas, element("div", { className: "transport" }, reset, play), gameText),
      element("div", { className: "panel" },
        status,
        known.list,
        element("div", {}, element("h2", { className: "caption" }, "Win rate"), wins.element,
          element("h2", { className: "caption" }, "Steps to win"), steps.element),
        element("div", { className: "row" }, field("Board", boards), field("Seed", seed)),
        field("Moves", moves, movesNote),
        field("Speed of learning", pace, paceText),
        field("Speed of the game", speed.input, speed.text),
        about(
          "A small neural network learns Snake from scratch, by double Q-learning with prioritized replay: it plays 64 games at once, and updates its weights after each step of all games. It evaluates the position after each move, and plays the move with the highest value. On the board, the current agent plays each new game.",
          "During training the agent also plays rounds of 100 games, from which it does not learn. The curves show its win rate and its mean steps to win in these games. Bars are 95 % intervals (Wilson's for win rates, Student's t for means).",
          "With safe moves only, the agent can't lose, and learns to win faster. On 4x4 the optimum is known, and drawn as a line.",
          "This is the trainer of hognose train, on one thread.",
        ),
        element("p", { className: "note" }, "In a terminal: ", command)),
    ),
  );

  async function select(chosen) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    choose(boards, choices.board);
    if (!Object.hasOwn(MOVES, choices.moves)) choices.moves = USUAL.moves;
    moves.value = choices.moves;
    movesNote.textContent = MOVES[choices.moves][1];
    seed.value = choices.seed;
    pace.value = number(choices.pace, USUAL.pace, 0, PACES.length - 1);
    paceText.value = PACE_TEXTS[pace.value];
    pace.setAttribute("aria-valuetext", paceText.value);
    speed.show(choices.speed);
    if (!learn || ["board", "moves", "seed"].some((key) => `${choices[key]}` !== `${before[key]}`)) await load();
  }

  /** Creates a new training, before its first step. */
  async function load() {
    const load = ++loads;
    stop();
    if (engine?.busy) {
      engine.close();
      engine = undefined;
    } else {
      learn?.free();
    }
    learn = undefined;
    [points, state, seconds] = [[], undefined, 0];
    try {
      const its = await page.engineFor(engine, [], () => load === loads);
      if (load !== loads) {
        if (its !== engine) its.close();
        return;
      }
      engine = its;
      const made = await engine.create("Learn", [choices.board, choices.moves !== "free", `${choices.seed}`]);
      const settings = await made.settings();
      if (load !== loads) return;
      command.textContent = `hognose train page --seed ${choices.seed} ${settings.split("\n").map((setting) => `--set "${setting}"`).join(" ")}`;
      learn = made;
      page.say();
      board.resize(choices.board);
      await show();
      if (!calm.matches) run();
    } catch (error) {
      if (load === loads) page.complain(error);
    }
  }

  /** Alternates learning and playing until it is stopped. */
  async function run() {
    if (running || !learn) return;
    const [its, turn] = [learn, ++runs];
    const goesOn = () => running && turn === runs && learn === its;
    running = true;
    update();
    let times = 1;
    let due = 0;
    let last = performance.now();
    try {
      while (goesOn()) {
        const started = performance.now();
        const share = PACES[pace.value];
        if (!state.finished) {
          await its.advance(times);
          if (learn !== its) return;
          const took = performance.now() - started;
          seconds += took / 1000;
          if (took > 1.5 * SLICE) times = Math.max(1, Math.floor((times * SLICE) / took));
          else if (took < SLICE / 2) times = Math.min(2 * times, 4096);
          if (share < 1) await pause(Math.min(took / share - took, 2000));
          if (!goesOn()) return;
        }
        const now = performance.now();
        due = Math.min(due + ((now - last) / 1000) * speed.speed, 1000);
        last = now;
        if (due >= 1) {
          await its.play(Math.floor(due));
          due -= Math.floor(due);
        }
        if (goesOn()) await show();
        await new Promise(requestAnimationFrame);
      }
    } catch (error) {
      if (!goesOn()) return;
      stop();
      page.complain(error);
    }
  }

  async function show() {
    const its = learn;
    const [picture, text] = await Promise.all([its.picture(), its.facts(points.length)]);
    if (its !== learn) return;
    const { points: more, ...rest } = JSON.parse(text);
    state = rest;
    board.show(picture, { speed: speed.speed });
    const { game } = state;
    const ending = { won: ": won", wall: ": it hit a wall", body: ": it hit itself", limit: ": it ate nothing for too long" }[game.end] ?? "";
    gameText.textContent = `Game ${game.number + 1}, by the agent after ${game.gradient_steps.toLocaleString("en")} gradient steps: step ${game.step}, length ${game.length} of ${game.area}${ending}`;
    known.show([state.step.toLocaleString("en"), state.gradient_steps.toLocaleString("en"), seconds.toFixed(0)]);
    if (more.length > 0 || points.length === 0) {
      points.push(...more.map((point) => ({ ...point, seconds })));
      wins.show(points.map((point) => ({ step: point.step, value: point.win_rate, interval: point.win_rate_interval })), state.total);
      steps.show(points.map((point) => ({ step: point.step, value: point.steps, interval: point.steps_interval })), state.total, state.optimum);
      status.textContent = sentence();
    }
    if (state.finished) update();
  }

  /** Returns the results of the last round of games as a sentence. */
  function sentence() {
    const point = points.at(-1);
    if (!point) return running ? "It plays its first games." : "Press play to start training.";
    const won = `wins ${(100 * point.win_rate).toFixed(0)}\u00a0% of ${point.games} games`;
    if (point.steps === null) return `It ${won}; its mean length is ${point.mean_length.toFixed(1)}.`;
    const above = state.optimum === null ? "" : `, ${(100 * (point.steps / state.optimum - 1)).toFixed(0)}\u00a0% above the optimum`;
    return `It ${won}, in ${point.steps.toFixed(1)} steps${above}.`;
  }

  function update() {
    const done = state?.finished ?? false;
    setIcon(play, running ? "pause" : "play", running ? "Pause (space)" : done ? "Keep playing (space)" : "Learn (space)");
    canvas.setAttribute("aria-label", `A game of the agent on ${choices.board}`);
  }

  function stop() {
    running = false;
    update();
  }

  function toggle() {
    if (running) stop();
    else run();
  }

  const stopListening = listen({ " ": toggle });
  return {
    choose: select,
    close() {
      loads += 1;
      stopListening();
      running = false;
      engine?.close();
    },
  };
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
