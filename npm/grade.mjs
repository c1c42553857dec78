/** Grades a line, as `solver/columns/grade.py` does: same words, same order of tests. */

import { plain } from "./modules/machine.mjs";

/** @typedef {import("./modules/host.mjs").Host} Host */
/**
 * @typedef {{fen: string, line: import("./modules/movetext.mjs").Part[], n: number,
 *   nodes: number|undefined}} Question
 */

const SHOWN = 60;
const NO_MOVE = "?"; // where a word is unreadable
const ESCAPES = /** @type {Record<string, string>} */ ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" });

/** Does each move of the attacker keep a mate within the moves left? `stoppedBy` alone: undecided.
 * @param {Host} host @param {Question} question */
export async function grade(host, { fen, line, n, nodes }) {
  const { rules, layout: { enums: { LineFault, QueryState } } } = host;
  const start = host.place(fen, []);

  // 1. The question. What follows the last move that counts is left out.
  const machine = host.machine("search");
  const query = machine.records.Query;
  const words = line.slice(0, 2 * n).map(({ move }) => move || NO_MOVE);
  const size = machine.write(start.fen);
  machine.begin(query, {
    fen: machine.input, fen_size: size, line: machine.input + size,
    line_size: machine.write(words.join(" "), size),
    most_moves: n, node_limit: host.limit(nodes),
  });
  await machine.runLong("GRADE_ROWS", 0, query.address, 1);

  // 2. The answer.
  if (query.get("state") === QueryState.OPEN) return { stoppedBy: host.reason ?? "nodes" };
  const right = machine.words(query, "line");
  const endsInMate = query.get("ends_in_mate") !== 0;
  const answer = { line: rules.line(start, right).map(plain), endsInMate };
  const fault = query.get("fault");
  if (fault === LineFault.NONE) {
    return { correct: true, status: "right", rightMoves: [], ...answer };
  }
  const ply = right.length;
  const place = host.place(start.fen, right);
  const rightMoves = rules.chosen(place, machine.words(query, "keys")).map(plain);
  const isUnreadable = fault === LineFault.ILLEGAL && !line[ply].move;
  const status = isUnreadable ? "unreadable" : "wrong";
  return { correct: false, status, why: why(), ply, rightMoves, ...answer };

  function why() {
    if (fault === LineFault.EMPTY) return "expected a move, found none";
    const found = quote(line[ply].text);
    if (isUnreadable) return `expected a move in SAN or UCI, found ${found}`;
    if (endsInMate) return `expected no move after the mate, found ${found}`;
    if (fault === LineFault.ILLEGAL) {
      return `expected a legal, unambiguous move in SAN or UCI, found ${found}`;
    }
    const left = n - (ply >> 1);
    const within = `within ${left} move${left === 1 ? "" : "s"}`;
    return rightMoves.length ? `expected a move that mates ${within}, found ${found}`
      : `expected a mate ${within}, found none in this position`;
  }
}

/** Quote the beginning of a text, as `quote` of `solver/errors.py`. @param {string} text */
function quote(text) {
  const letters = [...text];
  const shown = letters.slice(0, SHOWN);
  const mark = shown.includes("'") && !shown.includes('"') ? '"' : "'";
  const escaped = shown.map((letter) => {
    if (letter === mark || letter === "\\") return `\\${letter}`;
    const code = Number(letter.codePointAt(0));
    if (code >= 0x20 && code < 0x7f) return letter;
    const [prefix, size] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return ESCAPES[letter] ?? `\\${prefix}${code.toString(16).padStart(size, "0")}`;
  });
  return `${mark}${escaped.join("")}${mark}${letters.length > SHOWN ? "..." : ""}`;
}
