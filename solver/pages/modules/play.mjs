// The panel with the play of a composition, and the texts that are copied.

import { element, several } from "./dom.mjs";
import { copyText } from "./files.mjs";
import { pgnText, playGaps } from "./pgn.mjs";
import { popeyeText } from "./popeye.mjs";
import { withoutPage } from "./sentences.mjs";
import { Tree, withLevel } from "./tree.mjs";

/** @typedef {import("./levels.mjs").Attack} Attack */
/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {import("./sentences.mjs").Question} Question */
/** @typedef {import("./state.mjs").State} State */
/** @typedef {import("./viewer.mjs").Viewer} Viewer */

export const AUTOMATIC_PLAY = 3; // moves: longer play is listed on demand, level by level
const ALL_MOVES = 50_000; // of both sides, as `solve` shows
export const NO_SOLVER = "This page was written without the search. Write it with --solver, or " +
  "open the position with: matesolve board";

const WRITERS = { popeye: popeyeText, pgn: pgnText, json: jsonText };

/** @param {AuditRecord} record @param {Play | null} play */
function jsonText(record, play) {
  const all = play ? { ...withoutPage(record), play } : withoutPage(record);
  const skipped = ["isCheck", "isWhole", "forced"]; // what Popeye's text needs besides the record
  return `${JSON.stringify(all, (name, value) =>
    skipped.includes(name) ? undefined : value, 2)}\n`;
}

/** @param {unknown} error */
export const notSolved = (error) =>
  `Not solved: ${(error instanceof Error && error.message) || "stopped"}.`;

export class PlayPanel {
  /** The listing of a play, while it runs. @type {Promise<unknown>} */
  running = Promise.resolve();

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.tree = new Tree({ load: (attack, path) => this.openLevel(attack, path) });
    for (const id of ["tree-tries", "tree-all"]) {
      element(id)?.addEventListener("change", () => viewer.state.play && this.list());
    }
    /** @type {Record<string, () => unknown>} */
    const buttons = {
      "tree-show": () => this.list(),
      "tree-unfold": () => this.unfold(),
      "tree-fold": () => this.tree.unfold(false),
      "answer-popeye": () => this.copy("popeye"),
      "answer-pgn": () => this.copy("pgn"),
      "answer-json": () => this.copy("json"),
    };
    for (const [id, act] of Object.entries(buttons)) {
      element(id)?.addEventListener("click", act);
    }
    element("tree-tools")?.toggleAttribute("hidden", !viewer.canSolve);
  }

  /** @param {State} state */
  draw({ question, answer, play, doing, listed }) {
    this.tree.draw(play, question, (question?.moves ?? answer?.mate ?? 0) <= AUTOMATIC_PLAY);
    element("tree-status").textContent = doing === "listing" ? listed || "solving ..."
      : play ? playGaps(play, false).join(" ") : listed;
    element("tree-show")?.replaceChildren(doing === "listing" ? "Stop" : "Show the play");
    element("tree-folding").hidden = !this.tree.place.querySelector("details");
  }

  /** List the play, or stop looking for it: whole if it is short or all of it is wanted.
   * @param {boolean} isWhole */
  async list(isWhole = false) {
    const { question, doing } = this.viewer.state;
    if (doing === "listing") return this.viewer.thinker.stop();
    const moves = this.moves;
    if (!question || !moves) {
      return question && this.viewer.learn(question, { listed: question.part === "help"
        ? "Help play has solutions, no variations." : "No mate is known yet." });
    }
    return this.running = this.build(question, moves, isWhole);
  }

  /** How many moves the play has; none without a known mate, and in help play.
   * @returns {number} */
  get moves() {
    const { question, answer } = this.viewer.state;
    return !answer || question?.part === "help" ? 0 : question?.moves ?? answer.mate ?? 0;
  }

  /** @param {Question} question @param {number} moves @param {boolean} isWhole */
  async build(question, moves, isWhole) {
    const { answer } = this.viewer.state;
    this.viewer.thinker.stop();
    this.viewer.learn(question, { play: null, doing: "listing", listed: "" });
    const levels = isWhole || Math.abs(moves) <= AUTOMATIC_PLAY ? null : 1;
    const wanted = {
      fen: question.fen, stipulation: { ...question, moves }, line: answer?.pv ?? [], levels,
      all: element("tree-all").checked, tries: Number(element("tree-tries").value),
      most: ALL_MOVES,
    };
    try {
      const play = await this.viewer.thinker.ask("play", wanted, ({ nodes }) =>
        this.viewer.learn(question, { listed: `solving ... ${several(nodes, "node")}` }),
      question.part);
      this.viewer.learn(question, { play, doing: "", listed: "" });
    } catch (error) {
      this.viewer.learn(question, { doing: "", listed: notSolved(error) });
    }
  }

  /** The level after a move of the play. @param {Attack} attack @param {string[]} path
   * @returns {Promise<string>} what went wrong */
  async openLevel(attack, path) {
    const { question, answer, play } = this.viewer.state;
    if (!question || !answer || !play) return "";
    const { moves_left: left = 0, refutations = [], defences } = attack;
    const line = [];
    for (let next = /** @type {any} */ (defences?.[0]); next;
      [next] = next.continuations ?? next.defences ?? []) line.push(next.uci);
    const wanted = {
      fen: question.fen, moves: path, left, line, most: ALL_MOVES,
      stipulation: { ...question, moves: question.moves ?? answer.mate },
      refuting: refutations.map(({ uci }) => uci), all: element("tree-all").checked,
    };
    try {
      const level = await this.viewer.thinker.ask("after", wanted, () => {}, question.part);
      const known = this.viewer.state.play;
      if (known) this.viewer.learn(question, { play: withLevel(known, path, level) });
      return "";
    } catch (error) {
      return notSolved(error);
    }
  }

  /** Unfold the whole play. */
  async unfold() {
    if (this.tree.isWritten || await this.wholePlay()) this.tree.unfold(true);
  }

  /** The play of the question, all of it that a text can have; null: there is none. */
  async wholePlay() {
    const { question } = this.viewer.state;
    await this.running;
    if (this.viewer.state.question !== question) return null;
    const { play } = this.viewer.state;
    if (this.viewer.canSolve && !(play && (play.isWhole || play.complete_moves === null))) {
      await this.list(true);
      const known = this.viewer.state.play;
      if (question && known) this.viewer.learn(question, { play: { ...known, isWhole: true } });
    }
    return this.viewer.state.question === question ? this.viewer.state.play : null;
  }

  /** @param {"popeye" | "pgn" | "json"} name */
  async copy(name) {
    const { question, answer, isLive } = this.viewer.state;
    if (!question || !answer) return this.viewer.note("There is nothing to copy yet.");
    const written = answer.texts?.[name]; // by the program, with the page
    const isRecord = name === "json" && !isLive;
    const play = written || isRecord ? null : await this.wholePlay();
    if (this.viewer.state.question !== question) return undefined;
    if (!play && !written && !isRecord && this.viewer.canSolve && this.moves) {
      return this.viewer.note("Nothing is copied: the play was not solved.");
    }
    const text = written ?? WRITERS[name](answer, play);
    const isCopied = text && await copyText(text);
    return this.viewer.note(isCopied ? `Copied (${name}).`
      : text ? "The browser does not allow copying."
        : `There is no play to copy. ${this.viewer.canSolve ? "" : NO_SOLVER}`.trim());
  }
}
