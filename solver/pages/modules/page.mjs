/** The live board: what is on the board is searched, played and counted. */

import { AnswerPanel, moveButtons } from "./answer.mjs";
import { Board } from "./board.mjs";
import { Count } from "./count.mjs";
import { element, makeButton, several } from "./dom.mjs";
import { Cancelled, Engine, Parts } from "./engine.mjs";
import { copyText } from "./files.mjs";
import { popeyeText } from "./popeye.mjs";
import { Setup } from "./setup.mjs";
import { blackBegins, jsonText, pgnText } from "./texts.mjs";
import { Tree } from "./tree.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./rules.mjs").Move} Move */

const AUTOMATIC_PLAY = 3;
const DEFAULT_MOVES = 2;
const MILLION = 1_000_000;
const MIB_BYTES = 1 << 20;

const data = JSON.parse(element("data").textContent);
const script = new Blob([element("worker").textContent], { type: "text/javascript" });
const workerUrl = URL.createObjectURL(script);

class LivePage {
  /** @type {string} the position that was set up */
  root = data.fen;
  /** @type {string[]} moves played from it, and how many of them are on the board */
  moves = [];
  ply = 0;
  /** @type {any} what the reader says of the position on the board */
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

  constructor() {
    const parts = new Parts(data.modules);
    /** @param {number} tableBytes @param {(note: any) => void} note */
    const engine = (tableBytes, note = () => {}) =>
      new Engine(parts, { url: workerUrl, layout: data.layout, tableBytes }, note);
    this.reader = engine(0);
    this.thinker = engine(data.tableBytes, (note) => {
      const [got, wanted] = [note.got / MIB_BYTES, note.wanted / MIB_BYTES];
      this.note(`The table has ${got} MiB: the browser did not give ${wanted}.`);
    });
    this.answer = new AnswerPanel((line) => this.go([...this.searched.moves, ...line]));
    this.board = new Board(element("board"), {
      pieces: data.pieces, onMove: (/** @type {string} */ uci) => this.go([...this.played, uci]),
    });
    this.setup = new Setup(this.board, {
      onPosition: (/** @type {string} */ fen) => this.open(fen), onMode: () => this.draw(),
    });
    this.tree = new Tree({
      after: (/** @type {string[]} */ path, /** @type {any} */ attack) => this.ask("after", {
        ...this.shown, moves: [...this.shown.moves, ...path], left: attack.left,
        refuting: attack.refutations.map((/** @type {Move} */ { uci }) => uci),
      }),
      onGo: (/** @type {string[]} */ path) => this.go([...this.shown.moves, ...path], true),
    });
    this.count = new Count({
      data: data.experiments,
      preset: (/** @type {string} */ fen) => (location.hash = `fen=${encodeURIComponent(fen)}`),
      count: (fields, depth, nodes, onProgress, signal) => {
        const worker = engine(0);
        signal.addEventListener("abort", () => worker.stop());
        const asked = { fields, depth, nodes, windows: data.experiments };
        const question = { fen: this.root, moves: this.played, ...asked };
        return worker.ask("count", question, onProgress, "laboratory").finally(() => worker.end());
      },
    });
    this.listen();
    this.setup.open(data.fen);
  }

  /** The moves that lead to the position on the board. */
  get played() {
    return this.moves.slice(0, this.ply);
  }

  /** @param {string} words */
  note(words) {
    element("answer-note").textContent = words;
    element("answer-note").hidden = !words;
  }

  listen() {
    const select = element("answer-stipulation");
    for (const { name } of data.stipulations) select.add(new Option(name));
    for (const id of ["stipulation", "moves", "nodes"]) {
      element(`answer-${id}`).addEventListener("change", () => this.search());
    }
    /** @type {Record<string, () => void>} */
    const buttons = {
      stop: () => this.pause(),
      resume: () => this.resume(),
      back: () => this.go(this.moves, true, this.ply - 1),
      forward: () => this.go(this.moves, true, this.ply + 1),
      start: () => this.go(this.moves, true, 0),
      popeye: () => this.copy("popeye", popeyeText),
      pgn: () => this.copy("pgn", pgnText),
      json: () => this.copy("json", jsonText),
    };
    for (const [name, act] of Object.entries(buttons)) {
      element(`answer-${name}`).addEventListener("click", act);
    }
    element("tree-show").addEventListener("click", () => this.showPlay());
  }

  /** What is asked for here; null: a search cannot begin with the defender's move. */
  stipulation() {
    const { value } = element("answer-stipulation");
    const base = data.stipulations.find((/** @type {any} */ { name }) => name === value);
    const step = base.part === "help" ? 0.5 : 1;
    const given = Math.round(element("answer-moves").value / step) * step;
    const moves = given > 0 ? Math.min(given, data.layout.mostMoves) : null;
    element("answer-moves").placeholder = base.name === "#" ? "any" : DEFAULT_MOVES;
    if (base.name === "#") return { ...base, moves: this.ply ? null : moves };
    const left = (moves ?? DEFAULT_MOVES) - this.ply / 2;
    const isAsked = left > 0 && (base.part === "help" || this.ply % 2 === 0);
    return isAsked ? { ...base, moves: left } : null;
  }

  // The position

  /** A new position was set up. @param {string} fen */
  open(fen) {
    this.root = fen;
    this.moves = [];
    this.ply = 0;
    this.tree.show(null);
    return this.update(fen);
  }

  /** Follow moves from the root. @param {string[]} moves */
  go(moves, keepsTree = false, ply = moves.length) {
    this.moves = moves;
    this.ply = Math.max(0, Math.min(ply, moves.length));
    if (!keepsTree) this.tree.show(null);
    return this.update();
  }

  /** Read the position, show it, and search it. @param {string} [asked] */
  async update(asked) {
    this.thinker.stop();
    const position = { fen: this.root, moves: this.moves };
    try {
      const [all, here] = await Promise.all([
        this.reader.ask("describe", position),
        this.reader.ask("describe", { ...position, moves: this.played }),
      ]);
      if (position.fen !== this.root || position.moves !== this.moves) return;
      const isCurrent = asked === undefined || this.setup.show(here, asked);
      if (!isCurrent) return;
      this.here = here;
      if (here.fault) {
        this.searched = this.found = null;
        element("answer-first").hidden = true;
        this.answer.say("error", "This position cannot be searched");
        return;
      }
      if (asked === undefined) this.setup.follow(here.fen);
      this.all = all;
      this.draw();
      await this.search();
    } catch (error) {
      this.fail(error);
    }
  }

  draw() {
    if (!this.here || this.here.fault) return;
    const isSearched = this.searched?.here === this.here.fen;
    this.board.draw({
      fen: this.here.fen, moves: this.here.moves, last: this.moves[this.ply - 1],
      check: this.here.check,
      arrows: isSearched && this.found ? this.found.keys.map(({ uci }) => uci) : [],
    });
    element("answer-played").hidden = !this.moves.length;
    element("answer-back").disabled = element("answer-start").disabled = !this.ply;
    element("answer-forward").disabled = this.ply === this.moves.length;
    const line = moveButtons(this.all.line, blackBegins(this.root), ({ length }) =>
      this.go(this.moves, true, length));
    element("answer-moves-played").replaceChildren(...line);
    element("answer-moves-played").children[this.ply - 1]?.setAttribute("aria-current", "step");
    if (this.tree.data) this.tree.mark(this.played.slice(this.shown.moves.length));
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
    this.answer.begin(fen, stipulation);
    this.firstMoves();
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
      const isShort = Math.abs(this.searched.stipulation.moves) <= AUTOMATIC_PLAY;
      if (!this.tree.data && !played.length && isShort) await this.showPlay();
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

  // First moves and their play

  firstMoves() {
    const { stipulation } = this.searched;
    element("answer-first").hidden = !stipulation || stipulation.part === "help";
    element("answer-first-answer").textContent = "";
    const buttons = this.here.moves.map((/** @type {Move} */ move) =>
      makeButton(() => this.askFirst(move), {}, move.san));
    element("answer-first-moves").replaceChildren(...buttons);
  }

  /** How a first move fails, or how long it takes. @param {Move} move */
  async askFirst(move) {
    const { searched } = this;
    const { stipulation } = searched;
    const after = { ...searched, moves: [...searched.moves, move.uci] };
    this.thinker.stop();
    if (!this.found && this.progress) {
      this.answer.showProgress(this.progress, "stopped");
    }
    let said = `${move.san}: `;
    const say = (/** @type {string} */ words) => {
      element("answer-first-answer").textContent = said + words;
    };
    say("searching ...");
    try {
      if (stipulation.moves > 0) {
        const refuting = await this.ask("refutations", after);
        const names = refuting.map((/** @type {Move} */ { san }) => san).join(", ");
        const none = `no ${stipulation.goal} in ${stipulation.moves}`;
        said += names ? `refuted by ${names}: ${none}` : "a key";
        say("");
        if (!names || stipulation.name !== "#") return;
        said += "; ";
      }
      const any = { ...stipulation, moves: null };
      const asked = stipulation.moves < 0 ? after : { ...searched, rootMove: move.uci };
      const question = { ...asked, stipulation: any, nodes: null };
      const found = await this.ask("search", question, ({ lower, upper }) => say(upper
        ? `mate in ${Math.abs(upper)} or fewer ...` : `no mate in fewer than ${lower} ...`));
      say(found.mate === null ? "no mate" : `mate in ${Math.abs(found.mate)}`);
    } catch (error) {
      this.fail(error);
    }
  }

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
      this.tree.show(root, { fen: searched.here, stipulation, line: found?.line ?? [] });
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
    const about = { fen: here, stipulation, version: data.version, all: this.tree.all, tries };
    const isCopied = found && await copyText(write(this.tree.data, found, about));
    this.note(isCopied ? `Copied (${name}).` : "There is nothing to copy yet.");
  }
}

if (typeof WebAssembly === "undefined") {
  const missing = "This browser does not run WebAssembly: positions can be set up, not solved";
  const board = new Board(element("board"), { pieces: data.pieces, onMove: () => {} });
  new AnswerPanel(() => {}).say("error", missing);
  new Setup(board, { onPosition: () => {} }).open(data.fen);
} else {
  new LivePage();
}
