// The panel "Count": searches of the laboratory with different techniques, side by side.
//
//   new Count({data, preset, count: (fields, depth, nodes, onProgress, signal) => Promise})
//
// data is what experiments.py makes. Each search runs in a worker of its own; the first one is
// the base of the ratios.

import { drawChart } from "./chart.mjs";
import { element, make, thousands } from "./dom.mjs";

/**
 * @typedef {Record<string, number>} Fields
 * @typedef {{name: string, title: string, fields: Fields, sound: boolean}} Technique
 * @typedef {{glass: string, depth: number, mostDepth: number, mate: number, mateZone: number,
 *   techniques: Technique[]}} Experiments
 * @typedef {{depth: number, score: number, move: {san: string} | null, nodes: number,
 *   pvNodes: number, seconds: number}} CountRow
 * @typedef {{depth: number, nodes: number, seconds?: number, row?: CountRow}} CountProgress
 * @typedef {{technique: Technique, rows: CountRow[], line: HTMLElement}} CountSide
 * @typedef {(progress: CountProgress) => void} OnProgress
 * @typedef {(fields: Fields, depth: number, nodes: number | null, onProgress: OnProgress,
 *   signal: AbortSignal) => Promise<unknown>} CountSearch
 */

/** @param {number} ratio */
const ratioText = (ratio) => (ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(3));

export class Count {
  /** @param {{data: Experiments, preset: (fen: string) => void, count: CountSearch}} options */
  constructor({ data, preset, count }) {
    this.data = data;
    this.count = count;
    this.depth = element("count-depth");
    this.limit = element("count-nodes");
    this.button = element("count-start");
    this.status = element("count-status");
    this.choices = ["first", "second", "third"].map((name) => element(`count-${name}`));
    this.running = /** @type {AbortController | null} */ (null);
    this.sides = /** @type {CountSide[]} */ ([]);
    Object.assign(this.depth, { max: data.mostDepth, value: data.depth });
    for (const [number, choice] of this.choices.entries()) {
      if (number === 2) choice.add(new Option("none", ""));
      const options = data.techniques.map(({ name, title }) =>
        new Option(`${title} (${name})`, name));
      choice.append(...options);
      if (number < 2) choice.value = data.techniques[number].name;
    }
    this.button.addEventListener("click", () =>
      this.running ? this.running.abort() : this.start());
    element("count-preset").addEventListener("click", () => preset(data.glass));
    addEventListener("resize", () => this.draw());
  }

  async start() {
    if (!this.depth.reportValidity() || !this.limit.reportValidity()) return;
    const running = this.running = new AbortController();
    const chosen = new Set(this.choices.map(({ value }) => value).filter(Boolean));
    this.sides = [...chosen].flatMap((wanted) => this.data.techniques
      .filter(({ name }) => name === wanted)
      .map((technique) => ({ technique, rows: [], line: make("li") })));
    element("count-lines").replaceChildren(...this.sides.map(({ line }) => line));
    this.button.textContent = "Stop";
    this.status.textContent = "counting ...";
    this.draw();
    const depth = Number(this.depth.value);
    const ended = await Promise.allSettled(this.sides.map((side) => this.count(
      side.technique.fields, depth, Number(this.limit.value) || null,
      (progress) => this.advance(side, progress), running.signal)));
    this.running = null;
    this.button.textContent = "Start";
    const fault = ended.find(({ status }) => status === "rejected");
    const short = this.sides.filter(({ rows }) => rows.length < depth);
    const names = short.map(({ technique }) => technique.name).join(", ");
    this.status.textContent = running.signal.aborted ? "Stopped."
      : fault && "reason" in fault ? `Not counted: ${fault.reason.message}.`
        : names ? `The node limit stopped ${names} before depth ${depth}.` : "Done.";
  }

  /** @param {CountSide} side @param {CountProgress} progress */
  advance(side, { depth, nodes, seconds, row }) {
    const speed = seconds ? `, ${thousands(Math.round(nodes / seconds))} nodes/s` : "";
    const { name } = side.technique;
    side.line.textContent = `${name}: depth ${depth}, ${thousands(nodes)} nodes${speed}`;
    if (!row) return;
    side.rows.push(row);
    this.draw();
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
    if (!sides.length) return;
    const [base, ...others] = sides;
    const depths = [...Array(Math.max(...sides.map(({ rows }) => rows.length))).keys()];
    /** @param {CountSide} side @param {number} i */
    const ratio = ({ rows }, i) =>
      rows[i] && base.rows[i] ? rows[i].pvNodes / base.rows[i].pvNodes : NaN;
    /** What the searches say of a depth, once where they agree.
     * @param {number} i @param {(row: CountRow, side: CountSide) => string} say */
    const said = (i, say) => [...new Set(sides.filter(({ rows }) => rows[i])
      .map((side) => say(side.rows[i], side)))].join(" / ");
    const heads = ["depth", "score", "move", ...sides.map(({ technique }) => technique.name),
      ...others.map(({ technique }) => (others.length > 1 ? `${technique.name} ratio` : "ratio"))];
    const table = element("count-table");
    const columns = heads.map((head) => make("th", { scope: "col" }, head));
    table.tHead.replaceChildren(make("tr", {}, ...columns));
    table.tBodies[0].replaceChildren(...depths.map((i) => {
      const cells = [
        said(i, (row, { technique }) => this.score(row, technique)),
        said(i, ({ move }) => move?.san ?? ""),
        ...sides.map(({ rows }) => (rows[i] ? thousands(rows[i].pvNodes) : "")),
        ...others.map((side) => ratio(side, i)).map((each) => (each ? ratioText(each) : "")),
      ];
      return make("tr", {}, make("th", { scope: "row" }, String(i + 1)),
        ...cells.map((cell) => make("td", {}, cell)));
    }));
    table.hidden = !depths.length;
    drawChart(element("count-chart"), {
      title: `Nodes compared with ${base.technique.name}, by depth`,
      xLabel: "depth", yLabel: "ratio of nodes", reference: 1,
      series: others.map((side) => ({
        name: side.technique.name,
        points: depths.map((i) => /** @type {[number, number]} */ ([i + 1, ratio(side, i)]))
          .filter(([, y]) => y),
      })),
    });
  }
}
