/**
 * The shortest forced mate in a chess position, proved; and whether a move keeps it. The
 * search runs in a worker, in Node in a thread. README.md and matesolve.d.ts describe the
 * functions.
 */

import { Cancelled, Engine, MatesolveError, unpack } from "./modules/engine.mjs";
import { quote, readMoves } from "./modules/movetext.mjs";
import setup from "./setup.mjs";

export { MatesolveError };

/** @typedef {import("./matesolve.d.ts").Solver} Solver */

const { layout: { mostMoves, patterns } } = setup;
const THREADS = "node:worker_threads"; // bundlers for browsers leave an import of a variable alone
const MIB_BYTES = 1 << 20;
const MOST_MIB = 2048; // a page's memory for WebAssembly has 4 GiB
const NOTHING = { nodes: 0, lower: 0, upper: null, line: [] };
const REASONS = /** @type {Record<string, string>} */ ({
  nodes: "the node limit was hit", time: "the time limit was hit",
  interrupt: "the search was interrupted",
});
/** @type {Omit<import("./matesolve.d.ts").UndecidedGrade, "reason" | "warnings" | "stoppedBy">} */
const UNDECIDED = {
  status: "undecided", isRight: false, ply: null, rightMoves: [], line: [], endsInMate: false,
  wrongMove: null, reply: null, refutation: [], fen: "", longerMate: null, longerStatus: null,
};

/** @type {typeof import("./matesolve.d.ts").createSolver} */
export function createSolver(options) {
  const { hashMib = setup.tableBytes / MIB_BYTES } = readOptions(options, ["hashMib"]);
  let size = 1 << (31 - Math.clz32(hashMib)); // a power of two
  const engine = new Threads(part, { layout: setup.layout, tableBytes: size * MIB_BYTES },
    ({ got }) => (size = got / MIB_BYTES));
  let isDisposed = false;

  /** @type {Solver["solve"]} */
  async function solve(fen, options) {
    const { maxMoves, keys, rootMoves, ...rest } = readOptions(options, SOLVING);
    const about = {
      fen: check("fen", fen), most: maxMoves, keys, rootMoves: rootMoves && joined(rootMoves),
    };
    const { state, lower, line, seconds, solutions, ...answer } =
      await ask("search", about, rest);
    return { status: state, lowerBound: lower, pv: line, ...answer };
  }

  /** @type {Solver["grade"]} */
  async function grade(fen, line, within, options) {
    const { maxMoves, ...rest } = readOptions(options, GRADING);
    const about = {
      fen: check("fen", fen), line: readMoves(patterns, joined(check("line", line))),
      within: check("within", within), replies: true, maxMoves,
    };
    if (maxMoves <= within) {
      throw refusal("maxMoves", `more than within, which is ${within}`, maxMoves);
    }
    const { stoppedBy = null, ...grade } = await ask("grade", about, rest);
    if (!stoppedBy) return { ...grade, stoppedBy };
    const { warnings } = grade;
    return { ...UNDECIDED, reason: REASONS[stoppedBy], warnings, stoppedBy };
  }

  /** @type {Solver["keys"]} */
  async function keys(fen, within, options) {
    const about = {
      fen: check("fen", fen), line: [], within: check("within", within), replies: false,
    };
    const { stoppedBy, rightMoves } = await ask("grade", about, readOptions(options, ASKING));
    if (stoppedBy) throw new MatesolveError("ERR_UNDECIDED", REASONS[stoppedBy]);
    return rightMoves;
  }

  async function dispose() {
    isDisposed = true;
    engine.stop(disposed());
    await engine.end();
  }

  /** Ask the worker. If it does not answer in time after an abort, its last progress is the answer.
   * @param {string} name @param {object} about @param {Record<string, any>} options
   * @returns {Promise<any>} */
  async function ask(name, about, options) {
    if (isDisposed) throw disposed();
    const { moves = [], repair, nodes, timeS, signal, throwOnAbort, onProgress } = options;
    const question = { ...about, moves: joined(moves), repair, nodes, time: timeS };
    let known = /** @type {any} */ (NOTHING);
    const abort = () => engine.interrupt(question, throwOnAbort ? signal.reason : undefined);
    const answer = engine.ask(name, question, (progress) => {
      known = progress;
      const { nodes, lower: lowerBound, upper: mate, line: pv } = progress;
      try {
        onProgress?.({ nodes, lowerBound, mate, pv });
      } catch (error) {
        engine.interrupt(question, error);
      }
    });
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      const { nodes, lower, upper: mate, line } = known;
      const state = mate === null ? "undecided" : Math.abs(mate) === lower ? "proved" : "found";
      const keys = mate > 0 ? line.slice(0, 1) : [];
      const stopped = { keysComplete: false, warnings: [], stoppedBy: "interrupt" };
      return { nodes, lower, mate, line, state, keys, ...stopped };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  return {
    solve, grade, keys, dispose, [Symbol.asyncDispose ?? "dispose"]: dispose,
    get hashMib() { return size; },
  };
}

// Errors and arguments

const disposed = () => new MatesolveError("ERR_DISPOSED", "the solver was disposed of");

const isText = (/** @type {unknown} */ value) => typeof value === "string";
const isLine = (/** @type {unknown} */ value) => [value].flat().every(isText);
const isBoolean = (/** @type {unknown} */ value) => typeof value === "boolean";

/** @typedef {[string, (value: any) => boolean]} Domain what is expected; whether a value is that */

const joined = (/** @type {string|string[]} */ moves) => [moves].flat().join(" ");

/** @param {number} most @returns {Domain} */
const whole = (most) => [`a whole number from 1 to ${most}`,
  (value) => Number.isInteger(value) && 1 <= value && value <= most];

/** What each argument and option may be. @type {Record<string, Domain>} */
const ARGUMENTS = {
  fen: ["text", isText],
  line: ["moves in one string or in several", isLine],
  within: whole(mostMoves),
  maxMoves: whole(mostMoves),
  nodes: whole(Number.MAX_SAFE_INTEGER),
  timeS: ["a number of seconds, at least 0", (value) => typeof value === "number" && value >= 0],
  signal: ["an AbortSignal", (value) =>
    isBoolean(value.aborted) && typeof value.addEventListener === "function"],
  throwOnAbort: ["true or false", isBoolean],
  moves: ["moves in one string or in several", isLine],
  rootMoves: ["moves in one string or in several", isLine],
  repair: ["true or false", isBoolean],
  keys: ["true or false", isBoolean],
  onProgress: ["a function", (value) => typeof value === "function"],
  hashMib: whole(MOST_MIB),
};
const ASKING = ["moves", "repair", "nodes", "timeS", "signal", "throwOnAbort"];
const GRADING = [...ASKING, "maxMoves"];
const SOLVING = [...ASKING, "maxMoves", "rootMoves", "keys", "onProgress"];

/** @param {string} name @param {any} value */
function check(name, value) {
  const [expected, isExpected] = ARGUMENTS[name];
  if (isExpected(value)) return value;
  throw refusal(name, expected, value);
}

/** The options that are given; null is none. @param {any} options @param {string[]} names */
function readOptions(options, names) {
  const read = /** @type {Record<string, any>} */ ({});
  if (options === undefined) return read;
  if (Object.prototype.toString.call(options) !== "[object Object]") {
    throw refusal("options", "an object", options);
  }
  for (const name in options) {
    if (!names.includes(name)) throw refusal("options", `one of ${names.join(", ")}`, name);
    const value = options[name];
    if (value !== undefined && value !== null) read[name] = check(name, value);
  }
  return read;
}

/** @param {string} name @param {string} expected @param {unknown} found */
function refusal(name, expected, found) {
  const kind = Array.isArray(found) ? "array" : typeof found;
  const shown = isText(found) ? quote(String(found))
    : found === null || ["undefined", "boolean", "number"].includes(kind) ? String(found)
    : `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`;
  return new MatesolveError("ERR_ARGUMENT", `${name}: expected ${expected}, found ${shown}`);
}

// The worker. Node's thread is made of text: a bundle for Node then needs no other file.

/** @type {WebAssembly.Module|null} */
let module = null;
/** Node's class of threads, and the script of one. @type {any} */
let [Thread, script] = [null, ""];
const part = async () => module ??= await load();

async function load() {
  const { default: { search, thread } } = await import("./search.mjs");
  if (!("Worker" in globalThis)) {
    script = thread;
    ({ Worker: Thread } = await import(/* webpackIgnore: true */ THREADS));
  }
  return WebAssembly.compile(await unpack(search));
}

class Threads extends Engine {
  start() {
    if (!Thread) return new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    const thread = new Thread(script, { eval: true });
    thread.on("message", (/** @type {any} */ data) => thread.onmessage({ data }));
    thread.on("error", (/** @type {Error} */ error) => thread.onerror(error));
    return thread;
  }
}

export const { solve, grade, keys } = createSolver();
