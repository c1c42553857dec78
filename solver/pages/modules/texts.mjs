// What is known of an answer and its play as text: Popeye's form, PGN, JSON. Pure functions that know no rules.
//
//   numbered(line, fen); popeyeText(root, answer, about), pgnText(...), jsonText(...)
//
// root: `data` of a Tree, or null. A level that was not opened is left out, and the text says so.

import { lineAfter, numberedMove, orderedMoves, shownDefences } from "./rows.mjs";
import { readPlacement, squareName } from "./squares.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./lists.mjs").Attack} Attack */
/** @typedef {import("./lists.mjs").Defence} Defence */
/** @typedef {import("./lists.mjs").Root} Root */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {{fen: string, stipulation: import("./rows.mjs").Stipulation, version: string, all?: boolean, tries?: number}} About
 * @typedef {Move & {moves_left?: number, zugzwang?: boolean, threats?: Played[], defences?: Played[], refutations?: Move[],
 *   cut?: boolean, continuations?: Played[]}} Played a move of either side in a record, with the play after it
 * @typedef {{san: string, nag: string, comment: string, next: PgnNode[]}} PgnNode
 */

const TEXT_WIDTH = 80;

/** @param {string} fen */
const blackBegins = (fen) => Number(fen.split(" ")[1] === "b");

/** The text of a stipulation; empty for the shortest mate. @param {About} about */
const stipulationText = ({ stipulation: { name, moves } }) => (moves && moves > 0 ? name + moves : "");

/** @param {About} about */
const isHelp = ({ stipulation: { name } }) => name.includes("h");

/** Whether all solutions of help play are known. @param {Found} answer */
const isComplete = ({ state }) => state === "proved" || state === "disproved";

/** "1.Kg6 Kg1 2.Rd2"; the first move of a problem has the number 1.
 * @param {Move[]} line @param {string} fen */
export const numbered = (line, fen) =>
  line.map(({ san }, ply) => numberedMove(ply + blackBegins(fen), san, !ply)).join(" ");

// JSON

/** The record of `matesolve solve --json`.
 * @param {Root | null} root @param {Found} answer @param {About} about */
export function jsonText(root, answer, about) {
  const text = stipulationText(about);
  return `${JSON.stringify({
    schema: 1, id: "", fen: about.fen, claim: text ? Math.ceil(about.stipulation.moves ?? 0) : null,
    status: answer.state, mate: answer.mate, lower_bound: answer.lower, keys: answer.keys, keys_complete: answer.keysComplete,
    pv: answer.line.map(({ uci }) => uci), nodes: answer.nodes, time_s: Math.round(answer.seconds * 1e6) / 1e6,
    stopped_by: null, solver: about.version, ...(text && { stipulation: text }),
    ...(isHelp(about) && {
      solutions: answer.solutions.map((line) => line.map(({ uci }) => uci)),
      solutions_complete: isComplete(answer),
    }),
    ...(root && { play: playRecord(root, answer, about) }),
  }, null, 2)}\n`;
}

/** The play that is shown, in the order of composers: the field `play` of the record, which all texts are made of.
 * @param {Root} root @param {Found} answer @param {About} about */
function playRecord({ setPlay, tries, keys, level }, answer, about) {
  const { all = false, stipulation } = about;
  const begun = { uci: "", san: "", left: Math.abs(stipulation.moves || answer.mate || 0), refutations: [], open: true };
  /** @param {Attack[]} moves @param {Move[]} [line] */
  const attacks = (moves, line = []) => orderedMoves(moves, line).map((each) => attacked(each, lineAfter(line, each)));
  /** @param {Attack} attack @param {Move[]} line @returns {Played} */
  const attacked = ({ uci, san, ...attack }, line) => {
    const defences = attack.level ? replies(shownDefences(attack.level.defences, all, line), line) : [];
    return {
      uci, san, ...(attack.left && { moves_left: attack.left }), ...(attack.level?.zugzwang && { zugzwang: true }),
      ...(attack.level?.threats.length && { threats: attacks(attack.level.threats) }), ...(defences.length && { defences }),
      ...(attack.refutations.length && { refutations: orderedMoves(attack.refutations) }), ...(attack.open && !attack.level && { cut: true }),
    };
  };
  /** @param {Defence[]} defences @param {Move[]} line @returns {Played[]} */
  const replies = (defences, line) => defences.map(({ uci, san, continuations }) => ({
    uci, san, ...(continuations.length && { continuations: attacks(continuations, lineAfter(line, { uci })) }),
  }));
  const first = attacked({ ...begun, level: level ?? undefined }, answer.line);
  const set = replies(shownDefences(setPlay, all), []);
  const play = { set, tries: attacks(tries), keys: attacks(keys, answer.line), defences: first.defences ?? [] };
  const depths = [[...play.keys, ...continued(play.defences)], continued(play.set), play.tries].map(completeLevels);
  const cut = depths.filter((depth) => depth !== null);
  return {
    stipulation: stipulationText(about) || `#${begun.left}`, set_play: play.set,
    tries: play.tries, tries_complete: Boolean(about.tries), keys: play.keys, keys_complete: true,
    defences: play.defences, refutations: [], threats: first.threats ?? [], zugzwang: first.zugzwang ?? false,
    complete_moves: cut.length ? Math.min(...cut) : null, key_moves: depths[0], set_play_moves: depths[1], try_moves: depths[2],
  };
}

/** @param {Played[]} defences */
const continued = (defences) => defences.flatMap(({ continuations = [] }) => continuations);

/** How many levels are known below these attacks; null: all. @param {Played[]} attacks */
function completeLevels(attacks) {
  for (let levels = 0; attacks.length; levels++) {
    if (attacks.some(({ cut }) => cut)) return levels;
    attacks = attacks.flatMap(({ threats = [], defences = [] }) => [...threats, ...continued(defences)]);
  }
  return null;
}

// Popeye

/** @typedef {Set<string>} Taken squares with a piece, which tell a capture en passant */

/** The name of a move in long notation, `Qh5*a5` or `e7-e8=S`, the sign of a check, and the squares taken after it.
 * @param {Taken} taken @param {Move} move @returns {[string, string, Taken]} */
function longMove(taken, { uci, san }) {
  const [from, to, promoted] = [uci.slice(0, 2), uci.slice(2, 4), uci.slice(4)];
  const passant = /^[a-h]x/.test(san) && !taken.has(to);
  const left = new Set(taken).add(to);
  for (const square of passant ? [from, to[0] + from[1]] : [from]) left.delete(square);
  const piece = /^[A-Z]/.test(san) ? san[0].replace("N", "S") : "";
  const name = `${piece}${from}${san.includes("x") ? "*" : "-"}${to}${promoted && `=${promoted.toUpperCase().replace("N", "S")}`}`;
  return [san[0] === "O" ? san.replace(/[+#]/, "").replaceAll("O", "0") : name + (passant ? " ep." : ""), /[+#]$/.test(san) ? " +" : "", left];
}

/** @param {string} fen @returns {Taken} */
const takenSquares = (fen) =>
  new Set(readPlacement(fen)?.flatMap((piece, square) => (piece ? [squareName(square)] : [])));

/** @param {Root | null} root @param {Found} answer @param {About} about */
export function popeyeText(root, answer, about) {
  const { isStalemate, defenderEnds, moves } = about.stipulation;
  const goal = isStalemate ? " =" : " #";
  const start = takenSquares(about.fen);
  const skipped = (moves ?? 0) % 1 ? 1 : 0;
  if (isHelp(about)) return answer.solutions.map((line) => popeyeHelp(line, skipped, start, goal)).join("");
  if (!root) return "";
  /** @param {Taken} taken @param {Played} attack @param {number} number @param {string} [sign] @returns {string} */
  const attacked = (taken, attack, number, sign = "") => {
    const [name, check, next] = longMove(taken, attack);
    const ends = !attack.moves_left && !defenderEnds;
    const refuted = (attack.refutations ?? []).map((each) => `\n      1...${longMove(next, each).slice(0, 2).join("")} !`).join("");
    return `\n${sign ? "   " : " ".repeat(8 * number - 6)}${number}.${name}${ends ? goal : check}${sign}`
      + (ends ? "" : below(next, attack, number)) + (refuted && `\n    but${refuted}`);
  };
  /** @param {Taken} taken @param {Partial<Played>} attack @param {number} number @returns {string} */
  const below = (taken, { threats = [], zugzwang, moves_left: left, defences = [] }, number) =>
    (threats.length ? ` threat:${threats.map((each) => attacked(taken, each, number + 1)).join("")}` : zugzwang && left ? " zugzwang." : "")
    + defences.map((each) => defended(taken, each, number)).join("");
  /** @param {Taken} taken @param {Played} defence @param {number} number @returns {string} */
  const defended = (taken, defence, number) => {
    const [name, check, next] = longMove(taken, defence);
    return `\n${" ".repeat(8 * number - 2)}${number}...${name}${defence.continuations ? check : goal}`
      + continued([defence]).map((each) => attacked(next, each, number + 1)).join("");
  };
  const play = playRecord(root, answer, about);
  const begun = below(start, { ...play, moves_left: 1 }, 1);
  return [
    play.set_play.map((each) => defended(start, each, 1)).join(""),
    [...play.tries, ...play.keys].map((each) => `${attacked(start, each, 1, each.refutations ? " ?" : " !")}\n`).join(""),
    begun[0] === " " ? `\n${begun}` : begun,
    play.complete_moves === null ? "" : "\nOnly the levels that were opened are shown.",
  ].filter(Boolean).map((part) => part.trimEnd()).join("\n");
}

/** @param {Move[]} line @param {number} skipped half-moves that are numbered but not played @param {Taken} taken @param {string} goal */
function popeyeHelp(line, skipped, taken, goal) {
  let text = "\n";
  for (const [at, move] of line.entries()) {
    const [name, check, next] = longMove(taken, move);
    const ply = at + skipped;
    text += ply % 2 === 0 || !at ? `  ${Math.floor(ply / 2) + 1}${ply % 2 ? "..." : "."}${name}` : ` ${name}`;
    text += at + 1 === line.length ? goal : check + (ply % 2 ? " " : "");
    taken = next;
  }
  return text;
}

// PGN

/** @param {Root | null} root @param {Found} answer @param {About} about */
export function pgnText(root, answer, about) {
  const { mate, solutions, keys, line } = answer;
  const { fen, stipulation: { name, isStalemate, moves } } = about;
  const odd = /^(exact-)?[#=]$/.test(name) || (moves ?? 0) % 1 > 0; // the side to move ends the play
  const whiteWins = mate !== null && ((mate > 0) === odd) === !blackBegins(fen);
  const result = mate === null ? "*" : isStalemate ? "1/2-1/2" : whiteWins ? "1-0" : "0-1";
  const other = name === "#" ? "" : stipulationText(about);
  const tags = [["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", result],
    ["Annotator", `matesolve ${about.version}`], ["SetUp", "1"], ["FEN", fen],
    ...(keys.length > 1 ? [["Keys", keys.map(({ uci }) => uci).join(" ")]] : []), ...(other || !mate ? [["Stipulation", other || "?"]] : [])];
  if (!isHelp(about)) {
    const [nodes, words] = root ? pgnPlay(root, answer, about) : [pgnLine(line), ""];
    return pgnGame(tags, `${proofText(answer, about)} ${words}`.trim(), nodes, result, fen);
  }
  const complete = isComplete(answer);
  const count = solutions.length;
  const found = `${count || "No"} solution${count > 1 ? "s" : ""}${!complete ? " found." : count ? ", and no others." : "."}`;
  if (complete) tags.push(["Solutions", String(count)]);
  return (count ? solutions : [[]]).map((each, at) => {
    const own = tags.map(([tag, value]) => [tag, tag === "Round" && count ? String(at + 1) : value]);
    return pgnGame(own, at ? "" : found, pgnLine(each), result, fen);
  }).join("\n");
}

/** @param {Found} answer @param {About} about */
function proofText({ state, mate, lower, keys, keysComplete }, { stipulation: { goal = "mate" } }) {
  const none = lower > 1 ? `Proved: no ${goal} takes ${lower === 2 ? "1 move" : `${lower - 1} or fewer moves`}.` : "";
  if (mate === 0) return "checkmate.";
  if (mate === null) return state === "disproved" ? none : `Undecided. ${none}`.trim();
  const proof = state === "proved" ? "Proved, and none is shorter." : `Proved; there may be a shorter one. ${none}`.trim();
  return `${mate > 0 ? `${goal} in ${mate}` : `mated in ${-mate}`}. ${proof}${keys.length && !keysComplete ? " There may be more keys." : ""}`;
}

/** @param {Move[]} line @returns {PgnNode[]} */
const pgnLine = ([move, ...rest]) => (move ? [{ san: move.san, nag: "", comment: "", next: pgnLine(rest) }] : []);

/** Half-moves before a position in its game. @param {string} fen */
const pgnPly = (fen) => 2 * (Number(fen.split(" ")[5]) || 1) - 2 + blackBegins(fen);

/** @param {number} ply @param {string} black what follows the number of a black move */
const pgnNumber = (ply, black) => `${Math.floor(ply / 2) + 1}${ply % 2 ? black : ". "}`;

/** The moves, and words on the position before them.
 * @param {Root} root @param {Found} answer @param {About} about @returns {[PgnNode[], string]} */
function pgnPlay(root, answer, about) {
  const play = playRecord(root, answer, about);
  const ply = pgnPly(about.fen);
  /** A threat, as far as there is no choice of moves.
   * @param {Played} threat @param {number} at @returns {string} */
  const threatened = ({ san, defences = [] }, at) => {
    const [defence] = defences;
    const [next] = defences.length === 1 && defence.continuations?.length === 1 ? defence.continuations : [];
    const number = (/** @type {number} */ plies) => (plies % 2 ? "" : pgnNumber(plies, ""));
    return san + (next ? ` ${number(at + 1)}${defence.san} ${number(at + 2)}${threatened(next, at + 2)}` : "");
  };
  /** @param {Partial<Played>} attack @param {number} at half-moves before what it threatens */
  const comment = ({ threats = [], zugzwang, cut, moves_left: left }, at) =>
    threats.length ? `threat${threats.length > 1 ? "s" : ""}: ${threats.map((each) => pgnNumber(at, "...") + threatened(each, at)).join(", ")}`
      : zugzwang ? "zugzwang" : cut && left ? `${about.stipulation.goal ?? "mate"} in ${left} more` : "";
  /** @param {Played} attack @param {number} at @param {string} nag @returns {PgnNode} */
  const attacked = (attack, at, nag = "") => ({
    san: attack.san, nag, comment: comment(attack, at + 2),
    next: [...(attack.refutations ?? []).flatMap((each) => pgnLine([each])).map((each) => ({ ...each, nag: "$1" })), ...replies(attack.defences, at + 1)],
  });
  /** @param {Played[]} [defences] @param {number} [at] @returns {PgnNode[]} */
  const replies = (defences = [], at = ply) => defences.map((each) =>
    ({ san: each.san, nag: "", comment: "", next: continued([each]).map((attack) => attacked(attack, at + 1)) }));
  const first = [...play.keys.map((each) => attacked(each, ply, "$1")), ...play.tries.map((each) => attacked(each, ply, "$2"))];
  const set = first.length && play.set_play.length ? [{ san: "--", nag: "", comment: "set play", next: replies(play.set_play, ply + 1) }] : [];
  return [[...first, ...replies(play.defences), ...set], comment(play, ply + 1)];
}

/** @param {PgnNode} node @param {number} ply @param {boolean} isNumbered where Black is to move */
const pgnMove = ({ san, nag, comment }, ply, isNumbered) => [
  ...(isNumbered || ply % 2 === 0 ? [pgnNumber(ply, "...").trim()] : []),
  san, ...(nag ? [nag] : []), ...(comment ? [`{ ${comment} }`] : []),
];

/** @param {PgnNode[]} alternatives @param {number} ply @returns {string[]} */
const pgnTokens = ([main, ...others], ply, isNumbered = true) => (main ? [
  ...pgnMove(main, ply, isNumbered),
  ...others.flatMap((other) => ["(", ...pgnMove(other, ply, true),
    ...pgnTokens(other.next, ply + 1, other.comment !== ""), ")"]),
  ...pgnTokens(main.next, ply + 1, others.length > 0 || main.comment !== ""),
] : []);

/** @param {string[][]} tags @param {string} comment @param {PgnNode[]} nodes
 * @param {string} result @param {string} fen */
function pgnGame(tags, comment, nodes, result, fen) {
  const words = comment ? [`{ ${comment} }`] : [];
  const lines = /** @type {string[]} */ ([]);
  for (const token of [...words, ...pgnTokens(nodes, pgnPly(fen)), result]) {
    const line = `${lines.at(-1)} ${token}`;
    if (lines.length && line.length < TEXT_WIDTH) lines[lines.length - 1] = line;
    else lines.push(token);
  }
  const head = tags.map(([tag, value]) => `[${tag} "${value}"]\n`).join("");
  return `${head}\n${lines.join("\n")}\n`;
}
