// What a record of the program says, in the types and words of the panels. It knows no rules.

import { make, several } from "./dom.mjs";
import { pieceCount } from "./sentences.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */

const RECORD_SCHEMA = 1;
/** Refuses a record of another schema. @param {AuditRecord} record */
export function requireRecord(record) {
  if (record?.schema === RECORD_SCHEMA) return;
  throw new Error(`expected a record of schema ${RECORD_SCHEMA}, found ${record?.schema}`);
}

/** Moves with their names. @param {string[]} [moves] @param {string[]} [names] @returns {Move[]} */
export const namedMoves = (moves = [], names = []) =>
  moves.map((uci, ply) => ({ uci, san: names[ply] ?? uci }));

/** A name in a record as a page may show it.
 * @param {AuditRecord} record @param {string} name of a field @returns {string} */
export const shownName = (record, name) => record.shown?.[name] ?? record[name] ?? "";

/** The name of a problem, what it asks for and how many pieces it has: "No. 7, #2 (6+9)".
 * @param {AuditRecord} record @returns {(Node | string)[]} */
export function recordTitle(record) {
  const { fen, stipulation, claim, mate } = record;
  const [id, source] = ["id", "source"].map((name) => shownName(record, name));
  const asked = stipulation ?? `#${Math.max(claim ?? mate, 0) || ""}`;
  const names = [id, `/${source}`.endsWith(`/${id}`) ? "" : source].filter(Boolean);
  const isolated = names.flatMap((name) => [make("bdi", {}, name), ", "]);
  return [...isolated, `${asked} ${pieceCount(fen)}`];
}

/** What else a record says of how it was solved. @param {AuditRecord} record */
export const recordNotes = ({ error, tablebase, restriction }) => [
  error, restriction && `Restricted: ${restriction}.`,
  tablebase && `Known from ${tablebase === "syzygy" ? "Syzygy" : "Gaviota"} tables, not proved.`,
].filter(Boolean).join(" ");

/** What the source of a problem claims; empty: nothing. @param {AuditRecord} record */
export function claimText({ stipulation, claim, nomate, claimed_solutions: count }) {
  return [
    claim && (stipulation ?? `${claim < 0 ? "mated" : "mate"} in ${Math.abs(claim)}`),
    nomate && `no mate in ${nomate}`,
    typeof count === "number" && several(count, "solution"),
  ].filter(Boolean).join(", ");
}
