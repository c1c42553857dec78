/** The laboratory's search, which deepens ply by ply as `matesolve table` does. */

import { plain } from "./rules.mjs";

/** @typedef {import("./host.mjs").Host} Host */

export const FORGOTTEN = ["killers", "history"];

/**
 * @param {Host} host
 * @param {{fen: string, moves: string[], fields: Record<string, number>, depth: number,
 *   nodes: number|null, windows: {margin: number, widening: number, widest: number,
 *   infinite: number, mateZone: number}}} question windows: see `Laboratory`
 */
export async function count(host, { fen, moves, fields, depth: deepest, nodes, windows }) {
  const place = host.place(fen, moves);
  const { Search: search, Experiment: experiment } = host.machine("laboratory").records;

  // 1. Forget the search before.
  host.clearTable(nodes);
  for (const name of FORGOTTEN) search.bytes(name).fill(0);
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
    const best = host.rules.moves(place)
      .find(({ word }) => word === experiment.get("pv_move"));
    host.post("progress", { ...now(), row: {
      ...now(), score, move: best ? plain(best) : null, pvNodes: experiment.get("pv_nodes"),
    } });
  }
  return { complete: true };
}
