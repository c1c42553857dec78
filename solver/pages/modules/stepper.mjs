// Searches of one position, side by side, step by step.
//
//   new Stepper().show(record, step)
//
// One of them is stepped; the others show the node that the same moves lead to.

import { Board } from "./board.mjs";
import { element, make, makeButton, thousands } from "./dom.mjs";
import { drawTree, mostProving, treeNumbers } from "./drawn.mjs";
import { Scale, drawLadder, moveTo } from "./ladder.mjs";
import { Words } from "./reasons.mjs";
import { pieceCount, say } from "./sentences.mjs";
import { played } from "./squares.mjs";
import { NEVER, Steps } from "./steps.mjs";

/** @typedef {import("./steps.mjs").TraceLog} TraceLog */
/** @typedef {{name: string, log: TraceLog, depth: number, mate: number | null, nodes: number,
 *   nodes_before: number, complete: boolean, only_cuts: boolean, stopped: boolean}} Trace */
/** @typedef {{fen: string, search: string, traces: Trace[]}} TraceRecord */

/** What the button of each kind of end says. @type {Record<string, string>} */
const ENDINGS = {
  "mate-distance": "Next cut", mate: "Next mate", proved: "Next proved",
  disproved: "Next disproved",
};
const TIMELINE_POINTS = 800;

/** One search: where it is, in a sentence, a tree and a ladder. */
class TraceView {
  /** @param {Trace} trace @param {HTMLElement} host @param {import("./ladder.mjs").Shown} shown */
  constructor({ log, only_cuts: onlyCuts }, host, shown) {
    this.onlyCuts = onlyCuts;
    this.steps = new Steps(log);
    this.shown = shown;
    this.sentence = make("p", { class: "sentence" });
    this.tree = make("div", { class: "drawn scroll", tabindex: "0", role: "region",
      "aria-label": "Tree" });
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
    this.sentence.classList.toggle("is-cut", !note && steps.log.end[row] === "mate-distance");
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
      log.end[row] === "mate-distance" ? " ✕" : steps.spotOf[row] === best ? " ★" : ""));
    const name = log.san[at] || "the root";
    return this.tried.replaceChildren(
      make("h3", {}, `${words.search === "certificate" ? "Moves" : "Moves so far"} after ${name}`),
      make("ul", {}, ...items));
  }
}

export class Stepper {
  step = 0;
  active = 0; // the number of the search that is stepped
  /** @type {TraceView[]} */
  views = [];
  /** @type {HTMLElement[]} */
  choices = [];
  /** @type {{end: string, button: HTMLElement}[]} */
  ends = [];
  fen = "";

  constructor() {
    this.board = new Board(element("board"), {});
    this.slider = element("trace-step");
    this.listen();
  }

  /** @param {TraceRecord} record @param {number} step */
  show(record, step = 0) {
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
    this.choose(Math.min(1, traces.length - 1));
    this.go(step);
  }

  get steps() {
    return this.views[this.active].steps;
  }

  listen() {
    const moves = {
      "trace-first": () => this.go(0), "trace-back": () => this.go(this.step - 1),
      "trace-forward": () => this.go(this.step + 1),
      "trace-last": () => this.go(this.steps.count - 1),
    };
    for (const [id, act] of Object.entries(moves)) element(id).addEventListener("click", act);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    element("trace-flip").addEventListener("click", () => this.board.flip());
    const [first, back, forward, last] = Object.values(moves);
    document.addEventListener("keydown", (event) => {
      const act = { ArrowLeft: back, ArrowRight: forward, Home: first, End: last }[event.key];
      const { target } = event;
      const isTaken = target instanceof Element && target.closest("input, select, textarea");
      if (isTaken || !act || event.defaultPrevented || event.ctrlKey || event.altKey ||
        event.metaKey) return;
      event.preventDefault();
      act();
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
    for (const id of ["first", "back"]) element(`trace-${id}`).disabled = !this.step;
    for (const id of ["forward", "last"]) {
      element(`trace-${id}`).disabled = this.step === steps.count - 1;
    }
    for (const { end, button } of this.ends) {
      button.toggleAttribute("disabled", steps.ending(this.step, end) < 0);
    }
    const fen = played(this.fen, moves);
    this.board.draw({ fen, last: moves.at(-1), check: /[+#]/.test(log.san[row]) });
    const side = fen.split(" ")[1] === "b" ? "Black" : "White";
    element("board-side").dataset.side = side.toLowerCase();
    element("board-side").textContent = `${side} to move ${pieceCount(fen)}`;
    views[active].show(this.step);
    for (const view of views) {
      if (view === views[active]) continue;
      const { step: other, note } = this.other(view);
      view.show(other, note);
    }
  }

  /** Where another search is at the same moves. @param {TraceView} view */
  other({ steps, onlyCuts, shown: { words } }) {
    const row = this.steps.node(this.step);
    const path = this.steps.path(row);
    const roots = this.steps.spots[0].rows.filter((each) => this.steps.parent[each] < 0);
    const moves = this.steps.moves(row);
    const found = steps.find(moves, roots.indexOf(path[0]));
    const isLeft = this.steps.leave[row] <= this.step && steps.leave[found.row] < NEVER;
    if (found.length === moves.length) {
      return { step: isLeft ? steps.leave[found.row] : steps.enter[found.row] };
    }
    const name = steps.log.san[found.row] || "the root";
    const step = steps.leave[found.row] < NEVER ? steps.leave[found.row] : steps.enter[found.row];
    const move = this.steps.log.san[path[found.length + 1]];
    const isLeftOut = onlyCuts || ["moves", "open"].includes(steps.log.end[found.row]);
    return { step, note: isLeftOut ? `This log does not have ${move} after ${name}.`
      : `${move} is not searched after ${name}. ` +
        say("reason", words.ofNode(steps, found.row)) };
  }
}

/** The ply of each step, and where mate-distance pruning cuts. @param {Steps} steps */
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
    if (log.end[row] === "mate-distance") cuts.add(x);
  }
  element("trace-timeline").replaceChildren(
    make("polyline", { points: points.join(" ") }),
    make("path", { class: "cut", d: [...cuts].map((x) => `M${x} 30v8`).join("") }));
}
