// An answer and its play as texts: PGN and Popeye's form.

import { pageData } from "./dom.mjs";
import {
  askedText, counted, factsOf, isSound, kindOf, pieceCount, played, readPlacement, say, shownName,
  splitStipulation,
} from "./records.mjs";
import { blackBegins } from "./rows.mjs";

/** @import { Attack, Defence } from "./levels.mjs" */
/** @import { AuditRecord } from "./records.mjs" */
/** @import { Play } from "./rows.mjs" */

/** @typedef {{san: string, nag: string, comment: string, next: PgnNode[]}} PgnNode */

// PGN, as `matesolve solve --pgn` writes it: solver/output/solution_pgn.py.

const PGN_WIDTH = 80;

/** @param {AuditRecord} record
 * @param {any} play a `Play`, of help play a `HelpPlay`; null: only the main line is written */
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
  const passed = played(fen, ["0000"]);
  const setGames = (play?.names.san ?? []).map(
    (/** @type {string[]} */ names, /** @type {number} */ at) => pgnGame(
      { ...tags, FEN: passed, Stipulation: "?", SetPlay: String(at + 1) }, [], pgnLine(names),
      passed));
  if (record.solutions_complete) tags.Solutions = String(solutions.length);
  const lines = solutions.length ? san.solutions : [[]];
  const games = lines.map((/** @type {string[]} */ names, /** @type {number} */ at) => {
    const round = solutions.length && { Round: String(at + 1) };
    const words = at ? "" : filled(`${say("pgn_solutions", facts)} ${setPlayGap(play)}`.trim());
    return pgnGame({ ...tags, ...round }, [words, ""], pgnLine(names), fen);
  });
  return [...setGames, ...games].join("\n");
}

/**
 * @typedef {{stipulation: string, set_play: string[][], set_play_complete: boolean,
 *   names: {san: string[][], long: string[][]}}} HelpPlay
 *   the `play` of a record of help play, and the names of its moves, which only pages have
 */

/** The set play of help play.
 * @param {AuditRecord} record @param {any} found as the worker answers; null: there is none
 * @returns {HelpPlay} */
export function helpPlay({ stipulation = "" }, found) {
  const [uci, san, long] = ["uci", "san", "long"].map((name) => (found?.solutions ?? []).map(
    (/** @type {any[]} */ line) => line.map((move) => move[name])));
  const isComplete = !found || ["proved", "disproved"].includes(found.state);
  return { stipulation, set_play: uci, set_play_complete: isComplete, names: { san, long } };
}

/** What is not known of the set play of help play. @param {HelpPlay | null} play */
const setPlayGap = (play) => (!play || play.set_play_complete ? ""
  : say("set_play_gap", { ...counted("set_play_moves", 0), set_play: play.set_play.length > 0 }));

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
    Event: pgnValue(record.title ?? shownName(record, "id")), Site: pgnValue(record.origin),
    Date: "????.??.??", Round: "?", White: pgnValue(record.author), Black: "?",
    Result: pgnResult(record),
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

// Popeye's form, by the templates of solver/output/popeye_text.py.

/** What stands above the board: who composed the problem, where it appeared and its title; or the
 * name of a record, unless it is only its place in a file. @param {AuditRecord} record */
function headingOf(record) {
  const name = shownName(record, "id");
  const { author, origin, title } = record;
  const composed = [author, origin, title].filter(Boolean);
  return composed.length || `/${record.source ?? ""}`.endsWith(`/${name}`) ? composed : [name];
}

/** A value of a tag; without one, a question mark. @param {string} [text] */
const pgnValue = (text) => text?.replace(/[\\"]/g, "\\$&") || "?";

/** The diagram, as `draw` makes it. @param {AuditRecord} record */
function popeyeDiagram(record) {
  const { board } = pageData.popeye;
  const width = board.indexOf("\n");
  const centred = (/** @type {string} */ text) =>
    " ".repeat(Math.max(0, (width - [...text].length) >> 1)) + text;
  const letters = readPlacement(record.fen)?.values();
  const drawn = board.replace(/ {3}\./g, (/** @type {string} */ empty) => {
    const letter = letters?.next().value ?? "";
    const name = `${letter > "Z" ? "-" : ""}${letter}`.toUpperCase().replace("N", "S");
    return letter ? name.padStart(empty.length) : empty;
  });
  const asked = askedText(record);
  const counts = pieceCount(record.fen).slice(1, -1).replace("+", " + ");
  const remarks = [factsOf(record).exchanged && "HalfDuplex", isSound(record) && "C+"];
  const below = remarks.filter(Boolean).join(" ");
  return ["", ...headingOf(record).map(centred), "", drawn,
    `  ${asked}${counts.padStart(width - 4 - asked.length)}`, ...below ? [centred(below)] : [], "",
  ].join("\n");
}

/** @param {AuditRecord} record
 * @param {any} play a `Play`, of help play a `HelpPlay`; null: it is not known */
export function popeyeText(record, play) {
  const { solutions, stipulation, long = [] } = record;
  const [name, number] = splitStipulation(stipulation);
  const { isStalemate, defenderEnds } = kindOf(name);
  const goal = isStalemate ? " =" : " #";
  const diagram = popeyeDiagram(record);
  if (solutions) {
    const half = Number(number % 1 > 0);
    const phases = [[play?.names.long ?? [], half + 1], [long, half]].map(([lines, skipped]) =>
      lines.map((/** @type {string[]} */ line) => popeyeHelp(line, skipped, goal)).join(""));
    const gap = setPlayGap(play);
    return diagram + phases.filter(Boolean).join("\n") + (gap && `\n${gap}`);
  }
  if (!play) return diagram;
  const { templates, lists } = pageData.popeye;

  /** A move by a template, and all that follows it.
   * @param {string} name @param {any} move @param {number} [n] @returns {string} */
  const written = (name, move, n = 1) => {
    const check = popeyeCheck(move.san);
    const known = /** @type {Record<string, string | number>} */ ({
      n, check, goal, indent: " ".repeat(8 * n - 6), move: popeyeName(move.long),
      end: move.moves_left || defenderEnds ? check : goal,
      reply_end: move.continuations ? check : goal,
    });
    return templates[name].replace(/{(\w+)}/g,
      (/** @type {string} */ _, /** @type {string} */ field) => known[field]) + below(move, n);
  };

  /** @param {any} move @param {number} n */
  const below = (move, n = 1) => Object.entries(lists).map(([name, [template, more]]) => {
    if (!move[name]?.length && !(name === "zugzwang" && move[name] && move.moves_left)) return "";
    const moves = template ? move[name] : [];
    return (templates[name] ?? "") +
      moves.map((/** @type {any} */ each) => written(template, each, n + more)).join("");
  }).join("");

  const set = play.set_play.map((/** @type {Defence} */ each) => written("defence", each));
  const first = [...play.tries, ...play.keys].map((each) =>
    written(each.refutations ? "try" : "key", each) + templates.end);
  const { threats, zugzwang, defences } = play;
  const begun = below({ threats, zugzwang, defences, moves_left: 1 });
  const parts = [set.join(""), first.join(""),
    begun && (play.isCheck ? " +" : begun[0] === " " ? "\n" : "") + begun,
  ].filter(Boolean).map((part) => part.trimEnd());
  const gaps = playGaps(play, ["set_play_gap", "after_tries", "after_keys"]);
  return diagram + [...parts.length || !gaps.length ? parts : [""], ...gaps].join("\n");
}

/** @param {string} long a move in long notation, with a sign of check or mate */
const popeyeName = (long) => long.replace(/[+#]$/, "").replace("ep.", " ep.");

/** @param {string} name of a move */
const popeyeCheck = (name) => (/[+#]$/.test(name) ? " +" : "");

/** @param {string[]} line in long notation @param {number} skipped half-moves that are numbered
 * but not played @param {string} goal */
const popeyeHelp = (line, skipped, goal) => line.reduce((text, move, at) => {
  const isSecond = (at + skipped) % 2 > 0;
  const number = `  ${((at + skipped) >> 1) + 1}${isSecond ? "..." : "."}`;
  const end = at + 1 === line.length ? goal : popeyeCheck(move) + (isSecond ? " " : "");
  return text + (isSecond && at ? " " : number) + popeyeName(move) + end;
}, skipped === 2 ? "\n  1...  ..." : "\n");
