// The tree around a node as a drawing: boxes where the attacker is to move, circles where the
// defender is. A tree of few nodes is drawn whole from the start; what is not searched yet is pale.

import { add, make } from "./dom.mjs";
import { proofNumber, scoreWords } from "./reasons.mjs";
import { MOST_LEAVES } from "./steps.mjs";

/** @typedef {import("./ladder.mjs").Shown} Shown */
/** @typedef {import("./steps.mjs").Steps} Steps */
/** @typedef {{spot: number, level: number, x: number, below: Drawn[], more: number}} Drawn
 *   more: leaves that are left out beside it */

export const WIDEST_WHOLE = 20; // in nodes side by side
const MOST_ABOVE = 2; // nodes above a part of the tree
const [TREE_TOP, TREE_LEVEL, TREE_WIDEST] = [46, 84, 150];
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
  const isBegun = (/** @type {number} */ spot) =>
    spots[spot].rows.some((row) => row >= rows[0] && enter[row] <= step);

  // 1. What is drawn, and where.
  const whole = path.findIndex((spot) => spots[spot].width <= WIDEST_WHOLE);
  const top = whole < 0 ? path.length - 1 : whole;
  const first = Math.max(0, top - MOST_ABOVE);
  let columns = 0;
  const all = /** @type {Drawn[]} */ ([]);
  const place = (/** @type {number} */ spot, level = 0, more = 0, isShut = false) => {
    const isWhole = first + level >= top && whole >= 0;
    const possible = isShut ? [] : spots[spot].below.filter((each) => isWhole || isBegun(each));
    const best = isNumbers ? mostProving(steps, spot, step, shown) : -1;
    let leaves = 0;
    const chosen = possible.filter((each) => path.includes(each) || each === best ||
      (isWhole && spots[each].below.length) || leaves++ < MOST_LEAVES);
    const left = possible.length - chosen.length;
    const below = /** @type {Drawn[]} */ (chosen.map((each, n) => place(each, level + 1,
      n === chosen.length - 1 ? left : 0, !isWhole && !path.includes(each))));
    const drawn = { spot, level, x: below.length ? 0 : columns++ + 0.5, below, more };
    if (more) columns += 0.6;
    all.push(drawn);
    return drawn;
  };
  place(path[first]);
  const [narrowest, wide, high] = isNumbers ? [58, 48, 40]
    : shown.words.search === "certificate" ? [58, 32, 32] : [74, 62, 30];
  const isWide = columns * narrowest > host.clientWidth; // then the path goes straight down
  for (const drawn of all) {
    const { below } = drawn;
    const onPath = isWide && below.find(({ spot }) => path.includes(spot));
    if (below.length) drawn.x = onPath ? onPath.x : (below[0].x + below[below.length - 1].x) / 2;
  }
  const pitch = Math.min(Math.max(host.clientWidth / columns, narrowest), TREE_WIDEST);
  const levels = Math.max(...all.map(({ level }) => level));
  const width = columns * pitch;
  const height = TREE_TOP + levels * TREE_LEVEL + high / 2 + 6;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `The tree around the current node: ${all.length} nodes` });
  const isDefender = (/** @type {Drawn} */ { spot }) =>
    shown.words.isDefender(log.ply[spots[spot].row]);
  const at = (/** @type {Drawn} */ { x, level }) => [x * pitch, TREE_TOP + level * TREE_LEVEL];

  // 2. Lines, then nodes.
  for (const drawn of all) {
    const [x, y] = at(drawn);
    const best = isNumbers ? mostProving(steps, drawn.spot, step, shown) : -1;
    if (drawn.more) {
      add(svg, "text", { x: x + wide / 2 + 6, y: y + 4, class: "more-leaves" }, `+${drawn.more}`);
    }
    for (const child of drawn.below) {
      const [toX, toY] = at(child);
      const look = ["edge", !isBegun(child.spot) && "pale", path.includes(child.spot) && "on-path",
        child.spot === best && "best"].filter(Boolean).join(" ");
      add(svg, "path", { class: look, d: `M${x} ${y + high / 2}L${toX} ${toY - high / 2 - 16}` });
    }
    if (!shown.scale && isDefender(drawn) && drawn.below.length > 1) {
      const down = y + high / 2 + (TREE_LEVEL - high - 16) * TREE_ARC;
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
      (first && !drawn.level ? "… " : "") + (log.san[row] || "root") + (isCut ? " ✕" : ""));
    group.addEventListener("click", () => {
      const visits = spots[spot].rows.filter((each) => log.kind[each] !== "update");
      const visit = visits.findLast((each) => enter[each] <= step) ?? visits[0];
      shown.onGo(leave[visit] <= step ? leave[visit] : enter[visit]);
    });
  }
  host.replaceChildren(svg);
  const here = all.find(({ spot }) => spot === spotOf[current]);
  if (!here) return;
  host.scrollLeft = here.x * pitch - host.clientWidth / 2;
  host.scrollTop = TREE_TOP + here.level * TREE_LEVEL - host.clientHeight / 2;
}
