// A line chart in SVG, as wide as its place; the names of the lines stand below it.
//
//   drawChart(host, {title, xLabel, yLabel, series: [{name, points: [[x, y], ...]}], reference})
//
// The vertical axis begins at 0. Colours and dashes come from the classes `line0` to `line2`.

import { add, make } from "./dom.mjs";

/**
 * @typedef {{name: string, points: [number, number][]}} ChartSeries
 * @typedef {{title: string, xLabel: string, yLabel: string, series: ChartSeries[],
 *   reference: number}} Chart reference: a value with a line of its own
 */

const CHART_LINES = 3;
const CHART_EDGE = { left: 46, right: 14, top: 26, bottom: 40 };
const CHART_TICK = 36; // between two ticks, at least

/** Round numbers from the least to the greatest.
 * @param {number} least @param {number} greatest @param {number} length @param {number} finest */
function chartTicks(least, greatest, length, finest) {
  const rough = Math.max(((greatest - least) * CHART_TICK) / length, finest);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const first = Math.ceil(least / step);
  const count = Math.floor(greatest / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

/** @param {number} value */
const chartNumber = (value) =>
  value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 3 : 0 });

/** @param {HTMLElement} host @param {Chart} chart */
export function drawChart(host, { title, xLabel, yLabel, series, reference }) {
  const points = series.flatMap((each) => each.points);
  if (!points.length) return host.replaceChildren();
  const width = Math.max(host.clientWidth, 240);
  const height = Math.round(Math.min(Math.max(width * 0.5, 200), 340));
  const { left, right, top, bottom } = CHART_EDGE;
  const [across, up] = [width - left - right, height - top - bottom];
  const [x0, x1] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
  const most = 1.08 * Math.max(reference, ...points.map(([, y]) => y));
  const toX = (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0 || 1)) * across;
  const toY = (/** @type {number} */ y) => height - bottom - (y / most) * up;

  // 1. Axes.
  const ends = series.filter((each) => each.points.length)
    .map(({ name, points: own }) => `${name}: ${chartNumber(own[own.length - 1][1])}`);
  const label = `${title}. At the end, ${ends.join("; ")}.`;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    make("text", { x: left, y: 14 }, yLabel),
    make("text", { x: width - right, y: height - 6, "text-anchor": "end" }, xLabel));
  /** @param {string} look @param {number} y */
  const rule = (look, y) =>
    add(svg, "path", { class: look, d: `M${left} ${toY(y)}h${across}` });
  for (const tick of chartTicks(0, most, up, 1e-9)) {
    rule("grid", tick);
    add(svg, "text", { x: left - 6, y: toY(tick) + 4, "text-anchor": "end" }, chartNumber(tick));
  }
  for (const tick of chartTicks(x0, x1, across, 1)) {
    const place = { x: toX(tick), y: height - bottom + 18, "text-anchor": "middle" };
    add(svg, "text", place, chartNumber(tick));
  }
  rule("reference", reference);

  // 2. Lines, and their names.
  const names = make("ul", { class: "chart-names" });
  for (const [number, { name, points: own }] of series.entries()) {
    const look = `line${number % CHART_LINES}`;
    const group = add(svg, "g", { class: look });
    add(group, "polyline", { points: own.map(([x, y]) => `${toX(x)},${toY(y)}`).join(" ") });
    for (const [x, y] of own) {
      const words = `${name}, ${xLabel} ${chartNumber(x)}: ${chartNumber(y)}`;
      add(group, "circle", { cx: toX(x), cy: toY(y), r: 3 }, make("title", {}, words));
    }
    add(names, "li", {}, make("svg", { class: look, viewBox: "0 0 28 10", "aria-hidden": "true" },
      make("polyline", { points: "0,5 28,5" })), name);
  }
  host.replaceChildren(svg, names);
}
