// The facts that the sentences of a trace read, as the class `Words` of trace_text.py has them.
// Scores and windows are as the attacker sees them: in alpha-beta, the side to move at the root.
//
//   words = new Words(record)
//   say("sentence", words.ofStep(steps, step)); words.sides: who attacks, who defends

import { thousands } from "./dom.mjs";

/** @typedef {import("./steps.mjs").Steps} Steps */
/** @typedef {import("./sentences.mjs").Facts} Facts */

export const MATE = 30_000;
export const MATE_ZONE = 29_000;
const NEARLY_INFINITE = 1 << 29;

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
  /** @param {import("./stepper.mjs").TraceRecord} record */
  constructor({ fen, search, traces: [{ log }] }) {
    this.search = search;
    this.first = Number(log.kind[0] === "defender");
    const isFlipped = (fen.split(" ")[1] === "b") !== Boolean(this.first);
    this.sides = isFlipped ? ["Black", "White"] : ["White", "Black"];
  }

  /** Whether the defender is to move. @param {number} ply */
  isDefender(ply) {
    return (ply + this.first) % 2 > 0;
  }

  /** The side to move. @param {number} ply */
  side(ply) {
    return this.sides[Number(this.isDefender(ply))];
  }

  /** A score of the side to move as the attacker sees it.
   * @param {number} score @param {number} ply */
  seen(score, ply) {
    return this.isDefender(ply) && score ? -score : score;
  }

  /** The facts of one search. @param {import("./stepper.mjs").Trace} trace @returns {Facts} */
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
  ofNode({ log }, row) {
    const ply = log.ply[row];
    const toGo = (log.mate ?? log.depth)[row];
    return {
      [this.search]: true, [log.end[row]]: true, [`by_${log.by?.[row]}`]: true,
      alone: log.ply.every((each) => !each), defender: this.isDefender(ply), ply,
      child: log.san[row + 1], best: log.san[row],
      side: this.side(ply), other: this.side(ply + 1),
      attacker: this.sides[0], to_go: toGo, one: toGo === 1,
      ...(log.score ? this.scored(log, row, ply) : Object.fromEntries(
        /** @type {const} */ (["pn", "dn", "pn_limit", "dn_limit"]).map((name) =>
          [name, proofNumber(log[name]?.[row] ?? null)])
          .filter(([name, number]) => number !== "∞" || !name.endsWith("limit")))),
    };
  }

  /** @param {import("./steps.mjs").TraceLog} log @param {number} row @param {number} ply */
  scored(log, row, ply) {
    const { alpha: { [row]: alpha }, beta: { [row]: beta }, low: { [row]: low },
      high: { [row]: high }, score: { [row]: score } } = log;
    const [window, narrowed] = [[alpha, beta], [low, high]].map((ends) =>
      ends.map((end) => this.seen(end, ply)).sort((a, b) => a - b).map(scoreWords).join(" to "));
    const distance = MATE - Math.abs(score ?? 0);
    const isUpper = low === alpha;
    return {
      upper: isUpper, fails_low: score !== null && score <= low,
      mated: distance >= 0 && distance <= MATE - MATE_ZONE, mate_ply: distance,
      score: score === null ? "" : scoreWords(this.seen(score, ply)),
      window, narrowed: narrowed === window ? "" : narrowed,
      here: mateMoves(ply), next: mateMoves(ply + 1),
      already: mateMoves(MATE - Math.abs(isUpper ? alpha : beta)),
    };
  }
}
