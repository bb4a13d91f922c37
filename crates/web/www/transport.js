// The controls of games that go by themselves: play and pause, steps, and how fast.

import { element, iconButton, setIcon } from "./elements.js";
import { SPEEDS } from "./clock.js";

/**
 * Buttons to play, to step and to begin again, a slider of the steps, and the keys that do the same. `acts` has what
 * they do: `toggle()`, `stepBy(steps)`, `jump(step)`, and `again()` where that is more than a jump to step 0.
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
    this.#forward = iconButton("forward", "One step forward (full stop)", () => stepBy(1));
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

  /** Shows a game that is looked at from `step` of `played` steps, and whether there are steps after that. */
  show({ playing, step, played, hasMore }) {
    setIcon(this.#play, playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)");
    this.#back.disabled = this.#restart.disabled = step === 0;
    this.#forward.disabled = this.#end.disabled = !hasMore;
    this.#slider.max = played;
    this.#slider.value = step;
  }
}

/** A slider of speeds, in steps a second; `onchange` hears the one that is chosen. */
export class SpeedSlider {
  constructor(onchange, properties = {}) {
    this.input = element("input", { type: "range", min: 0, max: SPEEDS.length - 1, step: 1, ...properties });
    this.text = element("output", { className: "note" });
    this.input.oninput = () => onchange(this.speed);
  }

  /** The speed that is chosen. */
  get speed() {
    return SPEEDS[this.input.value];
  }

  /** Shows a speed: the next higher one that there is. */
  show(speed) {
    const at = SPEEDS.findIndex((known) => known >= Number(speed));
    this.input.value = at < 0 ? SPEEDS.length - 1 : at;
    this.text.value = this.speed === Infinity ? "as fast as it goes" : `${this.speed} ${this.speed === 1 ? "step" : "steps"} a second`;
    this.input.setAttribute("aria-valuetext", this.text.value);
  }

  /** Chooses a speed that is so many places higher. */
  change(places) {
    this.input.value = Number(this.input.value) + places;
    this.input.oninput();
  }
}
