// Charts of counts by depth, and the page of `matesolve table --html`, which draws them.
//
// First a line chart in SVG, as wide as its place:
//
//   drawChart(host, {title, xLabel, lines: [{name, look, points: [[x, y], ...]}], reference, isLog,
//     mark: {x, text}, say: (x) => text})
//
// The names stand in a column at the right, and the text of the mark above the lines, so that no
// line crosses them. A thin line leads from the end of each line to its name. Under the pointer,
// a depth is read out below the chart. Colours and dashes come from the classes of `look`.

import { add, element, make, pageData, thousands } from "./dom.mjs";

/**
 * @typedef {{name: string, look: string, points: [number, number][]}} ChartLine
 * @typedef {{title: string, xLabel: string, lines: ChartLine[], isLog: boolean, reference?: number,
 *   mark?: {x: number, text: string}, say: (x: number) => string}} Chart
 *   isLog: on a logarithmic axis, for positive values; otherwise the axis begins at 0
 */

const CHART_EDGE = { left: 46, top: 28, bottom: 42 };
const CHART_TICK = 36; // between two ticks, at least
const CHART_ROW = 16; // between two names, at least
const CHART_LEAD = 18; // from the lines to the samples before the names
const CHART_SAMPLE = 18;

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

/** Powers of ten, and 2 and 5 times them if there is room.
 * @param {number} least @param {number} greatest @param {number} length */
function chartPowers(least, greatest, length) {
  const first = Math.floor(Math.log10(least));
  const decades = Math.ceil(Math.log10(greatest)) - first;
  const digits = length > 3 * CHART_TICK * decades ? [1, 2, 5] : [1];
  return Array.from({ length: decades }, (_, i) => 10 ** (first + i))
    .flatMap((power) => digits.map((digit) => digit * power)).filter((tick) => tick >= least);
}

/** Moves places apart, no farther than needed; their order stays.
 * @param {number[]} places @param {number} low @param {number} high */
function spreadOut(places, low, high) {
  const order = [...places.keys()].sort((a, b) => places[a] - places[b]);
  const spread = [...places];
  for (const i of order) low = (spread[i] = Math.max(low, spread[i])) + CHART_ROW;
  for (const i of order.reverse()) high = (spread[i] = Math.min(high, spread[i])) - CHART_ROW;
  return spread;
}

/** @param {number} value */
const chartNumber = (value) =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

/** @param {HTMLElement} host @param {Chart} chart */
function drawChart(host, { title, xLabel, lines, reference, isLog, mark, say }) {
  lines = lines.filter(({ points }) => points.length);
  if (!lines.length) return host.replaceChildren();
  const ends = lines.map(({ name, points }) => [name, ...points[points.length - 1]])
    .map(([name, x, y]) => `${name} ${chartNumber(Number(y))} at ${xLabel} ${x}`);
  const svg = make("svg", { role: "img", "aria-label": `${title}. Ends: ${ends.join("; ")}.` });
  const said = make("p", { class: "quiet" }, `Point at a ${xLabel} to read it.`);
  host.replaceChildren(make("h3", {}, title), svg, said);

  // 1. How much room the names need, and how high the lines are then.
  const width = Math.max(host.clientWidth, 240);
  /** @param {Record<string, string | number>} place @param {(Node | string)[]} text */
  const write = (place, ...text) =>
    /** @type {any} */ (add(svg, "text", place, ...text));
  const names = lines.map(({ name }) => write({ class: "name" }, name, make("title", {}, name)));
  const most = 0.35 * width;
  for (const name of names) {
    const letters = name.firstChild;
    while (letters.length > 2 && name.getComputedTextLength() > most) {
      letters.data = `…${letters.data.slice(2)}`;
    }
  }
  const room = Math.max(...names.map((name) => name.getComputedTextLength()));
  const { left, top } = CHART_EDGE;
  const right = width - room - CHART_SAMPLE - CHART_LEAD - 8;
  const bottom = top + Math.max(Math.min(width * 0.45, 320), 170, CHART_ROW * lines.length);
  svg.setAttribute("viewBox", `0 0 ${width} ${bottom + CHART_EDGE.bottom}`);

  // 2. Axes.
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(([x]) => x)))];
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => y)).concat(reference ?? []);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const highest = Math.max(...ys);
  const [y0, y1] = isLog ? [Math.min(...ys) / 1.3, 1.3 * highest] : [0, 1.08 * highest];
  const scale = isLog ? Math.log : Number;
  const toX = (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0 || 1)) * (right - left);
  const toY = (/** @type {number} */ y) =>
    bottom - ((scale(y) - scale(y0)) / (scale(y1) - scale(y0))) * (bottom - top);
  /** @param {string} look @param {number} y */
  const rule = (look, y) => add(svg, "path", { class: look, d: `M${left} ${toY(y)}H${right}` });
  /** @param {number} x */
  const upright = (x) => `M${toX(x)} ${top}V${bottom}`;
  for (const tick of (isLog ? chartPowers : chartTicks)(y0, y1, bottom - top, 1e-9)) {
    rule("grid", tick);
    write({ x: left - 6, y: toY(tick) + 4, "text-anchor": "end" }, chartNumber(tick));
  }
  for (const tick of chartTicks(x0, x1, right - left, 1)) {
    write({ x: toX(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick));
  }
  write({ x: right, y: bottom + 36, "text-anchor": "end" }, `${xLabel} in plies`);
  if (reference) rule("reference", reference);
  if (mark) {
    const text = write({ y: top - 8 }, mark.text);
    const length = text.getComputedTextLength();
    text.setAttribute("x", Math.max(0, Math.min(toX(mark.x) - length / 2, width - length)));
    add(svg, "path", { class: "reference", d: upright(mark.x) });
  }

  // 3. Lines, each with its name.
  const wanted = lines.map(({ points }) => toY(points[points.length - 1][1]));
  for (const [number, y] of spreadOut(wanted, top, bottom).entries()) {
    const { look, points } = lines[number];
    const start = right + CHART_LEAD;
    const group = make("g", { class: look });
    svg.insertBefore(group, names[0]);
    const places = points.map(([x, value]) => [toX(x), toY(value)]);
    for (const [cx, cy] of places) add(group, "circle", { cx, cy, r: 2.5 });
    const lead = [...places.slice(-1), [right, wanted[number]], [start, y]];
    add(group, "polyline", { class: "lead", points: lead.join(" ") });
    add(group, "polyline", { points: [[start, y], [start + CHART_SAMPLE, y]].join(" ") });
    add(group, "polyline", { points: places.join(" ") });
    names[number].setAttribute("x", String(start + CHART_SAMPLE + 5));
    names[number].setAttribute("y", String(y + 4));
  }

  // 4. A strip for each x, under the pointer.
  const pointed = add(svg, "path", { class: "reference" });
  const step = (right - left) / (x1 - x0 || 1);
  for (const x of xs) {
    const place = { x: toX(x) - step / 2, y: top, width: step, height: bottom - top };
    add(svg, "rect", { class: "strip", ...place }).addEventListener("pointerenter", () => {
      pointed.setAttribute("d", upright(x));
      said.textContent = say(x);
    });
  }
}

// Charts of counts by depth: the nodes of each variant, and their ratios to the first one's.
//
//   const charts = new DepthCharts(host, names);
//   charts.draw(rows);
//
// The rows are those that `matesolve table --json` prints, with Glass's counts on its position.

/**
 * @typedef {{score: number | string, nodes: number, settled?: boolean | null,
 *   proved?: boolean | null}} Counted
 * @typedef {{score: number | string, off: number, on: number}} GlassCounts
 * @typedef {{depth: number, variants: Record<string, Counted>, glass?: GlassCounts}} DepthRow
 */

const GLASS = ["Glass off", "Glass on"];
const [LOOKS, DASHES] = [6, 3];
const MOST_LINEAR = 5; // ratios above are on a logarithmic axis

/** @param {number} ratio */
const ratioText = (ratio) => (ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(3));

/** A score as `matesolve table` writes it. @param {Counted} counted */
const scoreText = ({ score, settled, proved }) =>
  proved === false ? `${score}?` : settled === false ? `<=${score}` : String(score);

/** The counts of a depth by name, Glass's included.
 * @param {DepthRow} row @returns {Record<string, Counted>} */
const countsOf = ({ variants, glass }) => ({ ...variants, ...glass && Object.fromEntries(
  [glass.off, glass.on].map((nodes, n) => [GLASS[n], { score: glass.score, nodes }])) });

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

class DepthCharts {
  /** @param {HTMLElement} host @param {string[]} names the first is the base of the ratios */
  constructor(host, names) {
    this.rows = /** @type {DepthRow[]} */ ([]);
    this.hidden = /** @type {Set<string>} */ (new Set());
    this.lines = names.map((name, n) => GLASS.includes(name)
      ? { name, base: GLASS[0], look: `glass dash${names.length - n}` } : { name, base: names[0],
        look: `line${n % LOOKS} dash${(n + Math.floor(n / LOOKS)) % DASHES}` });
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

// The page of `matesolve table --html`: it draws the counts of its record by depth.

if (element("charts")) {
  const { techniques, rows } = pageData;
  const glass = rows.some((/** @type {object} */ row) => "glass" in row) ? GLASS : [];
  element("charts").hidden = false;
  const charts = new DepthCharts(element("chart"), [...Object.keys(techniques), ...glass]);
  const draw = () => charts.draw(rows);
  addEventListener("resize", draw);
  draw();
}
