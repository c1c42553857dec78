// What is known of an answer and its play as text: JSON and PGN. Pure functions that know no rules.
//
//   numbered(line, before); pgnText(root, answer, about), jsonText(...)
//   playRecord(...): the play as all texts have it
//
// root: `data` of a Tree, or null. A level that was not opened is left out, and the text says so.

import { lineAfter, numberedMove, orderedMoves, shownDefences } from "./rows.mjs";

/** @typedef {import("./answer.mjs").Found} Found */
/** @typedef {import("./lists.mjs").Attack} Attack */
/** @typedef {import("./lists.mjs").Defence} Defence */
/** @typedef {import("./lists.mjs").Root} Root */
/** @typedef {import("./rows.mjs").Stipulation} Stipulation */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {{fen: string, stipulation: Stipulation, version: string,
 *   all?: boolean, tries?: number}} About
 * @typedef {Move & {moves_left?: number, zugzwang?: boolean, threats?: Played[],
 *   defences?: Played[], refutations?: Move[], cut?: boolean, continuations?: Played[]}} Played
 *   a move of either side in a record, with the play after it
 * @typedef {{san: string, nag: string, comment: string, next: PgnNode[]}} PgnNode
 */

const TEXT_WIDTH = 80;

/** @param {string} fen */
export const blackBegins = (fen) => Number(fen.split(" ")[1] === "b");

/** The text of a stipulation; empty for the shortest mate. @param {About} about */
const stipulationText = ({ stipulation: { name, moves } }) =>
  moves && moves > 0 ? name + moves : "";

/** @param {About} about */
export const isHelp = ({ stipulation: { name } }) => name.includes("h");

/** Whether all solutions of help play are known. @param {Found} answer */
const isComplete = ({ state }) => state === "proved" || state === "disproved";

/** "1.Kg6 Kg1 2.Rd2"; the first move of a problem has the number 1.
 * @param {Move[]} line @param {number} before half-moves of this number that come before it */
export const numbered = (line, before) =>
  line.map(({ san }, ply) => numberedMove(ply + before, san, !ply)).join(" ");

// JSON

/** The record of `matesolve solve --json`.
 * @param {Root | null} root @param {Found} answer @param {About} about */
export function jsonText(root, answer, about) {
  const text = stipulationText(about);
  const record = {
    schema: 1, id: "", fen: about.fen,
    claim: text ? Math.ceil(about.stipulation.moves ?? 0) : null,
    status: answer.state, mate: answer.mate, lower_bound: answer.lower,
    keys: answer.keys, keys_complete: answer.keysComplete,
    pv: answer.line.map(({ uci }) => uci),
    nodes: answer.nodes, time_s: Math.round(answer.seconds * 1e6) / 1e6, stopped_by: null,
    solver: about.version,
    ...(text && { stipulation: text }),
    ...(isHelp(about) && {
      solutions: answer.solutions.map((line) => line.map(({ uci }) => uci)),
      solutions_complete: isComplete(answer),
    }),
    ...(root && { play: playRecord(root, answer, about) }),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** The play that is shown, in the order of composers: the field `play` of the record.
 * @param {Root} root @param {Found} answer @param {About} about */
export function playRecord({ setPlay, tries, keys, level }, answer, about) {
  const { all = false, stipulation } = about;
  const length = Math.abs(stipulation.moves || answer.mate || 0);

  /** @param {Attack[]} moves @param {Move[]} [line] */
  const attacks = (moves, line = []) =>
    orderedMoves(moves, line).map((each) => attacked(each, lineAfter(line, each)));

  /** @param {Attack} attack @param {Move[]} line @returns {Played} */
  const attacked = ({ uci, san, left, level: below, refutations, open }, line) => {
    const shown = below ? shownDefences(below.defences, all, line) : [];
    return withoutEmpty({
      uci, san, moves_left: left, zugzwang: below?.zugzwang,
      threats: attacks(below?.threats ?? []), defences: replies(shown, line),
      refutations: orderedMoves(refutations), cut: open && !below,
    });
  };

  /** @param {Defence[]} defences @param {Move[]} line @returns {Played[]} */
  const replies = (defences, line) => defences.map((each) => {
    const { uci, san, continuations } = each;
    return withoutEmpty({ uci, san, continuations: attacks(continuations, lineAfter(line, each)) });
  });

  const begun = { uci: "", san: "", left: length, refutations: [], open: true };
  const first = attacked({ ...begun, level: level ?? undefined }, answer.line);
  const play = {
    set: replies(shownDefences(setPlay, all), []), tries: attacks(tries),
    keys: attacks(keys, answer.line), defences: first.defences ?? [],
  };
  const keyMoves = completeLevels([...play.keys, ...continued(play.defences)]);
  const setMoves = completeLevels(continued(play.set));
  const tryMoves = completeLevels(play.tries);
  const cut = [keyMoves, setMoves, tryMoves].filter((levels) => levels !== null);
  return {
    stipulation: stipulationText(about) || `#${length}`, set_play: play.set,
    tries: play.tries, tries_complete: Boolean(about.tries),
    keys: play.keys, keys_complete: true,
    defences: play.defences, refutations: [],
    threats: first.threats ?? [], zugzwang: first.zugzwang ?? false,
    complete_moves: cut.length ? Math.min(...cut) : null,
    key_moves: keyMoves, set_play_moves: setMoves, try_moves: tryMoves,
  };
}

/** A record without its empty fields. @template T @param {T & object} record @returns {T} */
function withoutEmpty(record) {
  const filled = Object.entries(record).filter(([, value]) =>
    Array.isArray(value) ? value.length : value);
  return /** @type {T} */ (Object.fromEntries(filled));
}

/** @param {Played[]} defences */
export const continued = (defences) => defences.flatMap(({ continuations = [] }) => continuations);

/** How many levels are known below these attacks; null: all. @param {Played[]} attacks */
function completeLevels(attacks) {
  for (let levels = 0; attacks.length; levels++) {
    if (attacks.some(({ cut }) => cut)) return levels;
    attacks = attacks.flatMap(({ threats = [], defences = [] }) =>
      [...threats, ...continued(defences)]);
  }
  return null;
}

// PGN

/** @param {Root | null} root @param {Found} answer @param {About} about */
export function pgnText(root, answer, about) {
  const { solutions, line } = answer;
  const { fen } = about;
  const tags = pgnTags(answer, about);
  if (!isHelp(about)) {
    const [nodes, words] = root ? pgnPlay(root, answer, about) : [pgnLine(line), ""];
    return pgnGame(tags, `${proofText(answer, about)} ${words}`.trim(), nodes, fen);
  }
  const count = solutions.length;
  const found = solutionsText(count, isComplete(answer));
  if (isComplete(answer)) tags.Solutions = String(count);
  if (!count) return pgnGame(tags, found, [], fen);
  const games = solutions.map((each, at) =>
    pgnGame({ ...tags, Round: String(at + 1) }, at ? "" : found, pgnLine(each), fen));
  return games.join("\n");
}

/** @param {Found} answer @param {About} about */
function pgnTags(answer, about) {
  const { mate, keys } = answer;
  const { fen, stipulation, version } = about;
  /** @type {Record<string, string>} */
  const tags = {
    Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?",
    Result: pgnResult(answer, about), Annotator: `matesolve ${version}`, SetUp: "1", FEN: fen,
  };
  const other = stipulation.name === "#" ? "" : stipulationText(about);
  if (keys.length > 1) tags.Keys = keys.map(({ uci }) => uci).join(" ");
  if (other || !mate) tags.Stipulation = other || "?";
  return tags;
}

/** @param {Found} answer @param {About} about */
function pgnResult({ mate }, { fen, stipulation: { name, isStalemate, moves } }) {
  if (mate === null) return "*";
  if (isStalemate) return "1/2-1/2";
  const firstEnds = /^(exact-)?[#=]$/.test(name) || (moves ?? 0) % 1 > 0;
  const firstWins = (mate > 0) === firstEnds;
  return firstWins === !blackBegins(fen) ? "1-0" : "0-1";
}

/** @param {number} count @param {boolean} complete */
function solutionsText(count, complete) {
  if (!count) return complete ? "No solution." : "No solution found.";
  const known = `${count} solution${count > 1 ? "s" : ""}`;
  return known + (complete ? ", and no others." : " found.");
}

/** @param {Found} answer @param {About} about */
function proofText({ state, mate, lower, keys, keysComplete }, { stipulation: { goal = "mate" } }) {
  if (mate === 0) return "checkmate.";
  const excluded = lower === 2 ? "1 move" : `${lower - 1} or fewer moves`;
  const none = lower > 1 ? `Proved: no ${goal} takes ${excluded}.` : "";
  const isProved = state === "proved";
  const sentences = mate === null ? [state === "disproved" ? "" : "Undecided.", none] : [
    mate > 0 ? `${goal} in ${mate}.` : `mated in ${-mate}.`,
    isProved ? "Proved, and none is shorter." : "Proved; there may be a shorter one.",
    isProved ? "" : none,
    keys.length && !keysComplete ? "There may be more keys." : "",
  ];
  return sentences.filter(Boolean).join(" ");
}

/** @param {string} san @param {PgnNode[]} next @param {string} [nag] @param {string} [comment]
 * @returns {PgnNode} */
const pgnNode = (san, next, nag = "", comment = "") => ({ san, nag, comment, next });

/** @param {Move[]} line @returns {PgnNode[]} */
const pgnLine = ([move, ...rest]) => (move ? [pgnNode(move.san, pgnLine(rest))] : []);

/** Half-moves before a position in its game. @param {string} fen */
const pgnPly = (fen) => 2 * (Number(fen.split(" ")[5]) || 1) - 2 + blackBegins(fen);

/** @param {number} ply @param {string} black what follows the number of a black move */
const pgnNumber = (ply, black) => `${Math.floor(ply / 2) + 1}${ply % 2 ? black : ". "}`;

/** The moves, and words on the position before them.
 * @param {Root} root @param {Found} answer @param {About} about @returns {[PgnNode[], string]} */
function pgnPlay(root, answer, about) {
  const play = playRecord(root, answer, about);
  const { goal = "mate" } = about.stipulation;
  const ply = pgnPly(about.fen);

  /** @param {number} at */
  const whiteNumber = (at) => (at % 2 ? "" : pgnNumber(at, ""));

  /** A threat, as far as there is no choice of moves.
   * @param {Played} threat @param {number} at @returns {string} */
  const threatened = ({ san, defences = [] }, at) => {
    const next = continued(defences);
    if (defences.length !== 1 || next.length !== 1) return san;
    const defence = whiteNumber(at + 1) + defences[0].san;
    return `${san} ${defence} ${whiteNumber(at + 2)}${threatened(next[0], at + 2)}`;
  };

  /** @param {Partial<Played>} attack @param {number} at half-moves before what it threatens */
  const comment = ({ threats = [], zugzwang, cut, moves_left: left }, at) => {
    const named = threats.map((each) => pgnNumber(at, "...") + threatened(each, at));
    if (named.length) return `threat${named.length > 1 ? "s" : ""}: ${named.join(", ")}`;
    if (zugzwang) return "zugzwang";
    return cut && left ? `${goal} in ${left} more` : "";
  };

  /** @param {Played} attack @param {number} at @param {string} [nag] */
  const attacked = (attack, at, nag) => {
    const { san, refutations = [], defences } = attack;
    const refuting = refutations.map((each) => pgnNode(each.san, [], "$1"));
    const next = [...refuting, ...replies(defences, at + 1)];
    return pgnNode(san, next, nag, comment(attack, at + 2));
  };

  /** @param {Played[]} [defences] @param {number} [at] @returns {PgnNode[]} */
  const replies = (defences = [], at = ply) => defences.map((each) =>
    pgnNode(each.san, continued([each]).map((attack) => attacked(attack, at + 1))));

  const first = [
    ...play.keys.map((each) => attacked(each, ply, "$1")),
    ...play.tries.map((each) => attacked(each, ply, "$2")),
  ];
  const set = replies(play.set_play, ply + 1);
  const passed = first.length && set.length ? [pgnNode("--", set, "", "set play")] : [];
  return [[...first, ...replies(play.defences), ...passed], comment(play, ply + 1)];
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

/** @param {Record<string, string>} tags @param {string} comment @param {PgnNode[]} nodes
 * @param {string} fen */
function pgnGame(tags, comment, nodes, fen) {
  const words = comment ? [`{ ${comment} }`] : [];
  const lines = /** @type {string[]} */ ([]);
  for (const token of [...words, ...pgnTokens(nodes, pgnPly(fen)), tags.Result]) {
    const line = `${lines.at(-1)} ${token}`;
    if (lines.length && line.length < TEXT_WIDTH) lines[lines.length - 1] = line;
    else lines.push(token);
  }
  const head = Object.entries(tags).map(([tag, value]) => `[${tag} "${value}"]\n`).join("");
  return `${head}\n${lines.join("\n")}\n`;
}
