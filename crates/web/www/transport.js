// The controls of games that play by themselves: play, pause, steps, and speed.

import { element, iconButton, setIcon } from "./elements.js";
import { SPEEDS } from "./clock.js";

/**
 * Buttons to play, step and restart, a slider of the steps, and keys that do the same. They call `toggle()`,
 * `stepBy(steps)`, `jump(step)`, and `again()` if a restart is more than a jump to step 0.
 */
export class Transport {
  #restart;
  #back;
  #play;
  #forward;
  #end;
  #slider;

  constructor({ toggle, stepBy, jump, again = () => jump(0) }) {
    this.#restart = iconButton("restart", "Restart (Home)", again);
    this.#back = iconButton("back", "One step back (comma)", () => stepBy(-1));
    this.#play = iconButton("play", "Play (space)", toggle);
    this.#forward = iconButton("forward", "One step forward (period)", () => stepBy(1));
    this.#end = iconButton("end", "To the end (End)", () => jump(Infinity));
    this.#play.classList.add("primary");
    this.#slider = element("input", { type: "range", min: 0, max: 0, value: 0, className: "scrubber", "aria-label": "Step" });
    this.#slider.oninput = () => jump(Number(this.#slider.value));
    const controls = [this.#restart, this.#back, this.#play, this.#forward, this.#end, this.#slider];
    this.element = element("div", { className: "transport" }, ...controls);
    this.keys = {
      " ": toggle,
      ",": () => stepBy(-1),
      ".": () => stepBy(1),
      ArrowLeft: () => stepBy(-1),
      ArrowRight: () => stepBy(1),
      Home: again,
      End: () => jump(Infinity),
    };
  }

  /** Shows `step` of `played` steps of a game, and whether there are later steps. */
  show({ playing, step, played, hasMore }) {
    setIcon(this.#play, playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)");
    this.#back.disabled = this.#restart.disabled = step === 0;
    this.#forward.disabled = this.#end.disabled = !hasMore;
    this.#slider.max = played;
    this.#slider.value = step;
  }
}

/** The speed in place of one that is no number. */
const USUAL_SPEED = 15;

/** A slider of speeds, in steps per second; `onchange` receives the chosen one. */
export class SpeedSlider {
  constructor(onchange, properties = {}) {
    this.input = element("input", { type: "range", min: 0, max: SPEEDS.length - 1, step: 1, ...properties });
    this.text = element("output", { className: "note", "aria-live": "off" });
    this.input.oninput = () => onchange(this.speed);
  }

  /** The chosen speed. */
  get speed() {
    return SPEEDS[this.input.value];
  }

  /** Shows a speed, rounded up to an available one; the usual one if it is no number. */
  show(speed) {
    const wanted = Number.isNaN(Number(speed)) ? USUAL_SPEED : Number(speed);
    const at = SPEEDS.findIndex((known) => known >= wanted);
    this.input.value = at < 0 ? SPEEDS.length - 1 : at;
    this.words = this.speed === Infinity ? "as fast as possible" : `${this.speed} ${this.speed === 1 ? "step" : "steps"} per second`;
    this.text.value = this.words;
    this.input.setAttribute("aria-valuetext", this.words);
  }

  /** Shows the speed that is reached, if it is not the chosen one. */
  reached(speed) {
    const isAsChosen = Math.abs(speed / this.speed - 1) < 0.15;
    this.text.value = isAsChosen ? this.words : `${this.words}: ${Math.round(speed).toLocaleString("en")} reached`;
  }

  /** Chooses a speed `places` higher. */
  change(places) {
    this.input.value = Number(this.input.value) + places;
    this.input.oninput();
  }
}
