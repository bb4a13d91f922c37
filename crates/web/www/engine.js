// Calls the WebAssembly in a worker, where calls may take long.

/** An error with a message for the user. */
export class Refused extends Error {}

/** A worker with the WebAssembly and its objects. Calls are answered in order. */
export class Engine {
  #worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  #waiting = new Map();
  #calls = 0;

  /**
   * @param {WebAssembly.Module | Promise<WebAssembly.Module>} module the compiled WebAssembly, which all workers share;
   * the worker starts while it is on its way
   * @param {URL} glue its JavaScript
   */
  constructor(module, glue = new URL("hognose.js", import.meta.url)) {
    this.#worker.postMessage({ glue: glue.href });
    Promise.resolve(module).then((compiled) => this.#worker.postMessage({ module: compiled }), (error) => this.close(error));
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.close(new Refused(`The program stopped: ${event.message || "its worker can't be loaded"}`));
    };
  }

  /** Whether a call is pending. */
  get busy() {
    return this.#waiting.size > 0;
  }

  /** Calls a function of the WebAssembly. */
  call(name, ...args) {
    return this.#send({ name, args });
  }

  /** Creates an object of a class of the WebAssembly. Its methods return promises, and `free` frees it.
   * `onProgress` receives the completed share, from 0 to 1. */
  async create(name, args, { onProgress, method } = {}) {
    const object = await this.#send({ name, args, method, create: true }, onProgress);
    return new Proxy({}, {
      get: (_, called) => {
        if (called === "then") return undefined;
        return (...its) => {
          const onShare = typeof its.at(-1) === "function" ? its.pop() : undefined;
          return this.#send({ object, name: called, args: its }, onShare);
        };
      },
    });
  }

  /** Terminates the worker. Rejects pending calls with a reason; without one they never settle. */
  close(reason) {
    this.#worker.terminate();
    if (reason) this.#waiting.forEach(({ reject }) => reject(reason));
    this.#waiting.clear();
  }

  #send(message, onProgress) {
    const id = this.#calls++;
    this.#worker.postMessage({ ...message, id });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, onProgress }));
  }

  #receive({ id, progress, answer, error }) {
    const call = this.#waiting.get(id);
    if (!call) return;
    if (progress !== undefined) {
      call.onProgress?.(progress);
      return;
    }
    this.#waiting.delete(id);
    if (error === undefined) call.resolve(answer);
    else call.reject(new Refused(error));
  }
}
