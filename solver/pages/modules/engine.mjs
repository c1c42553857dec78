/** The page's side of a worker: questions and answers, stop, pause, and a new start. */

/** @import { Layout } from "./machine.mjs" */

/**
 * @typedef {{job: number, resolve: (result: any) => void, reject: (error: unknown) => void,
 *   onProgress: (progress: any) => void, name: string, question: any, part: string}} Pending
 * @typedef {Worker & {ref?: () => void, unref?: () => void}} Thread a worker, in Node a thread
 */

const PATIENCE_MS = 400;

/** The question was taken back. */
export class Cancelled extends Error {}

/** An error that programs recognize by its code. */
export class MatesolveError extends Error {
  /** @param {string} code @param {string} message @param {ErrorOptions} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/** The workers of a page. They share the parts of the kernel, compiled when first needed.
 * @param {any} data of the page @param {string} [script] of the worker
 * @returns {(tableBytes: number, onLessMemory?: (note: any) => void) => Engine} */
export function pageEngines({ modules, layout }, script = "") {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const compiled = /** @type {Record<string, Promise<WebAssembly.Module>>} */ ({});
  const get = (/** @type {string} */ part) => compiled[part] ??=
    unpack(modules[part]).then((bytes) => WebAssembly.compile(bytes));
  return (tableBytes, note) => new Engine(get, { url, layout, tableBytes }, note);
}

/** Bytes that were packed with gzip and base64. @param {string} packed */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Sends a worker one question after the other. */
export class Engine {
  /** @type {Pending[]} */
  #pending = [];
  #jobs = 0;
  /** The job that the worker has: the first of those pending; 0: none. */
  #sent = 0;
  #patience = 0;
  /** @type {Thread|null} */
  #worker = null;

  /**
   * @param {(part: string) => Promise<WebAssembly.Module>} part compiled
   * @param {{layout: Layout, tableBytes: number, url?: string}} setup url: of the worker's script
   * @param {(note: {wanted: number, got: number}) => void} onLessMemory
   */
  constructor(part, setup, onLessMemory = () => {}) {
    this.part = part;
    this.setup = setup;
    this.onLessMemory = onLessMemory;
  }

  /**
   * Ask the worker.
   * @param {string} name of the job
   * @param {any} question
   * @param {(progress: any) => void} onProgress
   * @param {string} part that it needs besides the search
   * @returns {Promise<any>} rejected with `Cancelled` after `stop`
   */
  ask(name, question, onProgress = () => {}, part = "search") {
    return new Promise((resolve, reject) => {
      const job = ++this.#jobs;
      this.#pending.push({ job, resolve, reject, onProgress, name, question, part });
      this.#next();
    });
  }

  /** Send the next question, with the modules that it needs. */
  async #next() {
    const [asked] = this.#pending;
    if (this.#sent) return;
    if (!asked) return this.#worker?.unref?.(); // Node may end while the thread is idle
    const { job, name, question, part } = asked;
    try {
      const modules = { search: await this.part("search"), [part]: await this.part(part) };
      if (this.#sent || this.#pending[0] !== asked) return;
      const worker = this.#running();
      worker.ref?.();
      worker.postMessage({ type: "ask", job, name, question, modules });
      this.#sent = job;
    } catch (error) {
      this.interrupt(question, failure(error));
    }
  }

  /** Take all questions back. @param {Error} error */
  stop(error = new Cancelled()) {
    for (const { question } of this.#pending) this.interrupt(question, error);
    if (this.#sent && !("Suspending" in WebAssembly)) this.end();
  }

  /**
   * Let the worker answer a question with what it has proved. A question that is not sent yet,
   * or not answered in time, is rejected.
   * @param {any} question @param {unknown} [error] with it, the question is rejected at once
   */
  interrupt(question, error) {
    const asked = this.#pending.find((each) => each.question === question);
    if (asked?.job === this.#sent) {
      this.#order("stop");
      this.#patience ||= setTimeout(() => this.end(), PATIENCE_MS);
      if (error === undefined) return;
      asked.onProgress = () => {};
    } else {
      this.#pending = this.#pending.filter((each) => each !== asked);
      this.#next();
    }
    asked?.reject(error ?? new Cancelled());
  }

  /** Pause the question, or go on. @param {boolean} paused @returns {boolean} whether it can */
  pause(paused) {
    if (!this.#sent || this.#patience || !("Suspending" in WebAssembly)) return false;
    this.#order(paused ? "pause" : "resume");
    return true;
  }

  /** @param {"stop"|"pause"|"resume"} order */
  #order = (order) => this.#worker?.postMessage({ type: "order", job: this.#sent, order });

  #running() {
    if (this.#worker) return this.#worker;
    const worker = this.start();
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault?.(); // in Node it is an Error
      if (worker === this.#worker) this.end(failure(event));
    };
    worker.postMessage({ type: "setup", ...this.setup });
    return this.#worker = worker;
  }

  /** Start a worker; the npm package starts it in another way. @returns {Thread} */
  start() {
    return new Worker(this.setup.url ?? "");
  }

  /** End the worker, and reject what it has not answered; the next question starts another.
   * @param {Error} error */
  end(error = new Cancelled()) {
    const worker = this.#worker;
    this.#worker = null;
    if (this.#sent) this.#finish()?.reject(error);
    return worker?.terminate();
  }

  #finish() {
    clearTimeout(this.#patience);
    this.#patience = this.#sent = 0;
    const asked = this.#pending.shift();
    this.#next();
    return asked;
  }

  /** @param {any} data */
  #receive(data) {
    if (data.type === "memory") return this.onLessMemory(data);
    if (data.job !== this.#sent) return undefined;
    if (data.type === "progress") return this.#pending[0].onProgress(data);
    const asked = this.#finish();
    if (data.type === "done") return asked?.resolve(data.result);
    return asked?.reject(new MatesolveError(data.code ?? "ERR_WORKER", data.message));
  }
}

/** @param {any} error */
function failure(error) {
  const message = `the search has failed: ${error.message || "the worker died"}`;
  return new MatesolveError("ERR_WORKER", message, { cause: error });
}
