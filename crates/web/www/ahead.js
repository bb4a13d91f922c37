// Requests steps of a game ahead of time, so that they are ready when the screen is.

/** How far ahead of time a step is requested, in seconds. */
const LEAD = 0.25;

/** Stores the promises of `ask(step)` until their steps are shown. */
export class Ahead {
  #ask;
  #asked = new Map();

  constructor(ask) {
    this.#ask = ask;
  }

  /** Returns the promise of a step, and requests the following steps that `speed` requires. */
  take(step, speed) {
    for (let next = step; next <= step + Math.ceil(speed * LEAD); next++) {
      if (this.#asked.has(next)) continue;
      const asked = this.#ask(next);
      // The caller that takes the promise handles the error.
      asked.catch(() => {});
      this.#asked.set(next, asked);
    }
    const taken = this.#asked.get(step);
    for (const known of this.#asked.keys()) if (known <= step) this.#asked.delete(known);
    return taken;
  }

  /** Discards requests, before another step, layer or game. */
  forget() {
    this.#asked.clear();
  }
}
