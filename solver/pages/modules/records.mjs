// What a page knows of a problem: squares, sentences, the program's records, the state of its
// viewer, verdicts. Its one rule of chess is how the moves of a line change a board (`played`):
// pages without the kernel step through lines too.

import { element, make, pageData, several, thousands, timeText } from "./dom.mjs";

/** @import { Move } from "./rules.mjs" */
/** @import { Play } from "./rows.mjs" */

/**
 * A line of `verify --jsonl`, as the table in solver/record.py has it; pages add fields.
 * @typedef {Record<keyof Fields | string, any>} AuditRecord
 * @typedef {object} Fields
 * @property {string} id
 * @property {string} [source]
 * @property {string | null} fen
 * @property {number | null} claim
 * @property {string | null} status
 * @property {string | null} [verdict]
 * @property {string | null} [soundness]
 * @property {number | null} [mate]
 * @property {number | null} [lower_bound]
 * @property {{uci: string, san: string}[]} [keys]
 * @property {boolean} [keys_complete]
 * @property {string[]} [pv]
 * @property {number} [nodes]
 * @property {number | null} [time_s]
 * @property {string | null} [stopped_by]
 * @property {string} [error]
 * @property {string} solver
 * @property {number} [nomate]
 * @property {string[]} [claimed_keys]
 * @property {string[]} [claimed_line]
 * @property {string[]} [wrong_keys]
 * @property {boolean} [only_moves]
 * @property {Ply[]} [plies]
 * @property {string} [tablebase]
 * @property {string} [stipulation]
 * @property {number} [claimed_solutions]
 * @property {string[][]} [solutions]
 * @property {boolean} [solutions_complete]
 * @property {string} [mark]
 * @property {string} [note]
 * @property {string} [hint]
 * @property {string} [text]
 * @property {string[]} [warnings]
 * @property {{[name: string]: boolean | number | null}} [restriction]
 * @property {number} [solutions_found]
 * @property {object} [play]
 * @property {object} [accepted]
 * @property {string[]} [disagreements]
 * @typedef {{move: string, mate: number | null, keys: string[], only?: boolean | null,
 *   holds?: boolean}} Ply
 */

// Squares and pieces by number, letter and name.

const PIECE_NAMES = /** @type {Record<string, string>} */ (
  { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" });

/** Squares are 0 (a8) to 63 (h1), in the order of a FEN. @param {number} square */
export const squareName = (square) => "abcdefgh"[square % 8] + (8 - Math.floor(square / 8));

/** The square that a text begins with. @param {string} name */
export const squareIndex = (name) => "abcdefgh".indexOf(name[0]) + 8 * (8 - Number(name[1]));

/** "rook" of a letter of either case. @param {string} letter */
export const pieceName = (letter) => PIECE_NAMES[letter.toLowerCase()];

/** "white rook", or "empty". @param {string} letter */
export const describePiece = (letter) =>
  letter ? `${letter < "a" ? "white" : "black"} ${pieceName(letter)}` : "empty";

/** The 64 letters, "" for an empty square, of the first field of a FEN; null: it is none.
 * @param {string} fen @returns {string[] | null} */
export function readPlacement(fen) {
  const ranks = fen.trim().split(/\s/)[0].split("/").map((rank) => {
    if (!/^[1-8KQRBNPkqrbnp]+$/.test(rank)) return [];
    return [...rank].flatMap((x) => (x > "8" ? [x] : Array(Number(x)).fill("")));
  });
  return ranks.length === 8 && ranks.every((rank) => rank.length === 8) ? ranks.flat() : null;
}

/** The first field of a FEN. @param {string[]} letters */
export function writePlacement(letters) {
  const ranks = [0, 8, 16, 24, 32, 40, 48, 56].map((first) =>
    letters.slice(first, first + 8).map((letter) => letter || "1").join(""));
  return ranks.join("/").replace(/1+/g, ({ length }) => String(length));
}

/** Rights to castle that end with a move from or to a square. @type {Record<number, string>} */
const CASTLING_HOMES = { 0: "q", 4: "kq", 7: "k", 56: "Q", 60: "KQ", 63: "K" };

/** The FEN after legal moves; `0000` and what is no move pass the turn.
 * @param {string} fen @param {string[]} moves in UCI notation */
export function played(fen, moves) {
  if (!moves.length) return fen;
  const letters = readPlacement(fen) ?? [];
  let [, turn = "w", rights = "-", passant = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
  for (const uci of moves) {
    const [from, to] = [squareIndex(uci), squareIndex(uci.slice(2))];
    const piece = (uci !== "0000" && letters[from]) || "";
    const isPawn = /p/i.test(piece);
    half = isPawn || (piece && letters[to]) ? "0" : String(Number(half) + 1);
    passant = isPawn && Math.abs(from - to) === 16 ? squareName((from + to) / 2) : "-";
    if (piece) {
      if (isPawn && !letters[to] && from % 8 !== to % 8) letters[to + (turn === "w" ? 8 : -8)] = "";
      if (/k/i.test(piece) && Math.abs(from - to) === 2) {
        const [rook, beside] = to > from ? [to + 1, to - 1] : [to - 2, to + 1];
        [letters[beside], letters[rook]] = [letters[rook], ""];
      }
      letters[from] = "";
      letters[to] = turn === "w" ? (uci[4] ?? piece).toUpperCase() : uci[4] ?? piece;
      const lost = `${CASTLING_HOMES[from] ?? ""}${CASTLING_HOMES[to] ?? ""}`;
      rights = [...rights].filter((right) => !lost.includes(right)).join("") || "-";
    }
    if (turn === "b") full = String(Number(full) + 1);
    turn = turn === "w" ? "b" : "w";
  }
  return [writePlacement(letters), turn, rights, passant, half, full].join(" ");
}

// The sentences of an answer, from the table that the program reads too: solver/output/text.py.
//
//   say("headline", factsOf(record))
//
// A record is what the program prints with --json, with the names of its moves in `san`; what a
// search in the page has found becomes one too: `liveRecord`.

/**
 * @typedef {Readonly<{fen: string, name: string, part: string, goal: string, play: number,
 *   isStalemate: boolean, is_exact: boolean, defenderEnds: boolean, moves: number | null,
 *   nodes: number | null, isStalemated?: boolean}>} Question
 *   a position and a stipulation; moves: null: the shortest mate; nodes: at most
 * @typedef {Record<string, any>} Facts
 */

/** What the program says of a stipulation without its number. @param {string} name */
export const kindOf = (name) =>
  pageData.stipulations.find((/** @type {any} */ each) => each.name === name);

/** Name and number of a stipulation; without a text: the shortest mate.
 * @param {string} [text] @returns {[string, number]} */
export function splitStipulation(text = "#") {
  const [, name, number] = /^(.*?)([\d.]*)$/.exec(text) ?? [];
  return [name, Number(number)];
}

/** A number, and whether it is none or one.
 * @param {string} name @param {number | null | undefined} count @returns {Facts} */
export const counted = (name, count) =>
  ({ [name]: count, [`no_${name}`]: count === 0, [`one_${name}`]: count === 1 });

/** A sentence; empty: nothing holds that it could say. @param {string} name @param {Facts} facts */
export const say = (name, facts) => sentence(name, facts).trim();

/** @param {string} name @param {Facts} facts @returns {string} */
function sentence(name, facts) {
  const holds = (/** @type {string} */ fact) =>
    fact[0] === "!" ? !facts[fact.slice(1)] : !fact || facts[fact];
  const row = pageData.sentences[name].find((/** @type {string[]} */ [condition]) =>
    condition.split(" ").every(holds));
  const value = (/** @type {string} */ key) => key in pageData.sentences ? sentence(key, facts)
    : typeof facts[key] === "number" ? thousands(facts[key]) : facts[key];
  return (row?.[1] ?? "").replace(/\{(\w+)\}/g,
    (/** @type {string} */ _, /** @type {string} */ key) => value(key));
}

/** What the sentences read of an answer. @param {AuditRecord} record @returns {Facts} */
export function factsOf(record) {
  const { fen, status, mate, claim, keys = [], solutions = [], claimed_solutions: asked } = record;
  const [name, number] = splitStipulation(record.stipulation);
  const kind = kindOf(name);
  const excluded = Math.max((record.lower_bound ?? 1) - 1, 0);
  const moves = Math.abs(mate ?? 0);
  const count = solutions.length;
  return {
    ...kind, asked: String(number || ""), mover: sideOf(fen),
    exchanged: (sideOf(fen) === "White") === (kind.help && number % 1 === 0),
    moves, mated: mate < 0, checkmated: mate === 0,
    stalemated: record.stalemated, denies_mated: claim < 0, [status]: true,
    ...counted("excluded", excluded), open_one: excluded + 1 === moves - 1,
    open_first: excluded + 1, open_last: moves - 1,
    ...counted("keys", keys.length), ...counted("count", count),
    complete: kind.help ? record.solutions_complete : record.keys_complete,
    wanted: typeof asked !== "number" || asked === count ? "" : thousands(asked),
    ...counted("nodes", record.nodes), time: timeText(record.time_s),
    restriction: record.restriction, [record.tablebase]: true, [`by_${record.stopped_by}`]: true,
  };
}

/** The side to move. @param {string} fen */
export const sideOf = (fen) => (fen.split(" ")[1] === "b" ? "Black" : "White");

/** The same position with the other side to move. @param {string} fen */
export function turned(fen) {
  const [pieces, turn, rights = "-", , ...counters] = fen.split(" ");
  return [pieces, turn === "b" ? "w" : "b", rights, "-", ...counters].join(" ");
}

/** How many pieces each side has: "(10+12)". @param {string} fen */
export function pieceCount(fen) {
  const [pieces] = fen.split(" ");
  const [white, black] = [/[A-Z]/g, /[a-z]/g].map((side) => pieces.match(side)?.length ?? 0);
  return `(${white}+${black})`;
}

/** The side to move and the pieces, beside the board. @param {string} fen */
export function drawSide(fen) {
  const side = sideOf(fen);
  element("board-side").hidden = false;
  element("board-side").dataset.side = side.toLowerCase();
  element("board-side").textContent = `${side} to move ${pieceCount(fen)}`;
}

const SHOWN_LETTERS = 40; // of a text that is not understood

/** What a person asks for: "s#2", "h#2½", or "3" for "#3"; "#" alone is the shortest mate.
 * @param {string} text @returns {{name: string, moves: number | null} | {fault: string}} */
export function readStipulation(text) {
  const written = text.replace(/\s/g, "").replace("½", ".5").toLowerCase();
  const [, name = "", number = ""] = /^(.*?)([\d.]*)$/.exec(written) ?? [];
  const kind = kindOf(name || "#");
  if (kind && pageData.modules?.[kind.part]) {
    return { name: kind.name, moves: number ? Number(number) : null };
  }
  return { fault: `Expected #2, s#3, r#2, h#2.5 or another stipulation of the list, found ${
    text.slice(0, SHOWN_LETTERS)}` };
}

/** The stipulation of a question as the program writes it; empty: the shortest mate.
 * @param {Question} question */
export const stipulationText = ({ name, moves }) => (moves ? `${name}${moves}` : "");

/** The record of `matesolve solve --json` of what a search in the page has found.
 * @param {Question} question @param {any} found as the worker answers @returns {AuditRecord} */
export function liveRecord(question, found) {
  const { solutions, line } = found;
  const stipulation = stipulationText(question);
  const isComplete = found.state === "proved" || found.state === "disproved";
  const [uci, san, long] = /** @type {const} */ (["uci", "san", "long"]).map((name) =>
    (/** @type {Move[]} */ moves) => moves.map((move) => move[name]));
  return Object.freeze({
    schema: 1, id: "", fen: question.fen,
    claim: stipulation ? Math.ceil(question.moves ?? 0) : null,
    status: found.state, mate: found.mate, lower_bound: found.lower,
    keys: found.keys, keys_complete: found.keysComplete, pv: uci(line),
    nodes: found.nodes, time_s: Math.round(found.seconds * 1e6) / 1e6,
    stopped_by: found.stoppedBy ?? (isComplete ? null : question.nodes ? "nodes" : "solutions"),
    solver: pageData.version, ...(stipulation && { stipulation }),
    ...(question.part === "help" &&
      { solutions: solutions.map(uci), solutions_complete: isComplete }),
    san: { pv: san(line), solutions: solutions.map(san) }, long: solutions.map(long),
    stalemated: question.isStalemated,
  });
}

// What a record of the program says, in the types and words of the panels.

/** Refuses a record of another schema. @param {AuditRecord} record */
export function requireRecord(record) {
  const schema = record?.schema;
  if (schema !== 1) throw new Error(`expected a record of schema 1, found ${schema}`);
}

/** Moves with their names. @param {string[]} [moves] @param {string[]} [names] @returns {Move[]} */
export const namedMoves = (moves = [], names = []) =>
  moves.map((uci, ply) => ({ uci, san: names[ply] ?? uci }));

/** A name in a record as a page may show it.
 * @param {AuditRecord} record @param {string} name of a field @returns {string} */
export const shownName = (record, name) => record.shown?.[name] ?? record[name] ?? "";

/** What a problem asks for: "#2". @param {AuditRecord} record */
export const askedText = ({ stipulation, claim, mate }) =>
  stipulation || `#${Math.max(claim ?? mate ?? 0, 0) || ""}`;

/** Whether a problem deserves C+, as `is_sound` of solver/stipulations has it.
 * @param {AuditRecord} record */
export function isSound(record) {
  const { claim, mate, keys = [], solutions, claimed_solutions: wanted } = record;
  if (record.status !== "proved" || record.restriction || record.wrong_keys?.length) return false;
  const plies = 2 * splitStipulation(record.stipulation)[1];
  return solutions ? record.solutions_complete && solutions.length === (wanted ?? 1) &&
    solutions.every((/** @type {string[]} */ line) => line.length === plies)
    : record.keys_complete && keys.length === 1 && (claim ?? mate) === mate &&
      !(record.nomate >= mate);
}

/** The name of a problem, what it asks for, its number of pieces, and whether it is sound:
 * "No. 7, #2 (6+9) C+". @param {AuditRecord} record @returns {(Node | string)[]} */
export function recordTitle(record) {
  const [id, source] = ["id", "source"].map((name) => shownName(record, name));
  const names = [id, `/${source}`.endsWith(`/${id}`) ? "" : source].filter(Boolean);
  const isolated = names.flatMap((name) => [make("bdi", {}, name), ", "]);
  const mark = isSound(record) ? " C+" : "";
  return [...isolated, `${askedText(record)} ${pieceCount(record.fen)}${mark}`];
}

/** What else a record says of how it was solved. @param {AuditRecord} record */
export const recordNotes = ({ error, tablebase, restriction }) => [
  error, restriction && `Restricted: ${restriction}.`,
  tablebase && `Known from ${tablebase === "syzygy" ? "Syzygy" : "Gaviota"} tables, not proved.`,
].filter(Boolean).join(" ");

/** What the source of a problem claims; empty: nothing. @param {AuditRecord} record */
export function claimText({ stipulation, claim, nomate, claimed_solutions: count }) {
  return [
    claim && (stipulation ?? `${claim < 0 ? "mated" : "mate"} in ${Math.abs(claim)}`),
    nomate && `no mate in ${nomate}`,
    typeof count === "number" && several(count, "solution"),
  ].filter(Boolean).join(", ");
}

// The state of a page with a board: which question, and what is known of exactly that question.

/**
 * @typedef {{fen: string, moves: Move[], check?: boolean, over?: string}} Described a position
 * @typedef {Readonly<{fen: string, moves: string[], find: string, nodes: number | null}>} Asked
 *   what is asked about, as it was given; find: see `readStipulation`
 */
/**
 * @typedef {Readonly<{
 *   asked: Asked | null, question: Question | null, fault: string, record: AuditRecord | null,
 *   isLive: boolean, root: Described | null, here: Described | null, path: readonly string[],
 *   doing: "" | "reading" | "searching" | "paused" | "listing", progress: AuditRecord | null,
 *   answer: AuditRecord | null, play: Play | null, first: string, listed: string,
 * }>} State
 *   question: what is asked, once the position is read; null: `fault` says why not
 *   record: that is shown; null: a position was set up
 *   isLive: whether the answer is searched in the page
 *   root, here, path: the question's position, the one on the board, and the moves between
 *   progress, answer, play: what is known of exactly this question, as the program's record
 *   first: what became of another first move; listed: what the listing of the play says
 */

/** @type {State} */
export const NOTHING = Object.freeze({
  asked: null, question: null, fault: "", record: null, isLive: false, root: null, here: null,
  path: [], doing: "", progress: null, answer: null, play: null, first: "", listed: "",
});

/** The question that a record answers, and how a form asks it.
 * @param {AuditRecord} record @returns {{question: Question, asked: Asked}} */
export function questionOf({ fen, stipulation, claim, nomate }) {
  const [name, number] = splitStipulation(stipulation);
  const moves = number || (claim > 0 ? claim : nomate ?? null);
  const asked = Object.freeze({ fen, moves: [], find: `${name}${moves ?? ""}`, nodes: null });
  return { question: Object.freeze({ ...kindOf(name), fen, moves, nodes: null }), asked };
}

/** Why a number of moves cannot be asked for; empty: it can.
 * @param {string[]} played moves since the question was asked
 * @param {any} kind @param {number | null} moves */
export function lengthFault(played, { name, part }, moves) {
  if (name === "#" && moves === null) return "";
  const isHelp = part === "help";
  if (played.length && !isHelp && moves !== null && moves % 1) {
    return "The defender is to move: play on, and the search goes on";
  }
  const most = pageData.layout.mostMoves;
  const step = isHelp ? 0.5 : 1;
  const isNumber = moves !== null && moves >= step && moves <= most - (moves % 1 ? 0.5 : 0);
  if (isNumber && moves % step === 0) return "";
  const expected = isHelp ? `0.5 to ${most} moves, in steps of 0.5` : `1 to ${most} whole moves`;
  return `${name}: expected ${expected}, found ${moves ?? "none"}`;
}
