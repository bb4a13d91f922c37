// A training in its worker. It goes on while another part or another tab is open.

/** The time of learning between two pictures, in milliseconds. */
const SLICE = 30;

export class Training {
  /** The facts of learn.rs. */
  state;
  points = [];
  losses = [];
  /** The time of learning. */
  seconds = 0;
  running = false;
  /** The share of time in which the worker learns, and the steps per second of the games on show. */
  pace = 1;
  speed = 1;
  /** The part that shows this training, if it is open: `show()`, `update()` and `fail(error)`. */
  view;
  /** Why it stopped, if it can't go on. */
  error;
  #learn;
  #runs = 0;

  /** `learn` is a new training of the worker `engine`. */
  constructor(engine, learn) {
    Object.assign(this, { engine });
    this.#learn = learn;
  }

  /** Reads the current facts, and the evaluations and losses since the last ones. */
  async read() {
    const facts = JSON.parse(await this.#learn.facts(this.points.length, this.losses.length));
    this.points.push(...facts.points);
    this.losses.push(...facts.losses);
    this.state = facts;
  }

  picture(first) {
    return this.#learn.picture(first);
  }

  async network() {
    return JSON.parse(await this.#learn.network());
  }

  async batch() {
    return JSON.parse(await this.#learn.batch());
  }

  policy() {
    return this.#learn.policy();
  }

  /** Frees the memory of the worker, which can train again. */
  free() {
    return this.#learn.free();
  }

  /** Learns until it is stopped, and plays the games on show while they are visible. */
  async run() {
    if (this.running) return;
    const turn = ++this.#runs;
    const goesOn = () => this.running && turn === this.#runs;
    this.running = true;
    this.view?.update();
    let times = 1;
    let due = 0;
    let last = performance.now();
    try {
      while (goesOn()) {
        if (!this.state.finished) {
          // At a slow pace, which does not slow down evaluations, one sees every gradient step.
          const share = this.state.evaluating ? 1 : this.pace;
          if (share < 1) times = 1;
          const started = performance.now();
          await this.#learn.advance(times);
          const took = performance.now() - started;
          this.seconds += took / 1000;
          if (took > 1.5 * SLICE) times = Math.max(1, Math.floor((times * SLICE) / took));
          else if (took < SLICE / 2) times = Math.min(2 * times, 4096);
          if (share < 1) await pause(Math.min(took / share - took, 2000));
        }
        if (!goesOn()) return;
        const now = performance.now();
        const isSeen = this.view && !document.hidden;
        due = isSeen ? Math.min(due + ((now - last) / 1000) * this.speed, 1000) : 0;
        last = now;
        if (due >= 1) {
          await this.#learn.play(Math.floor(due));
          due -= Math.floor(due);
        }
        await this.read();
        if (!goesOn()) return;
        if (this.view) await this.view.show();
        // Nothing is left to do for a training that nobody sees.
        else if (this.state.finished) this.stop();
        // While it learns, each picture follows a slice of learning; afterwards the screen sets the pace.
        if (this.state.finished) await new Promise(requestAnimationFrame);
      }
    } catch (error) {
      if (!goesOn()) return;
      this.error = error;
      this.stop();
      this.view?.fail(error);
    }
  }

  stop() {
    this.running = false;
    this.view?.update();
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
