// What an answer of the page says of a record, in the words of an audit.

import { splitStipulation } from "./sentences.mjs";
import { questionOf } from "./state.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */

/** Whether an answer decides what the record asks: at its length, or at a greater one if play
 * is by force. @param {AuditRecord} record @param {AuditRecord} answer */
export function isAbout(record, answer) {
  const { name, moves, part } = questionOf(record).question;
  const [asked, length] = splitStipulation(answer.stipulation);
  if (name !== asked || part === "help") return name === asked && moves === length;
  return !length || (moves !== null && moves <= length);
}

/** What a search in the page found, as briefly as what is recorded.
 * @param {AuditRecord} record @param {AuditRecord} answer */
export function foundHere({ stipulation }, { status, mate, lower_bound: lower, solutions }) {
  const [name, number] = splitStipulation(stipulation);
  const length = (/** @type {number} */ moves) => `${name}${number % 1 ? moves - 0.5 : moves}`;
  if (mate !== null) return length(mate) + (solutions ? `, ${solutions.length}` : "");
  return lower > 1 ? `no ${length(lower - 1)}` : status;
}

/** The verdict, as `find_verdict` has it; the answer's own status if nothing is claimed.
 * @param {AuditRecord} record @param {AuditRecord} answer @returns {string} */
export function verdictOf(record, answer) {
  const { claim, nomate } = record;
  const { mate, lower_bound: lower } = answer;
  if (nomate) {
    if (mate > 0 && mate <= nomate) return "refuted";
    return (mate !== null && mate <= 0) || lower > nomate ? "proved" : "undecided";
  }
  if (typeof claim !== "number") return answer.status;
  if (answer.solutions) return helpVerdict(record, answer);
  const moves = Math.abs(claim);
  if (mate !== null) {
    if ((claim > 0) !== (mate > 0)) return "refuted"; // the other side is mated
    if (Math.abs(mate) < moves) return "shorter";
    if (Math.abs(mate) === moves) return lower === moves ? "proved" : "holds";
  }
  return lower > moves ? "refuted" : "undecided";
}

/** The same of help play: its number of solutions counts where no limit left it open.
 * @param {AuditRecord} record @param {AuditRecord} answer */
function helpVerdict({ claim, claimed_keys: keys = [], claimed_solutions: number }, answer) {
  const { mate, lower_bound: lower, solutions, solutions_complete: areAll } = answer;
  const wanted = number ?? Math.max(1, keys.length);
  if (mate === null && lower > claim) return wanted ? "refuted" : "proved";
  if (!solutions.length) return "undecided";
  if (!wanted) return "refuted";
  if (mate !== null && mate < claim) return "shorter";
  if (!areAll && solutions.length < wanted) return "undecided";
  return lower === claim && (areAll || solutions.length > wanted) ? "proved" : "holds";
}
