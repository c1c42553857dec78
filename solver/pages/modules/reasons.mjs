// What happens at a step of a search, in words.
//
//   words = new Words(record)
//   words.sentence(steps, step); words.reason(steps, row); words.sides: who attacks, who defends
//
// Scores and windows are as the attacker sees them: in alpha-beta, the side to move at the root.

import { several, thousands } from "./dom.mjs";

/** @typedef {import("./steps.mjs").Steps} Steps */

export const MATE = 30_000;
export const MATE_ZONE = 29_000;
const NEARLY_INFINITE = 1 << 29;

/** "29,985"; no bound is infinity. @param {number} score */
export const scoreWords = (score) =>
  (Math.abs(score) > MATE ? (score > 0 ? "+∞" : "−∞") : thousands(score).replace("-", "−"));

/** A threshold is infinity less the numbers of other nodes.
 * @param {number | null} number null: infinity */
export const proofNumber = (number) =>
  (number === null || number > NEARLY_INFINITE ? "∞" : thousands(number));

/** The moves of a mate that comes on a ply. @param {number} ply */
const mateMoves = (ply) => `mate in ${Math.floor((ply + 1) / 2)}`;

export class Words {
  /** @param {{fen: string, search: string, traces: {log: import("./steps.mjs").TraceLog}[]}} record
   */
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

  /** The same in words. @param {number} score @param {number} ply */
  score(score, ply) {
    const words = scoreWords(this.seen(score, ply));
    const isMate = Math.abs(score) >= MATE_ZONE && Math.abs(score) <= MATE;
    return isMate ? `${words} (mate on ply ${MATE - Math.abs(score)})` : words;
  }

  /** @param {Steps} steps @param {number} step */
  sentence(steps, step) {
    const row = steps.row(step);
    const { log } = steps;
    const isLeft = steps.leave[row] === step;
    const name = log.san[row] || "The root";
    if (log.kind[row] === "update") return this.updated(steps, row);
    if (isLeft) {
      const reason = this.reason(steps, row);
      const score = log.score && this.score(log.score[row] ?? 0, log.ply[row]);
      if (!score) return `${name}. ${reason}`;
      const isLeaf = steps.enter[row] === step;
      return isLeaf ? `${name}. ${reason} It returns ${score}.`
        : `${name} returns ${score}. ${reason}`;
    }
    return `${name}. ${this.entered(steps, row)}`;
  }

  /** @param {Steps} steps @param {number} row */
  entered({ log, first }, row) {
    const ply = log.ply[row];
    if (this.search === "certificate") return this.certified(log, row, log.san[first[row]]);
    if (this.search === "proof-number") {
      const limits = Object.entries({ proof: log.pn_limit, disproof: log.dn_limit })
        .map(([name, column]) => `${name} number is below ${proofNumber(column[row])}`)
        .filter((limit) => !limit.endsWith("∞"));
      const rule = this.isDefender(ply) ? "every reply must lose" : "one move that mates is enough";
      const until = limits.length ? `while its ${limits.join(" and its ")}`
        : "until it is proved or disproved";
      return `${this.side(ply)} to move: ${rule}. Search ${until}.`;
    }
    const window = this.window(log.alpha[row], log.beta[row], ply);
    const narrowed = this.window(log.low[row], log.high[row], ply);
    const bounds = narrowed === window ? "" : ` Mate-distance pruning narrows it to ${narrowed}.`;
    const left = log.depth[row] === 1 ? "1 ply" : `${log.depth[row]} plies`;
    return `${this.side(ply)} to move, ${left} left. The window is ${window}.${bounds}`;
  }

  /** @param {number} alpha @param {number} beta @param {number} ply */
  window(alpha, beta, ply) {
    const ends = [this.seen(alpha, ply), this.seen(beta, ply)].sort((a, b) => a - b);
    return ends.map(scoreWords).join(" to ");
  }

  /** @param {Steps} steps @param {number} row */
  updated({ log, parent }, row) {
    const names = [`proof number ${proofNumber(log.pn[row])}`,
      `disproof number ${proofNumber(log.dn[row])}`];
    const [least, other] = this.isDefender(log.ply[row]) ? names.reverse() : names;
    const best = log.san[row] && ` Best child: ${log.san[row]}.`;
    return `${log.san[parent[row]] || "The root"} has ${least}, the least of its children's, and ` +
      `${other}.${best}`;
  }

  /** Why a node ended. @param {Steps} steps @param {number} row */
  reason(steps, row) {
    const { log } = steps;
    const ply = log.ply[row];
    const [side, other] = [this.side(ply), this.side(ply + 1)];
    const score = log.score?.[row] ?? 0;
    const by = log.by?.[row];
    const how = { table: "The table had the answer. ",
      prover: "The exact search of the last moves had the answer. " }[by ?? ""] ?? "";
    switch (log.end[row]) {
      case "mate-distance": return this.cut(log, row);
      case "horizon": return Math.abs(score) < MATE_ZONE
        ? `Horizon: no plies are left, so ${side}'s position is evaluated.`
        : `Horizon: no plies are left, and ${side} is mated.`;
      case "table": return "The table has the score of this position from an earlier search.";
      case "mate": return this.search === "certificate" ? `${side} is mated.`
        : `${side} is mated on ply ${ply}.`;
      case "stalemate": return "Stalemate: a draw.";
      case "material": return "Cut: the material table has this material as all won or all lost.";
      case "null-move": return `Cut by the null move: ${side} reaches beta even after passing.`;
      case "multi-cut": return "Cut: in a shallower search, several moves reach beta.";
      case "beta": return `Cut: a move reaches beta, so ${other} avoids this position, and the ` +
        "other moves are not searched.";
      case "moves": return this.search === "certificate"
        ? this.certified(log, row, log.san[steps.first[row]])
        : score <= log.low[row] ? `All moves are searched; none of them is better for ${side} ` +
          "than what it already has elsewhere." : "All moves are searched; the best one counts.";
      case "known": return "This position is proved earlier in the list.";
      case "proved": return `${how}Proved: ${this.sides[0]} mates by force.`;
      case "disproved": return `${how}Disproved: no mate within the moves left.`;
      case "threshold": return "A number has reached its threshold: the search goes back to the " +
        `parent, with the numbers ${proofNumber(log.pn[row])} and ${proofNumber(log.dn[row])}.`;
      case "stopped": return "The search was stopped here.";
      default: return "The log ends inside this node.";
    }
  }

  /** Why mate-distance pruning cuts a node. @param {import("./steps.mjs").TraceLog} log
   * @param {number} row */
  cut({ ply: plies, alpha, beta, low }, row) {
    const ply = plies[row];
    const [side, other] = [this.side(ply), this.side(ply + 1)];
    const isUpper = low[row] === alpha[row];
    const known = mateMoves(MATE - Math.abs(isUpper ? alpha[row] : beta[row]));
    return isUpper
      ? `Cut: even a mate at the next ply (${mateMoves(ply + 1)}) is no better for ${side} than ` +
        `the ${known} already found.`
      : `Cut: even if ${side} is mated here (${mateMoves(ply)}), that is no better for ${other} ` +
        `than the ${known} already found.`;
  }

  /** @param {import("./steps.mjs").TraceLog} log @param {number} row @param {string} move */
  certified({ ply, mate = [] }, row, move) {
    const moves = several(mate[row], "more move");
    return this.isDefender(ply[row])
      ? `Every reply loses: ${this.sides[0]} mates in ${moves} at most.`
      : `Some move is enough: ${move} mates in ${several(mate[row], "move")}.`;
  }
}
