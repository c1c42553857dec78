/**
 * The shortest forced mate in a chess position, proved; and whether a move keeps it. The
 * search runs in a worker, in Node in a thread. README.md and matesolve.d.ts describe the
 * functions.
 */

import { readMoves } from "./movetext.mjs";
import setup from "./setup.mjs";

/** @typedef {import("./matesolve.d.ts").Options} Options */
/**
 * @typedef {{job: number, name: string, question: object,
 *   onProgress: ((progress: any) => void) | undefined,
 *   resolve: (answer: any) => void, reject: (error: unknown) => void}} Asked
 * @typedef {{postMessage: (message: object) => void, terminate: () => void,
 *   ref?: () => void, unref?: () => void}} Running
 */

// Bundlers for browsers leave an import alone whose name is not written in it.
const [THREADS, FILES] = ["node:worker_threads", "node:fs/promises"];
const IN_NODE = !("Worker" in globalThis);
const MOST_NODES = Number.MAX_SAFE_INTEGER;
const SEARCH = { name: "#", part: "search", play: 0, moves: null };

/** @param {string} fen @param {import("./matesolve.d.ts").SolveOptions} options */
export async function solve(fen, options = {}) {
  const most = length("moves", options.moves ?? setup.layout.mostMoves);
  const { state, mate, lower, keys, keysComplete, line, nodes } =
    await ask("search", fen, { moves: [], stipulation: SEARCH, most }, options);
  return { status: state, mate, lowerBound: lower, keys, keysComplete, line, nodes };
}

/** @param {string} fen @param {string|string[]} line @param {number} n @param {Options} options */
export async function isCorrect(fen, line, n, options = {}) {
  const text = [line].flat().map((part) => {
    if (typeof part === "string") return part;
    const expected = "moves in one string or in several";
    throw new TypeError(`line: expected ${expected}, found ${typeName(part)}`);
  }).join(" ");
  const moves = readMoves(setup.movetext, text);
  return ask("grade", fen, { line: moves, n: length("n", n) }, options);
}

/** @param {string} fen @param {number} n @param {Options} options */
export async function keys(fen, n, options = {}) {
  const { status, why, rightMoves } = await isCorrect(fen, [], n, options);
  if (status === "undecided") throw new Error(why);
  return rightMoves;
}

// Arguments

/** @param {string} name @param {number} value @param {number} most */
function whole(name, value, most) {
  if (Number.isInteger(value) && 1 <= value && value <= most) return value;
  throw new RangeError(`${name}: expected a whole number from 1 to ${most}, found ${value}`);
}

/** @param {string} name @param {number} value */
const length = (name, value) => whole(name, value, setup.layout.mostMoves);

/** @param {string} name @param {string} value */
function text(name, value) {
  if (typeof value === "string") return value;
  throw new TypeError(`${name}: expected text, found ${typeName(value)}`);
}

/** @param {unknown} value */
const typeName = (value) => (value === null ? "null" : typeof value);

// One worker answers one question after the other. Who takes back the question that it
// works on ends it; the next question starts another.

/** @type {Asked[]} */
const waiting = [];
/** @type {Asked|null} */
let current = null;
/** @type {Promise<Running>|null} */
let running = null;
/** @type {Promise<WebAssembly.Module>|null} */
let module = null;
let jobs = 0;

/** @param {string} name @param {string} fen @param {object} about
 * @param {import("./matesolve.d.ts").SolveOptions} options @returns {Promise<any>} */
function ask(name, fen, about, { nodes, signal, onProgress }) {
  return new Promise((resolve, reject) => {
    if (nodes != null) whole("nodes", nodes, MOST_NODES);
    const question = { fen: text("fen", fen), nodes: nodes ?? undefined, ...about };
    signal?.throwIfAborted();
    const abort = () => {
      if (current === asked) endWorker();
      else waiting.splice(waiting.indexOf(asked), 1);
      asked.reject(signal?.reason);
      next();
    };
    /** @type {(settle: (value: any) => void) => (value: any) => void} */
    const once = (settle) => (value) => {
      signal?.removeEventListener("abort", abort);
      settle(value);
    };
    /** @type {Asked} */
    const asked = {
      job: ++jobs, name, question, onProgress, resolve: once(resolve), reject: once(reject),
    };
    signal?.addEventListener("abort", abort);
    waiting.push(asked);
    next();
  });
}

/** Let the worker work on the next question, if it is idle. */
async function next() {
  if (current) return;
  const asked = current = waiting.shift() ?? null;
  try {
    const worker = await (asked ? (running ??= start()) : running);
    if (!worker || current !== asked) return;
    if (!asked) return worker.unref?.(); // a program may end while the worker is idle
    worker.ref?.();
    const { job, name, question } = asked;
    worker.postMessage({ type: "ask", job, name, question });
  } catch (error) {
    if (current === asked) fail(error);
  }
}

/** @param {any} data what the worker has sent */
function receive(data) {
  if (!current || data.job !== current.job || data.type === "memory") return;
  const { onProgress, resolve, reject } = current;
  if (data.type === "progress") {
    const { nodes, lower, upper } = data;
    onProgress?.({ nodes, lower, upper });
    return;
  }
  current = null;
  if (data.type === "done") resolve(data.result);
  else reject(new Error(data.message));
  next();
}

/** The worker cannot be started, or has died. @param {unknown} error */
function fail(error) {
  const asked = current;
  endWorker();
  asked?.reject(error);
  next();
}

function endWorker() {
  running?.then((worker) => worker.terminate(), () => {});
  running = current = null;
}

/** @returns {Promise<Running>} */
async function start() {
  module ??= compile().catch((error) => {
    module = null;
    throw error;
  });
  const compiled = await module;
  const worker = IN_NODE ? await startThread() : startWorker();
  worker.postMessage({ type: "module", part: SEARCH.part, module: compiled });
  worker.postMessage({ type: "layout", ...setup });
  return worker;
}

async function compile() {
  const url = new URL("./search.wasm", import.meta.url);
  if (IN_NODE) {
    const { readFile } = await import(/* webpackIgnore: true */ FILES);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: expected the search, found ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function startWorker() {
  const worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(`the worker has failed: ${event.message ?? "it could not be loaded"}`));
  };
  return worker;
}

async function startThread() {
  const { Worker: Thread } = await import(/* webpackIgnore: true */ THREADS);
  const thread = new Thread(new URL("./thread.mjs", import.meta.url));
  thread.on("message", receive);
  thread.on("error", fail);
  return thread;
}
