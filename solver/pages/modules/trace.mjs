// The page of `matesolve trace --html`: searches of one position, side by side, step by step.
//
//   new Stepper().show(record, step) // a step in the address, #17, goes before the record's
//
// One of them is stepped; the others show the node that the same moves lead to.

import { Board } from "./board.mjs";
import {
  element, make, makeButton, onClicks, onKeys, pageData, several, thousands,
} from "./dom.mjs";
import { Cancelled, pageEngines, unpack } from "./engine.mjs";
import { drawLadder, drawTree, mostProving, moveTo, Scale, treeNumbers } from "./ladder.mjs";
import { drawSide, played, say } from "./records.mjs";
import { MATE, MATE_ZONE, NEVER, Steps, Words } from "./steps.mjs";

/** @import { CountProgress, CountRow, Technique } from "./worker.mjs" */
/** @import { TraceLog } from "./steps.mjs" */

/** @typedef {{name: string, log: TraceLog, depth: number, mate: number | null, nodes: number,
 *   nodes_before: number, complete: boolean, only_cuts: boolean, stopped: boolean,
 *   step?: number | null}} Trace */
/** @typedef {{fen: string, search: string, traces: Trace[]}} TraceRecord */

/** What the button of each kind of end says. @type {Record<string, string>} */
const ENDINGS = {
  "mate-distance": "Next cut", "null-move": "Next null move", "multi-cut": "Next multi-cut",
  material: "Next material cut", extension: "Next extension", beta: "Next beta cut",
  mate: "Next mate", proved: "Next proved", disproved: "Next disproved",
};
const TIMELINE_POINTS = 800;

/** One search: where it is, in a sentence, a tree and a ladder. */
class TraceView {
  /** @param {Trace} trace @param {HTMLElement} host @param {import("./ladder.mjs").Shown} shown */
  constructor({ name, log, only_cuts: onlyCuts }, host, shown) {
    this.onlyCuts = onlyCuts;
    this.steps = new Steps(log);
    this.shown = shown;
    this.sentence = make("p", { class: "sentence" });
    this.tree = make("div", { class: "drawn scroll", tabindex: "0", role: "region",
      "aria-label": `Tree of ${name}` });
    this.ladder = make("table", { class: "ladder",
      "aria-label": "Nodes from the root to the current one" });
    this.tried = make("div", { class: "moves tried" });
    host.replaceChildren(this.sentence, this.tree, this.ladder, this.tried);
    this.host = host;
  }

  /** @param {number} step @param {string} [note] instead of what happens at the step */
  show(step, note) {
    const { steps, shown } = this;
    const { words } = shown;
    this.sentence.textContent = note ?? say("sentence", words.ofStep(steps, step));
    const row = steps.row(step);
    this.sentence.classList.toggle("is-cut", !note && steps.isCut(row, step));
    drawLadder(this.ladder, steps, step, shown);
    this.list(step);
    drawTree(this.tree, steps, step, shown);
  }

  /** The moves tried so far at the current node; at its parent if there are none.
   * @param {number} step */
  list(step) {
    const { steps, shown: { words } } = this;
    const { log } = steps;
    const current = steps.node(step);
    const below = steps.rows(current, step);
    const at = below.length ? current : steps.parent[current];
    if (at < 0) return this.tried.replaceChildren();
    const rows = below.length ? below : steps.rows(at, step);
    const numbers = (/** @type {number} */ row) => {
      if (log.mate) return `mate in ${log.mate[row]}`;
      const known = log.pn ? steps.known(steps.spots[steps.spotOf[row]], step)
        : steps.leave[row] <= step ? row : -1;
      return known < 0 ? "…" : treeNumbers(steps, known, this.shown).join(", ");
    };
    const best = log.pn && mostProving(steps, steps.spotOf[at], step, this.shown);
    const items = rows.map((row) => make("li", row === current ? { "aria-current": "step" } : {},
      moveTo(steps, row, this.shown, step), ` ${numbers(row)}`,
      steps.isCut(row, step) ? " ✕" : steps.spotOf[row] === best ? " ★" : ""));
    const name = log.san[at] || "the root";
    return this.tried.replaceChildren(
      make("h3", {}, `${words.search === "certificate" ? "Moves" : "Moves so far"} after ${name}`),
      make("ul", {}, ...items));
  }
}

export class Stepper {
  step = 0;
  active = 0; // the number of the search that is stepped
  views = /** @type {TraceView[]} */ ([]);
  choices = /** @type {HTMLElement[]} */ ([]);
  ends = /** @type {{end: string, button: HTMLElement}[]} */ ([]);
  fen = "";

  constructor() {
    this.board = new Board(element("board"), {});
    this.slider = element("trace-step");
    this.listen();
  }

  /** @param {TraceRecord} record @param {number} [step] from 1; the record can have one, too */
  show(record, step) {
    const { fen, search, traces } = record;
    const words = new Words(record);
    const scale = search === "alpha-beta" ? new Scale(traces, words) : null;
    this.fen = fen;
    element("trace-legend").textContent = say("legend", words.ofSearch(traces[0]));
    this.views = traces.map((trace, number) =>
      new TraceView(trace, element(`trace-${number}`), { words, scale, onGo: (at) => {
        this.choose(number);
        this.go(at);
      } }));
    this.choices = traces.map(({ name }, number) =>
      makeButton(() => this.choose(number, true), {}, name));
    element("trace-choice").replaceChildren("Step ", ...this.choices);
    element("trace-choice").hidden = traces.length < 2;
    const ends = Object.entries(ENDINGS).filter(([end]) =>
      this.views.some(({ steps }) => steps.ending(-1, end) >= 0));
    this.ends = ends.map(([end, name]) => ({
      end, button: makeButton(() => this.go(this.steps.ending(this.step, end)), {}, name),
    }));
    element("trace-ends").replaceChildren(...this.ends.map(({ button }) => button));
    element("trace-controls").hidden = false;
    const opened = traces.findIndex((trace) => trace.step);
    this.choose(opened < 0 ? Math.min(1, traces.length - 1) : opened);
    this.go((step || traces[opened]?.step || 1) - 1);
  }

  get steps() {
    return this.views[this.active].steps;
  }

  listen() {
    const [first, last] = [() => this.go(0), () => this.go(this.steps.count - 1)];
    const [back, forward] = [() => this.go(this.step - 1), () => this.go(this.step + 1)];
    onClicks({
      "trace-first": first, "trace-back": back, "trace-forward": forward, "trace-last": last,
      "trace-flip": () => this.board.flip(),
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    onKeys(({ key }) => {
      const act = { ArrowLeft: back, ArrowRight: forward, Home: first, End: last }[key];
      return act ? act() : true;
    });
    addEventListener("resize", () => this.views.length && this.go(this.step));
  }

  /** Step another search; at the node that is shown of it. @param {number} number */
  choose(number, isAsked = false) {
    const at = isAsked && number !== this.active ? this.other(this.views[number]).step : this.step;
    this.active = number;
    for (const [each, { host, sentence }] of this.views.entries()) {
      host.closest("section")?.classList.toggle("is-active", each === number);
      sentence.setAttribute("aria-live", each === number ? "polite" : "off");
      this.choices[each].setAttribute("aria-pressed", String(each === number));
    }
    this.slider.max = this.steps.count - 1;
    drawTimeline(this.steps);
    if (isAsked) this.go(at);
  }

  /** @param {number} step */
  go(step) {
    const { steps, views, active } = this;
    this.step = Math.max(0, Math.min(step, steps.count - 1));
    const row = steps.node(this.step);
    const moves = steps.moves(row);
    const { log } = steps;
    this.slider.value = String(this.step);
    const text = `Step ${thousands(this.step + 1)} of ${thousands(steps.count)}`;
    this.slider.setAttribute("aria-valuetext", text);
    element("trace-at").textContent = text;
    const [isFirst, isLast] = [!this.step, this.step === steps.count - 1];
    for (const id of ["first", "back"]) element(`trace-${id}`).disabled = isFirst;
    for (const id of ["forward", "last"]) element(`trace-${id}`).disabled = isLast;
    for (const { end, button } of this.ends) {
      button.toggleAttribute("disabled", steps.ending(this.step, end) < 0);
    }
    const fen = played(this.fen, moves);
    this.board.draw({ fen, last: moves.at(-1), check: /[+#]/.test(log.san[row]) });
    drawSide(fen);
    views[active].show(this.step);
    for (const view of views) {
      if (view === views[active]) continue;
      const { step: other, note } = this.other(view);
      view.show(other, note);
    }
  }

  /** Where another search is at the same moves. @param {TraceView} view */
  other({ steps, onlyCuts, shown: { words } }) {
    const own = this.steps;
    const row = own.node(this.step);
    const [path, moves] = [own.path(row), own.moves(row)];
    const roots = own.spots[0].rows.filter((each) => own.parent[each] < 0);
    const found = steps.find(moves, roots.indexOf(path[0]));
    const [enter, leave] = [steps.enter[found.row], steps.leave[found.row]];
    const isWhole = found.length === moves.length;
    const step = leave < NEVER && (!isWhole || own.leave[row] <= this.step) ? leave : enter;
    if (isWhole) return { step };
    const name = steps.log.san[found.row] || "the root";
    const move = own.log.san[path[found.length + 1]];
    const isLeftOut = onlyCuts || ["moves", "open"].includes(steps.log.end[found.row]);
    return { step, note: isLeftOut ? `This log does not have ${move} after ${name}.`
      : `${move} is not searched after ${name}. ${say("reason", words.ofNode(steps, found.row))}` };
  }
}

/** The ply of each step, and where a pruning cuts. @param {Steps} steps */
function drawTimeline(steps) {
  const { log, count } = steps;
  const deepest = log.ply.reduce((most, ply) => Math.max(most, ply), 1);
  const every = Math.max(1, Math.floor(count / TIMELINE_POINTS));
  const points = [];
  const cuts = new Set();
  for (let step = 0; step < count; step++) {
    const row = steps.row(step);
    const x = Math.round((1000 * step) / Math.max(count - 1, 1));
    if (step % every === 0) points.push(`${x},${(28 * log.ply[row]) / deepest + 1}`);
    if (steps.isCut(row, step)) cuts.add(x);
  }
  element("trace-timeline").replaceChildren(
    make("polyline", { points: points.join(" ") }),
    make("path", { class: "cut", d: [...cuts].map((x) => `M${x} 30v8`).join("") }));
}

// The form of a page of traces: it searches another position in the page.

const TRACED_NODES = 10_000_000;

class Tracer {
  techniques = /** @type {Technique[]} */ (pageData.experiments.techniques);
  engine = pageEngines(pageData, element("worker").textContent)(pageData.tableBytes);
  choices = [element("tracer-first"), element("tracer-second")];

  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
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
   * @param {TraceRecord} record */
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
      nodes: TRACED_NODES, windows: pageData.experiments };
    const names = this.choices.map(({ value }) => value);
    const chosen = this.isScored ? this.techniques.filter(({ name }) => names.includes(name))
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

  /** @param {TraceRecord} record */
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

const stepper = new Stepper();
const canSearch = pageData.modules && typeof WebAssembly === "object";
const tracer = canSearch ? new Tracer(stepper) : null;
unpack(pageData.record).then((bytes) => {
  const record = JSON.parse(new TextDecoder().decode(bytes));
  stepper.show(record, parseInt(location.hash.slice(1), 10));
  tracer?.follow(record);
});
