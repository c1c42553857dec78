// The worker of a page that sets up, solves, plays and counts: its jobs.

import { search, serve } from "./host.mjs";
import { after, play, refutations } from "./levels.mjs";
import { Fields, nameOf } from "./machine.mjs";
import { named, plain } from "./rules.mjs";

/** @import { Host, Question } from "./host.mjs" */
/** @import { Move, Place } from "./rules.mjs" */

// Help play: every solution, the shortest first.

const MOST_SOLUTIONS = 1_000;

/** @param {Host} host @param {Question} question */
export async function solutions(host, { fen, moves, stipulation, nodes }) {
  const { layout: { enums: { HelpState } }, rules } = host;
  const place = host.place(fen, moves);
  const { HelpPlay: help } = host.machine("help").records;
  host.begin(nodes);
  const found = /** @type {Move[][]} */ ([]);
  const most = Math.ceil(stipulation.moves ?? 1);
  const half = most === stipulation.moves ? 0 : 1;
  let length = stipulation.is_exact ? most : 1;
  host.progress = () =>
    host.post("progress", { ...host.spent, lower: length, upper: null, line: found[0] ?? [] });
  let state = HelpState.COMPLETE;
  for (; length <= most && state === HelpState.COMPLETE; length++) {
    const plies = 2 * length - half;
    help.bytes().fill(0);
    help.bytes("positions").set(place.position);
    help.assign({ plies, is_stalemate: stipulation.isStalemate, is_pruned: 1, ply: -1 });
    do {
      help.assign({ most: MOST_SOLUTIONS - found.length, written: 0 });
      state = await host.runLong("ENUMERATE", null, help.address);
      for (let i = 0; i < help.get("written"); i++) {
        const words = Array.from({ length: plies }, (_, ply) => help.get("lines", i * plies + ply));
        found.push(rules.line(place, words).map(named));
      }
    } while (state === HelpState.PAUSED && found.length < MOST_SOLUTIONS);
  }
  const isComplete = state === HelpState.COMPLETE;
  const mate = found.length ? (found[0].length + 1) >> 1 : null;
  return {
    ...host.spent, mate, lower: mate ?? (isComplete ? length : length - 1), keys: [],
    state: isComplete ? (mate ? "proved" : "disproved") : mate ? "found" : "undecided",
    keysComplete: false, line: found[0] ?? [], solutions: found,
  };
}

// The laboratory's search, which deepens ply by ply as `matesolve table` does.

/**
 * @typedef {{name: string, title: string, fields: Record<string, number>,
 *   sound: boolean}} Technique
 * @typedef {{depth: number, score: number, move: {san: string} | null, nodes: number,
 *   pvNodes: number, seconds: number}} CountRow
 * @typedef {{depth: number, nodes: number, seconds?: number, row?: CountRow}} CountProgress
 */

/**
 * @param {Host} host
 * @param {{fen: string, moves: string[], fields: Record<string, number>, depth: number,
 *   nodes: number|null, windows: {margin: number, widening: number, widest: number,
 *   infinite: number, mateZone: number}}} question windows: see `Laboratory`
 */
export async function count(host, { fen, moves, fields, depth: deepest, nodes, windows }) {
  const place = host.place(fen, moves);
  const machine = host.machine("laboratory");
  const { Search: search, Experiment: experiment } = machine.records;

  // 1. Forget the search before. This one has a table of fixed size.
  const { memory, tableBytes } = machine;
  new Uint8Array(memory.buffer, search.get("table"), tableBytes).fill(0);
  for (const name of ["killers", "history"]) search.bytes(name).fill(0);
  search.assign({
    node_limit: host.limit(nodes), buckets: tableBytes / host.layout.bucketBytes,
  });
  experiment.bytes().fill(0);
  experiment.assign(fields);

  // 2. Deepen.
  const { margin, widening, widest, infinite, mateZone } = windows;
  /** @param {number} centre @param {number} width @returns {[number, number]} */
  const around = (centre, width) => width > 0 && width <= widest
    ? [centre - width, centre + width] : [-infinite, infinite];
  let depth = 1;
  const now = () => ({ depth, ...host.spent });
  host.progress = () => host.post("progress", now());
  let first = 0;
  for (; depth <= deepest; depth++) {
    search.assign({ log_size: 0, log_cuts: 0 });
    experiment.assign({ depth, last_best: experiment.get("pv_move") });
    experiment.bytes("last_nodes").set(experiment.bytes("root_nodes"));
    experiment.bytes("root_nodes").fill(0);
    const centre = experiment.get("score");
    let width = first;
    let [alpha, beta] = around(centre, width);
    let [failedLow, failedHigh, score] = [false, false, 0];
    for (;;) {
      experiment.assign({ alpha, beta });
      await host.runLong("SEARCH_SCORE", place.position, experiment.address);
      if (experiment.get("stopped")) return { complete: false };
      score = experiment.get("score");
      if (alpha < score && score < beta) break;
      failedLow ||= score <= alpha;
      failedHigh ||= score >= beta;
      do width *= widening;
      while (width > 0 && width <= Math.min(Math.abs(score - centre), widest));
      [alpha, beta] = around(centre, failedLow && failedHigh ? 0 : width);
      if (failedLow && !failedHigh) beta = score + 1;
      if (failedHigh && !failedLow) alpha = score - 1;
    }
    first = Math.abs(score) >= mateZone ? 0 : margin;
    const [best = null] = host.rules.chosen(place, [experiment.get("pv_move")]).map(plain);
    host.post("progress", { ...now(),
      row: { ...now(), score, move: best, pvNodes: experiment.get("pv_nodes") } });
  }
  return { complete: true };
}

// One search with a log of its nodes, in the columns that `matesolve trace --json` prints.

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
    host.begin(question.nodes);
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
  const columns = /** @type {Record<string, any[]>} */ ({});
  const [ends, kinds] = [LogEnd, LogKind].map((names_) => new Map(Object.values(names_)
    .map((number) => [number, nameOf(names_, number).toLowerCase().replace("_", "-")])));
  const node = new Fields(view, search.get("log"), LoggedNode);
  const line = [root];
  for (let left = search.get("log_size"); left > 0; left--, node.address += LoggedNode.size) {
    const [ply, word] = [node.get("ply"), node.get("move")];
    const kind = kinds.get(node.get("kind")) ?? "";
    const isUpdate = kind === "update";
    const [{ uci, san }] = isUpdate || ply ? rules.line(line[isUpdate ? ply : ply - 1], [word])
      : [{ uci: "", san: "" }];
    if (!isUpdate) {
      line.length = ply || 1;
      if (ply && kind !== "child") line.push(rules.after(line[ply - 1], word));
    }
    const [depth, nodes] = [node.get("depth"), node.get("nodes")];
    const row = { ply, uci, san, depth, kind, nodes, end: ends.get(node.get("end")) };
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
    for (const [name, value] of Object.entries(row)) (columns[name] ??= []).push(value);
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

serve({
  after, count, play, refutations, trace,
  search: (host, question) =>
    (question.stipulation.part === "help" ? solutions : search)(host, question),
  describe: ({ rules }, { fen, moves, black }) => rules.describe(fen, moves, black),
});
