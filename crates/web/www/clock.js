// Plays steps at a given speed, synchronized with the screen.

/** The available speeds, in steps per second. The last one is as fast as possible. */
export const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 250, 500, 1000, Infinity];

/** The maximum time of steps between two pictures at the highest speed, in milliseconds. */
const PATIENCE = 6;

/** A step that is due within this share of its time is played now, since screen timing is imprecise. */
const EARLY = 0.25;

/** Calls `advance(steps)`, which plays steps and resolves when they are shown, at a given speed. */
export class Clock {
  speed = SPEEDS[4];
  #advance;
  #playing = false;
  #run = 0;
  #advancing;
  #due = 0;
  #most = 1;
  #last;

  constructor(advance) {
    this.#advance = advance;
  }

  get playing() {
    return this.#playing;
  }

  play() {
    if (this.#playing) return;
    this.#playing = true;
    this.#due = 1;
    this.#last = undefined;
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
      const took = performance.now() - started;
      // Adapts the number of steps at a time to the available time.
      if (took > PATIENCE) this.#most = Math.max(1, Math.floor((steps * PATIENCE) / took));
      else if (steps === this.#most) this.#most = Math.min(2 * this.#most, 1 << 20);
      // Skips steps that are late.
      this.#due = this.speed === Infinity ? 0 : Math.min(this.#due - steps, 1);
    }
    requestAnimationFrame((later) => this.#tick(later, run));
  }
}

/** Returns a function that runs asynchronous actions one after another. */
export function inTurn() {
  let last = Promise.resolve();
  return (act) => (last = last.then(act, act));
}
