// An answer and its play as texts: PGN and Popeye's form.

import { pageData } from "./dom.mjs";
import {
  counted, factsOf, kindOf, readPlacement, say, splitStipulation, squareName,
} from "./records.mjs";
import { blackBegins } from "./tree.mjs";

/** @import { Attack, Defence } from "./levels.mjs" */
/** @import { AuditRecord } from "./records.mjs" */
/** @import { Play } from "./tree.mjs" */

/** @typedef {{san: string, nag: string, comment: string, next: PgnNode[]}} PgnNode */

// PGN, as `matesolve solve --pgn` writes it: solver/output/solution_pgn.py.

const PGN_WIDTH = 80;

/** @param {AuditRecord} record @param {Play | null} play null: only the main line is written */
export function pgnText(record, play) {
  const { fen, solutions, san } = record;
  const facts = factsOf(record);
  const tags = pgnTags(record);
  if (!solutions) {
    const remarks = ["pgn_claim", "pgn_proof", "pgn_restricted", "pgn_keys"]
      .map((name) => say(name, facts));
    const [nodes, words] = play ? pgnPlay(record, play) : [pgnLine(san.pv), ""];
    const said = [...remarks, ...play ? playGaps(play) : []].filter(Boolean);
    return pgnGame(tags, [filled(said.join(" ")), words], nodes, fen);
  }
  if (record.solutions_complete) tags.Solutions = String(solutions.length);
  const lines = solutions.length ? san.solutions : [[]];
  return lines.map((/** @type {string[]} */ names, /** @type {number} */ at) => {
    const round = solutions.length && { Round: String(at + 1) };
    const words = at ? "" : filled(say("pgn_solutions", facts));
    return pgnGame({ ...tags, ...round }, [words, ""], pgnLine(names), fen);
  }).join("\n");
}

/** What a play does not show, in sentences; a page knows all keys, and all tries asked for.
 * @param {Play} play @param {string[]} names of sentences, in order */
export function playGaps(play, names = ["after_keys", "set_play_gap", "after_tries"]) {
  const { keys, defences } = play;
  const facts = {
    ...counted("set_play_moves", play.set_play_moves), ...counted("try_moves", play.try_moves),
    ...counted("key_moves", keys.length || defences.length ? play.key_moves : null),
  };
  return [...new Set(names.map((name) => say(name, facts)).filter(Boolean))];
}

/** @param {AuditRecord} record @returns {Record<string, string>} */
function pgnTags(record) {
  const { keys = [], mate, stipulation } = record;
  const [name] = splitStipulation(stipulation);
  const other = name === "#" ? "" : stipulation;
  return {
    Event: (record.shown?.id ?? record.id).replace(/[\\"]/g, "\\$&") || "?", Site: "?",
    Date: "????.??.??", Round: "?", White: "?", Black: "?", Result: pgnResult(record),
    Annotator: `matesolve ${pageData.version}`, SetUp: "1", FEN: record.fen,
    ...(keys.length > 1 && {
      Keys: keys.map((/** @type {{uci: string}} */ { uci }) => uci).join(" "),
    }),
    ...((other || !mate) && { Stipulation: other || "?" }),
  };
}

/** @param {AuditRecord} record */
function pgnResult({ mate, fen, stipulation }) {
  if (mate === null) return "*";
  const [name, number] = splitStipulation(stipulation);
  const { isStalemate, part, defenderEnds } = kindOf(name);
  if (isStalemate) return "1/2-1/2";
  const firstEnds = part === "help" ? number % 1 > 0 : !defenderEnds;
  return ((mate > 0) === firstEnds) === !blackBegins(fen) ? "1-0" : "0-1";
}

/** @param {string} san @param {PgnNode[]} next @param {string} [nag] @param {string} [comment]
 * @returns {PgnNode} */
const pgnNode = (san, next, nag = "", comment = "") => ({ san, nag, comment, next });

/** @param {string[]} names @returns {PgnNode[]} */
const pgnLine = ([san, ...rest]) => (san ? [pgnNode(san, pgnLine(rest))] : []);

/** Half-moves before a position in its game. @param {string} fen */
const pgnPly = (fen) => 2 * (Number(fen.split(" ")[5]) || 1) - 2 + blackBegins(fen);

/** @param {number} ply @param {string} black what follows the number of a black move */
const pgnNumber = (ply, black) => `${Math.floor(ply / 2) + 1}${ply % 2 ? black : ". "}`;

/** Comments as one: a comma between them, except after a full stop.
 * @param {(string | undefined | false)[]} comments */
const commented = (comments) => comments.filter(Boolean).join(", ").replaceAll("., ", ". ");

/** The moves, and words on the position before them.
 * @param {AuditRecord} record @param {Play} play @returns {[PgnNode[], string]} */
function pgnPlay(record, play) {
  const { goal } = kindOf(splitStipulation(record.stipulation)[0]);
  const ply = pgnPly(record.fen);

  /** A threat, as far as there is no choice of moves.
   * @param {Attack} threat @param {number} at @returns {string} */
  const threatened = ({ san, defences = [] }, at) => {
    const { continuations = [] } = defences[0] ?? {};
    if (defences.length !== 1 || continuations.length !== 1) return san;
    const [defence, next] = [at + 1, at + 2].map((each) => each % 2 ? "" : pgnNumber(each, ""));
    return `${san} ${defence}${defences[0].san} ${next}${threatened(continuations[0], at + 2)}`;
  };

  /** @param {Attack[]} [threats] @param {number} [at] */
  const threatWords = (threats = [], at = 0) => threats.length > 0 &&
    `threat${threats.length > 1 ? "s" : ""}: ` +
    threats.map((each) => pgnNumber(at, "...") + threatened(each, at)).join(", ");

  /** @param {Attack} attack @param {number} at @param {string[]} line @param {string} [nag]
   * @returns {PgnNode} */
  const attacked = (attack, at, line, nag) => {
    const { san, refutations = [], defences, zugzwang, cut, moves_left: left } = attack;
    const next = [...replies(defences, at + 1, line), ...refutations.map((each) =>
      pgnNode(each.san, [], "$1"))];
    return pgnNode(san, next, nag, commented([
      threatWords(attack.threats, at + 2), zugzwang && "zugzwang",
      cut && !defences && `${goal} in ${left ?? 0} more`, attack.mark,
      attack.features?.join(", "),
    ]));
  };

  /** @param {Defence[]} [defences] @param {number} [at] @param {string[]} [line]
   * @returns {PgnNode[]} */
  const replies = (defences = [], at = ply, line = []) => ordered(defences, line).map(
    ([{ san, continuations = [], mark }, rest]) => pgnNode(san, ordered(continuations, rest)
      .map(([attack, following]) => attacked(attack, at + 1, following)), "", mark));

  const first = [
    ...ordered(/** @type {Attack[]} */ (play.keys), record.pv)
      .map(([each, rest]) => attacked(each, ply, rest, "$1")),
    ...play.tries.map((/** @type {Attack} */ each) => attacked(each, ply, [], "$2")),
    ...replies(play.defences, ply, record.pv),
  ];
  const set = replies(play.set_play, ply + 1);
  const passed = first.length && set.length ? [pgnNode("--", set, "", "set play")] : [];
  return [[...first, ...passed],
    commented([threatWords(play.threats, ply + 1), play.zugzwang && "zugzwang"])];
}

/** Moves, that of the main line first, each with the main line after it.
 * @template {{uci: string}} T @param {T[]} moves @param {string[]} line
 * @returns {[T, string[]][]} */
const ordered = (moves, [first, ...rest]) => [
  ...moves.filter(({ uci }) => uci === first), ...moves.filter(({ uci }) => uci !== first),
].map((move) => [move, move.uci === first ? rest : []]);

/** @param {PgnNode[]} alternatives @param {number} ply @returns {string[]} */
const pgnTokens = ([main, ...others], ply, isNumbered = true) => (main ? [
  ...pgnMove(main, ply, isNumbered),
  ...others.flatMap((other) => ["( ", ...pgnMove(other, ply, true),
    ...pgnTokens(other.next, ply + 1, other.comment !== ""), ") "]),
  ...pgnTokens(main.next, ply + 1, others.length > 0 || main.comment !== ""),
] : []);

/** @param {PgnNode} node @param {number} ply @param {boolean} isNumbered where Black is to move */
const pgnMove = ({ san, nag, comment }, ply, isNumbered) => [
  ...(isNumbered || ply % 2 === 0 ? [`${pgnNumber(ply, "...").trim()} `] : []),
  `${san} `, ...(nag ? [`${nag} `] : []), ...(comment ? [`{ ${comment} } `] : []),
];

/** A text in lines. @param {string} text */
const filled = (text) => text.split(" ").reduce((lines, word) => {
  const line = `${lines.at(-1)} ${word}`;
  return lines.length && line.length <= PGN_WIDTH ? [...lines.slice(0, -1), line]
    : [...lines, word];
}, /** @type {string[]} */ ([])).join("\n");

/** @param {Record<string, string>} tags @param {string[]} comments @param {PgnNode[]} nodes
 * @param {string} fen */
function pgnGame(tags, comments, nodes, fen) {
  const words = commented(comments);
  const lines = [""];
  const tokens = [...words ? [`{ ${words} } `] : [], ...pgnTokens(nodes, pgnPly(fen)),
    `${tags.Result} `];
  for (const token of tokens) {
    const line = lines[lines.length - 1];
    if (PGN_WIDTH - line.length < token.length && line) lines.push(token);
    else lines[lines.length - 1] = line + token;
  }
  const head = Object.entries(tags).map(([tag, value]) => `[${tag} "${value}"]\n`).join("");
  return `${head}\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

// Popeye's form.

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
    return [`\n${indent}${number}.${name}${ends ? goal : check}${sign}`,
      ends ? "" : below(next, attack, number),
      refuted.length ? "\n    but" : "", ...refuted].join("");
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
    const answers = (defence.continuations ?? []).map((each) => attacked(next, each, number + 1));
    const end = defence.continuations ? check : goal;
    return `\n${indent}${number}...${name}${end}${answers.join("")}`;
  };

  const set = play.set_play.map((/** @type {Defence} */ each) => defended(start, each, 1));
  const first = [...play.tries, ...play.keys].map((each) =>
    `${attacked(start, each, 1, each.refutations ? " ?" : " !")}\n`);
  const begun = below(start, { ...play, moves_left: 1 }, 1);
  const parts = [set.join(""), first.join(""),
    begun && (play.isCheck ? " +" : begun[0] === " " ? "\n" : "") + begun,
    playGaps(play, ["set_play_gap", "after_tries", "after_keys"]).join("\n"),
  ];
  return parts.filter(Boolean).map((part) => part.trimEnd()).join("\n");
}

/** @param {Move[]} line @param {number} skipped half-moves that are numbered but not played
 * @param {Taken} taken @param {string} goal */
function popeyeHelp(line, skipped, taken, goal) {
  let text = "\n";
  for (const [at, move] of line.entries()) {
    const [name, check, next] = longMove(taken, move);
    const isSecond = (at + skipped) % 2 > 0;
    const number = `  ${((at + skipped) >> 1) + 1}${isSecond ? "..." : "."}`;
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
