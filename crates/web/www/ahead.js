// Steps of a game that are asked for before their time, so that they are at hand when the screen is ready for them.

/** How long before its time a step is asked for, in seconds. */
const LEAD = 0.25;

/** Keeps what `ask(step)` promises until the step is shown. */
export class Ahead {
  #ask;
  #asked = new Map();

  constructor(ask) {
    this.#ask = ask;
  }

  /** What belongs to a step; the ones after it that a speed leads to are asked for. */
  take(step, speed) {
    for (let next = step; next <= step + Math.ceil(speed * LEAD); next++) {
      if (this.#asked.has(next)) continue;
      const asked = this.#ask(next);
      // Who takes it hears of the error.
      asked.catch(() => {});
      this.#asked.set(next, asked);
    }
    const taken = this.#asked.get(step);
    for (const known of this.#asked.keys()) if (known <= step) this.#asked.delete(known);
    return taken;
  }

  /** Forgets what was asked for: another step, another look or another game comes next. */
  forget() {
    this.#asked.clear();
  }
}
