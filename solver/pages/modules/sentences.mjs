// The sentences of an answer, from the table that the program reads too: solver/output/text.py.
//
//   say("headline", factsOf(record))
//
// A record is what the program prints with --json, with the names of its moves in `san`; what a
// search in the page has found becomes one too: `liveRecord`.

import { pageData } from "./data.mjs";
import { thousands, timeText } from "./dom.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {Readonly<{fen: string, name: string, part: string, goal: string, play: number,
 *   isStalemate: boolean, is_exact: boolean, defenderEnds: boolean, moves: number | null,
 *   nodes: number | null, isStalemated?: boolean}>} Question
 *   a position and a stipulation; moves: null: the shortest mate; nodes: at most
 * @typedef {Record<string, any>} Facts
 */

/** What the program says of a stipulation without its number. @param {string} name */
export const kindOf = (name) =>
  pageData.stipulations.find((/** @type {any} */ each) => each.name === name);

/** Name and number of a stipulation; without a text: the shortest mate.
 * @param {string} [text] @returns {[string, number]} */
export function splitStipulation(text = "#") {
  const [, name, number] = /^(.*?)([\d.]*)$/.exec(text) ?? [];
  return [name, Number(number)];
}

/** A number, and whether it is none or one.
 * @param {string} name @param {number | null | undefined} count @returns {Facts} */
export const counted = (name, count) =>
  ({ [name]: count, [`no_${name}`]: count === 0, [`one_${name}`]: count === 1 });

/** A sentence; empty: nothing holds that it could say. @param {string} name @param {Facts} facts */
export const say = (name, facts) => sentence(name, facts).trim();

/** @param {string} name @param {Facts} facts @returns {string} */
function sentence(name, facts) {
  const holds = (/** @type {string} */ fact) =>
    fact[0] === "!" ? !facts[fact.slice(1)] : !fact || facts[fact];
  const row = pageData.sentences[name].find((/** @type {string[]} */ [condition]) =>
    condition.split(" ").every(holds));
  const value = (/** @type {string} */ key) => key in pageData.sentences ? sentence(key, facts)
    : typeof facts[key] === "number" ? thousands(facts[key]) : facts[key];
  return (row?.[1] ?? "").replace(/\{(\w+)\}/g,
    (/** @type {string} */ _, /** @type {string} */ key) => value(key));
}

/** What the sentences read of an answer. @param {AuditRecord} record @returns {Facts} */
export function factsOf(record) {
  const { fen, status, mate, claim, keys = [], solutions = [], claimed_solutions: asked } = record;
  const [name, number] = splitStipulation(record.stipulation);
  const kind = kindOf(name);
  const excluded = Math.max((record.lower_bound ?? 1) - 1, 0);
  const moves = Math.abs(mate ?? 0);
  const count = solutions.length;
  return {
    ...kind, asked: String(number || ""), mover: sideOf(fen),
    moves, mated: mate < 0, checkmated: mate === 0,
    stalemated: record.stalemated, denies_mated: claim < 0, [status]: true,
    ...counted("excluded", excluded), open_one: excluded + 1 === moves - 1,
    open_first: excluded + 1, open_last: moves - 1,
    ...counted("keys", keys.length), ...counted("count", count),
    complete: kind.help ? record.solutions_complete : record.keys_complete,
    wanted: typeof asked !== "number" || asked === count ? "" : thousands(asked),
    ...counted("nodes", record.nodes), time: timeText(record.time_s),
    restriction: record.restriction, [record.tablebase]: true, [`by_${record.stopped_by}`]: true,
  };
}

/** The side to move. @param {string} fen */
export const sideOf = (fen) => (fen.split(" ")[1] === "b" ? "Black" : "White");

/** How many pieces each side has: "(10+12)". @param {string} fen */
export function pieceCount(fen) {
  const [pieces] = fen.split(" ");
  const [white, black] = [/[A-Z]/g, /[a-z]/g].map((side) => pieces.match(side)?.length ?? 0);
  return `(${white}+${black})`;
}

/** The stipulation of a question as the program writes it; empty: the shortest mate.
 * @param {Question} question */
export const stipulationText = ({ name, moves }) => (moves ? `${name}${moves}` : "");

/** The record of `matesolve solve --json` of what a search in the page has found.
 * @param {Question} question @param {any} found as the worker answers @returns {AuditRecord} */
export function liveRecord(question, found) {
  const { solutions, line } = found;
  const stipulation = stipulationText(question);
  const isComplete = found.state === "proved" || found.state === "disproved";
  /** @param {Move[]} moves */
  const uci = (moves) => moves.map((move) => move.uci);
  /** @param {Move[]} moves */
  const san = (moves) => moves.map((move) => move.san);
  return Object.freeze({
    schema: 1, id: "", fen: question.fen,
    claim: stipulation ? Math.ceil(question.moves ?? 0) : null,
    status: found.state, mate: found.mate, lower_bound: found.lower,
    keys: found.keys, keys_complete: found.keysComplete, pv: uci(line),
    nodes: found.nodes, time_s: Math.round(found.seconds * 1e6) / 1e6,
    stopped_by: found.stoppedBy ?? (isComplete ? null : question.nodes ? "nodes" : "solutions"),
    solver: pageData.version, ...(stipulation && { stipulation }),
    ...(question.part === "help" && {
      solutions: solutions.map(uci), solutions_complete: isComplete,
    }),
    san: { pv: san(line), solutions: solutions.map(san) }, stalemated: question.isStalemated,
  });
}

/** A record without what only pages have. @param {AuditRecord} record @returns {AuditRecord} */
export function withoutPage({ san, row, shown, stalemated, restriction, texts, ...record }) {
  return record;
}
