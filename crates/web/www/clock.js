// Plays steps at a given speed, synchronized with the screen.

/** The available speeds, in steps per second. The last one is as fast as possible. */
export const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 250, 500, 1000, Infinity];

/** The maximum time of the steps between two pictures, in milliseconds. */
const PATIENCE = 100;
/** The same at the highest speed, which is only for looking. */
const BRIEF = 30;
/** The interval at which the speed that is reached is measured, in milliseconds. */
const MEASURED = 1000;

/** A step that is due within this share of its time is played now, since screen timing is imprecise. */
const EARLY = 0.25;

/**
 * Calls `advance(steps)`, which plays steps and resolves when they are shown, at a given speed. A slow machine shows fewer
 * pictures of more steps each. `onreach` receives the speed that is reached, every second.
 */
export class Clock {
  speed = SPEEDS[4];
  #advance;
  #playing = false;
  #run = 0;
  #advancing;
  #due = 0;
  #most = 1;
  #last;
  #onreach;
  #counted;

  constructor(advance, onreach = () => {}) {
    this.#advance = advance;
    this.#onreach = onreach;
  }

  get playing() {
    return this.#playing;
  }

  play() {
    if (this.#playing) return;
    this.#playing = true;
    this.#due = 1;
    this.#last = undefined;
    this.#counted = { steps: 0, since: performance.now() };
    const run = ++this.#run;
    requestAnimationFrame((now) => this.#tick(now, run));
  }

  /** Pauses. Resolves when the current steps are shown. */
  pause() {
    this.#playing = false;
    this.#run++;
    return this.#advancing;
  }

  /** Pauses, and forgets the current steps of an abandoned game, which might never resolve. */
  abandon() {
    this.pause();
    this.#advancing = undefined;
  }

  /**
   * Pauses and goes to a step, by calls of `reach()`, which goes part of the way and resolves to the shown step. Resolves
   * to false if the user plays or pauses meanwhile, and to true at the step or the end of the game.
   */
  async jump(to, reach) {
    const pausing = this.pause();
    const run = this.#run;
    await pausing;
    let before;
    let at;
    do {
      if (run !== this.#run) return false;
      before = at;
      at = await reach();
    } while (at < to && at !== before);
    return run === this.#run;
  }

  async #tick(now, run) {
    if (run !== this.#run) return;
    this.#due += (this.speed * Math.min(now - (this.#last ?? now), 250)) / 1000;
    this.#last = now;
    const steps = this.speed === Infinity ? this.#most : Math.min(Math.floor(this.#due + EARLY), this.#most);
    if (steps >= 1) {
      const started = performance.now();
      this.#advancing = this.#advance(steps);
      await this.#advancing;
      const ended = performance.now();
      const [took, patience] = [ended - started, this.speed === Infinity ? BRIEF : PATIENCE];
      this.#count(steps, ended);
      // Adapts the number of steps at a time to the available time.
      if (took > patience) this.#most = Math.max(1, Math.floor((steps * patience) / took));
      else if (steps === this.#most) this.#most = Math.min(2 * this.#most, 1 << 20);
      // Skips steps that are late by more than a picture.
      this.#due = this.speed === Infinity ? 0 : Math.min(this.#due - steps, this.#most);
    }
    requestAnimationFrame((later) => this.#tick(later, run));
  }

  /** Counts steps that were shown, and reports their speed. */
  #count(steps, now) {
    this.#counted.steps += steps;
    const passed = now - this.#counted.since;
    if (passed < MEASURED) return;
    this.#onreach((1000 * this.#counted.steps) / passed);
    this.#counted = { steps: 0, since: now };
  }
}

/** Returns a function that runs asynchronous actions one after another. */
export function inTurn() {
  let last = Promise.resolve();
  return (act) => (last = last.then(act, act));
}
