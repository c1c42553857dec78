// The state of a page with a board: which question, and what is known of exactly that question.

import { pageData } from "./data.mjs";
import { kindOf, splitStipulation } from "./sentences.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./sentences.mjs").Question} Question */
/**
 * @typedef {{fen: string, moves: Move[], check?: boolean, over?: string}} Described a position
 * @typedef {{lower: number, upper: number | null, nodes: number, seconds: number,
 *   line: Move[]}} Progress
 * @typedef {Readonly<{fen: string, moves: string[], name: string, length: string | number,
 *   nodes: number | null}>} Asked what is asked about, as it was given
 */
/**
 * @typedef {Readonly<{
 *   asked: Asked | null, question: Question | null, fault: string, record: AuditRecord | null,
 *   isLive: boolean, root: Described | null, here: Described | null, path: readonly string[],
 *   doing: "" | "reading" | "searching" | "paused" | "listing", progress: Progress | null,
 *   answer: AuditRecord | null, play: Play | null, first: string, listed: string,
 * }>} State
 *   question: what is asked, once the position is read; null: `fault` says why not
 *   record: that is shown; null: a position was set up
 *   isLive: whether the answer is searched in the page
 *   root, here, path: the question's position, the one on the board, and the moves between
 *   answer, play: what is known of exactly this question, as the program's record
 *   first: what became of another first move; listed: what the listing of the play says
 */

/** @type {State} */
export const NOTHING = Object.freeze({
  asked: null, question: null, fault: "", record: null, isLive: false, root: null, here: null,
  path: [], doing: "", progress: null, answer: null, play: null, first: "", listed: "",
});

/** The question that a record answers, and how a form asks it.
 * @param {AuditRecord} record @returns {{question: Question, asked: Asked}} */
export function questionOf({ fen, stipulation, claim, nomate }) {
  const [name, number] = splitStipulation(stipulation);
  const moves = number || (claim > 0 ? claim : nomate ?? null);
  const asked = Object.freeze({ fen, moves: [], name, length: moves ?? "", nodes: null });
  return { question: Object.freeze({ ...kindOf(name), fen, moves, nodes: null }), asked };
}

/** Why a number of moves cannot be asked for; empty: it can.
 * @param {Asked} asked @param {any} kind @param {number | null} moves */
export function lengthFault({ name, length, moves: played }, { part }, moves) {
  if (name === "#" && moves === null) return "";
  const isHelp = part === "help";
  if (played.length && !isHelp && moves !== null && moves % 1) {
    return "The defender is to move: play on, and the search goes on";
  }
  const most = pageData.layout.mostMoves;
  const step = isHelp ? 0.5 : 1;
  const isNumber = moves !== null && moves >= step && moves <= most - (moves % 1 ? 0.5 : 0);
  if (isNumber && moves % step === 0) return "";
  const expected = isHelp ? `0.5 to ${most} moves, in steps of 0.5` : `1 to ${most} whole moves`;
  return `${name}: expected ${expected}, found ${length === "" ? "none" : length}`;
}
