// Duel: two bots, or a bot and the user.

import { chooser, gameNumber, number } from "./address.js";
import { addDuelists } from "./agents.js";
import { Board, sample } from "./board.js";
import { Clock, inTurn } from "./clock.js";
import { about, calm, choose, element, facts, field, intro, isTyping, more, numberInput, tick } from "./elements.js";
import { BOTS } from "./names.js";
import { download } from "./share.js";
import { directionOf, pad, swipes } from "./steer.js";
import { SpeedSlider, Transport } from "./transport.js";
import { described, sentence } from "./words.js";

/** Defaults of the address. The default speed differs between the user and bots. */
export const USUAL = {
  rules: "ai-snakes-2021", first: "you", second: "hognose:2", seed: 0, game: 0, speed: "", show: "", step: "",
};

const YOU = "you";
const START = "Press an arrow, or swipe, to start.";
/** The default speeds for the user and for two bots, in steps per second. */
const SPEED = { user: 4, bots: 15 };
/** The highest level: the number of moves of each snake that a bot looks ahead. */
const DEEPEST = 8;
/** The number of steps between pictures on the way to a later step. */
const LONG = 10;

const RULES = {
  "ai-snakes-2020": ["AI Snakes 2020", "Food stays until a snake eats it."],
  "ai-snakes-2021": ["AI Snakes 2021", "Food that no snake eats for 11 steps is redrawn."],
};

export function open(root, page) {
  let engine = page.engine();
  let bots = [];
  let duel;
  let choices = { ...USUAL };
  let state;
  let loads = 0;
  let turn = inTurn();

  const { change, adjust } = chooser(page, () => choices, select, { step: "" });
  const canvas = element("canvas", { role: "img" });
  const board = new Board(canvas, page.palette);
  const clock = new Clock((steps) => go(state.step + steps, steps));
  const transport = new Transport({ toggle: () => turn(() => toggle()), stepBy, jump, again });
  swipes(canvas, press);
  const steering = pad(press);

  const rules = element("select", {}, ...Object.entries(RULES).map(([value, [text]]) => element("option", { value }, text)));
  rules.onchange = () => change({ rules: rules.value });
  const rulesNote = element("p", { className: "note" });
  const players = ["first", "second"].map((seat) => player(seat));
  const swap = element("button", { type: "button", onclick: () => change({ first: choices.second, second: choices.first }) }, "Swap snakes");
  const seed = numberInput((text) => change({ seed: text }));
  const gameField = numberInput((text) => change({ game: gameNumber(text) }));
  const next = element("button", { type: "button", onclick: () => change({ game: choices.game + 1 }) }, "Next duel");
  const speed = new SpeedSlider((chosen) => adjust({ speed: chosen }));
  const plans = tick("Plans", "The moves that each bot plans for its snake", (checked) => adjust({ show: checked ? "plans" : "" }));
  const save = element("button", { type: "button", onclick: () => saveRecord() }, "Save the duel");
  const names = ["First", "Second"].map((name) => element("span", {}, name));
  const known = facts([...names.map((name, seat) => [sample(page.palette, seat), name]), "Step"], 3);
  const words = element("p", { className: "status", role: "status" });
  const command = element("code");

  root.append(
    element("div", { className: "two" },
      intro("Duel", "Two snakes share a board. Steer one against a bot, or let two bots play."),
      element("div", { className: "stage" }, canvas, steering, transport.element, words),
      element("div", { className: "panel" },
        known.list,
        ...players.map(({ fields }) => fields),
        element("div", { className: "row" }, swap, next, save),
        field("Speed", speed.input, speed.text),
        element("fieldset", {}, element("legend", {}, "Show"), plans.label),
        about(
          "Two snakes share a board and move at the same time. A snake that leaves the board or enters a body loses. If the heads meet, both die, and the longer snake wins. After 900 steps the longer snake wins.",
          "Steer with the arrow keys or W, A, S and D, by swiping over the board, or with the buttons below it. The first press starts the duel. Presses are queued, and none is lost. Space pauses.",
          "A bot's level is the number of moves of each snake that it looks ahead. adder and nega are reimplementations of the bots that came second and first in the AI Snakes competitions of 2020 and 2021. hognose is our strongest bot without learning, and selfplay has learned the game by playing against itself.",
          "A bot knows neither your move before its own nor where food will appear.",
        ),
        more(field("Rules", rules, rulesNote), element("div", { className: "row" }, field("Seed", seed), field("Game", gameField)),
          element("p", { className: "note" }, "In a terminal: ", command))),
    ),
  );

  /** Returns the controls that choose the player of a seat. */
  function player(seat) {
    const select = element("select");
    const level = element("input", { type: "range", min: 1, max: DEEPEST, step: 1 });
    const note = element("p", { className: "note" });
    const other = seat === "first" ? "second" : "first";
    const bot = () => bots.find(({ name }) => name === choices[seat].split(":")[0]);
    select.onchange = () => {
      const chosen = bots.find(({ name }) => name === select.value);
      // The user plays only one snake: the bot gets the other one.
      const swapped = select.value === YOU && choices[other] === YOU ? { [other]: choices[seat] } : {};
      change({ [seat]: chosen?.budget ? `${chosen.name}:${chosen.budget}` : select.value, ...swapped });
    };
    level.onchange = () => change({ [seat]: `${bot().name}:${level.value}` });
    const levelField = field("Level", level);
    const fields = element("div", {},
      element("div", { className: "row" }, field(seat === "first" ? "First snake" : "Second snake", select), levelField), note);
    return {
      fields,
      offer() {
        select.append(element("option", { value: YOU }, "You"), ...bots.map(({ name }) => element("option", { value: name }, BOTS[name] ? `${BOTS[name]}: ${name}` : name)));
      },
      show() {
        const chosen = bot();
        const budget = chosen && (choices[seat].slice(chosen.name.length + 1) || chosen.budget);
        choose(select, chosen && (!budget || /^\d*$/.test(budget)) ? chosen.name : choices[seat]);
        levelField.hidden = !chosen?.budget || !/^\d+$/.test(budget);
        level.value = budget ?? 1;
        level.setAttribute("aria-valuetext", `${level.value} moves ahead`);
        const ahead = levelField.hidden ? "" : ` It looks ${level.value} ${level.value === "1" ? "move" : "moves"} ahead.`;
        note.textContent = chosen ? `${described(chosen.what)}${ahead}` : "";
      },
    };
  }

  function isYours() {
    return [choices.first, choices.second].includes(YOU);
  }

  /** Shows choices, and begins another duel if they define one. */
  async function select(chosen) {
    const before = choices;
    choices = { ...USUAL, ...chosen };
    choices.game = gameNumber(choices.game);
    if (bots.length === 0) {
      const its = engine;
      const list = JSON.parse(await its.call("bots"));
      if (bots.length === 0) {
        bots = list;
        players.forEach(({ offer }) => offer());
      }
    }
    players.forEach(({ show }) => show());
    choose(rules, choices.rules);
    rulesNote.textContent = RULES[choices.rules]?.[1] ?? "";
    [seed.value, gameField.value] = [choices.seed, choices.game];
    speed.show(choices.speed || (isYours() ? SPEED.user : SPEED.bots));
    clock.speed = speed.speed;
    plans.box.checked = choices.show === "plans";
    steering.hidden = !isYours();
    command.textContent = commandOf(choices);
    const isOther = (key) => `${choices[key]}` !== `${before[key]}`;
    if (!duel || ["rules", "first", "second", "seed", "game"].some(isOther)) await load();
    else if (isOther("step") && choices.step !== "") await jump(number(choices.step, 0));
    else await show();
  }

  async function load() {
    const load = ++loads;
    clock.abandon();
    turn = inTurn();
    if (engine.busy) {
      engine.close();
      engine = page.engine();
    } else {
      duel?.free();
    }
    duel = state = undefined;
    words.textContent = "";
    update();
    page.say();
    try {
      await addDuelists(engine, [choices.first, choices.second]);
      if (load !== loads) return;
      const made = await engine.create("Duel", [choices.rules, choices.first, choices.second, `${choices.seed}`, choices.game]);
      const name = await made.board();
      if (load !== loads) return;
      duel = made;
      board.resize(name);
      const wanted = isYours() ? 0 : number(choices.step, 0);
      await go(wanted, wanted);
      if (!isYours() && choices.step === "" && !calm.matches) toggle(true);
    } catch (error) {
      if (load !== loads) return;
      board.clear();
      known.show(["–", "–", "–"]);
      page.complain(error);
    }
  }

  /** Shows a step, and plays up to it. */
  async function go(to, most) {
    const its = duel;
    if (!its) return;
    try {
      await its.look_at(Math.max(to, 0), most);
      if (its === duel) await show();
    } catch (error) {
      clock.pause();
      update();
      page.complain(error);
    }
  }

  /** Moves by a number of steps from the step of earlier presses. */
  function stepBy(steps) {
    turn(() => state && jump(state.step + steps));
  }

  /**
   * Goes to a step and pauses, unless the user does something else meanwhile. If the user plays, this plays no new steps.
   */
  async function jump(to) {
    if (!state) return;
    const isThere = await clock.jump(to, async () => {
      const [last, most] = isYours() ? [state.played, 0] : [state.limit, LONG];
      await go(Math.min(to, last), most);
      return state?.step;
    });
    if (isThere) write();
  }

  async function show() {
    const its = duel;
    if (!its) return;
    const [picture, text, waits] = await Promise.all([its.picture(plans.box.checked), its.facts(), its.waits()]);
    if (its !== duel) return;
    state = { ...JSON.parse(text), waits };
    board.show(picture, { speed: clock.playing ? clock.speed : 0 });
    names.forEach((name, seat) => (name.textContent = state.names[seat] === YOU ? "You" : state.names[seat]));
    known.show([...state.lengths.map((length) => `length ${length}`), `${state.step} of ${state.limit}`]);
    const message = state.waits ? START : sentenceOf(state);
    // Screen readers skip texts that change with every step.
    words.setAttribute("aria-live", state.is_over || state.waits ? "polite" : "off");
    if (words.textContent !== message) words.textContent = message;
    if (state.is_over && clock.playing) {
      clock.pause();
      write();
    }
    update();
  }

  function update() {
    const { step = 0, played = 0, is_over: isOver = true } = state ?? {};
    transport.show({ playing: clock.playing, step, played, hasMore: isYours() ? step < played : !isOver });
    save.disabled = played === 0;
    if (!clock.playing && state) canvas.setAttribute("aria-label", `The duel at step ${state.step}: ${state.words}`);
  }

  /** Handles a direction of the user. */
  async function press(direction) {
    const its = duel;
    if (!its || !isYours() || !state) return;
    if (state.is_over) return;
    if (state.step < state.played) await go(state.played, 0);
    its.press(direction).catch(page.complain);
    if (clock.playing) return;
    state.waits = await its.waits();
    if (!state.waits && its === duel) toggle(true);
  }

  async function toggle(playing = !clock.playing) {
    if (!state) return;
    if (!playing) {
      await clock.pause();
    } else if (state.is_over) {
      await again();
      return;
    } else if (isYours() && state.waits) {
      words.textContent = START;
    } else {
      if (isYours()) await go(state.played, 0);
      clock.play();
    }
    update();
    write();
  }

  /** Begins the same duel again. */
  async function again() {
    if (!state) return;
    if (isYours()) {
      await load();
      return;
    }
    await clock.pause();
    await go(0, 0);
    if (state && !state.is_over) await toggle(true);
  }

  /** Writes the shown step to the address, for links. Addresses do not contain the user's moves. */
  function write() {
    choices.step = clock.playing || isYours() || !state ? "" : state.step;
    page.write(choices, false);
  }

  async function saveRecord() {
    const text = await duel.record();
    download(new Blob([text], { type: "text/plain" }), `duel-${choices.seed}-${choices.game}.txt`);
  }

  const keys = {
    ...transport.keys,
    n: () => change({ game: choices.game + 1 }),
  };

  function keydown(event) {
    if (isTyping(event)) return;
    const direction = isYours() ? directionOf(event) : undefined;
    const act = direction === undefined ? keys[event.key] : () => event.repeat || press(direction);
    if (!act || !duel || !state) return;
    event.preventDefault();
    act();
  }

  /** Pauses the user's duel when the page is hidden. */
  function hide() {
    if (!document.hidden || !isYours()) return;
    clock.pause();
    update();
  }

  addEventListener("keydown", keydown);
  document.addEventListener("visibilitychange", hide);
  return {
    choose: select,
    share: async () => ({ text: `Duel of snakes: ${choices.first} against ${choices.second}. ${words.textContent === START ? "" : words.textContent}`.trim() }),
    close() {
      loads += 1;
      removeEventListener("keydown", keydown);
      document.removeEventListener("visibilitychange", hide);
      clock.pause();
      engine.close();
    },
  };
}

/** Returns the words of a duel as a sentence. Names of bots are not capitalized. */
function sentenceOf({ words, names }) {
  const isName = names.some((name) => name !== YOU && words.startsWith(name));
  return isName ? `${words}.` : sentence(words);
}

/** Returns the command for a duel in a terminal. */
function commandOf({ first, second, rules, seed, game }) {
  if (![first, second].includes(YOU)) return `hognose watch --duel ${first},${second} --rules ${rules} --seed ${seed} --game ${game}`;
  const sum = /^\d+$/.test(seed) && /^\d+$/.test(game) ? BigInt(seed) + BigInt(game) : seed;
  return `hognose play --against ${first === YOU ? second : `${first} --seat second`} --rules ${rules} --seed ${sum}`;
}
