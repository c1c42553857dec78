// A board with an answer and its play: of a record, or searched in the page.
//
// All that the page shows is one immutable state: which question, and what is known of exactly
// that question. What arrives for another question is dropped (`learn`), and `draw` draws the
// state. The line that the reader follows moves only the pieces; a move that is played on the
// board asks about the position after it, and Back returns to the state before.

import { AUTOMATIC_PLAY, drawAnswer, PlayPanel, showFirstMoves } from "./answer.mjs";
import { Board } from "./board.mjs";
import { copyText, element, onClicks, pageData } from "./dom.mjs";
import { Cancelled, pageEngines } from "./engine.mjs";
import {
  drawSide, kindOf, lengthFault, liveRecord, NOTHING, played, questionOf, readStipulation,
  recordNotes, requireRecord, turned,
} from "./records.mjs";
import { blackBegins } from "./rows.mjs";
import { Walk } from "./tree.mjs";

/** @import { Move } from "./rules.mjs" */
/** @import { Asked, AuditRecord, Question, State } from "./records.mjs" */

const DEFAULT_MOVES = 2;
const MILLION = 1_000_000;
const MIB_BYTES = 1 << 20;
const NO_WASM = "This browser does not run WebAssembly: positions are shown, not solved.";

export class Viewer {
  state = NOTHING;
  /** @type {State[]} the states before moves that were played on the board */
  past = [];
  walk = new Walk(() => this.look());
  restarts = 0;
  /** A record was searched in the page.
   * @type {(record: AuditRecord, answer: AuditRecord) => void} */
  onAnswer = () => {};
  /** A position was read. @type {(here: any) => void} */
  onPosition = () => {};

  /** What copies call the problem. @type {Partial<import("./composition.mjs").Names>} */
  names = {};

  constructor() {
    this.canSolve = Boolean(pageData.modules) && typeof WebAssembly === "object";
    this.engine = pageEngines(pageData, element("worker")?.textContent);
    this.reader = this.engine(0);
    this.thinker = this.engine(pageData.tableBytes, ({ got, wanted }) => this.note(
      `The table has ${got / MIB_BYTES} MiB: the browser did not give ${wanted / MIB_BYTES}.`));
    this.board = new Board(element("board"), { onMove: (uci) => this.playMove(uci) });
    this.listen();
    this.play = new PlayPanel(this);
  }

  // The state

  /** @param {Partial<State>} changes */
  set(changes) {
    this.state = Object.freeze({ ...this.state, ...changes });
    this.draw();
  }

  /** What has become known of a question; nothing, if the page asks another one by now.
   * @param {Question} question @param {Partial<State>} changes */
  learn(question, changes) {
    if (this.state.question === question) this.set(changes);
  }

  /** A new question: nothing is known of it. @param {Partial<State>} changes */
  begin(changes) {
    this.thinker.stop();
    this.walk.begin();
    this.note("");
    this.set({ ...NOTHING, ...changes });
  }

  draw() {
    const { state } = this;
    const { here, answer, path } = state;
    drawAnswer(state);
    showFirstMoves(this);
    this.play.draw(state);
    element("answer-solve").hidden =
      !(state.record && this.canSolve && !("fault" in readStipulation(this.form().find)));
    element("answer-solve").textContent =
      state.isLive && state.record?.status ? "Recorded answer" : "Solve here";
    const label = this.walk.mark();
    element("board-moves").textContent = label;
    element("board-back").disabled = element("board-start").disabled =
      !path.length && !this.past.length;
    element("board-forward").disabled = !this.walk.next().length;
    if (!here) return;
    drawSide(here.fen);
    this.board.draw({
      fen: here.fen, moves: here.moves, last: path.at(-1) ?? state.asked?.moves.at(-1),
      check: here.check ?? /[+#]/.test(label),
      arrows: path.length ? [] : answer?.keys?.map((/** @type {Move} */ { uci }) => uci) ?? [],
    });
    const link = `https://lichess.org/analysis/standard/${here.fen.replaceAll(" ", "_")}`;
    element("board-link")?.setAttribute("href", link);
  }

  /** @param {string} words */
  note(words) {
    element("answer-note").textContent = words;
    element("answer-note").hidden = !words;
  }

  listen() {
    const [select, find] = [element("answer-stipulation"), element("answer-find")];
    for (const { name, goal, part } of pageData.stipulations) {
      if (pageData.modules?.[part]) select.add(new Option(`${goal} ${name}`, name));
    }
    select.addEventListener("change", () => {
      const [number] = /[\d.½]*$/.exec(find.value) ?? [];
      find.value = select.value + (number || (select.value === "#" ? "" : DEFAULT_MOVES));
    });
    const onFind = (/** @type {Event} */ { type, target }) => {
      if ((type === "input") !== (target === find)) return;
      this.fillForm(this.form());
      if (this.state.isLive) this.askAgain();
      else this.draw();
    };
    element("answer-search").addEventListener("change", onFind);
    element("answer-search").addEventListener("input", onFind);
    const { walk, board } = this;
    walk.onStart = () => this.toStart();
    walk.onBack = () => this.back();
    onClicks({
      "answer-stop": () => this.state.doing === "searching" ? this.pause() : this.resume(),
      "answer-turn": () => this.turnSides(), "answer-solve": () => this.solveHere(),
      "board-start": walk.onStart, "board-back": walk.onBack, "board-forward": () => walk.forward(),
      "board-flip": () => board.flip(), "board-fen": async () => this.note(
        await copyText(this.state.here?.fen ?? "", "the FEN of the position shown")),
    });
    for (const id of ["answer-parts", "board-tools", "board-flip", "board-fen"]) {
      element(id)?.removeAttribute("hidden");
    }
    element("answer-search").hidden = !this.canSolve;
    element("answer-said")?.remove();
  }

  // Records

  /** Show a record, and search it if that is asked for.
   * @param {AuditRecord} record
   * @param {{solve?: boolean, answer?: AuditRecord | null}} options
   *   answer: what a search in the page has found before */
  open(record, { solve = false, answer = null } = {}) {
    const { question, asked } = questionOf(record);
    const here = { fen: record.fen, moves: [] };
    this.past = [];
    const isTurned = question.name === "#" && blackBegins(record.fen) === 1;
    if (this.board.flipped !== isTurned) this.board.flip();
    this.fillForm(asked);
    this.begin({
      record, question, asked, root: here, here, isLive: Boolean(answer),
      answer: answer ?? (record.status ? record : null),
    });
    this.note([recordNotes(record), pageData.modules && !this.canSolve && NO_WASM]
      .filter(Boolean).join(" "));
    if (solve && this.canSolve) this.solveHere();
  }

  solveHere() {
    const { record, isLive } = this.state;
    return record?.status && isLive ? this.open(record) : this.askAgain();
  }

  // The question

  /** A new position was set up. @param {string} fen */
  setUp(fen) {
    this.past = [];
    return this.canSolve ? this.ask({ ...this.form(), fen, moves: [] })
      : this.begin({ fault: NO_WASM });
  }

  /** What the form asks for. */
  form() {
    return {
      find: element("answer-find").value,
      nodes: Math.round(element("answer-nodes").value * MILLION) || null,
    };
  }

  /** @param {{find: string, nodes: number | null}} asked */
  fillForm({ find, nodes }) {
    const wanted = readStipulation(find);
    element("answer-find").value = find;
    if ("name" in wanted) element("answer-stipulation").value = wanted.name;
    element("answer-nodes").value = nodes ? nodes / MILLION : "";
  }

  /** The same position, with what the form asks for now. */
  askAgain() {
    const { asked, record } = this.state;
    return asked && this.ask({ ...asked, ...this.form() }, record);
  }

  /** Ask about the same position with the other side to move. */
  turnSides() {
    const { asked, question, record } = this.state;
    if (asked && question) this.ask({ ...asked, fen: turned(question.fen), moves: [] }, record);
  }

  /** Read a position, and search it.
   * @param {Asked} given @param {AuditRecord | null} [record] that it belongs to */
  async ask(given, record = null) {
    const asked = Object.freeze({ ...given });
    this.begin({ asked, record, isLive: true, doing: "reading" }); // the board stays until then
    const wanted = readStipulation(asked.find);
    const { name, moves = null } = /** @type {any} */ (wanted);
    const kind = kindOf(name);
    const black = Number(kind?.part === "help" && (moves ?? 1) % 1 === 0);
    try {
      const read = await this.reader.ask("describe", { fen: asked.fen, moves: asked.moves, black });
      if (this.state.asked !== asked) return;
      this.onPosition(read);
      if (read.fault) {
        return this.set({ doing: "", fault: "This position cannot be searched" });
      }
      const fault = "fault" in wanted ? wanted.fault : lengthFault(asked.moves, kind, moves);
      const question = fault ? null : Object.freeze({
        ...kind, fen: read.fen, moves, nodes: asked.nodes, isStalemated: read.over === "stalemate",
      });
      this.set({ doing: "", root: read, here: read, fault, question });
      if (question) await this.search(question);
    } catch (error) {
      this.fail(error, () => this.ask(given, record));
    }
  }

  /** A move was played on the board: ask about the position after it. @param {string} uci */
  playMove(uci) {
    const { asked, path, record, root } = this.state;
    if (!asked || !root) return;
    this.past.push(this.state);
    const moves = [...asked.moves, ...path, uci];
    const next = { ...asked, moves, find: this.findAfter(path.length + 1) };
    this.fillForm(next);
    this.ask(next, record);
  }

  /** What is left to find after half-moves. @param {number} plies */
  findAfter(plies) {
    const { name, moves } = /** @type {any} */ (readStipulation(this.state.asked?.find ?? ""));
    return name === "#" || !moves ? name ?? "" : `${name}${moves - plies / 2}`;
  }

  // The position on the board

  /** Another position of the line is looked at. */
  async look() {
    const { question, root, isLive } = this.state;
    if (!root) return;
    const path = Object.freeze(this.walk.played);
    const fen = played(root.fen, [...path]);
    this.set({ path, here: path.length ? { fen, moves: [] } : root });
    if (!isLive || !path.length) return;
    const here = await this.reader.ask("describe", { fen: root.fen, moves: [...path] })
      .catch(() => null);
    if (here && question && this.state.path === path) this.learn(question, { here });
  }

  /** One move back: in the line, or to what was asked before a move on the board. */
  back() {
    if (this.state.path.length) this.walk.back();
    else this.restore(this.past.pop());
  }

  toStart() {
    const [first] = this.past.splice(0);
    if (first) this.restore(first);
    this.walk.go([]);
  }

  /** @param {State | undefined} state from before a move on the board */
  restore(state) {
    if (!state?.asked) return;
    this.thinker.stop();
    Object.assign(this.walk, { moves: [...state.path], ply: state.path.length });
    this.fillForm(state.asked);
    this.set({ ...state, doing: "" });
    this.onPosition(state.root);
    if (state.question && !state.answer) this.search(state.question);
  }

  // The search

  /** Ask about a question. @param {Question} question @param {string} job
   * @param {object} about @param {(progress: any) => void} [onProgress] */
  think(question, job, about, onProgress) {
    const asked = { fen: question.fen, moves: [], stipulation: question, ...about };
    return this.thinker.ask(job, asked, onProgress, question.part);
  }

  /** @param {Question} question */
  async search(question) {
    this.thinker.stop();
    const { record } = this.state;
    const progress = (/** @type {any} */ { upper: mate, ...now }) => liveRecord(question,
      { ...now, mate, state: "undecided", keys: [], keysComplete: false, solutions: [] });
    this.learn(question, { answer: null, play: null, first: "", fault: "", doing: "searching",
      progress: progress({ lower: 0, upper: null, nodes: 0, seconds: 0, line: [] }) });
    try {
      const found = await this.think(question, "search", { nodes: question.nodes }, (now) =>
        this.learn(question, { progress: progress(now) }));
      const answer = liveRecord(question, found);
      this.restarts = 0;
      this.learn(question, { answer, progress: null, doing: "" });
      const { question: own } = questionOf(record ?? {});
      const isOf = own.fen === question.fen && own.name === question.name; // in any moves
      if (record && isOf) this.onAnswer(record, answer);
      const length = question.moves ?? answer.mate;
      const isShort = length && Math.abs(length) <= AUTOMATIC_PLAY && question.part !== "help";
      if (isShort && this.state.question === question) await this.play.list();
    } catch (error) {
      this.fail(error, () => this.search(question));
    }
  }

  pause() {
    const { question, doing } = this.state;
    if (!question || doing !== "searching") return;
    if (!this.thinker.pause(true)) this.thinker.stop();
    this.learn(question, { doing: "paused" });
  }

  resume() {
    const { question, answer } = this.state;
    if (!question) return;
    if (answer || !this.thinker.pause(false)) this.search(question);
    else this.learn(question, { doing: "searching" });
  }

  /** @param {unknown} error @param {() => unknown} again */
  fail(error, again) {
    if (error instanceof Cancelled) return;
    const { message } = /** @type {Error} */ (error);
    this.set({ doing: "", progress: null, fault: message });
    if (this.restarts++) return;
    again();
    this.note(`The search was started again: ${message}`);
  }
}

// The page of one answer: its record beside its play.
if (Array.isArray(pageData.records)) {
  const [record] = pageData.records;
  try {
    requireRecord(record);
    new Viewer().open(record);
    if (element("tree-play").firstElementChild) element("answer-solutions").hidden = true;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    element("answer-headline").textContent = `This page cannot be read: ${message}`;
  }
}
