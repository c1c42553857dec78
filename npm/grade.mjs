/** Grades a line, as `solver/columns/grade.py` does: same words, same order of tests. */

import { search } from "./modules/host.mjs";
import { NO_MOVE, plain } from "./modules/rules.mjs";
import { quote } from "./modules/movetext.mjs";

/** @typedef {import("./modules/host.mjs").Host} Host */
/**
 * @typedef {{fen: string, moves: string, repair?: boolean, within: number, replies: boolean,
 *   line: import("./modules/movetext.mjs").Part[], maxMoves?: number, nodes?: number}} Question
 */

/** Does each move of the attacker keep a mate within the moves left? `stoppedBy` alone: undecided.
 * @param {Host} host @param {Question} question */
export async function grade(host, question) {
  const { fen, moves, repair, line, within, replies, maxMoves, nodes } = question;
  const { rules, layout: { enums: { LineFault, QueryState } } } = host;
  const start = host.place(fen, moves, repair);
  const { warnings } = start;

  // 1. The question. What follows the last move that counts is left out.
  const machine = host.machine("search");
  const query = machine.records.Query;
  const words = line.slice(0, 2 * within).map(({ move }) => move || NO_MOVE);
  const size = machine.write(start.fen);
  machine.begin(query, {
    fen: machine.input, fen_size: size, line: machine.input + size,
    line_size: machine.write(words.join(" "), size),
    most_moves: within, replies, node_limit: host.limit(nodes),
  });
  await machine.runLong("GRADE_ROWS", 0, query.address, 1);

  // 2. The answer, with the defender's reply, or the wrong move and its refutation.
  const isOpen = query.get("state") === QueryState.OPEN;
  if (isOpen) return { stoppedBy: host.reason ?? "nodes", warnings };
  const right = machine.words(query, "line");
  const ply = right.length;
  const named = rules.line(start, [...right, ...machine.words(query, "reply")]).map(plain);
  const fault = query.get("fault");
  const isMove = fault === LineFault.NO_MATE;
  const endsInMate = query.get("ends_in_mate") !== 0;
  const answer = {
    line: named.slice(0, ply), endsInMate, warnings,
    wrongMove: isMove ? named[ply] ?? null : null, reply: isMove ? null : named[ply] ?? null,
    refutation: named.slice(ply + 1),
    fen: machine.read(query.get("fen_at"), query.get("fen_written")),
    longerMate: /** @type {number|null} */ (null), longerStatus: /** @type {string|null} */ (null),
  };
  if (fault === LineFault.NONE) {
    return { isRight: true, status: "right", reason: "", ply: null, rightMoves: [], ...answer };
  }
  const place = host.place(start.fen, right);
  const rightMoves = rules.chosen(place, machine.words(query, "keys")).map(plain);
  const isUnreadable = fault === LineFault.ILLEGAL && !line[ply].move;
  const status = isUnreadable ? "unreadable" : "wrong";
  if (maxMoves && answer.wrongMove) await findLonger(answer.wrongMove.uci, maxMoves);
  return { isRight: false, status, reason: reason(), ply, rightMoves, ...answer };

  /** The mate that a wrong move leaves. @param {string} rootMoves @param {number} most */
  async function findLonger(rootMoves, most) {
    answer.longerStatus = "undecided";
    if (host.reason) return;
    const played = ply >> 1;
    const { state, mate, line: pv } = await search(host, {
      fen: start.fen, moves: right, attacking: 1, rootMoves,
      most: most - played, keys: false, nodes: nodes ?? null,
    });
    answer.longerStatus = state;
    answer.longerMate = mate && mate + played;
    if (state !== "proved") return;
    // In the line of the shortest mate, the defender's reply lasts longest.
    answer.refutation = pv.slice(1);
    const after = [...right, ...pv.slice(0, 2).map(({ uci }) => uci)];
    answer.fen = host.place(start.fen, after).fen;
  }

  function reason() {
    if (fault === LineFault.EMPTY) return "expected a move, found none";
    const found = quote(line[ply].text);
    if (isUnreadable) return `expected a move in SAN or UCI, found ${found}`;
    if (endsInMate) return `expected no move after the mate, found ${found}`;
    if (fault === LineFault.ILLEGAL) {
      return `expected a legal, unambiguous move in SAN or UCI, found ${found}`;
    }
    const left = within - (ply >> 1);
    const inTime = `within ${left} move${left === 1 ? "" : "s"}`;
    return rightMoves.length ? `expected a move that mates ${inTime}, found ${found}`
      : `expected a mate ${inTime}, found none in this position`;
  }
}
