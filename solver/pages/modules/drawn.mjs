// The tree around a node as a drawing: boxes where the attacker is to move, circles where the
// defender is. It has as many nodes as there is room for; what is not searched yet is pale.

import { add, make } from "./dom.mjs";
import { proofNumber, scoreWords } from "./reasons.mjs";

/** @typedef {import("./ladder.mjs").Shown} Shown */
/** @typedef {import("./steps.mjs").Steps} Steps */
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
    const drawn = { spot, level: level(spot), x, below,
      more: spots[spot].below.length - below.length };
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
    const isCut = known >= 0 && log.end[known] === "mate-distance";
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
    if (drawn.more) {
      add(group, "text", { class: "more-leaves", x: 4, y: high / 2 + 14 }, `+${drawn.more}`);
    }
    group.addEventListener("click", () => {
      const visits = spots[spot].rows.filter((each) => log.kind[each] !== "update");
      const visit = visits.findLast((each) => enter[each] <= step) ?? visits[0];
      shown.onGo(leave[visit] <= step ? leave[visit] : enter[visit]);
    });
  }
  host.replaceChildren(svg);
}
