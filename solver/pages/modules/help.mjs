/** Help play: every solution, the shortest first. */

import { plain } from "./rules.mjs";

/** @typedef {import("./host.mjs").Host} Host */
/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./search.mjs").Question} Question */

const MOST_SOLUTIONS = 1_000;

/** @param {Host} host @param {Question} question */
export async function solutions(host, { fen, moves, stipulation, nodes }) {
  const { layout: { enums: { HelpState } }, rules } = host;
  const place = host.place(fen, moves);
  const { HelpPlay: help } = host.machine("help").records;
  host.clearTable(nodes);
  /** @type {Move[][]} */
  const found = [];
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
        found.push(rules.line(place, words).map(plain));
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
