/**
 * The shortest forced mate in a chess position, proved; and whether a move keeps it. The
 * search runs in a worker, in Node in a thread. README.md and matesolve.d.ts describe the
 * functions.
 */

import { Cancelled, Engine, MatesolveError } from "./modules/engine.mjs";
import { readMoves } from "./modules/movetext.mjs";
import setup from "./setup.mjs";

export { MatesolveError };

/** @typedef {import("./matesolve.d.ts").Solver} Solver */
/** @typedef {import("./matesolve.d.ts").SolveOptions} SolveOptions */

// Bundlers for browsers leave an import alone whose name is not written in it.
const [THREADS, FILES] = ["node:worker_threads", "node:fs/promises"];
const MIB_BYTES = 1 << 20;
const MOST_MIB = 2048; // a page's memory for WebAssembly has 4 GiB
const MOST_NODES = Number.MAX_SAFE_INTEGER;
const SEARCH = { name: "#", part: "search", play: 0, moves: null };
/** @type {import("./matesolve.d.ts").Progress} */
const NOTHING = { nodes: 0, lower: 0, upper: null, line: [] };
const WHY = /** @type {Record<string, string>} */ ({
  nodes: "the node limit was hit", time: "the time limit was hit",
  interrupt: "the search was interrupted",
});

/** @type {typeof import("./matesolve.d.ts").createSolver} */
export function createSolver({ hashMiB } = {}) {
  const wanted = whole("hashMiB", hashMiB ?? setup.tableBytes / MIB_BYTES, MOST_MIB);
  let size = 1 << (31 - Math.clz32(wanted)); // a power of two
  const { layout, movetext } = setup;
  const engine = new Threads(part, { layout, tableBytes: size * MIB_BYTES },
    ({ got }) => (size = got / MIB_BYTES));
  let isDisposed = false;

  /** @type {Solver["solve"]} */
  async function solve(fen, options = {}) {
    const most = length("moves", options.moves ?? layout.mostMoves);
    const { state: status, lower: lowerBound, seconds, solutions, ...rest } =
      await ask("search", fen, { moves: [], stipulation: SEARCH, most }, options);
    return { status, lowerBound, ...rest };
  }

  /** @type {Solver["isCorrect"]} */
  async function isCorrect(fen, line, n, options = {}) {
    const expected = "moves in one string or in several";
    const words = [line].flat().map((part) => text("line", part, expected)).join(" ");
    const about = { line: readMoves(movetext, words), n: length("n", n) };
    const { stoppedBy = null, ...grade } = await ask("grade", fen, about, options);
    if (!stoppedBy) return { ...grade, stoppedBy };
    return {
      correct: false, status: "undecided", why: WHY[stoppedBy], rightMoves: [], line: [],
      endsInMate: false, stoppedBy,
    };
  }

  /** @type {Solver["keys"]} */
  async function keys(fen, n, options) {
    const { status, why = "", rightMoves } = await isCorrect(fen, [], n, options);
    if (status === "undecided") throw new MatesolveError("ERR_UNDECIDED", why);
    return rightMoves;
  }

  async function dispose() {
    isDisposed = true;
    engine.stop(disposed());
    await engine.end();
  }

  /** Ask the worker. If it does not answer in time after an abort, its last progress is the answer.
   * @param {string} name @param {string} fen @param {object} about
   * @param {SolveOptions} options @returns {Promise<any>} */
  async function ask(name, fen, about, { nodes, time, signal, throwOnAbort, onProgress }) {
    if (isDisposed) throw disposed();
    if (nodes != null) whole("nodes", nodes, MOST_NODES);
    if (time != null && !(typeof time === "number" && time >= 0)) {
      throw refusal("time", "a number of seconds, at least 0", time);
    }
    const question = { fen: text("fen", fen), nodes, time, ...about };
    let known = NOTHING;
    const abort = () => engine.interrupt(question, throwOnAbort ? signal?.reason : undefined);
    const answer = engine.ask(name, question, ({ type, job, seconds, ...progress }) => {
      known = progress;
      onProgress?.(progress);
    });
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      const { upper: mate, ...rest } = known;
      const state = mate === null ? "undecided" : mate === rest.lower ? "proved" : "found";
      const found = mate && mate > 0 ? rest.line.slice(0, 1) : [];
      return { ...rest, state, mate, keys: found, keysComplete: false, stoppedBy: "interrupt" };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  return {
    solve, isCorrect, keys, dispose, [Symbol.asyncDispose ?? "dispose"]: dispose,
    get hashMiB() { return size; },
  };
}

// Errors and arguments

const disposed = () => new MatesolveError("ERR_DISPOSED", "the solver was disposed of");

/** @param {string} name @param {string} expected @param {unknown} found */
const refusal = (name, expected, found) =>
  new MatesolveError("ERR_ARGUMENT", `${name}: expected ${expected}, found ${found}`);

/** @param {string} name @param {number} value @param {number} most */
function whole(name, value, most) {
  if (Number.isInteger(value) && 1 <= value && value <= most) return value;
  throw refusal(name, `a whole number from 1 to ${most}`, value);
}

/** @param {string} name @param {number} value */
const length = (name, value) => whole(name, value, setup.layout.mostMoves);

/** @param {string} name @param {unknown} value */
function text(name, value, expected = "text") {
  if (typeof value === "string") return value;
  throw refusal(name, expected, value === null ? "null" : typeof value);
}

// The worker, and the module that it runs

/** @type {WebAssembly.Module|null} */
let module = null;
/** The class of Node's threads. @type {any} */
let Thread = null;
const part = async () => module ??= await compile();

class Threads extends Engine {
  start() {
    if (!Thread) return new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    const thread = new Thread(new URL("./thread.mjs", import.meta.url));
    thread.on("message", (/** @type {any} */ data) => thread.onmessage({ data }));
    thread.on("error", (/** @type {Error} */ error) => thread.onerror(error));
    return thread;
  }
}

async function compile() {
  const url = new URL("./search.wasm", import.meta.url);
  if (!("Worker" in globalThis)) {
    ({ Worker: Thread } = await import(/* webpackIgnore: true */ THREADS));
    const { readFile } = await import(/* webpackIgnore: true */ FILES);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: expected the search, found ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

export const { solve, isCorrect, keys } = createSolver();
