// An answer and its play as text in Popeye's form.

import { readPlacement, squareName } from "./squares.mjs";
import { continued, isHelp, playRecord } from "./texts.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./lists.mjs").Root} Root */
/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./texts.mjs").About} About */
/** @typedef {import("./texts.mjs").Played} Played */
/** @typedef {Set<string>} Taken squares with a piece, which show a capture en passant */

/** @param {Root | null} root @param {Found} answer @param {About} about */
export function popeyeText(root, answer, about) {
  const { isStalemate, defenderEnds, moves } = about.stipulation;
  const goal = isStalemate ? " =" : " #";
  const start = takenSquares(about.fen);
  if (isHelp(about)) {
    const skipped = (moves ?? 0) % 1 ? 1 : 0;
    return answer.solutions.map((line) => popeyeHelp(line, skipped, start, goal)).join("");
  }
  if (!root) return "";

  /** @param {Taken} taken @param {Played} attack @param {number} number @param {string} [sign]
   * @returns {string} */
  const attacked = (taken, attack, number, sign = "") => {
    const [name, check, next] = longMove(taken, attack);
    const { moves_left: left, refutations = [] } = attack;
    const ends = !left && !defenderEnds;
    const indent = sign ? "   " : " ".repeat(8 * number - 6);
    const refuted = refutations.map((each) => {
      const [refuting, itsCheck] = longMove(next, each);
      return `\n      1...${refuting}${itsCheck} !`;
    });
    return [
      `\n${indent}${number}.${name}${ends ? goal : check}${sign}`,
      ends ? "" : below(next, attack, number),
      refuted.length ? "\n    but" : "", ...refuted,
    ].join("");
  };

  /** @param {Taken} taken @param {Partial<Played>} attack @param {number} number
   * @returns {string} */
  const below = (taken, { threats = [], zugzwang, moves_left: left, defences = [] }, number) => {
    const threatened = threats.map((each) => attacked(taken, each, number + 1));
    const replies = defences.map((each) => defended(taken, each, number));
    if (threatened.length) return [" threat:", ...threatened, ...replies].join("");
    return (zugzwang && left ? " zugzwang." : "") + replies.join("");
  };

  /** @param {Taken} taken @param {Played} defence @param {number} number @returns {string} */
  const defended = (taken, defence, number) => {
    const [name, check, next] = longMove(taken, defence);
    const indent = " ".repeat(8 * number - 2);
    const answers = continued([defence]).map((each) => attacked(next, each, number + 1));
    const end = defence.continuations ? check : goal;
    return `\n${indent}${number}...${name}${end}${answers.join("")}`;
  };

  const play = playRecord(root, answer, about);
  const set = play.set_play.map((each) => defended(start, each, 1));
  const first = [...play.tries, ...play.keys].map((each) =>
    `${attacked(start, each, 1, each.refutations ? " ?" : " !")}\n`);
  const begun = below(start, { ...play, moves_left: 1 }, 1);
  const isWhole = play.complete_moves === null;
  const parts = [
    set.join(""), first.join(""), begun.replace(/^ /, "\n "),
    isWhole ? "" : "\nOnly the levels that were opened are shown.",
  ];
  return parts.filter(Boolean).map((part) => part.trimEnd()).join("\n");
}

/** @param {Move[]} line @param {number} skipped half-moves that are numbered but not played
 * @param {Taken} taken @param {string} goal */
function popeyeHelp(line, skipped, taken, goal) {
  let text = "\n";
  for (const [at, move] of line.entries()) {
    const [name, check, next] = longMove(taken, move);
    const ply = at + skipped;
    const isSecond = ply % 2 > 0;
    const number = `  ${Math.floor(ply / 2) + 1}${isSecond ? "..." : "."}`;
    const end = at + 1 === line.length ? goal : check + (isSecond ? " " : "");
    text += (isSecond && at ? " " : number) + name + end;
    taken = next;
  }
  return text;
}

/** @param {string} fen @returns {Taken} */
function takenSquares(fen) {
  const pieces = readPlacement(fen) ?? [];
  return new Set(pieces.flatMap((piece, square) => (piece ? [squareName(square)] : [])));
}

/** The name of a move in long notation, `Qh5*a5` or `e7-e8=S`, the sign of a check, and the
 * squares taken after it.
 * @param {Taken} taken @param {Move} move @returns {[string, string, Taken]} */
function longMove(taken, { uci, san }) {
  const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
  const check = /[+#]$/.test(san) ? " +" : "";
  const isPassant = /^[a-h]x.[36]/.test(san) && !taken.has(to); // on other ranks: a castled rook
  const left = new Set(taken).add(to);
  left.delete(from);
  if (isPassant) left.delete(to[0] + from[1]);
  if (san[0] === "O") return [san.replace(/[+#]/, "").replaceAll("O", "0"), check, left];
  const piece = /^[A-Z]/.test(san) ? popeyeLetter(san[0]) : "";
  const sign = san.includes("x") ? "*" : "-";
  const promotion = uci[4] ? `=${popeyeLetter(uci[4].toUpperCase())}` : "";
  return [piece + from + sign + to + promotion + (isPassant ? " ep." : ""), check, left];
}

/** @param {string} letter */
const popeyeLetter = (letter) => letter.replace("N", "S");
