// The panel "Count": searches of the laboratory with different techniques, side by side.
//
//   new Count({data, preset, count: (fields, depth, nodes, onProgress, signal) => Promise})
//
// data is what experiments.py makes. Each search runs in a worker of its own; the first one is
// the base of the ratios.

import { DepthCharts, ratioText, scoreText } from "./depths.mjs";
import { element, make, thousands } from "./dom.mjs";

/**
 * @typedef {Record<string, number>} Fields
 * @typedef {{name: string, title: string, fields: Fields, sound: boolean}} Technique
 * @typedef {{glass: string, depth: number, mostDepth: number, mate: number, mateZone: number,
 *   techniques: Technique[]}} Experiments
 * @typedef {{depth: number, score: number, move: {san: string} | null, nodes: number,
 *   pvNodes: number, seconds: number}} CountRow
 * @typedef {{depth: number, nodes: number, seconds?: number, row?: CountRow}} CountProgress
 * @typedef {import("./depths.mjs").Counted & {move: string}} CountedMove
 * @typedef {{technique: Technique, rows: CountedMove[], line: HTMLElement}} CountSide
 * @typedef {(progress: CountProgress) => void} OnProgress
 * @typedef {(fields: Fields, depth: number, nodes: number | null, onProgress: OnProgress,
 *   signal: AbortSignal) => Promise<unknown>} CountSearch
 */

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
    this.charts = /** @type {DepthCharts | null} */ (null);
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
    const names = this.sides.map(({ technique }) => technique.name);
    this.charts = new DepthCharts(element("count-chart"), names);
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
    const stopped = short.map(({ technique }) => technique.name).join(", ");
    this.status.textContent = running.signal.aborted ? "Stopped."
      : fault && "reason" in fault ? `Not counted: ${fault.reason.message}.`
        : stopped ? `The node limit stopped ${stopped} before depth ${depth}.` : "Done.";
  }

  /** @param {CountSide} side @param {CountProgress} progress */
  advance(side, { depth, nodes, seconds, row }) {
    const speed = seconds ? `, ${thousands(Math.round(nodes / seconds))} nodes/s` : "";
    const { name } = side.technique;
    side.line.textContent = `${name}: depth ${depth}, ${thousands(nodes)} nodes${speed}`;
    if (!row) return;
    side.rows.push(this.counted(row, side.technique));
    this.draw();
  }

  /** A row as `matesolve table --json` has it.
   * @param {CountRow} row @param {Technique} technique @returns {CountedMove} */
  counted({ depth, score, move, pvNodes }, { sound }) {
    const { mate, mateZone } = this.data;
    const counted = { score, nodes: pvNodes, move: move?.san ?? "" };
    if (Math.abs(score) < mateZone) return counted;
    const plies = mate - Math.abs(score);
    const text = score > 0 ? `M${Math.floor((plies + 1) / 2)}` : `-M${Math.floor(plies / 2)}`;
    return { ...counted, score: text, proved: sound, settled: sound && depth >= plies - 1 };
  }

  draw() {
    const { sides, charts } = this;
    if (!charts) return;
    const names = sides.map(({ technique }) => technique.name);
    const [base, ...others] = names;
    const depths = Math.max(...sides.map(({ rows }) => rows.length));
    const rows = Array.from({ length: depths }, (_, i) => ({
      depth: i + 1,
      variants: Object.fromEntries(sides.filter((side) => side.rows[i])
        .map((side) => [side.technique.name, side.rows[i]])),
    }));
    charts.draw(rows);
    const heads = ["depth", "score", "move", ...names,
      ...others.map((name) => (others.length > 1 ? `${name} ratio` : "ratio"))];
    const table = element("count-table");
    const columns = heads.map((head) => make("th", { scope: "col" }, head));
    table.tHead.replaceChildren(make("tr", {}, ...columns));
    table.tBodies[0].replaceChildren(...rows.map(({ depth, variants }) => {
      /** What the searches say, once where they agree.
       * @param {(counted: CountedMove) => string} say */
      const said = (say) => [...new Set(Object.values(variants).map(say))].join(" / ");
      const ratios = others.map((name) => variants[name]?.nodes / variants[base]?.nodes);
      const cells = [
        said(scoreText), said(({ move }) => move),
        ...names.map((name) => (variants[name] ? thousands(variants[name].nodes) : "")),
        ...ratios.map((ratio) => (ratio ? ratioText(ratio) : "")),
      ];
      return make("tr", {}, make("th", { scope: "row" }, String(depth)),
        ...cells.map((cell) => make("td", {}, cell)));
    }));
    table.hidden = !depths;
  }
}
