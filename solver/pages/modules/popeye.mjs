// An answer and its play as text in Popeye's form.

import { playGaps } from "./pgn.mjs";
import { kindOf, splitStipulation } from "./sentences.mjs";
import { readPlacement, squareName } from "./squares.mjs";

/** @typedef {import("./levels.mjs").Attack} Attack */
/** @typedef {import("./levels.mjs").Defence} Defence */
/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {{uci: string, san: string}} Move */
/** @typedef {Set<string>} Taken squares with a piece, which show a capture en passant */

/** @param {AuditRecord} record @param {Play | null} play null: it is not known */
export function popeyeText({ fen, solutions, stipulation, san }, play) {
  const [name, number] = splitStipulation(stipulation);
  const { isStalemate, defenderEnds } = kindOf(name);
  const goal = isStalemate ? " =" : " #";
  const start = takenSquares(fen);
  if (solutions) {
    return solutions.map((/** @type {string[]} */ line, /** @type {number} */ at) =>
      popeyeHelp(line.map((uci, ply) => ({ uci, san: san.solutions[at][ply] })),
        Number(number % 1 > 0), start, goal)).join("");
  }
  if (!play) return "";

  /** @param {Taken} taken @param {Attack} attack @param {number} number @param {string} [sign]
   * @returns {string} */
  const attacked = (taken, attack, number, sign = "") => {
    const [name, check, next] = longMove(taken, attack);
    const { moves_left: left, refutations = [] } = attack;
    const ends = !left && !defenderEnds;
    const indent = sign ? "   " : " ".repeat(8 * number - 6);
    const refuted = refutations.map((each) => {
      const [refuting, itsCheck, last] = longMove(next, each);
      const forced = (each.forced ?? []).map((end) =>
        `\n          2.${longMove(last, end)[0]}${goal} ?!?`);
      return `\n      1...${refuting}${itsCheck} !${forced.join("")}`;
    });
    return [
      `\n${indent}${number}.${name}${ends ? goal : check}${sign}`,
      ends ? "" : below(next, attack, number),
      refuted.length ? "\n    but" : "", ...refuted,
    ].join("");
  };

  /** @param {Taken} taken @param {Partial<Attack>} attack @param {number} number
   * @returns {string} */
  const below = (taken, { threats = [], zugzwang, moves_left: left, defences = [] }, number) => {
    const threatened = threats.map((each) => attacked(taken, each, number + 1));
    const replies = defences.map((each) => defended(taken, each, number));
    if (threatened.length) return [" threat:", ...threatened, ...replies].join("");
    return (zugzwang && left ? " zugzwang." : "") + replies.join("");
  };

  /** @param {Taken} taken @param {Defence} defence @param {number} number @returns {string} */
  const defended = (taken, defence, number) => {
    const [name, check, next] = longMove(taken, defence);
    const indent = " ".repeat(8 * number - 2);
    const answers = (defence.continuations ?? []).map((each) =>
      attacked(next, each, number + 1));
    const end = defence.continuations ? check : goal;
    return `\n${indent}${number}...${name}${end}${answers.join("")}`;
  };

  const set = play.set_play.map((/** @type {Defence} */ each) => defended(start, each, 1));
  const first = [...play.tries, ...play.keys].map((each) =>
    `${attacked(start, each, 1, each.refutations ? " ?" : " !")}\n`);
  const begun = below(start, { ...play, moves_left: 1 }, 1);
  const parts = [
    set.join(""), first.join(""),
    begun && (play.isCheck ? " +" : begun[0] === " " ? "\n" : "") + begun,
    playGaps(play, true).join("\n"),
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
