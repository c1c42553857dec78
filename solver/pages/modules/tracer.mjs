// The form of a page of traces: it searches another position in the page.
//
//   new Tracer(data, stepper)

import { element, make, several } from "./dom.mjs";
import { Cancelled, Engine, Parts } from "./engine.mjs";
import { MATE, MATE_ZONE, Words } from "./reasons.mjs";
import { say } from "./sentences.mjs";

/** @typedef {import("./count.mjs").CountProgress} CountProgress */
/** @typedef {import("./count.mjs").CountRow} CountRow */
/** @typedef {import("./count.mjs").Technique} Technique */
/** @typedef {import("./stepper.mjs").Stepper} Stepper */

const TRACED_NODES = 10_000_000;

export class Tracer {
  /** @param {any} data of the page @param {Stepper} stepper */
  constructor(data, stepper) {
    this.techniques = /** @type {Technique[]} */ (data.experiments.techniques);
    this.windows = data.experiments;
    this.stepper = stepper;
    const script = new Blob([element("worker").textContent], { type: "text/javascript" });
    this.engine = new Engine(new Parts(data.modules), {
      url: URL.createObjectURL(script), layout: data.layout, tableBytes: data.tableBytes,
    });
    this.choices = [element("tracer-first"), element("tracer-second")];
    for (const [number, choice] of this.choices.entries()) {
      if (number) choice.add(new Option("nothing", ""));
      for (const { name, title } of this.techniques) choice.add(new Option(title, name));
    }
    this.choices[0].addEventListener("change", () => this.offer());
    element("tracer-search").addEventListener("change", () => {
      const depth = element("tracer-depth");
      const { value, max } = depth;
      depth.value = this.isScored ? Math.min(2 * value, max) : Math.ceil(value / 2);
      this.offer();
    });
    element("tracer").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.run();
    });
    element("tracer").hidden = false;
  }

  get isScored() {
    return element("tracer-search").value === "alpha-beta";
  }

  /** Offer the search of a record again; of a proof, the search for the mate.
   * @param {import("./stepper.mjs").TraceRecord} record */
  follow({ search, traces }) {
    const { log: { kind } } = traces[0];
    if (search !== "alpha-beta" && kind[0] === "attacker") {
      element("tracer-search").value = "proof-number";
    } else if (search !== "alpha-beta") element("tracer-depth").value = 2 * traces[0].depth + 1;
    for (const [number, choice] of this.choices.entries()) {
      const name = traces[number]?.name;
      if (this.techniques.some((each) => each.name === name)) choice.value = name;
    }
    this.offer();
  }

  /** Show what the chosen search needs; a technique is not compared with itself. */
  offer() {
    const [{ value: first }, second] = this.choices;
    for (const option of second.options) option.hidden = option.value === first;
    if (second.value === first) second.value = "";
    element("tracer-techniques").hidden = !this.isScored;
    element("tracer-unit").textContent = this.isScored ? "Plies" : "Mate in";
  }

  async run() {
    this.engine.stop();
    const status = element("tracer-status");
    status.textContent = "searching ...";
    const asked = { fen: element("tracer-fen").value, depth: Number(element("tracer-depth").value),
      nodes: TRACED_NODES, windows: this.windows };
    const names = new Set(this.choices.map(({ value }) => value));
    const chosen = this.isScored ? this.techniques.filter(({ name }) => names.has(name))
      : [undefined];
    try {
      const traces = [];
      for (const technique of chosen) traces.push(await this.trace(asked, technique));
      const search = element("tracer-search").value;
      this.show({ fen: asked.fen, search, traces });
      status.textContent = "";
    } catch (error) {
      if (error instanceof Cancelled) return;
      status.textContent = `Not searched: ${/** @type {Error} */ (error).message}.`;
    }
  }

  /** @param {any} asked @param {Technique} [technique] none: the proof-number search */
  async trace(asked, technique) {
    const rows = /** @type {CountRow[]} */ ([]);
    const { log, isDone, complete, nodes } = await this.engine.ask(
      "trace", { ...asked, fields: technique?.fields },
      (/** @type {CountProgress} */ { nodes: spent, row }) => {
        element("tracer-status").textContent = `searching ... ${several(spent, "node")}`;
        if (row) rows.push(row);
      },
      technique ? "laboratory" : "search");
    const score = rows.at(-1)?.score ?? 0;
    const plies = MATE - Math.abs(score);
    const length = technique ? Math.floor((plies + Number(score > 0)) / 2) : asked.depth;
    const isOpen = technique ? !isDone : log.pn[0] !== 0 && log.dn[0] !== 0;
    const isMate = technique ? Math.abs(score) >= MATE_ZONE : log.pn[0] === 0;
    return { name: technique?.name ?? `mate in ${asked.depth}`, log, complete, nodes,
      depth: technique ? log.depth[0] : asked.depth,
      mate: isMate ? (score < 0 ? -length : length) : null,
      nodes_before: rows.at(isDone ? -2 : -1)?.nodes ?? 0,
      only_cuts: false, stopped: isOpen };
  }

  /** @param {import("./stepper.mjs").TraceRecord} record */
  show(record) {
    const words = new Words(record);
    element("trace-views").replaceChildren(...record.traces.map((trace, number) => {
      const id = `trace-${number}`;
      return make("section", { class: "card", "aria-labelledby": `${id}-name` },
        make("h2", { id: `${id}-name` }, trace.name),
        make("p", { class: "quiet" }, say("found", words.ofSearch(trace))),
        make("div", { id, class: "trace-view" }));
    }));
    element("trace-fen").textContent = record.fen;
    element("trace-title").textContent = say("title", words.ofSearch(record.traces[0]));
    this.stepper.show(record);
  }
}
