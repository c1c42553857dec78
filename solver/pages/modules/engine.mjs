/** The page's side of a worker: questions and answers, stop, pause, and a new start. */

/** @typedef {import("./machine.mjs").Layout} Layout */
/**
 * @typedef {{resolve: (result: any) => void, reject: (error: Error) => void,
 *   onProgress: (progress: any) => void, name: string, question: any, part: string}} Pending
 */

const PATIENCE_MS = 400;

/** The question was taken back. */
export class Cancelled extends Error {}

/** Parts of the kernel, unpacked and compiled when they are first needed. */
export class Parts {
  /** @type {Record<string, Promise<WebAssembly.Module>>} */
  #compiled = {};

  /** @param {Record<string, string>} packed gzip in base64 */
  constructor(packed) {
    this.packed = packed;
  }

  /** @param {string} part */
  get(part) {
    this.#compiled[part] ??= unpack(this.packed[part]).then((bytes) => WebAssembly.compile(bytes));
    return this.#compiled[part];
  }
}

/** Bytes that were packed with gzip and base64. @param {string} packed */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export class Engine {
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  /** @type {Set<string>} */
  #sent = new Set();
  #job = 0;
  /** The last question that the worker was sent, and the last that it is to leave. */
  #asked = 0;
  #stopping = 0;
  #patience = 0;
  /** @type {Worker|null} */
  #worker = null;

  /**
   * @param {Parts} parts
   * @param {{url: string, layout: Layout, tableBytes: number}} setup url: of the worker's script
   * @param {(note: {wanted: number, got: number}) => void} onLessMemory
   */
  constructor(parts, setup, onLessMemory = () => {}) {
    this.parts = parts;
    this.setup = setup;
    this.onLessMemory = onLessMemory;
  }

  /**
   * Ask the worker; it answers one question after the other.
   * @param {string} name of the job
   * @param {any} question
   * @param {(progress: any) => void} onProgress
   * @param {string} part that it needs besides the search
   * @returns {Promise<any>} rejected with `Cancelled` after `stop`
   */
  ask(name, question, onProgress = () => {}, part = "search") {
    const job = ++this.#job;
    return new Promise((resolve, reject) => {
      const pending = { resolve, reject, onProgress, name, question, part };
      this.#pending.set(job, pending);
      this.#send(job, pending).catch(reject);
    });
  }

  /** Send a question, and the modules that the worker does not have.
   * @param {number} job @param {Pending} pending */
  async #send(job, { name, question, part }) {
    const modules = await Promise.all(["search", part].map((each) => this.parts.get(each)));
    if (!this.#pending.has(job)) return;
    const worker = this.#running();
    for (const [i, each] of ["search", part].entries()) {
      if (this.#sent.has(each)) continue;
      worker.postMessage({ type: "module", part: each, module: modules[i] });
      if (!this.#sent.size) worker.postMessage({ type: "layout", ...this.setup });
      this.#sent.add(each);
    }
    worker.postMessage({ type: "ask", job, name, question });
    this.#asked = Math.max(this.#asked, job);
  }

  /** Take all questions back. A worker that does not listen in time is replaced. */
  stop() {
    const isIdle = !this.#pending.has(this.#asked);
    this.#fail(new Cancelled());
    if (!this.#worker || isIdle) return;
    if (!("Suspending" in WebAssembly)) return this.end();
    this.#worker.postMessage({ type: "order", job: this.#asked, order: "stop" });
    this.#stopping = this.#asked;
    this.#patience ||= setTimeout(() => this.#replace(), PATIENCE_MS);
  }

  /** Pause the question, or go on. @param {boolean} paused @returns {boolean} whether it can */
  pause(paused) {
    if (!this.#pending.has(this.#asked) || !("Suspending" in WebAssembly)) return false;
    const order = paused ? "pause" : "resume";
    this.#worker?.postMessage({ type: "order", job: this.#asked, order });
    return true;
  }

  #running() {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.setup.url);
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.end();
      this.#fail(new Error(`the search has failed: ${event.message || "the worker died"}`));
    };
    this.#worker = worker;
    return worker;
  }

  /** Let another worker answer what was asked since `stop`. */
  #replace() {
    this.end();
    for (const [job, pending] of this.#pending) this.#send(job, pending).catch(pending.reject);
  }

  /** End the worker; the next question starts another. */
  end() {
    this.#heard();
    this.#worker?.terminate();
    this.#worker = null;
    this.#sent.clear();
  }

  /** The worker has listened, or is no more. */
  #heard() {
    clearTimeout(this.#patience);
    this.#patience = 0;
  }

  /** @param {Error} error */
  #fail(error) {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }

  /** @param {any} data */
  #receive(data) {
    if (data.job === this.#stopping && data.type !== "progress") this.#heard();
    if (data.type === "memory") return this.onLessMemory(data);
    const pending = this.#pending.get(data.job);
    if (!pending) return undefined;
    if (data.type === "progress") return pending.onProgress(data);
    this.#pending.delete(data.job);
    if (data.type === "done") pending.resolve(data.result);
    else pending.reject(data.type === "stopped" ? new Cancelled() : new Error(data.message));
    return undefined;
  }
}
