// The rules of chess, by the kernel: positions and moves are read, made and named, while
// searches on other machines go on.

import { Machine, nameOf } from "./machine.mjs";
import { plainFen, readMoves, refusedMove, splitText } from "./movetext.mjs";

/** @import { Fields, Layout } from "./machine.mjs" */

/** @typedef {{uci: string, san: string, long?: string}} Move long: as Popeye writes it */
/**
 * @typedef {{role: string, left: number, word: number, long: string, mark: string} & Move} Named
 *   a row of the kernel (`LevelRole`): the attacker's moves that are left after it, its number
 *   in the kernel, its names, and "pure", "model" or "ideal" if it mates
 */
/** @typedef {{position: Uint8Array, black: number, fen: string}} Place */
/** @typedef {Place & {warnings: string[]}} Given Place as it was given; what was repaired */

const NULL_MOVE = "0000";
const PASS = { role: "", left: 0, word: 0, uci: NULL_MOVE, san: "--", long: "--", mark: "" };
export const NO_MOVE = "?"; // where a word is unreadable

/** @param {Move} move @returns {Move} the move without its number */
export const plain = ({ uci, san }) => ({ uci, san });

/** @param {Named} move @returns {Move} the names of a move of the play */
export const named = ({ uci, san, long }) => ({ uci, san, long });

export class Rules {
  /** @param {WebAssembly.Module} module of the search @param {Layout} layout */
  constructor(module, layout) {
    this.layout = layout;
    this.machine = new Machine(module, layout, "search", 0);
  }

  /**
   * Read a position as people and programs give it, as `read_position` of
   * `solver/position_text.py`.
   * @param {string} text a FEN or `startpos`, perhaps with moves; or a game in PGN
   * @param {string | string[]} moves that are played then; `0000` passes the turn
   * @param {{repair?: boolean, black?: number}} how repair: what leaves no doubt; black: whether
   *   Black is to move if the text does not say
   * @returns {{fault: string} | Given} the fault names the field or the move
   */
  read(text, moves = [], { repair = false, black = 0 } = {}) {
    const { enums, patterns } = this.layout;
    const passed = moves.lastIndexOf(NULL_MOVE);
    if (passed >= 0 && typeof moves !== "string") {
      const place = this.read(text, moves.slice(0, passed), { repair, black });
      if ("fault" in place) return place;
      const [board, side, castling] = place.fen.split(" ");
      const after = [board, side === "w" ? "b" : "w", castling, "- 0 1"].join(" ");
      return this.read(after, moves.slice(passed + 1));
    }

    // 1. The FEN, plain or in another text; then with repairs.
    let [fen, played] = [text, ""];
    let given = this.#readFen(fen, black);
    if ("fault" in given) {
      const parts = splitText(patterns, text, repair);
      if ("fault" in parts) return parts;
      ({ fen, line: played } = parts);
      given = this.#readFen(fen, black);
    }
    if ("fault" in given && repair) {
      const plainly = plainFen(patterns, fen);
      if ("fault" in plainly) return plainly;
      given = this.#readFen(plainly.fen, black, 1);
    }

    // 2. The moves.
    const lines = [played, [moves].flat().join(" ")].filter(Boolean);
    for (const part of lines.flatMap((line) => readMoves(patterns, line))) {
      if ("fault" in given) break;
      const query = this.#readRow(given.fen, { played: 1 }, part.move || NO_MOVE);
      if (query.get("state") !== enums.QueryState.READ) {
        return { fault: refusedMove("moves", part) };
      }
      given = { ...this.#place(query), warnings: given.warnings };
    }
    return given;
  }

  /** Read alternative moves of a position, without duplicates.
   * @param {Place} place @param {string} name what a fault calls them
   * @param {string} text in SAN or UCI @returns {{fault: string} | Named[]} */
  readFirst({ fen, ...place }, name, text) {
    const { enums, patterns } = this.layout;
    const names = [];
    for (const part of readMoves(patterns, text)) {
      const query = this.#readRow(fen, {}, part.move || NO_MOVE);
      if (query.get("state") !== enums.QueryState.READ) return { fault: refusedMove(name, part) };
      names.push(...this.machine.words(query, "line"));
    }
    if (!names.length) return { fault: `${name}: expected at least one move, found none` };
    return this.chosen({ fen, ...place }, names);
  }

  /** @param {string} fen @param {number} black @returns {{fault: string} | Given} */
  #readFen(fen, black, repair = 0) {
    const { enums: { FenFault }, faults } = this.layout;
    const query = this.#readRow(fen, { black, repair });
    const fault = nameOf(FenFault, query.get("fen_fault"));
    if (fault in faults) return { fault: faults[fault] };
    const names = Object.keys(faults).filter((name) => query.get("repaired") >> FenFault[name] & 1);
    return { ...this.#place(query), warnings: names.map((name) => faults[name]) };
  }

  /** Let the kernel read a FEN and moves. @param {string} fen
   * @param {Record<string, number>} about */
  #readRow(fen, about, line = "") {
    const { machine } = this;
    const query = machine.records.Query;
    const size = machine.write(fen);
    machine.begin(query, {
      ...about, fen: machine.input, fen_size: size, line: machine.input + size,
      line_size: machine.write(line, size),
    });
    machine.run("READ_ROWS", 0, query.address, 1);
    return query;
  }

  /** @param {Fields} query @returns {Place} */
  #place = (query) => ({
    position: query.bytes("position").slice(), black: query.get("black"),
    fen: this.machine.read(query.get("fen_at"), query.get("fen_written")),
  });

  /** What a page shows of a position, which is repaired.
   * @param {string} text @param {string[]} moves */
  describe(text, moves, black = 0) {
    const place = this.read(text, moves, { repair: true, black });
    if ("fault" in place) return place;
    const [legal, check] = [this.moves(place).map(plain), this.isCheck(place)];
    return { fen: place.fen, warnings: place.warnings, moves: legal, check,
      over: legal.length ? "" : check ? "mate" : "stalemate" };
  }

  /** The legal moves, or only the one with a number of the kernel.
   * @param {Place} place @param {number} [word] @returns {Named[]} */
  moves({ position, black }, word = 0) {
    this.machine.search.set("text_written", 0);
    this.machine.run("WRITE_MOVES", this.machine.put(position), word, black);
    return this.#rows();
  }

  /** A list of replies as rows: what is shown, in the order of composers.
   * @param {Place} place @param {Uint32Array} list as CONTINUATIONS has made it
   * @param {boolean} all also defences that change nothing about the threat */
  level({ position, black }, list, all) {
    const { machine, machine: { search }, layout: { enums: { LevelFlag }, levelShift } } = this;
    new Uint32Array(machine.memory.buffer, search.at("phis"), list.length).set(list);
    const rows = /** @type {Named[]} */ ([]);
    const flags = black * LevelFlag.BLACK + Number(all) * LevelFlag.ALL;
    let first = 0;
    do {
      search.set("text_written", 0);
      const number = list.length + first * 2 ** levelShift;
      first = machine.run("WRITE_LEVEL", machine.put(position), number, flags);
      rows.push(...this.#rows());
    } while (first);
    return rows;
  }

  /** What the kernel has written, a line for each move. @returns {Named[]} */
  #rows() {
    const text = this.machine.read(0, this.machine.search.get("text_written"));
    return text.split("\n").slice(0, -1).map((line) => {
      const [head, word, uci, san, long, mark] = line.split(" ");
      return { role: head[0], left: Number(head.slice(1)), word: Number(word), uci, san, long,
        mark: this.layout.mateMarks[Number(mark)] };
    });
  }

  /** The legal moves of those that are given. @param {Place} place
   * @param {(string|number)[]} given in UCI notation, or their numbers */
  chosen = (place, given) =>
    this.moves(place).filter(({ word, uci }) => given.includes(word) || given.includes(uci));

  /** The position after a move; 0: a null move. @param {Place} place @param {number} word */
  after({ position, black }, word) {
    this.machine.run("MAKE", this.machine.put(position), word);
    return { position: this.machine.take(), black: black ^ 1, fen: "" };
  }

  /** @param {Place} place */
  isCheck = ({ position }) => this.machine.run("IS_CHECK", this.machine.put(position)) !== 0;

  /** What a key does, as `mark_key` of `solver/play/record.py` says it.
   * @param {Place} place @param {number} word */
  keyFeatures({ position, black }, word) {
    const { machine, layout } = this;
    machine.search.set("text_written", 0);
    const count = machine.run("KEY_FEATURES", machine.put(position), word, black);
    const squares = machine.read(0, machine.search.get("text_written")).split("\n");
    return machine.row(count).map((feature, i) =>
      layout.keyFeatures[feature].replace("{}", squares[i]));
  }

  /**
   * Name the moves of a line.
   * @param {Place} place
   * @param {(string|number)[]} line moves in UCI notation, or their numbers
   * @returns {Named[]}
   */
  line(place, line) {
    const named = [];
    for (const given of line) {
      const move = given === NULL_MOVE || given === 0 ? PASS
        : typeof given === "number" ? this.moves(place, given)[0]
          : this.moves(place).find(({ uci }) => uci === given);
      if (!move) break;
      named.push(move);
      place = this.after(place, move.word);
    }
    return named;
  }
}
