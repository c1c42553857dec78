/** The shortest way to the goal, with both bounds on the way. */

import { CAN_SUSPEND } from "./machine.mjs";
import { nameOf, plain } from "./rules.mjs";

/** @typedef {import("./host.mjs").Host} Host */
/** @typedef {import("./machine.mjs").Machine} Machine */
/** @typedef {import("./rules.mjs").Place} Place */
/** @typedef {import("./rules.mjs").Rules} Rules */
/**
 * @typedef {{name: string, part: string, play: number, moves: number|null,
 *   isStalemate: boolean, is_exact: boolean}} Asked
 * @typedef {{fen: string, moves: string[], stipulation: Asked, nodes: number|null,
 *   rootMove?: string, most?: number}} Question most: the longest mate to search for
 */

/** @param {Host} host @param {Question} question */
export async function search(host, { fen, moves, stipulation, nodes, rootMove, most }) {
  const { layout: { enums, mostMoves }, rules } = host;
  const place = host.place(fen, moves);
  const machine = host.machine(stipulation.part);
  const query = machine.records.Query;

  // 1. The question. An old table of another play is not used: each search begins anew.
  query.bytes().fill(0);
  query.bytes("position").set(place.position);
  query.assign({
    state: enums.QueryState.READ, black: place.black, play: stipulation.play,
    attacking: stipulation.moves ? 1 : -1, most_moves: stipulation.moves ?? most ?? mostMoves,
    expected: stipulation.moves ?? 0, all_keys: 1, node_limit: host.limit(nodes),
  });
  if (rootMove) {
    const [{ word }] = rules.line(place, [rootMove]);
    query.assign({ root_moves: machine.writeMove(word), root_count: 1 });
  }
  machine.search.set("text_written", 0);
  host.useTable(machine, "");

  // 2. Turns, until the bounds meet.
  host.progress = () => host.post("progress", { ...bounds(rules, place, machine), ...host.spent });
  let turn = enums.Turn.GOES_ON;
  while (turn !== enums.Turn.ENDS) {
    turn = await machine.runLong("TAKE_TURN", 0, query.address);
    host.progress();
    if (!CAN_SUSPEND) await host.breathe();
  }
  host.useTable(machine, stipulation.name);

  // 3. The answer.
  const mate = query.get("mate");
  const line = rules.line(place, machine.words(query, "pv")).map(plain);
  const keys = rules.chosen(place, machine.words(query, "keys")).map(plain);
  return {
    ...host.spent, state: nameOf(enums.Answer, query.get("status")).toLowerCase(),
    lower: query.get("lower_bound"), solutions: [],
    mate: mate < 0 ? null : query.get("attacking") ? mate : -mate,
    keys: keys.length ? keys : line.slice(0, query.get("attacking")),
    keysComplete: query.get("keys_complete") !== 0, line,
    stoppedBy: query.get("is_cut") ? host.reason ?? "nodes" : null,
  };
}

/** What is proved so far. @param {Rules} rules @param {Place} place @param {Machine} machine */
function bounds(rules, place, machine) {
  const query = machine.records.Query;
  for (const side of [0, 1]) {
    const plies = query.get("line_plies", side);
    if (!plies) continue;
    const row = machine.search.bytes("line").length / 8;
    const first = side * row;
    const words = Array.from({ length: plies }, (_, i) => machine.search.get("lines", first + i));
    const sign = query.get("attacking") && !side ? 1 : -1;
    const line = rules.line(place, words).map(plain);
    return { lower: query.get("lower", side), upper: sign * query.get("upper", side), line };
  }
  return { lower: query.get("lower"), upper: null, line: [] };
}
