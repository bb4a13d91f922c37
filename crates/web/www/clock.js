// Makes steps at a speed, in time with the screen.

/** The speeds to choose from, in steps a second. The last one makes as many as the screen and the program can. */
export const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 250, 500, 1000, Infinity];

/** How long the steps between two pictures may take at the highest speed, in milliseconds. */
const PATIENCE = 6;

/** A step that is due within this share of its time is made now, since screens do not keep time to the millisecond. */
const EARLY = 0.25;

/** Calls `advance(steps)`, which makes steps and answers when they are shown, as often as the speed says. */
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

  /** Pauses. Answers when the steps that are being made are shown. */
  pause() {
    this.#playing = false;
    this.#run++;
    return this.#advancing;
  }

  /** Pauses, and waits for no steps of a game that is given up: nobody may answer any more. */
  abandon() {
    this.pause();
    this.#advancing = undefined;
  }

  /**
   * Pauses and goes to a step. `reach()` goes some of the way, and answers with the step that it shows. Answers
   * whether it got as far as the game goes: not if somebody plays or pauses meanwhile.
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
      // As many steps at a time as there is time for.
      if (took > PATIENCE) this.#most = Math.max(1, Math.floor((steps * PATIENCE) / took));
      else if (steps === this.#most) this.#most = Math.min(2 * this.#most, 1 << 20);
      // What was not made in time is left out.
      this.#due = this.speed === Infinity ? 0 : Math.min(this.#due - steps, 1);
    }
    requestAnimationFrame((later) => this.#tick(later, run));
  }
}

/** Lets acts that take time follow each other, so that each begins where the one before has ended. */
export function inTurn() {
  let last = Promise.resolve();
  return (act) => (last = last.then(act, act));
}
