// A step of a search, drawn: the ladder and the tree around the current node.
//
// The ladder has the nodes from the root to the current one, a row for each ply; windows are bars.
//
//   scale = new Scale(traces, words)
//   drawLadder(table, steps, step, {words, scale, onGo})
//
// Both ends of the scale are mates, by their plies, the middle is centipawns.

import { add, make, makeButton } from "./dom.mjs";
import { MATE, MATE_ZONE, NEVER, proofNumber, scoreWords } from "./steps.mjs";

/** @import { Steps, TraceLog, Words } from "./steps.mjs" */

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
    const svg = make("svg", { class: "axis", width: "100%", height: 34, role: "img",
      "aria-label": "window" });
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
    const [words, less] = [given, narrowed].map((each) => each.map(scoreWords).join(" to "));
    const label = `Window ${words}` + (isCut ? ", empty after mate-distance pruning"
      : less === words ? "" : `, narrowed to ${less}`);
    const svg = make("svg", { class: "bar", width: "100%", height: BAR, role: "img",
      "aria-label": label }, make("title", {}, label));
    const upright = (/** @type {string} */ look, /** @type {number} */ x) =>
      add(svg, "line", { class: look, x1: `${x}%`, x2: `${x}%`, y1: 0, y2: BAR });
    for (const x of this.zones.slice(1, 3)) upright("zone", x);
    const box = (/** @type {string} */ look, /** @type {number[]} */ [from, to], y = 3) => {
      const x = this.at(from);
      add(svg, "rect", { class: look, x: `${x}%`, width: `${Math.max(this.at(to) - x, 0.4)}%`, y,
        height: BAR - 2 * y, rx: 2 });
    };
    if (!isCut) box("narrowed", narrowed);
    box("given", given);
    if (isCut) upright("cut", this.at(seen(low[row])));
    const x = this.at(seen(score[row] ?? 0));
    const isShown = isLeft && score[row] !== null && end[row] !== "mate-distance";
    if (isShown) add(svg, "circle", { class: "returned", cx: `${x}%`, cy: BAR / 2, r: 4.5 });
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
  const end = (/** @type {boolean} */ isLow) => (/** @type {number} */ row) => {
    const column = isLow !== words.isDefender(log.ply[row]) ? log.low : log.high;
    return text(scoreWords(words.seen(column[row], log.ply[row])));
  };
  return [toMove,
    { head: "depth", look: "more", cell: (row) => text(log.depth[row]) },
    { head: "node", look: "more left", cell: (row) => text(log.kind[row]) },
    { head: "from", look: "more", cell: end(true) },
    { head: "", look: "window", cell: (row) => [scale?.bar(log, row, isLeft(row)) ?? ""] },
    { head: "to", look: "more left", cell: end(false) },
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
    const isCut = steps.isCut(row, step);
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

// The tree around a node as a drawing: boxes where the attacker is to move, circles where the
// defender is. It has as many nodes as there is room for; what is not searched yet is pale.

/** @typedef {{spot: number, level: number, x: number, below: Drawn[], more: number}} Drawn
 *   more: nodes below it that are left out */

const MOST_ABOVE = 3; // nodes above the current one
const MOST_LEVELS = 5; // below the topmost node
const [TREE_TOP, TREE_GAP, TREE_WIDEST] = [36, 38, 150];
const TREE_ARC = 0.36; // where an arc, "every reply", crosses the lines below a circle

/** What is inside a node: a score, two numbers, or the moves to the mate.
 * @param {Steps} steps @param {number} row @param {Shown} shown @returns {string[]} */
export function treeNumbers({ log }, row, { words }) {
  if (words.search === "certificate") return [String(log.mate?.[row])];
  if (words.search === "proof-number") return [log.pn, log.dn].map((all) => proofNumber(all[row]));
  return [scoreWords(words.seen(log.score[row] ?? 0, log.ply[row]))];
}

/** The child that a proof-number search goes on with.
 * @param {Steps} steps @param {number} spot @param {number} step @param {Shown} shown */
export function mostProving(steps, spot, step, { words }) {
  const { spots, log } = steps;
  const column = words.isDefender(log.ply[spots[spot].row]) ? log.dn : log.pn;
  let [best, least] = [-1, Infinity];
  for (const each of spots[spot].below) {
    const row = steps.known(spots[each], step);
    const number = row < 0 ? null : column[row];
    if (number !== null && number < least) [best, least] = [each, number];
  }
  return best;
}

/** @param {HTMLElement} host @param {Steps} steps @param {number} step @param {Shown} shown */
export function drawTree(host, steps, step, shown) {
  const { spots, spotOf, log, enter, leave } = steps;
  const isNumbers = shown.words.search === "proof-number";
  const current = steps.node(step);
  const rows = steps.path(current);
  const path = rows.map((row) => spotOf[row]);
  const isBegun = (/** @type {number} */ spot, isVisit = false) => spots[spot].rows.some((row) =>
    row >= rows[0] && enter[row] <= step && !(isVisit && log.kind[row] === "child"));
  const best = (/** @type {number} */ spot) =>
    (isNumbers ? mostProving(steps, spot, step, shown) : -1);

  // 1. What is drawn while leaves have room beside each other, from the top: the path, visits and
  // where the search goes on, what is begun, the rest.
  const [narrowest, wide, high] = isNumbers ? [58, 48, 40]
    : shown.words.search === "certificate" ? [58, 32, 32] : [74, 62, 30];
  const [top, ...chosen] = path.slice(-1 - MOST_ABOVE);
  const isFirst = top === path[0];
  const level = (/** @type {number} */ spot) => log.ply[spots[spot].row] - log.ply[spots[top].row];
  const drawnSpots = new Set([top, ...chosen]);
  let room = Math.max(1, Math.floor(host.clientWidth / narrowest)) - 1;
  for (const isWanted of /** @type {((each: number, spot: number) => boolean)[]} */ ([
    (each, spot) => isBegun(each, true) || each === best(spot), (each) => isBegun(each),
    () => true])) {
    for (const spot of drawnSpots) {
      if (level(spot) === MOST_LEVELS) continue;
      for (const each of spots[spot].below) {
        if (drawnSpots.has(each) || !isWanted(each, spot)) continue;
        const isBeside = spots[spot].below.some((other) => drawnSpots.has(other));
        if (isBeside && --room < 0) break;
        drawnSpots.add(each);
      }
    }
  }

  // 2. Where it is drawn.
  let columns = 0;
  const all = /** @type {Drawn[]} */ ([]);
  /** @param {number} spot @returns {Drawn} */
  const place = (spot) => {
    const below = spots[spot].below.filter((each) => drawnSpots.has(each)).map(place);
    const x = below.length ? (below[0].x + below[below.length - 1].x) / 2 : columns++ + 0.5;
    const more = spots[spot].below.length - below.length;
    const drawn = { spot, level: level(spot), x, below, more };
    all.push(drawn);
    return drawn;
  };
  place(top);
  const pitch = Math.min(Math.max(host.clientWidth / columns, narrowest), TREE_WIDEST);
  const rise = high + TREE_GAP;
  const width = columns * pitch;
  const height = TREE_TOP + Math.max(...all.map((each) => each.level)) * rise + high / 2 + 18;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `The tree around the current node: ${all.length} nodes` });
  const isDefender = (/** @type {Drawn} */ { spot }) =>
    shown.words.isDefender(log.ply[spots[spot].row]);
  const at = (/** @type {Drawn} */ drawn) => [drawn.x * pitch, TREE_TOP + drawn.level * rise];

  // 3. Lines, then nodes.
  for (const drawn of all) {
    const [x, y] = at(drawn);
    const goesOn = best(drawn.spot);
    for (const child of drawn.below) {
      const [toX, toY] = at(child);
      const look = ["edge", !isBegun(child.spot) && "pale", path.includes(child.spot) && "on-path",
        child.spot === goesOn && "best"].filter(Boolean).join(" ");
      add(svg, "path", { class: look, d: `M${x} ${y + high / 2}L${toX} ${toY - high / 2 - 16}` });
    }
    if (!shown.scale && isDefender(drawn) && drawn.below.length > 1) {
      const down = y + high / 2 + (TREE_GAP - 16) * TREE_ARC;
      const [from, to] = [drawn.below[0], drawn.below[drawn.below.length - 1]]
        .map((child) => x + (child.x * pitch - x) * TREE_ARC);
      add(svg, "path", { class: "edge", d: `M${from} ${down}Q${x} ${down + 12} ${to} ${down}` });
    }
  }
  for (const drawn of all) {
    const { spot } = drawn;
    const [x, y] = at(drawn);
    const { row } = spots[spot];
    const known = steps.known(spots[spot], step, rows[0]);
    const isCut = known >= 0 && steps.isCut(known, step);
    const isOpen = !log.mate && path.includes(spot) && spots[spot].rows.some((each) =>
      log.kind[each] !== "update" && enter[each] <= step && leave[each] > step);
    const look = ["node", !isBegun(spot) && "pale", spotOf[current] === spot && "current",
      isOpen && "open", isCut && "is-cut",
      isNumbers && known >= 0 && log.pn[known] === 0 && "proved",
      isNumbers && known >= 0 && log.dn[known] === 0 && "disproved"].filter(Boolean).join(" ");
    const group = add(svg, "g", { class: look, transform: `translate(${x} ${y})` });
    const radius = isDefender(drawn) ? high / 2 : 4;
    add(group, "rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: radius });
    const numbers = known >= 0 ? treeNumbers(steps, known, shown) : isBegun(spot) ? ["…"] : [];
    for (const [line, number] of numbers.entries()) {
      add(group, "text", { y: 4.5 + (line - (numbers.length - 1) / 2) * 14 }, number);
    }
    add(group, "text", { class: "move-name", y: -high / 2 - 6 },
      (isFirst || drawn.level ? "" : "… ") + (log.san[row] || "root") + (isCut ? " ✕" : ""));
    const under = { class: "more-leaves", x: 4, y: high / 2 + 14 };
    if (drawn.more) add(group, "text", under, `+${drawn.more}`);
    group.addEventListener("click", () => {
      const visits = spots[spot].rows.filter((each) => log.kind[each] !== "update");
      const visit = visits.findLast((each) => enter[each] <= step) ?? visits[0];
      shown.onGo(leave[visit] <= step ? leave[visit] : enter[visit]);
    });
  }
  host.replaceChildren(svg);
}
