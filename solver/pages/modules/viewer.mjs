// A board with an answer and its play: of a record, or searched in the page.
//
// All that the page shows is one immutable state: which question, and what is known of exactly
// that question. What arrives for another question is dropped (`learn`), and `draw` draws the
// state. The line that the reader follows moves only the pieces; a move that is played on the
// board asks about the position after it, and Back returns to the state before.

import { AnswerPanel } from "./answer.mjs";
import { Board } from "./board.mjs";
import { pageData } from "./data.mjs";
import { element } from "./dom.mjs";
import { Cancelled, Engine, Parts } from "./engine.mjs";
import { copyText } from "./files.mjs";
import { showFirstMoves } from "./first.mjs";
import { AUTOMATIC_PLAY, NO_SOLVER, PlayPanel } from "./play.mjs";
import { recordNotes } from "./records.mjs";
import { blackBegins } from "./rows.mjs";
import { kindOf, liveRecord, pieceCount, sideOf } from "./sentences.mjs";
import { played } from "./squares.mjs";
import { lengthFault, NOTHING, questionOf } from "./state.mjs";
import { Walk } from "./walk.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./sentences.mjs").Question} Question */
/** @typedef {import("./state.mjs").Asked} Asked */
/** @typedef {import("./state.mjs").State} State */

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

  constructor() {
    this.canSolve = Boolean(pageData.modules) && typeof WebAssembly === "object";
    this.parts = new Parts(pageData.modules);
    const script = new Blob([element("worker")?.textContent ?? ""], { type: "text/javascript" });
    this.url = URL.createObjectURL(script);
    this.reader = this.engine(0);
    this.thinker = this.engine(pageData.tableBytes, (note) => {
      const [got, wanted] = [note.got / MIB_BYTES, note.wanted / MIB_BYTES];
      this.note(`The table has ${got} MiB: the browser did not give ${wanted}.`);
    });
    this.answer = new AnswerPanel();
    this.board = new Board(element("board"), { onMove: (uci) => this.playMove(uci) });
    this.listen();
    this.play = new PlayPanel(this);
  }

  /** @param {number} tableBytes @param {(note: any) => void} [note] */
  engine(tableBytes, note) {
    const { parts, url } = this;
    return new Engine(parts, { url, layout: pageData.layout, tableBytes }, note);
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
    const { question, here, answer, play, path, doing } = state;
    this.answer.draw(state);
    showFirstMoves(this);
    this.play.draw(state);
    element("answer-solve").hidden = !state.record;
    element("answer-solve").textContent =
      state.isLive && state.record?.status ? "Recorded answer" : "Solve here";
    const label = this.walk.mark();
    element("board-moves").textContent = label;
    const side = question ? sideOf(question.fen) : "";
    element("board-side").hidden = !question;
    element("board-side").dataset.side = side.toLowerCase();
    element("board-side").textContent = question && `${side} to move ${pieceCount(question.fen)}`;
    element("board-back").disabled = element("board-start").disabled =
      !path.length && !this.past.length;
    element("board-forward").disabled = !this.walk.next().length;
    if (!here) return;
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
    const select = element("answer-stipulation");
    const kinds = pageData.stipulations.filter((/** @type {any} */ { part }) =>
      pageData.modules?.[part]);
    for (const { name } of kinds) select.add(new Option(name));
    select.addEventListener("change", () => {
      const moves = element("answer-moves");
      if (select.value !== "#" && !moves.value) moves.value = DEFAULT_MOVES;
    });
    for (const id of ["stipulation", "moves", "nodes"]) {
      element(`answer-${id}`).addEventListener("change", () =>
        this.state.isLive && this.askAgain());
    }
    /** @type {Record<string, () => unknown>} */
    const buttons = {
      "answer-stop": () => this.pause(),
      "answer-resume": () => this.resume(),
      "answer-solve": () => this.solveHere(),
      "board-start": () => this.toStart(),
      "board-back": () => this.back(),
      "board-forward": () => this.walk.forward(),
      "board-flip": () => this.board.flip(),
      "board-fen": () => this.copyFen(),
    };
    for (const [id, act] of Object.entries(buttons)) {
      element(id)?.addEventListener("click", act);
    }
    this.walk.onStart = () => this.toStart();
    this.walk.onBack = () => this.back();
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
    const isTurned = asked.name === "#" && blackBegins(record.fen) === 1;
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
    if (record?.status && isLive) return this.open(record);
    if (!this.canSolve || !element("answer-stipulation").value) {
      return this.note(pageData.modules && !this.canSolve ? NO_WASM : NO_SOLVER);
    }
    return this.askAgain();
  }

  // The question

  /** A new position was set up. @param {string} fen */
  setUp(fen) {
    this.past = [];
    if (!this.canSolve) return this.begin({ fault: NO_WASM });
    return this.ask({ ...this.form(), fen, moves: [] });
  }

  /** What the form asks for. */
  form() {
    return {
      name: element("answer-stipulation").value, length: element("answer-moves").value,
      nodes: Math.round(element("answer-nodes").value * MILLION) || null,
    };
  }

  /** @param {{name: string, length: string | number, nodes: number | null}} asked */
  fillForm({ name, length, nodes }) {
    element("answer-stipulation").value = name;
    element("answer-moves").value = length;
    element("answer-nodes").value = nodes ? nodes / MILLION : "";
  }

  /** The same position, with what the form asks for now. */
  askAgain() {
    const { asked, record } = this.state;
    return asked && this.ask({ ...asked, ...this.form() }, record);
  }

  /** Read a position, and search it.
   * @param {Asked} given @param {AuditRecord | null} [record] that it belongs to */
  async ask(given, record = null) {
    const asked = Object.freeze({ ...given });
    const { root } = this.state;
    const here = root && { ...root, moves: [] }; // until the new position is read
    this.begin({ asked, record, isLive: true, doing: "reading", here });
    const kind = kindOf(asked.name);
    const isHelp = kind.part === "help";
    const moves = asked.length === "" ? null : Number(asked.length);
    const black = Number(isHelp && (moves ?? 1) % 1 === 0);
    try {
      const read = await this.reader.ask("describe", { fen: asked.fen, moves: asked.moves, black });
      if (this.state.asked !== asked) return;
      this.onPosition(read);
      if (read.fault) {
        this.set({ doing: "", here: null, fault: "This position cannot be searched" });
        return;
      }
      const fault = lengthFault(asked, kind, moves);
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
    const { name, length } = asked;
    const moves = [...asked.moves, ...path, uci];
    const left = name === "#" || length === "" ? "" : Number(length) - (path.length + 1) / 2;
    this.past.push(this.state);
    const next = { ...asked, moves, length: left };
    this.fillForm(next);
    this.ask(next, record);
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
    this.walk.moves = [...state.path];
    this.walk.ply = state.path.length;
    this.fillForm(state.asked);
    this.set({ ...state, doing: "" });
    this.onPosition(state.root);
    if (state.question && !state.answer) this.search(state.question);
  }

  async copyFen() {
    this.note(await copyText(this.state.here?.fen ?? "") ? "FEN copied."
      : "The browser does not allow copying.");
  }

  // The search

  /** @param {Question} question */
  async search(question) {
    this.thinker.stop();
    const { record } = this.state;
    const progress = { lower: 0, upper: null, nodes: 0, seconds: 0, line: [] };
    this.learn(question, { answer: null, play: null, first: "", fault: "",
      doing: "searching", progress });
    try {
      const asked = { fen: question.fen, moves: [], stipulation: question, nodes: question.nodes };
      const found = await this.thinker.ask("search", asked, (now) =>
        this.learn(question, { progress: now }), question.part);
      const answer = liveRecord(question, found);
      this.restarts = 0;
      this.learn(question, { answer, progress: null, doing: "" });
      if (record && isOf(record, question)) this.onAnswer(record, answer);
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

/** Whether a question is that of a record, in moves of any number.
 * @param {AuditRecord} record @param {Question} asked */
function isOf(record, asked) {
  const { question } = questionOf(record);
  return question.fen === asked.fen && question.name === asked.name;
}
