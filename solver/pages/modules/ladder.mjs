// The nodes from the root to the current one, one row for each ply; windows are bars.
//
//   scale = new Scale(traces, words)
//   drawLadder(table, steps, step, {words, scale, onGo})
//
// Both ends of the scale are mates, by their plies, the middle is centipawns.

import { add, make, makeButton } from "./dom.mjs";
import { MATE, MATE_ZONE, proofNumber, scoreWords } from "./reasons.mjs";
import { NEVER } from "./steps.mjs";

/** @typedef {import("./reasons.mjs").Words} Words */
/** @typedef {import("./steps.mjs").Steps} Steps */
/** @typedef {import("./steps.mjs").TraceLog} TraceLog */
/**
 * @typedef {{words: Words, scale: Scale | null, onGo: (step: number) => void}} Shown
 * @typedef {{head: string, look?: string, cell: (row: number) => (Node | string)[]}} LadderColumn
 */

const EDGE = 1.5; // per cent of the axis beyond a mate at once
const MOST_PLIES = 60;
const LEAST_CENTIPAWNS = 100;
const BAR = 22;

export class Scale {
  /** @param {{log: TraceLog}[]} traces @param {Words} words */
  constructor(traces, words) {
    this.words = words;
    this.plies = 4; // of the farthest mate
    this.least = -LEAST_CENTIPAWNS;
    this.most = LEAST_CENTIPAWNS;
    const hasMates = [false, false]; // of the defender, of the attacker
    for (const { log } of traces) {
      for (const name of /** @type {const} */ (["alpha", "beta", "low", "high", "score"])) {
        for (const [row, value] of log[name].entries()) {
          if (value === null || Math.abs(value) > MATE) continue;
          const score = words.seen(value, log.ply[row]);
          const isMate = Math.abs(score) >= MATE_ZONE;
          if (isMate && name === "score") hasMates[Number(score > 0)] = true;
          if (isMate) this.plies = Math.max(this.plies, MATE - Math.abs(score));
          else [this.least, this.most] = [Math.min(this.least, score), Math.max(this.most, score)];
        }
      }
    }
    this.plies = Math.min(this.plies, MOST_PLIES);
    const room = [hasMates[0] ? 3 : 1, 2.5, hasMates[1] ? 3 : 1];
    const unit = (100 - 2 * EDGE) / (room[0] + room[1] + room[2]);
    this.zones = [EDGE, EDGE + room[0] * unit, 100 - EDGE - room[2] * unit, 100 - EDGE];
  }

  /** Where a score is, in per cent of the axis. @param {number} score as the attacker sees it */
  at(score) {
    const { zones, plies, least, most } = this;
    if (Math.abs(score) > MATE) return score > 0 ? 100 : 0;
    const near = 1 - Math.min(MATE - Math.abs(score), plies) / plies;
    if (score >= MATE_ZONE) return zones[2] + near * (zones[3] - zones[2]);
    if (score <= -MATE_ZONE) return zones[1] - near * (zones[1] - zones[0]);
    return zones[1] + ((score - least) / (most - least)) * (zones[2] - zones[1]);
  }

  /** The axis, for the head of a table. */
  axis() {
    const svg = make("svg", { class: "axis", width: "100%", height: 34, "aria-hidden": "true" });
    const { zones, plies, words: { sides } } = this;
    const step = [1, 2, 5, 10, 20].find((each) => plies / each <= 4) ?? 20;
    const write = (/** @type {number} */ x, y = 30, text = "", anchor = "middle", look = "") =>
      add(svg, "text", { x: `${x}%`, y, "text-anchor": anchor, class: look }, text);
    for (const sign of [-1, 1]) {
      const [from, to] = sign < 0 ? zones : zones.slice(2);
      const isWide = to - from > 25;
      write(sign < 0 ? 0 : 100, 12, isWide ? `${sides[sign < 0 ? 1 : 0]} mates` : "mate",
        sign < 0 ? "start" : "end", isWide ? "" : "more");
      for (let ply = 0; isWide && ply < plies; ply += step) {
        write(this.at(sign * (MATE - ply)), 30, String(ply));
      }
    }
    write((zones[1] + zones[2]) / 2, 12, "centipawns", "middle", "more");
    for (const score of new Set([this.least, 0, this.most])) {
      const isFree = !score || Math.abs(this.at(score) - this.at(0)) > 6;
      const anchor = score < 0 ? "start" : score ? "end" : "middle";
      if (isFree) write(this.at(score), 30, scoreWords(score), anchor, score ? "more" : "");
    }
    return svg;
  }

  /** The window of a node. @param {TraceLog} log @param {number} row @param {boolean} isLeft */
  bar({ ply: plies, alpha, beta, low, high, score, end }, row, isLeft) {
    const ply = plies[row];
    const seen = (/** @type {number} */ value) => this.words.seen(value, ply);
    const ends = (/** @type {number[]} */ ...values) => values.map(seen).sort((a, b) => a - b);
    const [given, narrowed] = [ends(alpha[row], beta[row]), ends(low[row], high[row])];
    const isCut = low[row] >= high[row];
    const label = `Window ${given.map(scoreWords).join(" to ")}` +
      (isCut ? ", empty after mate-distance pruning"
        : `${narrowed.join() === given.join() ? "" : `, narrowed to ${narrowed.map(scoreWords)
          .join(" to ")}`}`);
    const svg = make("svg", { class: "bar", width: "100%", height: BAR, role: "img",
      "aria-label": label }, make("title", {}, label));
    for (const x of this.zones.slice(1, 3)) {
      add(svg, "line", { class: "zone", x1: `${x}%`, x2: `${x}%`, y1: 0, y2: BAR });
    }
    const box = (/** @type {string} */ look, /** @type {number[]} */ [from, to], y = 3) => {
      const x = this.at(from);
      add(svg, "rect", { class: look, x: `${x}%`, width: `${Math.max(this.at(to) - x, 0.4)}%`, y,
        height: BAR - 2 * y, rx: 2 });
    };
    if (!isCut) box("narrowed", narrowed);
    box("given", given);
    if (isCut) {
      const x = `${this.at(seen(low[row]))}%`;
      add(svg, "line", { class: "cut", x1: x, x2: x, y1: 0, y2: BAR });
    }
    if (isLeft && score[row] !== null && end[row] !== "mate-distance") {
      add(svg, "circle", { class: "returned", cx: `${this.at(seen(score[row]))}%`, cy: BAR / 2,
        r: 4.5 });
    }
    return svg;
  }
}

/** A move as a button that goes to its node.
 * @param {Steps} steps @param {number} row @param {Shown} shown @param {number} [step] now */
export function moveTo({ log, enter, leave }, row, { onGo }, step = NEVER) {
  const target = leave[row] <= step ? leave[row] : enter[row];
  return makeButton(() => onGo(target), { class: "move" }, log.san[row] || "root");
}

/** @param {Steps} steps @param {number} step @param {Shown} shown @returns {LadderColumn[]} */
function ladderColumns(steps, step, { words, scale }) {
  const { log, leave } = steps;
  const isLeft = (/** @type {number} */ row) => leave[row] <= step;
  const side = (/** @type {number} */ row) =>
    make("svg", { class: `mover ${words.side(log.ply[row])}`, viewBox: "0 0 12 12", role: "img",
      "aria-label": `${words.side(log.ply[row])} to move` },
    words.isDefender(log.ply[row]) ? make("circle", { cx: 6, cy: 6, r: 4.5 })
      : make("rect", { x: 1.5, y: 1.5, width: 9, height: 9 }));
  const text = (/** @type {unknown} */ words) => [String(words)];
  const toMove = { head: "side", cell: (/** @type {number} */ row) => [side(row)] };
  if (words.search === "certificate") {
    return [toMove, { head: "mate in", cell: (row) => text(log.mate?.[row]) }];
  }
  if (words.search === "proof-number") {
    /** @param {"pn" | "dn"} name @param {string} head @returns {LadderColumn[]} */
    const numbers = (name, head) => [
      { head, cell: (row) => {
        const known = isLeft(row) ? row : steps.known(steps.spots[steps.spotOf[row]], step);
        return text(known < 0 ? "" : proofNumber(log[name][known]));
      } },
      { head: "below", look: "quiet", cell: (row) => text(proofNumber(log[`${name}_limit`][row])) },
    ];
    return [toMove, { head: "left", look: "more", cell: (row) => text(log.depth[row]) },
      ...numbers("pn", "proof"), ...numbers("dn", "disproof")];
  }
  const end = (/** @type {"low" | "high"} */ name) => (/** @type {number} */ row) => {
    const isFlipped = words.isDefender(log.ply[row]);
    const column = (name === "low") !== isFlipped ? log.low : log.high;
    return text(scoreWords(words.seen(column[row], log.ply[row])));
  };
  return [toMove,
    { head: "depth", look: "more", cell: (row) => text(log.depth[row]) },
    { head: "node", look: "more left", cell: (row) => text(log.kind[row]) },
    { head: "from", look: "more", cell: end("low") },
    { head: "", look: "window", cell: (row) => [scale?.bar(log, row, isLeft(row)) ?? ""] },
    { head: "to", look: "more left", cell: end("high") },
    { head: "returns", cell: (row) => text(isLeft(row) && log.score[row] !== null
      ? scoreWords(words.seen(log.score[row], log.ply[row])) : "…") }];
}

/** @param {HTMLElement} table @param {Steps} steps @param {number} step @param {Shown} shown */
export function drawLadder(table, steps, step, shown) {
  const { log } = steps;
  const current = steps.node(step);
  const columns = ladderColumns(steps, step, shown);
  const head = (/** @type {LadderColumn} */ { head: words, look = "" }) =>
    make("th", { scope: "col", class: look },
      look === "window" && shown.scale ? shown.scale.axis() : words);
  const rows = steps.path(current).map((row) => {
    const isCut = log.end[row] === "mate-distance";
    const cells = columns.map(({ look = "", cell }) => make("td", { class: look }, ...cell(row)));
    return make("tr", { ...(row === current && { "aria-current": "step" }),
      ...(isCut && { class: "is-cut" }) },
    make("th", { scope: "row", class: "left" }, make("span", { class: "ply" },
      String(log.ply[row])), moveTo(steps, row, shown), isCut ? " ✕" : ""), ...cells);
  });
  table.replaceChildren(
    make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "left" }, "ply, move"),
      ...columns.map(head))),
    make("tbody", {}, ...rows));
}
