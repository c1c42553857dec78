/**
 * Reads written lines of moves, and texts that hold a position. `solver/movetext.py` says what
 * they are, and has the patterns.
 */

/** @typedef {Record<string, string>} Patterns */
/** @typedef {{text: string, move: string}} Part move: plain, or empty: it is unreadable */

const SHOWN = 60;
const ESCAPES = /** @type {Record<string, string>} */ ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" });

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
        const move = inLetters(origin + target + promoted + bracketed) || castles;
        if (move) parts.push({ text: text.replace(start, ""), move });
      }
    }
  }
  if (depth) parts.push({ text: line.slice(opened), move: "" });
  return parts;
}

/** A move with letters for its figurines. @param {string} move */
const inLetters = (move) =>
  move
    .replace(/[\u2659\u265f\ufe0e\ufe0f]/gu, "")
    .replace(/[\u2654-\u265e]/gu, (figure) => "KQRBN"[(figure.charCodeAt(0) - 0x2654) % 6] ?? "");

/** Why a part of a line is refused. @param {string} name @param {Part} part */
export const refusedMove = (name, { text, move }) =>
  `${name}: expected a ${move ? "legal, unambiguous " : ""}move in SAN or UCI, ` +
    `found ${quote(text)}`;

/** The FEN and the moves in a text, as `split_text`; or why it is refused.
 * @param {Patterns} patterns @param {string} given @param {boolean} repair
 * @returns {{fen: string, line: string} | {fault: string}} */
export function splitText(patterns, given, repair) {
  let [fen, text] = [patterns.start, given];
  let isGame = find(patterns.first, text) !== null;
  for (let tag; (tag = find(patterns.tag, text)); isGame = true) {
    const [whole, name, value] = tag;
    if (/^variant$/iu.test(name) && !find(patterns.orthodox, value)) {
      return { fault: `Variant tag: expected Standard or none, found ${quote(value)}` };
    }
    if (/^fen$/iu.test(name)) fen = value;
    text = text.slice(whole.length);
  }
  if (isGame) return { fen, line: text };
  if (repair) text = strip(text, patterns.separators + patterns.quotes);
  const moves = find(patterns.moves, text);
  fen = (moves ? text.slice(0, moves.index) : text).replace(regexp(patterns.prefix), "");
  const line = moves ? text.slice(moves.index + moves[0].length) : "";
  const other = fen.trim().replace(/^startpos(?: |$)/u, "");
  if (other === fen.trim()) return { fen, line };
  return other ? { fault: `expected moves after startpos, found ${quote(other)}` }
    : { fen: patterns.start, line };
}

/** The FEN in what another program or a web page prints, as `plain_fen`; or why there is none.
 * @param {Patterns} patterns @param {string} given @returns {{fen: string} | {fault: string}} */
export function plainFen(patterns, given) {
  const { separators, quotes } = patterns;
  let text = strip(given, `${separators}${quotes}]`).replace(regexp(patterns.dash, "g"), "-");
  text = strip(text.replace(regexp(patterns.prefix), ""), separators + quotes);
  if (find(patterns.address, text)) {
    const found = find(patterns.in_address, text);
    if (!found || find(patterns.other_game, text)) {
      return { fault: "expected a FEN or the address of an orthodox position on lichess or " +
        `chess.com, found ${quote(text)}` };
    }
    text = decoded(found[1] ?? found[2].replace(/\+/gu, " "));
  }
  if (!text.includes(" ")) text = text.replace(regexp(patterns.space, "g"), " ");
  return { fen: strip(text.replace(regexp(patterns.spaces, "g"), " "), separators) };
}

/** @param {string} pattern */
const regexp = (pattern, flags = "") => new RegExp(pattern, `iu${flags}`);

/** @param {string} pattern @param {string} text */
const find = (pattern, text) => regexp(pattern).exec(text);

/** A text without these letters at its ends. @param {string} text @param {string} letters */
function strip(text, letters) {
  let [start, end] = [0, text.length];
  while (start < end && letters.includes(text[start])) start += 1;
  while (start < end && letters.includes(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** @param {string} text from an address */
const decoded = (text) => text.replace(/(?:%[0-9a-f]{2})+/giu, (bytes) =>
  new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split("%"), (byte) =>
    parseInt(byte, 16))));

/** Quote the beginning of a text, as `quote` of `solver/errors.py`. @param {string} text */
export function quote(text) {
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
