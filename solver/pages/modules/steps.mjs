// What a trace says, step by step.
//
// First the facts that its sentences read, as the class `Words` of trace_text.py has them.
// Scores and windows are as the attacker sees them: in alpha-beta, the side to move at the root.
//
//   words = new Words(record)
//   say("sentence", words.ofStep(steps, step)); words.sides: who attacks, who defends

import { thousands } from "./dom.mjs";

/** @import { Facts } from "./records.mjs" */

export const MATE = 30_000;
export const MATE_ZONE = 29_000;
const NEARLY_INFINITE = 1 << 29;
const PRUNINGS = ["mate-distance", "null-move", "multi-cut", "material"];

/** "29,985"; no bound is infinity. @param {number} score */
export const scoreWords = (score) =>
  (Math.abs(score) > MATE ? (score > 0 ? "+∞" : "-∞") : thousands(score));

/** A threshold is infinity less the numbers of other nodes.
 * @param {number | null} number null: infinity */
export const proofNumber = (number) =>
  (number === null || number > NEARLY_INFINITE ? "∞" : thousands(number));

/** The moves of a mate that comes on a ply. @param {number} ply */
const mateMoves = (ply) => Math.floor((ply + 1) / 2);

export class Words {
  /** @param {import("./trace.mjs").TraceRecord} record */
  constructor({ fen, search, traces: [{ log }] }) {
    this.search = search;
    this.first = Number(log.kind[0] === "defender");
    const isFlipped = (fen.split(" ")[1] === "b") !== Boolean(this.first);
    this.sides = isFlipped ? ["Black", "White"] : ["White", "Black"];
  }

  /** Whether the defender is to move. @param {number} ply */
  isDefender = (ply) => (ply + this.first) % 2 > 0;

  /** The side to move. @param {number} ply */
  side = (ply) => this.sides[Number(this.isDefender(ply))];

  /** A score of the side to move as the attacker sees it.
   * @param {number} score @param {number} ply */
  seen = (score, ply) => this.isDefender(ply) && score ? -score : score;

  /** The facts of one search. @param {import("./trace.mjs").Trace} trace @returns {Facts} */
  ofSearch(trace) {
    const { log, mate, complete } = trace;
    const nodes = trace.nodes - trace.nodes_before;
    const [attacker, defender] = this.sides;
    return {
      ...trace, [this.search]: true, attacker, defender, side: this.side(0), over: mate === 0,
      mated: Number(mate) < 0, mate_in: Math.abs(Number(mate)), one: nodes === 1, nodes,
      rows: !complete && log.ply.length,
    };
  }

  /** The facts of a step. @param {Steps} steps @param {number} step @returns {Facts} */
  ofStep(steps, step) {
    const [row, node] = [steps.row(step), steps.node(step)];
    return { ...this.ofNode(steps, row), name: steps.log.san[node] || "The root",
      update: row !== node, left: steps.leave[row] === step, leaf: steps.enter[row] === step };
  }

  /** The facts of a node. @param {Steps} steps @param {number} row @returns {Facts} */
  ofNode(steps, row) {
    const { log } = steps;
    const ply = log.ply[row];
    const toGo = (log.mate ?? log.depth)[row];
    return {
      [this.search]: true, [log.end[row]]: true, [`by_${log.by?.[row]}`]: true,
      alone: log.ply.every((each) => !each), defender: this.isDefender(ply), ply,
      child: log.san[row + 1], best: log.san[row],
      side: this.side(ply), other: this.side(ply + 1),
      attacker: this.sides[0], to_go: toGo, one: toGo === 1,
      ...(log.score ? this.scored(steps, row, ply) : Object.fromEntries(
        /** @type {const} */ (["pn", "dn", "pn_limit", "dn_limit"]).map((name) =>
          [name, proofNumber(log[name]?.[row] ?? null)])
          .filter(([name, number]) => number !== "∞" || !name.endsWith("limit")))),
    };
  }

  /** @param {Steps} steps @param {number} row @param {number} ply */
  scored(steps, row, ply) {
    const { log } = steps;
    const { alpha: { [row]: alpha }, beta: { [row]: beta }, low: { [row]: low },
      high: { [row]: high }, score: { [row]: score } } = log;
    const [window, narrowed] = [[alpha, beta], [low, high]].map((ends) =>
      ends.map((end) => this.seen(end, ply)).sort((a, b) => a - b).map(scoreWords).join(" to "));
    const distance = MATE - Math.abs(score ?? 0);
    const isUpper = low === alpha;
    return {
      extended: steps.isExtended(row), check: /[+#]$/.test(log.san[row]),
      upper: isUpper, fails_low: score !== null && score <= low,
      mated: distance >= 0 && distance <= MATE - MATE_ZONE, mate_ply: distance,
      score: score === null ? "" : scoreWords(this.seen(score, ply)),
      window, narrowed: narrowed === window ? "" : narrowed,
      here: mateMoves(ply), next: mateMoves(ply + 1),
      already: mateMoves(MATE - Math.abs(isUpper ? alpha : beta)),
    };
  }
}

// The log of a search as a tree that one steps through.
//
//   steps = new Steps(log)
//   steps.count; steps.row(step), steps.node(step) -> rows; steps.path(row) -> rows from the root
//   steps.rows(row, step) -> what was tried below a node so far
//   steps.spotOf[row], steps.spots, steps.known(spot, step): all visits of one line of moves
//
// A row is a visit of a node; or, in proof-number search, numbers: of a child ("child") or of the
// node that is being visited ("update"). A step enters a node, leaves it, or updates its numbers.
// A node without visits below it is entered and left in one step.

/**
 * @typedef {{ply: number[], uci: string[], san: string[], depth: number[], nodes: number[],
 *   kind: string[], end: string[], by?: string[], mate?: number[]} &
 *   Record<"alpha"|"beta"|"low"|"high", number[]> &
 *   Record<"score"|"pn"|"dn"|"pn_limit"|"dn_limit", (number|null)[]>} TraceLog
 * @typedef {{row: number, below: number[], rows: number[]}} Spot a line of moves: its first row,
 *   the spots after its last move, and all its rows
 */

export const NEVER = 0x7fffffff;

export class Steps {
  /** @type {Spot[]} */
  spots = [];
  count = 0;

  /** @param {TraceLog} log */
  constructor(log) {
    this.log = log;
    const length = log.ply.length;
    const column = (size = length) => new Int32Array(size).fill(-1);
    this.parent = column();
    this.first = column(); // of the rows below one, and the row after one with the same parent
    this.next = column();
    this.enter = column(); // steps
    this.leave = column().fill(NEVER);
    this.spotOf = column();
    this.order = column(2 * length);
    const last = column();
    /** @type {number[]} visits that are not left, by their ply */
    const open = [];
    const close = (/** @type {number} */ least) => {
      while (open.length > least) {
        const row = /** @type {number} */ (open.pop());
        if (log.end[row] === "open") continue;
        const isLeaf = this.order[this.count - 1] === row;
        this.leave[row] = isLeaf ? this.count - 1 : this.#step(row);
      }
    };
    for (let row = 0; row < length; row++) {
      const isUpdate = log.kind[row] === "update";
      const above = log.ply[row] - (isUpdate ? 0 : 1);
      close(above + 1);
      const parent = this.parent[row] = open[above] ?? -1;
      if (parent >= 0) {
        if (last[parent] < 0) this.first[parent] = row;
        else this.next[last[parent]] = row;
        last[parent] = row;
      }
      this.#place(row, isUpdate);
      if (log.kind[row] === "child") {
        this.enter[row] = this.leave[row] = this.count - 1;
        continue;
      }
      this.enter[row] = this.#step(row);
      if (isUpdate) this.leave[row] = this.enter[row];
      else open[above + 1] = row;
    }
    close(0);
  }

  /** @param {number} row */
  #step(row) {
    this.order[this.count] = row;
    return this.count++;
  }

  /** @param {number} row @param {boolean} isUpdate */
  #place(row, isUpdate) {
    const { spots, log: { uci }, parent } = this;
    const above = parent[row] < 0 ? -1 : this.spotOf[parent[row]];
    const known = above < 0 ? 0
      : isUpdate ? above : spots[above].below.find((spot) => uci[spots[spot].row] === uci[row]);
    const spot = this.spotOf[row] = known ?? spots.length;
    spots[spot] ??= { row, below: [], rows: [] };
    spots[spot].rows.push(row);
    if (known === undefined) spots[above].below.push(spot);
  }

  /** @param {number} step */
  row = (step) => this.order[step];

  /** The node that a step is about. @param {number} step */
  node(step) {
    const row = this.row(step);
    return this.log.kind[row] === "update" ? this.parent[row] : row;
  }

  /** The visits from the root to a row. @param {number} row */
  path(row) {
    const path = [];
    for (let at = row; at >= 0; at = this.parent[at]) path.unshift(at);
    return path;
  }

  /** The moves to a row, in UCI notation. @param {number} row */
  moves = (row) => this.path(row).slice(1).map((at) => this.log.uci[at]);

  /** What was tried below a visit so far: all searches of a move; or, of proof numbers, the last
   * numbers of each move. @param {number} row @param {number} step */
  rows(row, step) {
    const { log: { kind, uci } } = this;
    const found = /** @type {Map<string | number, number>} */ (new Map());
    for (let at = this.first[row]; at >= 0 && this.enter[at] <= step; at = this.next[at]) {
      if (kind[at] !== "update") found.set("pn" in this.log ? uci[at] : at, at);
    }
    return [...found.values()];
  }

  /** The last row of a spot whose numbers are known at a step; -1: none. What is proved is known
   * from the start.
   * @param {Spot} spot @param {number} step @param {number} [root] of which search */
  known({ rows }, step, root = 0) {
    const since = this.log.mate ? this.enter : this.leave;
    let known = -1;
    for (const row of rows) {
      if (this.enter[row] > step) break;
      const isKnown = row >= root && since[row] <= step;
      if (isKnown && (known < 0 || since[row] >= since[known])) known = row;
    }
    return known;
  }

  /** Whether a pruning has cut a visit. @param {number} row @param {number} step now */
  isCut(row, step) {
    return this.leave[row] <= step && PRUNINGS.includes(this.log.end[row]);
  }

  /** Whether the move to a node of an alpha-beta search cost no depth. @param {number} row */
  isExtended(row) {
    const { log: { depth, score }, parent } = this;
    return Boolean(score) && parent[row] >= 0 && depth[row] >= depth[parent[row]];
  }

  /** The first step after one at which a visit ends in a way, or an extended one begins; -1: none.
   * @param {number} step @param {string} end */
  ending(step, end) {
    for (let at = step + 1; at < this.count; at++) {
      const row = this.row(at);
      if (end === "extension" ? this.isExtended(row) && this.enter[row] === at
        : this.log.end[row] === end && this.leave[row] === at) return at;
    }
    return -1;
  }

  /** The visit that moves lead to, and how many of them were searched.
   * @param {string[]} moves @param {number} root the number of the root's search
   * @returns {{row: number, length: number}} */
  find(moves, root) {
    const roots = this.spots[0].rows.filter((row) => this.parent[row] < 0);
    let row = roots[Math.min(root, roots.length - 1)];
    for (const [length, move] of moves.entries()) {
      const below = this.rows(row, NEVER).filter((at) =>
        this.log.uci[at] === move && this.log.kind[at] !== "child");
      const next = below.at(-1);
      if (next === undefined) return { row, length };
      row = next;
    }
    return { row, length: moves.length };
  }
}
