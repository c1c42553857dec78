/** A board with an answer and its play: of a record, or searched in the page. */

import { AnswerPanel, moveButtons } from "./answer.mjs";
import { Board } from "./board.mjs";
import { element, several } from "./dom.mjs";
import { Cancelled, Engine, Parts } from "./engine.mjs";
import { copyText } from "./files.mjs";
import { showFirstMoves } from "./first.mjs";
import { popeyeText } from "./popeye.mjs";
import { recordFound, recordNotes, recordStipulation } from "./records.mjs";
import { played } from "./squares.mjs";
import { blackBegins, jsonText, pgnText } from "./texts.mjs";
import { Tree } from "./tree.mjs";
import { Walk } from "./walk.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */

const AUTOMATIC_PLAY = 3;
const DEFAULT_MOVES = 2;
const MOST_MOVES = 200;
const MILLION = 1_000_000;
const MIB_BYTES = 1 << 20;
const NO_WASM = "This browser does not run WebAssembly: positions are shown, not solved.";
const NO_SOLVER = "This page was written without the search. Write it with --solver, or open " +
  "the position with: matesolve board";

export class Viewer {
  /** @type {AuditRecord|null} the record that is shown; null: a position was set up */
  record = null;
  /** Whether what is on the board is read and searched in the page. */
  isLive = false;
  /** @type {string} the position that the moves begin with */
  root = "";
  walk = new Walk(() => this.update());
  /** @type {any} what is known of the position on the board */
  here = null;
  /** @type {Found|null} */
  found = null;
  /** @type {any} */
  progress = null;
  /** @type {any} what was searched: the position and its stipulation */
  searched = null;
  /** @type {any} the same of the tree, with its answer */
  shown = null;
  restarts = 0;
  isPaused = false;
  isListing = false;
  /** A record was searched in the page. @type {(record: AuditRecord, found: Found) => void} */
  onAnswer = () => {};
  /** A position was read; false: another one is expected.
   * @type {(here: any, asked?: string) => boolean} */
  onPosition = () => true;

  /** @param {any} data of the page */
  constructor(data) {
    this.data = data;
    this.canSolve = Boolean(data.modules) && typeof WebAssembly === "object";
    this.parts = new Parts(data.modules);
    const script = new Blob([element("worker")?.textContent ?? ""], { type: "text/javascript" });
    this.url = URL.createObjectURL(script);
    this.reader = this.engine(0);
    this.thinker = this.engine(data.tableBytes, (note) => {
      const [got, wanted] = [note.got / MIB_BYTES, note.wanted / MIB_BYTES];
      this.note(`The table has ${got} MiB: the browser did not give ${wanted}.`);
    });
    this.answer = new AnswerPanel();
    this.board = new Board(element("board"), {
      onMove: (/** @type {string} */ uci) => {
        this.tree.show(null);
        this.walk.go([...this.played, uci]);
      },
    });
    this.tree = new Tree({
      after: (/** @type {string[]} */ path, /** @type {any} */ attack) => this.ask("after", {
        ...this.shown, moves: path, left: attack.left,
        refuting: attack.refutations.map((/** @type {Move} */ { uci }) => uci),
      }),
    });
    this.listen();
  }

  /** @param {number} tableBytes @param {(note: any) => void} [note] */
  engine(tableBytes, note) {
    const { parts, url, data: { layout } } = this;
    return new Engine(parts, { url, layout, tableBytes }, note);
  }

  /** The moves that lead to the position on the board. */
  get played() {
    return this.walk.played;
  }

  /** @param {string} words */
  note(words) {
    element("answer-note").textContent = words;
    element("answer-note").hidden = !words;
  }

  listen() {
    const select = element("answer-stipulation");
    for (const { name } of this.data.stipulations ?? []) select.add(new Option(name));
    for (const id of ["stipulation", "moves", "nodes"]) {
      element(`answer-${id}`).addEventListener("change", () => this.isLive && this.search());
    }
    /** @type {Record<string, () => void>} */
    const buttons = {
      "answer-stop": () => this.pause(),
      "answer-resume": () => this.resume(),
      "answer-popeye": () => this.copy("popeye", popeyeText),
      "answer-pgn": () => this.copy("pgn", pgnText),
      "answer-json": () => this.copy("json", jsonText),
      "answer-solve": () => this.solveHere(),
      "tree-show": () => this.showPlay(),
      "board-start": () => this.walk.go([]),
      "board-back": () => this.walk.back(),
      "board-forward": () => this.walk.forward(),
      "board-flip": () => this.board.flip(),
      "board-fen": () => this.copyFen(),
    };
    for (const [id, act] of Object.entries(buttons)) {
      element(id)?.addEventListener("click", act);
    }
    for (const id of ["answer-parts", "board-tools", "board-flip", "board-fen"]) {
      element(id)?.removeAttribute("hidden");
    }
    element("tree-tools")?.toggleAttribute("hidden", !this.canSolve);
    element("answer-said")?.remove();
    element("answer-search").hidden = !this.canSolve;
  }

  // Records

  /** Show a record, and search it if that is asked for.
   * @param {AuditRecord} record @param {{solve?: boolean}} options */
  open(record, { solve = false } = {}) {
    this.thinker.stop();
    Object.assign(this, {
      record, root: record.fen, isLive: false, here: null, found: null, progress: null,
      isPaused: false,
    });
    this.walk.begin();
    const asked = recordStipulation(record);
    const stipulation = { ...asked, ...this.kindOf(asked.name) };
    this.searched = { fen: record.fen, moves: [], stipulation, here: record.fen };
    element("answer-stipulation").value = stipulation.name;
    element("answer-moves").value = stipulation.moves ?? "";
    element("answer-first").hidden = true;
    this.tree.show(null);
    this.answer.begin(record.fen, stipulation);
    if (record.status) {
      this.found = recordFound(record);
      const { moves, name } = stipulation;
      const excluded = record.status === "disproved" ? record.lower_bound - 1 : MOST_MOVES;
      const most = moves ?? (excluded < MOST_MOVES ? excluded : null);
      const isMated = (record.claim ?? 0) < 0;
      this.answer.showAnswer(this.found, { ...stipulation, moves: most, isMated });
      const known = record.mate && name === "#" ? record.mate : moves;
      this.searched.stipulation = { ...stipulation, moves: known };
    } else {
      this.answer.say("closed", "Not solved yet");
    }
    this.answer.showRecord(record);
    const lacksWasm = this.data.modules && !this.canSolve;
    this.note(`${recordNotes(record)} ${lacksWasm ? NO_WASM : ""}`.trim());
    this.offer();
    this.update();
    if (solve && this.canSolve) this.solveHere();
  }

  /** Let the button say what it does. */
  offer() {
    element("answer-solve").hidden = !this.record;
    element("answer-solve").textContent = this.isLive ? "Recorded answer" : "Solve here";
    element("answer-search").hidden = !this.isLive && (!this.canSolve || !this.hasPart);
  }

  /** Whether the page has what the stipulation needs. */
  get hasPart() {
    return element("answer-stipulation").value !== "";
  }

  solveHere() {
    if (this.record && this.isLive) return this.open(this.record);
    if (!this.canSolve || !this.hasPart) return this.note(this.data.modules && !this.canSolve
      ? NO_WASM : NO_SOLVER);
    this.isLive = true;
    this.note("");
    this.offer();
    return this.update();
  }

  /** What the page has to know of a stipulation to solve it. @param {string} name */
  kindOf(name) {
    return this.data.stipulations?.find((/** @type {any} */ each) => each.name === name);
  }

  /** What is asked for here; null: a search cannot begin with the defender's move. */
  stipulation() {
    const { value } = element("answer-stipulation");
    const base = this.kindOf(value);
    const step = base.part === "help" ? 0.5 : 1;
    const given = Math.round(element("answer-moves").value / step) * step;
    const moves = given > 0 ? Math.min(given, this.data.layout.mostMoves) : null;
    element("answer-moves").placeholder = base.name === "#" ? "any" : DEFAULT_MOVES;
    if (base.name === "#") return { ...base, moves: this.walk.ply ? null : moves };
    const left = (moves ?? DEFAULT_MOVES) - this.walk.ply / 2;
    const isAsked = left > 0 && (base.part === "help" || this.walk.ply % 2 === 0);
    return isAsked ? { ...base, moves: left } : null;
  }

  // The position

  /** A new position was set up. @param {string} fen */
  setUp(fen) {
    this.root = fen;
    this.walk.begin();
    this.isLive = this.canSolve;
    if (!this.isLive) return this.answer.say("error", NO_WASM);
    this.tree.show(null);
    return this.update(fen);
  }

  /** Read the position, show it, and search it. @param {string} [asked] */
  async update(asked) {
    if (!this.isLive) {
      this.here = { fen: played(this.root, this.played), moves: [] };
      return this.draw();
    }
    this.thinker.stop();
    const position = { fen: this.root, moves: this.walk.moves };
    try {
      const [all, here] = await Promise.all([
        this.reader.ask("describe", position),
        this.reader.ask("describe", { ...position, moves: this.played }),
      ]);
      if (position.fen !== this.root || position.moves !== this.walk.moves || !this.isLive) return;
      if (!this.onPosition(here, asked)) return;
      this.here = here;
      if (here.fault) {
        this.searched = this.found = null;
        element("answer-first").hidden = true;
        this.answer.say("error", "This position cannot be searched");
        return;
      }
      this.all = all;
      this.draw();
      await this.search();
    } catch (error) {
      this.fail(error);
    }
  }

  draw() {
    if (!this.here || this.here.fault) return;
    this.tree.here = this.played.join(" ");
    const line = this.isLive ? moveButtons(this.all.line, blackBegins(this.root)) : [];
    element("board-moves").replaceChildren(...line);
    const label = this.walk.mark();
    if (!this.isLive) element("board-moves").textContent = label;
    const isSearched = this.searched?.here === this.here.fen;
    this.board.draw({
      fen: this.here.fen, moves: this.here.moves, last: this.played.at(-1),
      check: this.here.check ?? /[+#]/.test(label),
      arrows: isSearched && this.found ? this.found.keys.map(({ uci }) => uci) : [],
    });
    element("board-back").disabled = element("board-start").disabled = !this.walk.ply;
    element("board-forward").disabled = !this.walk.next().length;
    const link = `https://lichess.org/analysis/standard/${this.here.fen.replaceAll(" ", "_")}`;
    element("board-link")?.setAttribute("href", link);
  }

  async copyFen() {
    this.note(await copyText(this.here.fen) ? "FEN copied."
      : "The browser does not allow copying.");
  }

  // The search

  async search() {
    if (!this.here || this.here.fault) return;
    this.thinker.stop();
    this.found = this.progress = null;
    this.isPaused = false;
    const { fen } = this.here;
    const played = this.played;
    const stipulation = this.stipulation();
    this.searched = { fen: this.root, moves: played, stipulation, here: fen };
    this.answer.begin(fen, stipulation, played);
    showFirstMoves(this);
    if (!stipulation || this.here.over === "stalemate") {
      this.answer.say("closed", stipulation
        ? "Stalemate" : "The defender is to move: play on, and the search goes on");
      return;
    }
    const nodes = Number(element("answer-nodes").value) * MILLION || null;
    this.answer.showProgress({ lower: 0, upper: null, nodes: 0, seconds: 0, line: [] });
    try {
      const found = await this.ask("search", { ...this.searched, nodes }, (progress) => {
        this.progress = progress;
        this.answer.showProgress(progress, this.isPaused ? "stopped" : "searching");
      });
      this.found = found;
      this.restarts = 0;
      this.answer.showAnswer(found, stipulation);
      const length = stipulation.moves ?? found.mate;
      if (found.mate) this.searched.stipulation = { ...stipulation, moves: length };
      this.draw();
      if (this.record && !played.length) this.onAnswer(this.record, found);
      const isShort = Math.abs(this.searched.stipulation.moves) <= AUTOMATIC_PLAY;
      if (!this.record && !this.tree.data && !played.length && isShort) await this.showPlay();
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {string} name @param {any} question @param {(progress: any) => void} [onProgress] */
  ask(name, question, onProgress) {
    return this.thinker.ask(name, question, onProgress, question.stipulation.part);
  }

  pause() {
    if (!this.progress) return;
    this.isPaused = this.thinker.pause(true);
    if (!this.isPaused) this.thinker.stop();
    this.answer.showProgress(this.progress, "stopped");
  }

  resume() {
    this.isPaused = false;
    if (this.found || !this.thinker.pause(false)) this.search();
  }

  /** @param {unknown} error */
  fail(error) {
    if (error instanceof Cancelled) return;
    const { message } = /** @type {Error} */ (error);
    this.answer.say("error", message);
    if (this.restarts++) return;
    this.note(`The search was started again: ${message}`);
    this.update();
  }

  // Play and texts

  /** Show the first moves of the play, or stop looking for them. */
  async showPlay() {
    if (this.isListing) {
      this.thinker.stop();
      return;
    }
    const { searched, found } = this;
    const stipulation = searched?.stipulation;
    if (!stipulation?.moves || stipulation.part === "help") {
      this.tree.say(stipulation?.part === "help"
        ? "Help play has solutions, no variations." : "No mate is known yet.");
      return;
    }
    this.shown = { ...searched, found, tries: Number(element("tree-tries").value) };
    this.thinker.stop();
    this.tree.show(null);
    this.tree.say("solving ...");
    this.isListing = true;
    element("tree-show").textContent = "Stop";
    try {
      const root = await this.ask("play", this.shown, ({ nodes }) =>
        this.tree.say(`solving ... ${several(nodes, "node")}`));
      this.tree.show(root, {
        fen: searched.here, stipulation, line: found?.line ?? [], before: searched.moves,
      });
    } catch (error) {
      this.tree.show(null);
      this.fail(error);
    }
    this.isListing = false;
    element("tree-show").textContent = "Show the play";
  }

  /** @param {string} name @param {(tree: any, found: any, about: any) => string} write */
  async copy(name, write) {
    const { here, stipulation, found, tries } =
      this.tree.data ? this.shown : { ...this.searched, found: this.found, tries: 0 };
    const about = { fen: here, stipulation, version: this.data.version, all: this.tree.all, tries };
    const { san, row, ...record } = this.record ?? {};
    const text = name === "json" && this.record && !this.isLive
      ? `${JSON.stringify(record, null, 2)}\n` : found && write(this.tree.data, found, about);
    const isCopied = text && await copyText(text);
    this.note(isCopied ? `Copied (${name}).` : "There is nothing to copy yet.");
  }
}
