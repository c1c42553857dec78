// A line chart in SVG, as wide as its place; the names of the lines stand below it.
//
//   drawChart(host, {title, xLabel, yLabel, series: [{name, points: [[x, y], ...]}], reference, log})
//
// Draws again when the host changes its width. Colours and dashes come from the classes `line0` to `line5`.

/**
 * @typedef {{name: string, points: [number, number][]}} ChartSeries
 * @typedef {{title: string, xLabel: string, yLabel: string, series: ChartSeries[], reference?: number, log?: boolean}} Chart
 */

const CHART_LINES = 6;
const CHART_EDGE = { left: 46, right: 14, top: 26, bottom: 40 };
const chartsOfHosts = /** @type {WeakMap<Element, Chart>} */ (new WeakMap());
let chartsDrawn = 0;

/** @param {string} tag @param {Record<string, string | number>} attributes @param {(Element | string)[]} children */
function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Round numbers from the least to the greatest, at most so many. @param {number} least @param {number} greatest @param {number} most */
function chartTicks(least, greatest, most, whole = false) {
  const rough = Math.max((greatest - least) / most, whole ? 1 : 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const ticks = [];
  for (let tick = Math.ceil(least / step - 1e-9); tick * step <= greatest + step * 1e-9; tick++) ticks.push(tick * step);
  return ticks;
}

/** @param {number} value */
const chartNumber = (value) => value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 0 });

/** @param {HTMLElement} host @param {Chart} chart */
export function drawChart(host, chart) {
  const isNew = !chartsOfHosts.has(host);
  chartsOfHosts.set(host, chart);
  if (isNew) {
    let drawn = host.clientWidth;
    new ResizeObserver(() => {
      const shown = chartsOfHosts.get(host);
      if (shown && host.clientWidth !== drawn) paintChart(host, shown);
      drawn = host.clientWidth;
    }).observe(host);
  }
  paintChart(host, chart);
}

/** @param {HTMLElement} host @param {Chart} chart */
function paintChart(host, { title, xLabel, yLabel, series, reference, log = false }) {
  const points = series.flatMap((each) => each.points);
  if (!points.length) return host.replaceChildren();

  // 1. Scales.
  const width = Math.max(host.clientWidth || 600, 240);
  const height = Math.round(Math.min(Math.max(width * 0.5, 200), 340));
  const { left, right, top, bottom } = CHART_EDGE;
  const xs = points.map(([x]) => x);
  const ys = [...points.map(([, y]) => y), ...(reference === undefined ? [] : [reference])].map((y) => (log ? Math.log10(y) : y));
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const pad = (Math.max(...ys) - Math.min(...ys)) * 0.08 || 0.1;
  const [y0, y1] = [Math.min(...ys) - pad, Math.max(...ys) + pad];
  /** @param {number} x */
  const across = (x) => left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right);
  /** @param {number} y */
  const down = (y) => height - bottom - (((log ? Math.log10(y) : y) - y0) / (y1 - y0)) * (height - top - bottom);

  // 2. Axes.
  const id = `chart${++chartsDrawn}`;
  const ends = series.filter((each) => each.points.length).map(({ name, points: [...all] }) => {
    const [x, y] = all[all.length - 1];
    return `${name}: ${chartNumber(y)} at ${xLabel} ${chartNumber(x)}`;
  });
  const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": `${id}t`, "aria-describedby": `${id}d` },
    makeSvg("title", { id: `${id}t` }, title), makeSvg("desc", { id: `${id}d` }, `${yLabel} by ${xLabel}. ${ends.join("; ")}.`));
  const rows = Math.max(2, Math.floor((height - top - bottom) / 36));
  for (const tick of log ? chartTicks(y0, y1, rows, true).map((power) => 10 ** power) : chartTicks(y0, y1, rows)) {
    svg.append(
      makeSvg("line", { class: "grid", x1: left, x2: width - right, y1: down(tick), y2: down(tick) }),
      makeSvg("text", { x: left - 6, y: down(tick) + 4, "text-anchor": "end" }, chartNumber(tick)));
  }
  for (const tick of chartTicks(x0, x1, Math.max(2, Math.floor((width - left - right) / 36)), true)) {
    svg.append(makeSvg("text", { x: across(tick), y: height - bottom + 18, "text-anchor": "middle" }, chartNumber(tick)));
  }
  svg.append(makeSvg("text", { x: left, y: 14 }, yLabel),
    makeSvg("text", { x: width - right, y: height - 6, "text-anchor": "end" }, xLabel));
  if (reference !== undefined) {
    svg.append(makeSvg("line", { class: "reference", x1: left, x2: width - right, y1: down(reference), y2: down(reference) }));
  }

  // 3. Lines, and their names.
  const names = document.createElement("ul");
  names.className = "chart-names";
  for (const [number, { name, points: own }] of series.entries()) {
    const look = `line${number % CHART_LINES}`;
    svg.append(makeSvg("g", { class: look },
      makeSvg("polyline", { points: own.map(([x, y]) => `${across(x).toFixed(1)},${down(y).toFixed(1)}`).join(" ") }),
      ...own.map(([x, y]) => makeSvg("circle", { cx: across(x).toFixed(1), cy: down(y).toFixed(1), r: 3 },
        makeSvg("title", {}, `${name}, ${xLabel} ${chartNumber(x)}: ${chartNumber(y)}`)))));
    const item = document.createElement("li");
    item.append(makeSvg("svg", { class: look, viewBox: "0 0 28 10", "aria-hidden": "true" }, makeSvg("polyline", { points: "0,5 28,5" })), name);
    names.append(item);
  }
  host.classList.add("chart");
  host.replaceChildren(svg, names);
}
