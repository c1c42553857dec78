/**
 * The worker's side: it answers the page's questions, one after the other. It knows no
 * chess: it writes a question into the kernel's structs, lets the kernel work, and makes
 * objects of the kernel's words and texts.
 */

import { CAN_SUSPEND, Machine, nameOf } from "./machine.mjs";
import { plain, Rules } from "./rules.mjs";

/** @import { Layout } from "./machine.mjs" */
/** @import { Given, Place } from "./rules.mjs" */

/** @typedef {Record<string, (host: Host, question: any) => any>} Jobs */

const PROGRESS_MS = 40;
const REPORT_NODES = 16_384;

/** @param {string} code @param {string} message */
const failure = (code, message) => Object.assign(new Error(message), { code });

/** What jobs share: the machines, the clock, and the way to stop and to pause. */
export class Host {
  /** @type {Record<string, Machine>} */
  #machines = {};
  #job = -1;
  #time = Infinity;
  #isPaused = false;
  /** What ends the job before its search is over. @type {"time"|"interrupt"|null} */
  reason = null;
  #resume = () => {};
  /** The play whose bounds are in the table. */
  tableOf = "";
  #started = 0;
  #reported = 0;
  /** Called now and then by a search. */
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
    this.current = this.rules.machine;
  }

  /** The machine of a part, for the current job. @param {string} part */
  machine(part) {
    if (!this.#machines[part]) {
      const wanted = part === "laboratory" ? this.layout.scoredTableBytes : this.tableBytes;
      const made = this.#machines[part] =
        new Machine(this.modules[part], this.layout, part, wanted, () => this.report());
      if (made.tableBytes < wanted) this.post("memory", { wanted, got: made.tableBytes });
    }
    this.current = this.#machines[part];
    this.current.search.assign({ stop: 0, nodes: 0, report_at: 0 });
    return this.current;
  }

  /** Run a search of the current machine; it throws if the job is to end before it.
   * @param {string} name @param {Uint8Array|null} position */
  async runLong(name, position, number = 0, flag = 0) {
    const at = position ? this.current.put(position) : 0;
    const result = await this.current.runLong(name, at, number, flag);
    if (this.reason) throw new Error("stopped");
    return result;
  }

  /** Keep the bounds in the current machine's table if they are of this play; forget them
   * otherwise. @param {string} name */
  useTable(name) {
    if (this.tableOf !== name) this.begin(null);
    this.tableOf = name;
    this.current.search.set("node_limit", this.limit(null));
    this.progress = () => this.post("progress", this.spent);
  }

  /** Begin a search of the current machine; the one before is forgotten.
   * @param {number|null} nodes the limit */
  begin(nodes) {
    this.tableOf = "";
    this.current.run("BEGIN");
    this.current.search.set("node_limit", this.limit(nodes));
  }

  /** A node limit as the kernel reads it. @param {number|null|undefined} nodes */
  limit = (nodes) => BigInt(nodes ?? this.layout.noLimit);

  /** See `Rules.read`. @param {string} text @param {string | string[]} moves @returns {Given} */
  place(text, moves, repair = false) {
    const place = this.rules.read(text, moves, { repair });
    if (!("fault" in place)) return place;
    throw failure(place.fault.startsWith("moves:") ? "ERR_ARGUMENT" : "ERR_FEN", place.fault);
  }

  /** What the current job has cost, pauses left out. */
  get spent() {
    const seconds = (performance.now() - this.#started) / 1000;
    return { nodes: this.current.search.get("nodes"), seconds };
  }

  /** @param {string} type @param {object} content */
  post = (type, content) => self.postMessage({ type, job: this.#job, ...content });

  /** A search calls this often: show the progress; let messages in, if it can wait. */
  report() {
    const { search } = this.current;
    search.set("report_at", search.get("nodes") + REPORT_NODES);
    const now = performance.now();
    if (!this.reason && this.spent.seconds >= this.#time) this.stop("time");
    if (now - this.#reported < PROGRESS_MS) return undefined;
    this.#reported = now;
    this.progress();
    /** @type {any} */ (self).receive?.(); // in Node
    return CAN_SUSPEND ? this.breathe() : undefined;
  }

  /** Let messages in, and wait while the job is paused. */
  async breathe() {
    await new Promise((resolve) => { // until the messages that have arrived are handled
      events.port1.onmessage = resolve;
      events.port2.postMessage(null);
    });
    const since = performance.now();
    while (this.#isPaused && !this.reason) {
      await new Promise((resolve) => (this.#resume = () => resolve(null)));
    }
    this.#started += performance.now() - since;
  }

  /** End the job with what it has proved. @param {"time"|"interrupt"} reason */
  stop(reason) {
    const { LIMIT, INTERRUPT } = this.layout.enums.Stop;
    this.reason ??= reason;
    this.current.search.set("stop", reason === "time" ? LIMIT : INTERRUPT);
  }

  /** @param {number} job @param {(host: Host, question: any) => any} answer
   * @param {any} question time: seconds, the limit */
  async answer(job, answer, question) {
    this.#job = job;
    this.#isPaused = false;
    this.reason = null;
    this.#time = question.time ?? Infinity;
    this.#started = this.#reported = performance.now();
    this.progress = () => {};
    try {
      this.post("done", { result: await answer(this, question) });
    } catch (error) {
      const { message, code } = /** @type {any} */ (error);
      this.post("failed", { message, code });
    }
  }

  /** @param {number} job @param {"stop"|"pause"|"resume"} order */
  obey(job, order) {
    if (job !== this.#job) return;
    if (order === "stop") this.stop("interrupt");
    else this.#isPaused = order === "pause";
    this.#resume();
  }
}

const events = new MessageChannel();

/** Answer questions; each has the name of a job. @param {Jobs} jobs */
export function serve(jobs) {
  let [setup, host] = [/** @type {any} */ (null), /** @type {any} */ (null)];
  self.onmessage = ({ data }) => {
    if (data.type === "setup") setup = data;
    else if (data.type === "order") host.obey(data.job, data.order);
    else {
      host ??= new Host(data.modules, setup.layout, setup.tableBytes);
      Object.assign(host.modules, data.modules);
      host.answer(data.job, jobs[data.name], data.question);
    }
  };
}

// The job `search`: the shortest way to the goal, with both bounds on the way.

/**
 * @typedef {{name: string, part: string, play: number, moves: number|null,
 *   isStalemate: boolean, is_exact: boolean}} Asked
 * @typedef {{fen: string, moves: string|string[], stipulation: Asked, nodes: number|null,
 *   repair?: boolean, rootMoves?: string, most?: number, attacking?: number, keys?: boolean,
 * }} Question rootMoves: the only first moves to search; most: the longest mate to search for;
 *   attacking: whether the side to move is, -1: not known; keys: whether all are wanted
 */

const MATE = { name: "#", part: "search", play: 0, moves: null };

/** Without a stipulation, the shortest mate.
 * @param {Host} host @param {Omit<Question, "stipulation"> & {stipulation?: Asked}} question */
export async function search(host, question) {
  const { fen, moves, repair, stipulation = MATE, nodes, rootMoves, most } = question;
  const { keys: allKeys = true, attacking = stipulation.moves ? 1 : -1 } = question;
  const { layout: { enums, mostMoves }, rules } = host;
  const place = host.place(fen, moves, repair);
  const first = rootMoves === undefined ? [] : rules.readFirst(place, "rootMoves", rootMoves);
  if ("fault" in first) throw failure("ERR_ARGUMENT", first.fault);
  const machine = host.machine(stipulation.part);
  const query = machine.records.Query;

  // 1. The question. An old table of another play is not used: each search begins anew.
  machine.begin(query, {
    state: enums.QueryState.READ, black: place.black, play: stipulation.play,
    attacking, most_moves: stipulation.moves ?? most ?? mostMoves,
    expected: stipulation.moves ?? 0, all_keys: allKeys, node_limit: host.limit(nodes),
  });
  query.bytes("position").set(place.position);
  if (first.length) {
    query.assign({ root_moves: machine.writeMoves(first), root_count: first.length });
  }
  host.begin(nodes);

  // 2. Turns, until the bounds meet.
  host.progress = () => host.post("progress", { ...bounds(rules, place, machine), ...host.spent });
  let turn = enums.Turn.GOES_ON;
  while (turn !== enums.Turn.ENDS) {
    turn = await machine.runLong("TAKE_TURN", 0, query.address);
    host.progress();
    if (!CAN_SUSPEND) await host.breathe();
  }
  host.tableOf = stipulation.name;

  // 3. The answer.
  const mate = query.get("mate");
  const line = rules.line(place, machine.words(query, "pv")).map(plain);
  const keys = rules.chosen(place, machine.words(query, "keys")).map(plain);
  return {
    ...host.spent, state: nameOf(enums.Answer, query.get("status")).toLowerCase(),
    lower: query.get("lower_bound"), solutions: [],
    mate: mate < 0 ? null : query.get("attacking") ? mate : 0 - mate,
    keys: keys.length ? keys : line.slice(0, query.get("attacking")),
    keysComplete: query.get("keys_complete") !== 0, line, warnings: place.warnings,
    stoppedBy: query.get("is_cut") ? host.reason ?? "nodes" : null,
  };
}

/** What is proved so far. @param {Rules} rules @param {Place} place @param {Machine} machine */
function bounds(rules, place, machine) {
  const query = machine.records.Query;
  for (const side of [0, 1]) {
    const plies = query.get("line_plies", side);
    if (!plies) continue;
    const first = side * machine.search.bytes("line").length / 8;
    const words = Array.from({ length: plies }, (_, i) => machine.search.get("lines", first + i));
    const sign = query.get("attacking") && !side ? 1 : -1;
    const line = rules.line(place, words).map(plain);
    return { lower: query.get("lower", side), upper: sign * query.get("upper", side), line };
  }
  return { lower: query.get("lower"), upper: null, line: [] };
}
