// The panel "Count": searches of the laboratory with different techniques, side by side.
//
//   new Count(host, {data, position, preset, count: (fields, depth, nodes, onProgress, signal) => Promise})
//
// data is what experiments.py makes. Each search runs in a worker of its own; the first one is the base of the ratios.

import { drawChart } from "./chart.mjs";
import { make } from "./tree.mjs";

/**
 * @typedef {{name: string, title: string, fields: Record<string, number>, sound: boolean}} Technique
 * @typedef {{glass: string, depth: number, mostDepth: number, mate: number, mateZone: number, techniques: Technique[]}} Experiments
 * @typedef {{depth: number, score: number, move: {san: string} | null, nodes: number, pvNodes: number, seconds: number}} CountRow
 * @typedef {{depth: number, nodes: number, seconds?: number, row?: CountRow}} CountProgress
 * @typedef {{technique: Technique, rows: CountRow[], line: HTMLElement, last: CountProgress}} CountSide
 * @typedef {(fields: Record<string, number>, depth: number, nodes: number | null,
 *   onProgress: (progress: CountProgress) => void, signal: AbortSignal) => Promise<unknown>} CountSearch
 */

/** @param {number} number */
const thousands = (number) => number.toLocaleString("en");

/** @param {number | null} ratio */
const ratioText = (ratio) => (ratio === null ? "" : ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(3));

/** @param {CountSide} side @param {CountSide} base @param {number} depth */
function ratioAt({ rows }, base, depth) {
  const [own, other] = [rows[depth - 1]?.pvNodes, base.rows[depth - 1]?.pvNodes];
  return own && other ? own / other : null;
}

export class Count {
  /** @param {HTMLElement} host
   * @param {{data: Experiments, preset: (fen: string) => void, count: CountSearch}} options */
  constructor(host, { data, preset, count }) {
    this.data = data;
    this.count = count;
    /** @param {string} name @returns {any} */
    const part = (name) => host.querySelector(`[data-count="${name}"]`);
    this.depth = /** @type {HTMLInputElement} */ (part("depth"));
    this.limit = /** @type {HTMLInputElement} */ (part("nodes"));
    this.button = /** @type {HTMLButtonElement} */ (part("start"));
    this.status = /** @type {HTMLElement} */ (part("status"));
    this.lines = /** @type {HTMLElement} */ (part("lines"));
    this.table = /** @type {HTMLTableElement} */ (part("table"));
    this.chart = /** @type {HTMLElement} */ (part("chart"));
    this.choices = /** @type {HTMLSelectElement[]} */ ([part("first"), part("second"), part("third")]);
    this.running = /** @type {AbortController | null} */ (null);
    this.sides = /** @type {CountSide[]} */ ([]);
    this.depth.max = String(data.mostDepth);
    this.depth.value = String(data.depth);
    for (const [number, choice] of this.choices.entries()) {
      if (number === 2) choice.append(make("option", { value: "" }, "none"));
      choice.append(...data.techniques.map(({ name, title }) => make("option", { value: name }, `${title} (${name})`)));
      if (number < 2) choice.value = data.techniques[number].name;
    }
    this.button.addEventListener("click", () => (this.running ? this.running.abort() : this.start()));
    part("preset").addEventListener("click", () => preset(data.glass));
  }

  async start() {
    if (!this.depth.reportValidity() || !this.limit.reportValidity()) return;
    const running = this.running = new AbortController();
    const chosen = [...new Set(this.choices.map(({ value }) => value))];
    this.sides = this.data.techniques.filter(({ name }) => chosen.includes(name))
      .sort((a, b) => chosen.indexOf(a.name) - chosen.indexOf(b.name))
      .map((technique) => ({ technique, rows: [], line: make("li"), last: { depth: 1, nodes: 0 } }));
    this.lines.replaceChildren(...this.sides.map(({ line }) => line));
    this.button.textContent = "Stop";
    this.status.textContent = "counting ...";
    this.draw();
    const depth = Number(this.depth.value);
    const nodes = this.limit.value ? Number(this.limit.value) : null;
    const ended = await Promise.allSettled(this.sides.map((side) =>
      this.count(side.technique.fields, depth, nodes, (progress) => this.advance(side, progress, running), running.signal)));
    if (this.running !== running) return;
    this.running = null;
    this.button.textContent = "Start";
    const fault = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))[0];
    const short = this.sides.filter(({ rows }) => rows.length < depth).map(({ technique }) => technique.name);
    this.status.textContent = running.signal.aborted ? "Stopped."
      : fault ? `Not counted: ${fault.message ?? fault}.`
        : short.length ? `The node limit stopped ${short.join(", ")} before depth ${depth}.` : "Done.";
  }

  /** @param {CountSide} side @param {CountProgress} progress @param {AbortController} running */
  advance(side, progress, running) {
    if (this.running !== running) return;
    side.last = progress;
    const { depth, nodes, seconds } = progress;
    const speed = seconds ? `, ${thousands(Math.round(nodes / seconds))} nodes/s` : "";
    side.line.textContent = `${side.technique.name}: depth ${depth}, ${thousands(nodes)} nodes${speed}`;
    if (progress.row) side.rows.push(progress.row);
    if (progress.row) this.draw();
  }

  /** A score as `matesolve table` writes it. @param {CountRow} row @param {Technique} technique */
  score({ score, depth }, { sound }) {
    const { mate, mateZone } = this.data;
    if (Math.abs(score) < mateZone) return thousands(score);
    const plies = mate - Math.abs(score);
    const text = score > 0 ? `M${Math.floor((plies + 1) / 2)}` : `-M${Math.floor(plies / 2)}`;
    return !sound ? `${text}?` : depth >= plies - 1 ? text : `<=${text}`;
  }

  draw() {
    const { sides } = this;
    const [base, ...others] = sides;
    const depths = sides.reduce((most, { rows }) => (rows.length > most.length ? rows : most), base.rows).map(({ depth }) => depth);
    /** What the searches say of a depth, once where they agree. @param {number} depth @param {(row: CountRow, side: CountSide) => string} say */
    const said = (depth, say) => {
      const texts = sides.flatMap((side) => (side.rows[depth - 1] ? [say(side.rows[depth - 1], side)] : []));
      return [...new Set(texts)].join(" / ");
    };
    const heads = ["depth", "score", "move", ...sides.map(({ technique }) => technique.name),
      ...others.map(({ technique }) => (others.length > 1 ? `${technique.name} ratio` : "ratio"))];
    this.table.tHead?.replaceChildren(make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head))));
    this.table.tBodies[0].replaceChildren(...depths.map((depth) => {
      const cells = [
        said(depth, (row, { technique }) => this.score(row, technique)), said(depth, ({ move }) => move?.san ?? ""),
        ...sides.map(({ rows }) => (rows[depth - 1] ? thousands(rows[depth - 1].pvNodes) : "")),
        ...others.map((side) => ratioText(ratioAt(side, base, depth))),
      ];
      return make("tr", {}, make("th", { scope: "row" }, String(depth)), ...cells.map((cell) => make("td", {}, cell)));
    }));
    this.table.hidden = !depths.length;
    drawChart(this.chart, {
      title: `Nodes compared with ${base.technique.name}, by depth`, xLabel: "depth", yLabel: "ratio of nodes", reference: 1,
      series: others.map((side) => ({
        name: side.technique.name,
        points: depths.map((depth) => /** @type {[number, number]} */ ([depth, ratioAt(side, base, depth) ?? NaN])).filter(([, y]) => y > 0),
      })),
    });
  }
}
