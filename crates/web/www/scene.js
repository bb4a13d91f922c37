// A live board without forms: a policy plays one game after another. The reader can pause, go anywhere, and go on.

import { Board } from "./board.js";
import { calm, element, iconButton, setIcon } from "./elements.js";
import { endingOf } from "./words.js";

/** The time from the end of a game to the next one, in milliseconds. */
const CELEBRATION = 2500;
/** The steps per second at the beginning of a game, so that one sees how the snake moves. */
const SLOW = 8;

/**
 * A board that shows games of `policy` on `board`, each within `seconds`: it begins slowly, and goes ever faster. `layers`
 * are whether its cycle and its plan are shown. Games are played only while the board is on the screen.
 */
export class Scene {
  #engine;
  #settings;
  #board;
  #play;
  #slider;
  #words = element("p", { className: "scene-words" });
  #game;
  #number = 0;
  #total = 0;
  #step = 0;
  /** The time in the game, in seconds. */
  #time = 0;
  #playing = !calm.matches;
  #visible = false;
  #loop = 0;

  constructor(page, engine, settings) {
    this.#engine = engine;
    this.#settings = { layers: [true, true], seed: 0, ...settings };
    this.canvas = element("canvas", { role: "img", "aria-label": settings.label, onclick: () => this.#toggle() });
    this.#board = new Board(this.canvas, page.palette);
    this.#board.resize(settings.board);
    this.#play = iconButton("play", "Play", () => this.#toggle());
    this.#slider = element("input", { type: "range", min: 0, max: 1, value: 0, className: "scrubber", "aria-label": "Step" });
    this.#slider.oninput = () => this.#goTo(Number(this.#slider.value));
    const next = iconButton("end", "Next game", () => this.#begin(this.#number + 1));
    this.element = element("div", { className: "scene" }, this.canvas,
      element("div", { className: "transport" }, this.#play, this.#slider, next), this.#words);
    this.fail = page.complain;
    this.watch = new IntersectionObserver(([{ isIntersecting }]) => {
      this.#visible = isIntersecting;
      if (isIntersecting) this.#run();
    }, { threshold: 0.3 });
    this.watch.observe(this.canvas);
    this.#update();
  }

  /** Stops. The engine's owner closes the engine. */
  close() {
    this.#loop += 1;
    this.watch.disconnect();
  }

  /** Plays the whole game in the worker, and shows its beginning; without motion its middle. */
  async #begin(number) {
    const loop = ++this.#loop;
    const { policy, board, seed } = this.#settings;
    try {
      const game = await this.#engine.create("Watch", [policy, board, `${seed}`, number]);
      if (loop !== this.#loop) return game.free();
      this.#game?.free();
      [this.#game, this.#number, this.#time] = [game, number, 0];
      if (this.#playing) await this.#show(0);
      this.#total = await game.look_at(2 ** 32 - 1, 2 ** 32 - 1);
      this.#slider.max = this.#total;
      if (loop === this.#loop && !this.#playing) await this.#show(Math.floor(this.#total / 2));
      if (loop === this.#loop) this.#run();
    } catch (error) {
      if (loop === this.#loop) this.fail(error);
    }
    return undefined;
  }

  /** Shows steps as time passes, until the reader pauses or the board leaves the screen. */
  async #run() {
    const loop = ++this.#loop;
    this.#update();
    if (!this.#game) {
      this.#begin(this.#number);
      return;
    }
    let last = performance.now();
    while (loop === this.#loop && this.#playing && this.#visible) {
      const now = await new Promise(requestAnimationFrame);
      if (loop !== this.#loop) return;
      this.#time += Math.max(0, Math.min(now - last, 250)) / 1000;
      last = now;
      const wanted = Math.min(Math.floor(this.#stepAt(this.#time)), this.#total);
      if (wanted === this.#step) continue;
      const rate = this.#stepAt(this.#time + 0.5) - this.#stepAt(this.#time - 0.5);
      await this.#show(wanted, rate);
      if (loop !== this.#loop || this.#step < this.#total) continue;
      await new Promise((resolve) => setTimeout(resolve, CELEBRATION));
      if (loop === this.#loop) this.#begin(this.#number + 1);
      return;
    }
  }

  /** Returns the step at a time: at first slow, then ever faster, so that the last one comes in time. */
  #stepAt(time) {
    const { seconds } = this.#settings;
    const slow = Math.min(SLOW, this.#total / seconds);
    return slow * time + Math.max(0, this.#total - slow * seconds) * (time / seconds) ** 2;
  }

  async #show(step, speed = Infinity) {
    const [game, [cycle, plan]] = [this.#game, this.#settings.layers];
    const [, picture, text] = await Promise.all([game.look_at(step, 0), game.picture(cycle, plan, false), game.facts()]);
    if (game !== this.#game) return;
    const facts = JSON.parse(text);
    this.#step = facts.step;
    this.#board.show(picture, { speed });
    this.#slider.value = facts.step;
    this.canvas.classList.toggle("full", facts.end === "won");
    this.#words.textContent = endingOf(facts) || `${facts.length} of ${facts.area} cells, ${facts.step.toLocaleString("en")} steps`;
    this.canvas.setAttribute("aria-label", `${this.#settings.label}: ${this.#playing ? "a game" : this.#words.textContent}`);
  }

  /** Goes to a step and stays there. */
  async #goTo(step) {
    this.#playing = false;
    this.#loop += 1;
    this.#update();
    if (!this.#game) return;
    await this.#show(step);
    const { seconds } = this.#settings;
    let [low, high] = [0, seconds];
    for (let halving = 0; halving < 20; halving++) {
      const middle = (low + high) / 2;
      [low, high] = this.#stepAt(middle) < step ? [middle, high] : [low, middle];
    }
    this.#time = high;
  }

  #toggle() {
    this.#playing = !this.#playing;
    if (this.#playing && this.#step === this.#total) this.#begin(this.#number + 1);
    else this.#run();
    this.#update();
  }

  #update() {
    setIcon(this.#play, this.#playing ? "pause" : "play", this.#playing ? "Pause" : "Play");
  }
}
