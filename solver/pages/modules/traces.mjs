/** One search with a log of its nodes, in the columns that `matesolve trace --json` prints. */

import { Fields } from "./machine.mjs";
import { nameOf } from "./rules.mjs";
import { FORGOTTEN, count } from "./scored.mjs";

/** @typedef {import("./host.mjs").Host} Host */
/** @typedef {import("./rules.mjs").Named} Named */
/** @typedef {import("./rules.mjs").Place} Place */
/** @typedef {import("./rules.mjs").Rules} Rules */
/** @typedef {{place: Place, moves?: Named[]}} Step a position of a line, and its legal moves */

const INFINITE_NUMBER = (1 << 30) - 1; // of the df-pn search

/** Search with a log. Without `fields`, which the laboratory's search has, it is the df-pn search
 * for a mate in `depth`.
 * @param {Host} host @param {any} question fields: see `count` */
export async function trace(host, question) {
  const { layout: { structs: { LoggedNode }, logBytes = 0 } } = host;
  const machine = host.machine(question.fields ? "laboratory" : "search");
  const { search } = machine;
  search.assign({
    log_room: Math.floor(logBytes / LoggedNode.size), log_size: 0, log_cuts: 0, is_stepwise: 1,
  });
  const place = host.place(question.fen, []);
  let isDone = true;
  if (question.fields) isDone = (await count(host, question)).complete;
  else {
    host.clearTable(question.nodes);
    for (const name of FORGOTTEN) search.bytes(name).fill(0);
    search.set("buckets", search.get("proofs_from"));
    await host.runLong("FIND_MATE", place.position, question.depth, 1);
  }
  const log = logColumns(host, place, Boolean(question.fields));
  const isFull = search.get("log_size") >= search.get("log_room");
  search.assign({ log_room: 0, is_stepwise: 0 });
  return { log, isDone, complete: !isFull, nodes: search.get("nodes") };
}

/** @param {Host} host @param {Place} root @param {boolean} isScored */
function logColumns({ current: { search, view }, layout, rules }, root, isScored) {
  const { LoggedNode } = layout.structs;
  const { LogEnd, LogKind } = layout.enums;
  const names = ["ply", "uci", "san", "depth", "nodes", "kind", "end", ...isScored
    ? ["alpha", "beta", "low", "high", "score"] : ["pn_limit", "dn_limit", "pn", "dn", "by"]];
  const columns = /** @type {Record<string, any[]>} */ (
    Object.fromEntries(names.map((name) => [name, []])));
  const [ends, kinds] = [LogEnd, LogKind].map((names_) => new Map(Object.values(names_)
    .map((number) => [number, nameOf(names_, number).toLowerCase().replace("_", "-")])));
  const node = new Fields(view, search.get("log"), LoggedNode);
  const line = /** @type {Step[]} */ ([{ place: root }]);
  for (let left = search.get("log_size"); left > 0; left--, node.address += LoggedNode.size) {
    const [ply, word] = [node.get("ply"), node.get("move")];
    const kind = kinds.get(node.get("kind")) ?? "";
    const isUpdate = kind === "update";
    const move = isUpdate || ply ? named(rules, line[isUpdate ? ply : ply - 1], word)
      : { uci: "", san: "" };
    if (!isUpdate) {
      line.length = ply || 1;
      if (ply && kind !== "child") line.push({ place: rules.after(line[ply - 1].place, word) });
    }
    const row = { ply, uci: move.uci, san: move.san, depth: node.get("depth"), kind,
      nodes: node.get("nodes"), end: ends.get(node.get("end")) };
    const [given, own] = ["given", "own"].map((name) => [node.get(name), node.get(name, 1)]);
    const isOpen = row.end === "open";
    if (isScored) {
      const [[alpha, beta], [low, high]] = [given, own];
      Object.assign(row, { alpha, beta, low, high, score: isOpen ? null : node.get("score") });
    } else {
      const isVisit = !["child", "update"].includes(kind);
      const numbers = [isVisit ? given : [INFINITE_NUMBER, INFINITE_NUMBER], own].flatMap((pair) =>
        (ply % 2 ? pair.toReversed() : pair)
          .map((number) => (number < INFINITE_NUMBER ? number : null)));
      const [pn_limit, dn_limit, pn, dn] = numbers;
      const end = !isVisit ? "" : isOpen || (pn === 0 && dn === 0) ? "stopped"
        : pn === 0 ? "proved" : dn === 0 ? "disproved" : "threshold";
      Object.assign(row, { pn_limit, dn_limit, pn, dn, end });
    }
    for (const [name, value] of Object.entries(row)) columns[name].push(value);
  }
  if (!isScored) {
    const { end: ended, kind, nodes, ply } = columns;
    const after = [...nodes.slice(1), search.get("nodes")];
    columns.by = ended.map((end, row) => (!end || end === "stopped" ? ""
      : ply[row + 1] > ply[row] || kind[row + 1] === "update" ? "moves"
        : after[row] - nodes[row] <= 1 ? "table" : "prover"));
  }
  return columns;
}

/** A legal move of a position; a null move has no number.
 * @param {Rules} rules @param {Step} step @param {number} word */
function named(rules, step, word) {
  step.moves ??= rules.moves(step.place);
  return step.moves.find((move) => move.word === word) ?? { uci: "0000", san: "--" };
}
