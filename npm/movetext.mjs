/**
 * Reads written lines of moves. `solver/movetext.py` says what they are, and has the
 * patterns.
 */

/** @typedef {{part: string, word: string, number: string}} Patterns */
/** @typedef {{text: string, move: string}} Part move: plain, or empty: it is unreadable */

/** The moves of a line, and the words that are unreadable.
 * @param {Patterns} patterns @param {string} line @returns {Part[]} */
export function readMoves({ part, word, number }, line) {
  const parts = [];
  const whole = new RegExp(`^(?:${word})$`, "u");
  const start = new RegExp(`^${number}`, "u");
  let [depth, opened] = [0, 0];
  for (const { 0: text, 1: skipped, index } of line.matchAll(new RegExp(part, "gu"))) {
    if (text === "(") {
      if (!depth) opened = index ?? 0;
      depth += 1;
    } else if (text === ")") depth = Math.max(depth - 1, 0);
    else if (depth || skipped !== undefined || /^\{[^]*\}$/u.test(text)) continue;
    else {
      const found = whole.exec(text);
      if (!found) parts.push({ text, move: "" });
      else {
        const [, origin = "", target = "", promoted = "", bracketed = "", castling, long] = found;
        const castles = castling ? `O-O${long ? "-O" : ""}` : "";
        const move = plain(origin + target + promoted + bracketed) || castles;
        if (move) parts.push({ text: text.replace(start, ""), move });
      }
    }
  }
  if (depth) parts.push({ text: line.slice(opened), move: "" });
  return parts;
}

/** A move with letters for its figurines. @param {string} move */
const plain = (move) =>
  move
    .replace(/[\u2659\u265f\ufe0e\ufe0f]/gu, "")
    .replace(/[\u2654-\u265e]/gu, (figure) => "KQRBN"[(figure.charCodeAt(0) - 0x2654) % 6] ?? "");
