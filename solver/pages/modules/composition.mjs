// The composition that is set up: its twins, title, author and source; as a link, as Popeye's
// input, and found in a text.

import { findFen } from "./dom.mjs";
import { readPlacement, squareName, writePlacement } from "./records.mjs";

/**
 * @typedef {Readonly<{fen: string, find: string}>} Twin a position, as it was given, and what to
 *   find in it
 * @typedef {Readonly<{title: string, author: string, origin: string}>} Names
 * @typedef {Names & Readonly<{twins: readonly Twin[], at: number}>} Composition
 *   at: the twin that is on the board
 */

export const MOST_TWINS = 26; // a) to z)
const NAMES = /** @type {const} */ (["title", "author", "origin"]);

/** Title, author and source, each on one line. @param {Record<string, any>} given */
export const namesOf = (given) => /** @type {Names} */ (Object.fromEntries(NAMES.map((name) =>
  [name, String(given[name] ?? "").replace(/\s+/g, " ").trim()])));

/** "a", "b" ... of a twin. @param {number} number */
export const twinLabel = (number) => String.fromCharCode(97 + number);

/** @param {Composition} composition */
export function linkHash({ twins, ...names }) {
  const fields = twins.flatMap(({ fen, find }) => [["fen", fen],
    ...(twins.length > 1 || (find && find !== "#") ? [["find", find]] : [])]);
  const named = NAMES.filter((name) => names[name]).map((name) => [name, names[name]]);
  return `#${new URLSearchParams([...fields, ...named])}`.replaceAll("+", "%20");
}

/** @param {string} hash @param {string} fen of a link without a position @returns {Composition} */
export function readLink(hash, fen) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const [fens, finds] = ["fen", "find"].map((name) => given.getAll(name).slice(0, MOST_TWINS));
  return {
    twins: (fens.length ? fens : [fen]).map((each, at) => ({ fen: each, find: finds[at] ?? "#" })),
    at: 0, ...namesOf(Object.fromEntries(given)),
  };
}

/** The part of a link to this page that has a composition. */
export const LINK = /#(fen|find)=\S+/;

/** The composition in a text: a link to this page or a copy that it made; otherwise the text is
 * a position, and what to find stays.
 * @param {string} text @param {string} find @returns {Composition} */
export function readText(text, find) {
  const [link] = LINK.exec(text) ?? [];
  if (link) return readLink(link, "");
  const read = readRecord(text) ?? readGame(text) ?? readDiagram(text)
    ?? { fen: (/^\s*</.test(text) && findFen(text)) || text.trim() };
  return { twins: [{ fen: read.fen, find: read.find ?? find }], at: 0, ...namesOf(read) };
}

/** @typedef {{fen: string, find?: string} & Partial<Names>} Found */

/** A record as the program prints it. @param {string} text @returns {Found | null} */
function readRecord(text) {
  if (!/^\s*\{/.test(text)) return null;
  try {
    const { fen, stipulation, claim, id, title = id, author, origin } = JSON.parse(text);
    return { fen: String(fen), find: String(stipulation ?? `#${claim > 0 ? claim : ""}`),
      ...namesOf({ title, author, origin }) };
  } catch {
    return null;
  }
}

/** An answer that the program or the page wrote as PGN: its position is the problem's.
 * @param {string} text @returns {Found | null} */
function readGame(text) {
  if (!/\[Annotator "matesolve/.test(text)) return null;
  const [fen, find, title, author, origin] = ["FEN", "Stipulation", "Event", "White", "Site"]
    .map((tag) => new RegExp(`\\[${tag} "((?:[^"\\\\]|\\\\.)*)"`).exec(text)?.[1]
      .replace(/\\(.)/g, "$1").replace(/^\?$/, ""));
  const [, moves = ""] = /mate in (\d+)/.exec(text) ?? [];
  return fen ? { fen, find: find || `#${moves}`, ...namesOf({ title, author, origin }) } : null;
}

/** A position as Popeye draws it. @param {string} text @returns {Found | null} */
function readDiagram(text) {
  const ranks = text.match(/^([1-8])(?: {2,3}-?[.KQRBSP]){8} +\1$/gm) ?? [];
  const letters = ranks.flatMap((rank) => rank.match(/-?[.KQRBSP]/g) ?? []).map((name) =>
    (name === "." ? "" : name[0] === "-" ? name[1].toLowerCase() : name).replace(/s/i, (knight) =>
      (knight === "s" ? "n" : "N")));
  const [, find] = /^ {2}(\S+) +\d+ \+ \d+/m.exec(text) ?? [];
  if (letters.length !== 64 || !find) return null;
  const turn = /^(exact-)?h/.test(find) && !find.endsWith(".5") ? "b" : "w";
  return { fen: `${writePlacement(letters)} ${turn}`, find };
}

/** Popeye's letters: a knight is S. @param {string} letters */
const inPopeye = (letters) => letters.replace(/n/g, "s").replace(/N/g, "S");

/** What stands at home as long as a side may castle. @type {Record<string, string>} */
const HOMES = { K: "Ke1 Rh1", Q: "Ke1 Ra1", k: "ke8 rh8", q: "ke8 ra8" };

/** Whether king and rook of a right to castle are at home.
 * @param {string[]} letters @param {string} right */
export const isHome = (letters, right) => HOMES[right].split(" ")
  .every((home) => letters["abcdefgh".indexOf(home[1]) + 8 * (8 - Number(home[2]))] === home[0]);

/** The options of Popeye that a position needs. @param {Twin} twin @returns {string[]} */
function optionsOf({ fen, find }) {
  const [pieces, turn, rights = "-", passant = "-"] = fen.split(" ");
  const letters = readPlacement(pieces) ?? [];
  const usual = /^(exact-)?h/.test(find) && !find.endsWith(".5") ? "b" : "w";
  const lost = Object.keys(HOMES).filter((right) => isHome(letters, right) &&
    !rights.includes(right)).map((right) => HOMES[right].slice(5));
  const [file, rank] = passant;
  const [from, to] = rank === "3" ? [2, 4] : [7, 5];
  return [
    ...turn === usual ? [] : ["HalfDuplex"], ...lost.length ? [`NoCastling ${lost.join("")}`] : [],
    ...rank ? [`EnPassant ${file}${from}${passant}${file}${to}`] : [],
  ];
}

/** How a twin differs from the diagram. @param {Twin} diagram @param {Twin} twin */
function changesOf(diagram, twin) {
  const [before, after] = [diagram, twin].map(({ fen }) => readPlacement(fen) ?? []);
  const changed = [...before.keys()].filter((at) => before[at] !== after[at]);
  const removed = changed.filter((at) => before[at]).map(squareName);
  const added = changed.filter((at) => after[at]).map((at) =>
    `${after[at] < "a" ? "White" : "Black"} ${inPopeye(after[at]).toUpperCase()}${squareName(at)}`);
  const [from, to] = changed.sort((a, b) => Number(!before[a]) - Number(!before[b]));
  const isMoved = changed.length === 2 && !after[from] && before[from] === after[to];
  const pieces = isMoved ? [`Move ${squareName(from)} ${squareName(to)}`] : [
    ...removed.length ? [`Remove ${removed.join("")}`] : [],
    ...added.length ? [`Add ${added.join(" ")}`] : [],
  ];
  return [...pieces, ...diagram.find === twin.find ? [] : [`Stipulation ${twin.find}`]].join(" ");
}

/** The composition as input for Popeye, which reads it back by the link in its remark. A twin
 * with other options is a problem of its own.
 * @param {Composition} composition all stipulations with their numbers */
export function popeyeInput(composition) {
  const { twins, title, author, origin } = composition;
  const problems = /** @type {string[][]} */ ([]);
  let diagram = twins[0];
  for (const twin of twins) {
    const options = optionsOf(twin);
    const isSame = problems.length && options.join() === optionsOf(diagram).join();
    const changes = isSame && changesOf(diagram, twin);
    if (changes) problems[problems.length - 1].push(`Twin ${changes}`);
    else if (!isSame) {
      diagram = twin;
      const named = { Author: author, Origin: origin, Title: title };
      problems.push([
        ...Object.entries(named).filter(([, text]) => text).map((each) => each.join(" ")),
        `Forsyth ${inPopeye(twin.fen.split(" ")[0])}`, `Stipulation ${twin.find}`,
        `Option ${["SetPlay Try Variations", ...options].join(" ")}`,
      ]);
    }
  }
  return `BeginProblem\nRemark ${linkHash(composition)}\n${
    problems.map((lines) => `${lines.join("\n")}\n`).join("NextProblem\n")}EndProblem\n`;
}
