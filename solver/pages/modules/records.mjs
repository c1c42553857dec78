// What a record of the program says, in the types and words of the panels. It knows no rules.

import { make, several } from "./dom.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */

const RECORD_SCHEMA = 1;
const RECORD_LIMITS = new Map([
  ["time", "the time limit"], ["nodes", "the node limit"], ["interrupt", "an interrupt"],
  ["solutions", "the requested number of solutions"], ["crash", "a crash"],
  ["tablebase", "the tablebase result"],
]);

/** Refuses a record of another schema. @param {AuditRecord} record */
export function requireRecord(record) {
  if (record?.schema === RECORD_SCHEMA) return;
  throw new Error(`expected a record of schema ${RECORD_SCHEMA}, found ${record?.schema}`);
}

/** Moves with their names. @param {string[]} [moves] @param {string[]} [names] @returns {Move[]} */
export const namedMoves = (moves = [], names = []) =>
  moves.map((uci, ply) => ({ uci, san: names[ply] ?? uci }));

/** What a record says was found. @param {AuditRecord} record @returns {Found} */
export const recordFound = ({ san = {}, ...record }) => ({
  state: record.status, mate: record.mate, lower: record.lower_bound,
  nodes: record.nodes, seconds: record.time_s,
  keys: record.keys, keysComplete: record.keys_complete, line: namedMoves(record.pv, san.pv),
  solutions: [...(record.solutions ?? []).entries()].map(([at, line]) =>
    namedMoves(line, san.solutions?.[at])),
});

/** What a record asks for, as a page that solves describes it.
 * @param {AuditRecord} record */
export function recordStipulation({ stipulation = "#", claim, nomate }) {
  const [, name, number] = /^(.*?)([\d.]*)$/.exec(stipulation) ?? [];
  const play = name.replace(/exact-|[#=]/g, "");
  const full = new Map([["s", "self"], ["r", "reflex"], ["semi-r", "semi-reflex"], ["h", "help"]]);
  const isStalemate = name.endsWith("=");
  return {
    name, moves: Number(number) || (claim > 0 ? claim : nomate ?? null), isStalemate,
    part: play === "h" ? "help" : "", defenderEnds: !["", "h"].includes(play),
    goal: (full.get(play) ?? "") + (isStalemate ? "stalemate" : "mate"),
  };
}

/** A name in a record as a page may show it.
 * @param {AuditRecord} record @param {string} name of a field @returns {string} */
export const shownName = (record, name) => record.shown?.[name] ?? record[name] ?? "";

/** The name of a problem, what it asks for and how many pieces it has: "No. 7, #2 (6+9)".
 * @param {AuditRecord} record @returns {(Node | string)[]} */
export function recordTitle(record) {
  const { fen, stipulation, claim, mate } = record;
  const [id, source] = ["id", "source"].map((name) => shownName(record, name));
  const pieces = fen.split(" ")[0];
  const [white, black] = [/[A-Z]/g, /[a-z]/g].map((side) => pieces.match(side)?.length ?? 0);
  const asked = stipulation ?? `#${Math.max(claim ?? mate, 0) || ""}`;
  const names = [id, `/${source}`.endsWith(`/${id}`) ? "" : source].filter(Boolean);
  const isolated = names.flatMap((name) => [make("bdi", {}, name), ", "]);
  return [...isolated, `${asked} (${white}+${black})`];
}

/** What else a record says of how it was solved. @param {AuditRecord} record */
export function recordNotes({ error, stopped_by: limit, tablebase, "lane": restriction }) {
  const restricted = Object.entries(restriction ?? {}).filter(([, value]) => value)
    .map(([name, value]) => `${name.replace("_", " ")}${value === true ? "" : ` ${value}`}`);
  return [
    error, limit && `Stopped by ${RECORD_LIMITS.get(limit)}.`,
    tablebase && `Known from ${tablebase === "syzygy" ? "Syzygy" : "Gaviota"} tables, not proved.`,
    restricted.length && `Restricted: ${restricted.join(", ")}.`,
  ].filter(Boolean).join(" ");
}

/** What the source of a problem claims; empty: nothing. @param {AuditRecord} record */
export function claimText({ stipulation, claim, nomate, claimed_solutions: count }) {
  return [
    claim && (stipulation ?? `${claim < 0 ? "mated" : "mate"} in ${Math.abs(claim)}`),
    nomate && `no mate in ${nomate}`,
    typeof count === "number" && several(count, "solution"),
  ].filter(Boolean).join(", ");
}
