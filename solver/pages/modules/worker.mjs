/**
 * The worker's side: it answers the page's questions, one after the other. It knows no
 * chess: it writes a question into the kernel's structs, lets the kernel work, and makes
 * objects of the kernel's words and texts.
 */

import { after, play, refutations } from "./lists.mjs";
import { Machine } from "./machine.mjs";
import { plain, Rules } from "./rules.mjs";
import { count } from "./scored.mjs";

/** @typedef {import("./machine.mjs").Layout} Layout */
/** @typedef {import("./rules.mjs").Place} Place */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {{name: string, part: string, play: number, moves: number|null,
 *   isStalemate: boolean, isExact: boolean}} Asked
 * @typedef {{fen: string, moves: string[], stipulation: Asked, nodes: number|null,
 *   rootMove?: string}} Question
 */

const PROGRESS_MS = 40;
const REPORT_NODES = 16_384;
const MOST_SOLUTIONS = 1_000;
const CAN_SUSPEND = "Suspending" in WebAssembly;
const STRUCTS = /** @type {Record<string, string[]>} */ ({
  search: ["Query"], battle: ["Query"], help: ["HelpPlay"], laboratory: ["Experiment"],
});

/** The page does not want the answer any more. */
class Stopped extends Error {}

/** What jobs share: the machines, the clock, and the way to stop and to pause. */
export class Host {
  /** @type {Record<string, Machine>} */
  #machines = {};
  #job = -1;
  #stopped = 0;
  #isPaused = false;
  #resume = () => {};
  #tableOf = "";
  #started = 0;
  #reported = 0;
  progress = () => {};

  /**
   * @param {Record<string, WebAssembly.Module>} modules by part; further ones come later
   * @param {Layout} layout @param {number} tableBytes
   */
  constructor(modules, layout, tableBytes) {
    this.modules = modules;
    this.layout = layout;
    this.tableBytes = tableBytes;
    this.rules = new Rules(modules.search, layout);
  }

  /** The machine of a part, for the current job. @param {string} part */
  machine(part) {
    if (!this.#machines[part]) {
      const wanted = part === "laboratory" ? this.layout.scoredTableBytes : this.tableBytes;
      const made = new Machine(
        this.modules[part], this.layout, this.layout.operations[part], STRUCTS[part], wanted,
        () => this.report(),
      );
      this.#machines[part] = made;
      if (made.tableBytes < wanted) this.post("memory", { wanted, got: made.tableBytes });
    }
    this.current = this.#machines[part];
    const { search } = this.current;
    search.assign({ stop: 0, report_at: search.get("nodes") + REPORT_NODES });
    return this.current;
  }

  /** Run a search of the current machine. @param {string} name @param {Uint8Array|null} position */
  async runLong(name, position, number = 0, flag = 0) {
    const machine = /** @type {Machine} */ (this.current);
    const at = position ? machine.put(position) : 0;
    const result = await machine.runLong(name, at, number, flag);
    if (this.isStopping) throw new Stopped();
    return result;
  }

  /** Keep the bounds in the table if they are of the same play; forget them otherwise. */
  useTable(/** @type {Machine} */ { search }, /** @type {string} */ name) {
    if (this.#tableOf !== name) search.set("generation", search.get("generation") + 1);
    this.#tableOf = name;
    search.assign({
      node_limit: BigInt(this.layout.noLimit), buckets: search.get("proofs_from"),
    });
    this.progress = () =>
      this.post("progress", { nodes: search.get("nodes"), seconds: this.seconds() });
  }

  /** @param {string} fen @param {string[]} moves @returns {Place} */
  place(fen, moves) {
    const place = this.rules.read(fen, moves);
    if ("fault" in place) throw new Error(place.fault);
    return place;
  }

  /** Seconds of the current job, without pauses. */
  seconds() {
    return (performance.now() - this.#started) / 1000;
  }

  /** @param {string} type @param {object} content */
  post(type, content) {
    self.postMessage({ type, job: this.#job, ...content });
  }

  /** A search calls this often: show the progress; let messages in, if it can wait. */
  report() {
    const { search } = /** @type {Machine} */ (this.current);
    search.set("report_at", search.get("nodes") + REPORT_NODES);
    const now = performance.now();
    if (now - this.#reported < PROGRESS_MS) return undefined;
    this.#reported = now;
    this.progress();
    return CAN_SUSPEND ? this.breathe() : undefined;
  }

  /** Let messages in, and wait while the job is paused. */
  async breathe() {
    await turnOfEvents();
    const since = performance.now();
    while (this.#isPaused && !this.isStopping) {
      await new Promise((resolve) => (this.#resume = () => resolve(null)));
    }
    this.#started += performance.now() - since;
    const { search } = /** @type {Machine} */ (this.current);
    if (this.isStopping) search.set("stop", this.layout.enums.Stop.INTERRUPT);
  }

  /** @param {number} job @param {(host: Host, question: any) => any} answer
   * @param {any} question */
  async answer(job, answer, question) {
    this.#job = job;
    this.#isPaused = false;
    this.#started = this.#reported = performance.now();
    try {
      if (this.isStopping) throw new Stopped();
      this.post("done", { result: await answer(this, question) });
    } catch (error) {
      if (error instanceof Stopped) this.post("stopped", {});
      else this.post("failed", { message: String(error) });
    }
  }

  /** Whether the page has taken the question back. */
  get isStopping() {
    return this.#job <= this.#stopped;
  }

  /** @param {number} job the last that `stop` is about @param {"stop"|"pause"|"resume"} order */
  obey(job, order) {
    if (order === "stop") this.#stopped = job;
    else if (job === this.#job) this.#isPaused = order === "pause";
    this.#resume();
  }
}

/**
 * The shortest way to the goal, with both bounds on the way.
 * @param {Host} host @param {Question} question
 */
async function search(host, { fen, moves, stipulation, nodes, rootMove }) {
  if (stipulation.part === "help") return solutions(host, { fen, moves, stipulation, nodes });
  const { layout: { enums, mostMoves, noLimit }, rules } = host;
  const place = host.place(fen, moves);
  const machine = host.machine(stipulation.part);
  const query = machine.records.Query;

  // 1. The question. An old table of another play is not used: each search begins anew.
  query.bytes().fill(0);
  query.bytes("position").set(place.position);
  query.assign({
    state: enums.QueryState.READ, black: place.black, play: stipulation.play,
    attacking: stipulation.moves ? 1 : -1, most_moves: stipulation.moves ?? mostMoves,
    expected: stipulation.moves ?? 0, all_keys: 1, node_limit: nodes ?? BigInt(noLimit),
  });
  if (rootMove) {
    const [{ word }] = rules.line(place, [rootMove]);
    query.assign({ root_moves: machine.writeWords([word]), root_count: 1 });
  }
  machine.search.set("text_written", 0);
  host.useTable(machine, "");

  // 2. Turns, until the bounds meet.
  const spent = () => ({ nodes: machine.search.get("nodes"), seconds: host.seconds() });
  host.progress = () => host.post("progress", { ...bounds(rules, place, machine), ...spent() });
  let turn = enums.Turn.GOES_ON;
  while (turn !== enums.Turn.ENDS) {
    turn = await host.runLong("TAKE_TURN", null, query.address);
    host.progress();
    if (!CAN_SUSPEND) await host.breathe();
  }
  host.useTable(machine, stipulation.name);

  // 3. The answer.
  /** @param {string} name */
  const written = (name) => machine.read(query.get(`${name}_at`), query.get(`${name}_written`));
  const status = query.get("status");
  const [name = ""] = Object.entries(enums.Answer).find(([, value]) => value === status) ?? [];
  const mate = query.get("mate");
  const keys = new Set(written("keys").split(" "));
  return {
    ...spent(), state: name.toLowerCase(), lower: query.get("lower_bound"), solutions: [],
    mate: mate < 0 ? null : query.get("attacking") ? mate : -mate,
    keys: rules.moves(place.position, place.black).filter(({ uci }) => keys.has(uci)).map(plain),
    keysComplete: query.get("keys_complete") !== 0,
    line: rules.line(place, written("pv").split(" ").filter(Boolean)).map(plain),
  };
}

/** What is proved so far. @param {Rules} rules @param {Place} place @param {Machine} machine */
function bounds(rules, place, machine) {
  const query = machine.records.Query;
  const lower = query.get("lower");
  for (const side of [0, 1]) {
    const plies = query.get("line_plies", side);
    if (!plies) continue;
    const row = machine.search.bytes("line").length / 8;
    const first = side * row;
    const words = Array.from({ length: plies }, (_, i) => machine.search.get("lines", first + i));
    const sign = query.get("attacking") && !side ? 1 : -1;
    const line = rules.line(place, words).map(plain);
    return { lower, upper: sign * query.get("upper", side), line };
  }
  return { lower, upper: null, line: [] };
}

/** Help play: every solution, the shortest first. @param {Host} host @param {Question} question */
async function solutions(host, { fen, moves, stipulation, nodes }) {
  const { layout: { enums: { HelpState }, bucketBytes, noLimit }, rules } = host;
  const place = host.place(fen, moves);
  const machine = host.machine("help");
  const { search, records: { HelpPlay: help } } = machine;
  machine.clearTable();
  search.assign({
    nodes: 0, buckets: machine.tableBytes / bucketBytes, node_limit: nodes ?? BigInt(noLimit),
  });
  /** @type {Move[][]} */
  const found = [];
  const most = Math.ceil(stipulation.moves ?? 1);
  const half = most === stipulation.moves ? 0 : 1;
  let length = stipulation.isExact ? most : 1;
  const spent = () => ({ nodes: search.get("nodes"), seconds: host.seconds() });
  host.progress = () =>
    host.post("progress", { ...spent(), lower: length, upper: null, line: found[0] ?? [] });
  let state = HelpState.COMPLETE;
  for (; length <= most && state === HelpState.COMPLETE; length++) {
    const plies = 2 * length - half;
    help.bytes().fill(0);
    help.bytes("positions").set(place.position);
    help.assign({ plies, is_stalemate: stipulation.isStalemate, is_pruned: 1, ply: -1 });
    do {
      help.assign({ most: MOST_SOLUTIONS - found.length, written: 0 });
      state = await host.runLong("ENUMERATE", null, help.address);
      for (let i = 0; i < help.get("written"); i++) {
        const words = Array.from({ length: plies }, (_, ply) => help.get("lines", i * plies + ply));
        found.push(rules.line(place, words).map(plain));
      }
    } while (state === HelpState.PAUSED && found.length < MOST_SOLUTIONS);
  }
  const isComplete = state === HelpState.COMPLETE;
  const mate = found.length ? (found[0].length + 1) >> 1 : null;
  return {
    ...spent(), mate, lower: mate ?? (isComplete ? length : length - 1), keys: [],
    state: isComplete ? (mate ? "proved" : "disproved") : mate ? "found" : "undecided",
    keysComplete: false, line: found[0] ?? [], solutions: found,
  };
}

/** @param {Host} host @param {{fen: string, moves: string[], black: number}} question */
function describe(host, { fen, moves, black }) {
  return host.rules.describe(fen, moves, black);
}

const JOBS = { after, count, describe, play, refutations, search };
const events = new MessageChannel();
/** @type {Record<string, WebAssembly.Module>} */
const modules = {};
/** @type {Host} */
let host;
let queue = Promise.resolve();

/** Wait until the messages that have arrived are handled. */
function turnOfEvents() {
  return new Promise((resolve) => {
    events.port1.onmessage = resolve;
    events.port2.postMessage(null);
  });
}

self.onmessage = ({ data }) => {
  if (data.type === "module") modules[data.part] = data.module;
  else if (data.type === "layout") host = new Host(modules, data.layout, data.tableBytes);
  else if (data.type === "order") host.obey(data.job, data.order);
  else {
    const answer = JOBS[/** @type {keyof typeof JOBS} */ (data.name)];
    queue = queue.then(() => host.answer(data.job, answer, data.question));
  }
};
