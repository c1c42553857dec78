// Charts of counts by depth: the nodes of each variant, and their ratios to the first one's.
//
//   const charts = new DepthCharts(host, names);
//   charts.draw(rows);
//
// The rows are those that `matesolve table --json` prints, with Glass's counts on its position.

import { drawChart } from "./chart.mjs";
import { make, thousands } from "./dom.mjs";

/**
 * @typedef {{score: number | string, nodes: number, settled?: boolean | null,
 *   proved?: boolean | null}} Counted
 * @typedef {{score: number | string, off: number, on: number}} GlassCounts
 * @typedef {{depth: number, variants: Record<string, Counted>, glass?: GlassCounts}} DepthRow
 */

export const GLASS = ["Glass off", "Glass on"];
const [LOOKS, DASHES] = [6, 3];
const MOST_LINEAR = 5; // ratios above are on a logarithmic axis

/** @param {number} ratio */
export const ratioText = (ratio) => (ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(3));

/** A score as `matesolve table` writes it. @param {Counted} counted */
export const scoreText = ({ score, settled, proved }) =>
  proved === false ? `${score}?` : settled === false ? `<=${score}` : String(score);

/** The counts of a depth by name, Glass's included.
 * @param {DepthRow} row @returns {Record<string, Counted>} */
const countsOf = ({ variants, glass }) => ({
  ...variants,
  ...(glass && {
    [GLASS[0]]: { score: glass.score, nodes: glass.off },
    [GLASS[1]]: { score: glass.score, nodes: glass.on },
  }),
});

/** Where a mate is first found and proved. @param {DepthRow[]} rows */
function firstMate(rows) {
  for (const { depth: x, variants } of rows) {
    const found = Object.values(variants).find(({ proved }) => proved);
    if (found) return { x, text: `first mate: ${scoreText(found)} at depth ${x}` };
  }
}

/**
 * @typedef {{name: string, base: string, look: string}} DepthLine base: what its ratios
 *   compare with
 */

export class DepthCharts {
  /** @param {HTMLElement} host @param {string[]} names the first is the base of the ratios */
  constructor(host, names) {
    this.rows = /** @type {DepthRow[]} */ ([]);
    this.hidden = /** @type {Set<string>} */ (new Set());
    this.lines = names.map((name, n) => {
      const look = `line${n % LOOKS} dash${(n + Math.floor(n / LOOKS)) % DASHES}`;
      return GLASS.includes(name)
        ? { name, base: GLASS[0], look: `glass dash${names.length - n}` }
        : { name, base: names[0], look };
    });
    const boxes = this.lines.map(({ name, look }) => {
      const box = make("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => {
        if (!this.hidden.delete(name)) this.hidden.add(name);
        this.draw(this.rows);
      });
      const sample = make("svg", { class: look, viewBox: "0 0 28 10", "aria-hidden": "true" },
        make("polyline", { points: "0,5 28,5" }));
      return make("li", {}, make("label", {}, box, sample, name));
    });
    this.charts = [make("div"), make("div")];
    host.replaceChildren(make("ul", { class: "tools" }, ...boxes), ...this.charts);
  }

  /** @param {DepthRow[]} rows */
  draw(rows) {
    this.rows = rows;
    const shown = this.lines.filter(({ name }) => !this.hidden.has(name));
    const counts = new Map(rows.map((row) => [row.depth, countsOf(row)]));
    /** @param {number} depth @param {string} name */
    const nodes = (depth, name) => counts.get(depth)?.[name]?.nodes ?? NaN;
    /** @param {number} depth @param {DepthLine} line */
    const ratio = (depth, { name, base }) => nodes(depth, name) / nodes(depth, base);
    /** @param {DepthLine[]} lines @param {(depth: number, line: DepthLine) => number} value */
    const plot = (lines, value) => lines.map((line) => ({
      ...line, points: rows.map(({ depth }) =>
        /** @type {[number, number]} */ ([depth, value(depth, line)])).filter(([, y]) => y),
    }));
    /** @param {number} depth */
    const say = (depth) => [`depth ${depth}`, ...shown.flatMap((line) => {
      const counted = counts.get(depth)?.[line.name];
      if (!counted) return [];
      const text = `${line.name} ${scoreText(counted)} ${thousands(counted.nodes)}`;
      return line.name === line.base ? text : `${text} (${ratioText(ratio(depth, line))})`;
    })].join(" · ");
    const shared = { xLabel: "depth", mark: firstMate(rows), say };
    drawChart(this.charts[0], {
      ...shared, title: "Nodes until the principal variation, on a logarithmic scale",
      lines: plot(shown, (depth, { name }) => nodes(depth, name)), isLog: true,
    });
    const ratios = plot(shown.filter(({ name, base }) => name !== base), ratio);
    const most = Math.max(...ratios.flatMap(({ points }) => points.map(([, y]) => y)));
    drawChart(this.charts[1], {
      ...shared, title: `Nodes as a multiple of those of ${this.lines[0].name}`, lines: ratios,
      reference: 1, isLog: most > MOST_LINEAR,
    });
  }
}
