// Race: several policies play the same games.

import { boardOf, chooser, gameNumber } from "./address.js";
import { bestOf, isFetched } from "./agents.js";
import { Board } from "./board.js";
import { Histograms } from "./charts.js";
import { Clock, inTurn } from "./clock.js";
import {
  about, boardInput, calm, choose, element, field, iconButton, intro, listen, more, numberInput, policySelect, refusalNote, setIcon,
} from "./elements.js";
import { titleOf } from "./names.js";
import { SpeedSlider } from "./transport.js";
import { descriptionOf, endingOf, intervalText, knownOf, rulesOf, rulesText, solverOf } from "./words.js";

/** Defaults of the address. */
export const USUAL = { policies: "greedy,hamiltonian,certified", board: "10x10", rules: "", seed: 0, game: 0, speed: 30, present: "" };

/** The number of background games. */
const GAMES = 1000;
/** The interval of results of background games, in milliseconds. */
const PATIENCE = 200;
const [FEWEST, MOST] = [2, 4];
/** The colors of the body and the head of each lane's snake, like the colors of its results. */
const SNAKES = {
  light: [["#4da3d8", "#004b78"], ["#e08a4a", "#8a3b00"], ["#3fae8c", "#00523e"], ["#cf85ac", "#7a2d57"]],
  dark: [["#2b7fb3", "#9ad4f5"], ["#c06a28", "#ffc494"], ["#1f9873", "#9ff0d4"], ["#b0668c", "#f7cfe2"]],
};

export function open(root, page) {
  let live = page.engine();
  let background;
  let runners = [];
  let choices = { ...USUAL };
  let presets = [];
  let loads = 0;
  let turn = inTurn();

  const { change, adjust } = chooser(page, () => choices, select);
  const clock = new Clock(advance, (reached) => speed.reached(reached));
  const preset = element("select");
  preset.onchange = () => {
    const { policies, rules: { board, ...rules } } = presets[preset.value];
    const others = Object.keys(rules).length ? JSON.stringify(rules) : "";
    change({ policies: policies.join(","), board, rules: others, game: 0 });
  };
  const { input: boardField, list: boards } = boardInput((board) => change({ board, rules: "" }));
  const seed = numberInput((text) => change({ seed: text }));
  const gameField = numberInput((text) => change({ game: gameNumber(text) }));
  const next = element("button", { type: "button", onclick: () => change({ game: choices.game + 1 }) }, "Next game");
  const add = element("button", { type: "button", onclick: () => change({ policies: `${choices.policies},greedy` }) }, "Add a policy");
  const agent = () => bestOf(page.policies, choices.board, USUAL.board);
  const join = element("button", { type: "button", onclick: () => change({ policies: `${choices.policies},${agent().name}`, ...(agent().board !== choices.board && { board: agent().board, rules: "" }) }) }, "Add a trained agent");
  const present = element("button", { type: "button", onclick: () => adjust({ present: choices.present ? "" : 1 }) }, "Present");
  const story = element("p", { className: "note" });
  const lanes = element("div", { className: "lanes" });
  const restart = iconButton("restart", "Restart (Home)", () => begin());
  const play = iconButton("play", "Play (space)", () => toggle());
  const forward = iconButton("forward", "One step (period)", () => oneStep());
  play.classList.add("primary");
  const speed = new SpeedSlider((chosen) => adjust({ speed: chosen }), { className: "scrubber", "aria-label": "Speed" });
  const status = element("p", { className: "status", role: "status" });
  const counted = element("p", { className: "note" });
  const pause = element("button", { type: "button", onclick: () => hold(!background.paused) }, "Pause");
  const table = element("table");
  const chart = new Histograms();

  root.append(
    intro("Race", "All policies play the same game: which one fills the board in the fewest steps?"),
    element("div", { className: "row choices" },
      field("Race", preset), field("Board", boardField, boards), next, add, join),
    story,
    lanes,
    element("div", { className: "transport" }, restart, play, forward, speed.input, speed.text, present),
    status,
    more(element("div", { className: "row" }, field("Seed", seed), field("Game", gameField))),
    element("section", { className: "results" },
      element("div", { className: "row heading" }, element("h2", {}, "Many games"), pause),
      counted,
      element("div", { className: "scroll", role: "region", "aria-label": "Results", tabIndex: 0 }, table),
      chart.element),
    about(
      "All policies play the same game: the snake begins on the same cell, and the n-th food appears on the same cell if it is free. A policy that is ahead played better, and was not luckier.",
      "Below, a worker of your browser plays more games, the same as in hognose evaluate. Means have 95 % intervals by Student's t, win rates by Wilson. Differences from the first policy are paired, over the games that both won.",
      "In the chart, a line marks each mean, and a band its interval.",
    ),
  );

  const fetched = fetch(new URL("presets.json", import.meta.url));
  fetched.then((response) => (response.ok ? response.json() : [])).catch(() => []).then((known) => {
    // A page without agents has no presets with agents.
    presets = known.filter(({ policies }) => policies.every((name) => knownOf(page.policies, name)));
    preset.append(
      element("option", { value: "", disabled: true }, presets.length ? "your own" : "the list can't be fetched"),
      ...presets.map(({ name }, index) => element("option", { value: index }, name)),
    );
    showPreset();
  });

  /** Returns the preset with the current choices, if any. */
  function presetOf() {
    return presets.find(({ policies, rules: { board, ...rules } }) =>
      policies.join(",") === choices.policies && board === choices.board &&
      JSON.stringify(rules) === (choices.rules || "{}"));
  }

  function showPreset() {
    const chosen = presetOf();
    preset.value = chosen ? presets.indexOf(chosen) : "";
    story.textContent = [chosen?.about, rulesText(choices.rules)].filter(Boolean).join(" ");
  }

  async function select(chosen, autoplay) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    choices.game = gameNumber(choices.game);
    choices.board = boardOf(choices.board);
    // Two to four policies: others, and an agent that has been fetched, are added.
    const learned = agent();
    const usual = [...USUAL.policies.split(","), ...(learned && learned.board === choices.board && isFetched(learned.name) ? [learned.name] : [])];
    const wanted = chosen.policies?.split(",").filter(Boolean) ?? usual;
    const others = usual.filter((name) => !wanted.includes(name));
    const names = [...wanted, ...others.slice(0, Math.max(0, FEWEST - wanted.length))].slice(0, MOST);
    choices.policies = names.join(",");
    if (chosen.policies !== undefined && chosen.policies !== choices.policies) page.write(choices, false);
    [boardField.value, seed.value, gameField.value] = [choices.board, choices.seed, choices.game];
    add.disabled = names.length >= MOST;
    join.hidden = !learned || names.length >= MOST || names.some((name) => name.startsWith("dqn"));
    document.body.classList.toggle("presenting", Boolean(choices.present));
    present.textContent = choices.present ? "Leave (Escape)" : "Present";
    speed.show(choices.speed);
    clock.speed = speed.speed;
    showPreset();
    const isOther = (...keys) => keys.some((key) => `${choices[key]}` !== `${before[key]}`);
    const isNew = runners.length === 0;
    if (isNew || isOther("policies", "board", "rules", "seed")) {
      layOut(names);
      count(names);
      await begin(autoplay);
    } else if (isOther("game")) {
      await begin(autoplay);
    }
  }

  /** Creates a lane for each policy. */
  function layOut(names) {
    runners.forEach(({ game }) => game?.free());
    runners = names.map((name, index) => {
      // As in video players, since the buttons are far below on a phone.
      const canvas = element("canvas", { role: "img", onclick: () => toggle() });
      canvas.setAttribute("aria-label", `The game of ${titleOf(name)}`);
      const policy = policySelect(page.policies, (other, its) => change({ policies: names.with(index, other).join(","), ...(its && { board: its, rules: "" }) }));
      policy.setAttribute("aria-label", `Policy ${index + 1}`);
      policy.title = descriptionOf(page.policies, name);
      choose(policy, name);
      const remove = element("button", { type: "button", title: `Remove ${name}`, onclick: () => change({ policies: names.toSpliced(index, 1).join(",") }) }, "×");
      remove.setAttribute("aria-label", `Remove ${name}`);
      remove.disabled = names.length <= FEWEST;
      const [text, badge] = [element("span"), element("span", { className: "badge" })];
      const bar = element("progress", { max: 1, value: 0, "aria-label": `Share of the board that ${name} fills` });
      const lane = element("article", { className: `lane series-${index}` },
        element("div", { className: "lane-head" }, element("span", { className: "swatch" }), policy, remove), canvas, bar,
        element("p", { className: "lane-text" }, text, " ", badge));
      const board = new Board(canvas, colored(page.palette, index));
      return { name, policy, canvas, board, text, badge, bar, lane, game: undefined, facts: undefined, refusal: undefined };
    });
    lanes.replaceChildren(...runners.map(({ lane }) => lane));
  }

  /** Begins the game on show. */
  async function begin(autoplay = true) {
    const load = ++loads;
    clock.abandon();
    update();
    turn = inTurn();
    if (live.busy) {
      live.close();
      live = page.engine();
      runners.forEach((runner) => (runner.game = undefined));
    }
    status.textContent = "";
    const onProgress = (share) => page.say(share < 1 ? `Solving ${choices.board}: ${Math.round(100 * share)} %` : undefined);
    try {
      const suited = await page.engineFor(live, runners.map(({ name }) => name), () => load === loads);
      const [taken, spare] = load === loads ? [suited, live] : [live, suited];
      if (taken !== spare) spare.close();
      if (load !== loads) return;
      live = taken;
      await Promise.all(runners.map((runner) => create(runner, onProgress, () => load === loads)));
      if (load !== loads) return;
      page.say();
      lead();
      if (autoplay && racing().length > 0) toggle(true);
      const refused = await page.refusals(rulesOf(choices), choices.board, choices.seed);
      if (load === loads) runners.forEach(({ policy }) => policy.refuse(refused, choices.board));
    } catch (error) {
      if (load === loads) page.complain(error);
    }
  }

  /** The runners that the board suits. */
  const racing = () => runners.filter(({ refusal }) => !refusal);

  /** Creates the game of a runner and shows its beginning, or why it refuses the board. */
  async function create(runner, onProgress, isWanted) {
    const its = [runner.name, rulesOf(choices), `${choices.seed}`, choices.game];
    runner.refusal?.remove();
    runner.refusal = undefined;
    try {
      const game = await live.create("Watch", its, { onProgress });
      if (!isWanted()) return;
      runner.game?.free();
      runner.game = game;
      runner.board.resize(choices.board);
      runner.canvas.hidden = runner.bar.hidden = false;
      await show(runner);
    } catch (error) {
      const refused = await page.refusals(rulesOf(choices), choices.board, choices.seed);
      const why = refused.find(({ name }) => name === solverOf(runner.name));
      if (!isWanted()) return;
      if (!why) throw error;
      runner.canvas.hidden = runner.bar.hidden = true;
      runner.text.textContent = runner.badge.textContent = "";
      runner.refusal = refusalNote(why, (board) => change({ board, rules: "" }));
      runner.lane.append(runner.refusal);
    }
  }

  async function show(runner) {
    const { game } = runner;
    const [picture, facts] = await Promise.all([game.picture(false, true, false), game.facts()]);
    runner.facts = JSON.parse(facts);
    runner.board.show(picture, { speed: clock.playing ? clock.speed : 0 });
  }

  /** Plays steps in all games that have not ended. */
  async function advance(steps) {
    const load = loads;
    const going = runners.filter(({ game, facts }) => game && facts && facts.end === null);
    try {
      await Promise.all(going.map(async (runner) => {
        await Promise.all([runner.game.look_at(runner.facts.step + steps, steps), show(runner)]);
      }));
    } catch (error) {
      if (load !== loads) return;
      clock.pause();
      update();
      page.complain(error);
    }
    if (load !== loads) return;
    lead();
    if (racing().every(({ facts }) => facts && facts.end !== null)) {
      toggle(false);
      status.textContent = verdict();
    }
  }

  /** Plays one step, after the steps of earlier presses. */
  function oneStep() {
    turn(async () => {
      await toggle(false);
      await advance(1);
    });
  }

  /** Returns the policies ranked by fewer steps to win, or else by length. */
  function ranking() {
    const worth = ({ facts: { end, step, length } }) => (end === "won" ? 1e12 - step : end === null ? length : length - 0.5);
    return racing().sort((a, b) => worth(b) - worth(a));
  }

  function lead() {
    if (racing().some(({ facts }) => !facts)) return;
    const [first, second] = ranking();
    const isAhead = second && (first.facts.length > second.facts.length || first.facts.end === "won");
    for (const runner of racing()) {
      const { step, length, area, end } = runner.facts;
      const leads = isAhead && runner === first;
      runner.lane.classList.toggle("leads", leads);
      const how = { won: "won", wall: "hit the wall", body: "hit itself", limit: "starved" }[end];
      runner.bar.value = length / area;
      runner.text.textContent = `${length} of ${area} · ${step.toLocaleString("en")} steps`;
      runner.badge.textContent = how ?? (leads ? "leads" : "");
    }
  }

  function verdict() {
    const [first] = ranking();
    const { facts } = first;
    return facts.end === "won" ? `${titleOf(first.name)} is first: it won in ${facts.step.toLocaleString("en")} steps.` : `Nobody won. ${titleOf(first.name)}: ${endingOf(facts)}`;
  }

  /** Plays or pauses. Resolves when the current steps are shown. */
  async function toggle(playing = !clock.playing) {
    if (racing().length === 0 || (playing && racing().some(({ facts }) => !facts))) return;
    if (playing && racing().every(({ facts }) => facts.end !== null)) {
      begin(true);
      return;
    }
    const shown = playing ? clock.play() : clock.pause();
    update();
    await shown;
  }

  function update() {
    setIcon(play, clock.playing ? "pause" : "play", clock.playing ? "Pause (space)" : "Play (space)");
  }

  /** Plays many games in the background, from the first one. */
  function count(names) {
    background?.engine.close();
    background = { engine: page.engine(), names, games: 0 };
    table.replaceChildren();
    chart.element.replaceChildren();
    chart.data = undefined;
    counted.textContent = "Playing the first games …";
    pause.disabled = true;
    hold(false);
  }

  /** Pauses or resumes the background games. */
  function hold(paused) {
    background.paused = paused;
    pause.textContent = paused ? "Resume" : "Pause";
    run(background);
  }

  /** Plays background games until they are paused or complete. Ignores calls while it runs. */
  async function run(its) {
    if (its.running) return;
    its.running = true;
    try {
      its.race ??= await raceOf(its);
      let steps = 2000;
      while (its === background && !its.paused && its.games < GAMES) {
        const started = performance.now();
        await its.race.advance(steps, GAMES);
        const result = JSON.parse(await its.race.result());
        if (its !== background) return;
        its.games = result.games;
        if (result.games > 0) showResult(result);
        const took = performance.now() - started;
        steps = Math.round(Math.min(Math.max((steps * PATIENCE) / took, steps / 2, 50), steps * 2));
      }
      if (its === background) pause.disabled = its.games >= GAMES;
    } catch (error) {
      if (its !== background) return;
      counted.textContent = error.message;
      pause.disabled = true;
    } finally {
      its.running = false;
    }
  }

  /** Creates the race in a worker, before its first game. */
  async function raceOf(its) {
    const refused = await page.refusals(rulesOf(choices), choices.board, choices.seed);
    const numbers = its.names.map((_, index) => index);
    its.lanes = numbers.filter((index) => !refused.some(({ name }) => name === solverOf(its.names[index])));
    const names = its.lanes.map((index) => its.names[index]);
    // The game on show reports the same downloads.
    const suited = await page.engineFor(its.engine, names, () => false);
    if (suited !== its.engine) its.engine.close();
    its.engine = suited;
    if (its !== background) {
      its.engine.close();
      return;
    }
    const race = await its.engine.create("Race", [names, rulesOf(choices), `${choices.seed}`]);
    pause.disabled = false;
    return race;
  }

  /** Shows the results of the background games. */
  function showResult({ games, refused, runners: results }) {
    const left = refused ? `, ${refused} skipped, since a policy refused them` : "";
    counted.textContent = `${games.toLocaleString("en")} of ${GAMES.toLocaleString("en")} games${left}.`;
    const published = presetOf()?.published;
    const { lanes: places } = background;
    const head = ["Policy", "Win rate", "Steps to win", `Difference from ${titleOf(results[0].summary.name)}`, ...(published ? ["Published"] : [])];
    const rows = results.map(({ summary }, index) => {
      const { name, win_rate, win_rate_interval, mean_steps_won, mean_steps_won_interval, mean_length, paired } = summary;
      const steps = mean_steps_won?.toFixed(1);
      const more = paired?.steps_won ?? null;
      const numbers = [
        [`${(100 * win_rate).toFixed(1)} %`, intervalText(win_rate_interval.map((share) => 100 * share), 1)],
        steps ? [steps, intervalText(mean_steps_won_interval, 1)] : ["–", `mean length ${mean_length.toFixed(1)}`],
        more === null ? ["–"] : [`${more > 0 ? "+" : ""}${more.toFixed(1)}`, intervalText(paired.steps_won_interval, 1)],
        ...(published ? [[published[places[index]]?.toLocaleString("en") ?? "–"]] : []),
      ];
      return element("tr", {},
        element("th", { scope: "row", className: `series-${places[index]}` }, element("span", { className: "swatch" }), titleOf(name), " ", element("code", {}, name)),
        ...numbers.map(([text, interval]) =>
          element("td", { className: "number" }, text, interval && element("span", { className: "interval" }, ` ${interval}`))));
    });
    table.replaceChildren(
      element("thead", {}, element("tr", {}, ...head.map((text, index) => element("th", { scope: "col", className: index ? "number" : "" }, text)))),
      element("tbody", {}, ...rows));
    const series = results.map(({ histogram, summary }, index) => ({
      histogram, index: places[index], mean: summary.mean_steps_won, interval: summary.mean_steps_won_interval,
    })).filter(({ histogram, mean }) => histogram && mean !== null);
    if (series.length) chart.show(series);
  }

  const KEYS = {
    " ": () => toggle(),
    ".": () => oneStep(),
    ArrowUp: () => speed.change(1),
    ArrowDown: () => speed.change(-1),
    Home: () => begin(),
    Escape: () => choices.present && adjust({ present: "" }),
    n: () => change({ game: choices.game + 1 }),
  };

  const stopListening = listen(KEYS);
  const moves = !calm.matches;
  return {
    choose: (chosen) => select(chosen, moves),
    share: async () => ({ text: `${runners.map(({ name }) => titleOf(name)).join(" against ")} on ${choices.board}. ${status.textContent}`.trim() }),
    close() {
      document.body.classList.remove("presenting");
      loads += 1;
      stopListening();
      clock.pause();
      live.close();
      background?.engine.close();
      background = undefined;
    },
  };
}

/** Returns a palette with the snake in the colors of a lane. */
function colored(palette, index) {
  const [body, head] = palette.seats;
  const paint = (colors, [bodyColor, headColor]) => colors.with(body, bodyColor).with(head, headColor);
  return { ...palette, light: paint(palette.light, SNAKES.light[index]), dark: paint(palette.dark, SNAKES.dark[index]) };
}
