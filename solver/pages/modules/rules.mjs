/** Reads positions and moves, and names them; searches on other machines go on. */

import { Machine } from "./machine.mjs";

/** @typedef {import("./machine.mjs").Layout} Layout */
/** @typedef {{uci: string, san: string}} Move */
/** @typedef {{word: number} & Move} Named a move and its number in the kernel */
/** @typedef {{position: Uint8Array, black: number, fen: string}} Place */

const NULL_MOVE = "0000";

/** @param {string} fen */
function afterPass(fen) {
  const [board, side, castling] = fen.split(" ");
  return [board, side === "w" ? "b" : "w", castling, "- 0 1"].join(" ");
}

/** @param {Move} move @returns {Move} the move without its number */
export const plain = ({ uci, san }) => ({ uci, san });

/** The name of a number. @param {Record<string, number>} names @param {number} number */
export const nameOf = (names, number) =>
  Object.keys(names).find((name) => names[name] === number) ?? "";

export class Rules {
  /** @param {WebAssembly.Module} module of the search @param {Layout} layout */
  constructor(module, layout) {
    this.layout = layout;
    this.machine = new Machine(module, layout, "search", 0);
  }

  /**
   * @param {string} fen
   * @param {string[]} moves in UCI notation, to be played; `0000` passes the turn
   * @param {number} black whether Black is to move if the FEN does not say
   * @returns {{fault: string} | Place}
   */
  read(fen, moves = [], black = 0) {
    const passed = moves.lastIndexOf(NULL_MOVE);
    if (passed >= 0) {
      const place = this.read(fen, moves.slice(0, passed), black);
      return "fault" in place ? place : this.read(afterPass(place.fen), moves.slice(passed + 1));
    }
    const { machine, layout: { enums: { FenFault, QueryState }, faults } } = this;
    const query = machine.records.Query;
    const size = machine.write(fen);
    query.bytes().fill(0);
    query.assign({
      black, fen: machine.input, fen_size: size, line: machine.input + size,
      line_size: machine.write(moves.join(" "), size), played: moves.length, uci_only: 1,
    });
    machine.search.set("text_written", 0);
    machine.run("READ_ROWS", 0, query.address, 1);
    if (query.get("state") !== QueryState.READ) {
      const name = nameOf(FenFault, query.get("fen_fault"));
      return { fault: faults[name] ?? "expected legal moves" };
    }
    return {
      position: query.bytes("position").slice(),
      black: query.get("black"),
      fen: machine.read(query.get("fen_at"), query.get("fen_written")),
    };
  }

  /** What a page shows of a position. @param {string} fen @param {string[]} moves */
  describe(fen, moves, black = 0) {
    const start = this.read(fen, [], black);
    const place = this.read(fen, moves, black);
    if ("fault" in start || "fault" in place) return place;
    const legal = this.moves(place).map(plain);
    const check = this.isCheck(place);
    return {
      fen: place.fen, black: place.black === 1, moves: legal, check,
      over: legal.length ? "" : check ? "mate" : "stalemate",
      line: this.line(start, moves).map(plain),
    };
  }

  /** The legal moves. @param {Place} place @returns {Named[]} */
  moves({ position, black }) {
    const { machine } = this;
    machine.search.set("text_written", 0);
    const count = machine.run("WRITE_MOVES", machine.put(position), 0, black);
    const names = machine.read(0, machine.search.get("text_written")).split(" ");
    return machine.row(count).map((word, i) =>
      ({ word, uci: names[2 * i], san: names[2 * i + 1] }));
  }

  /** The legal moves of those that are given. @param {Place} place
   * @param {(string|number)[]} given in UCI notation, or their numbers */
  chosen(place, given) {
    return this.moves(place).filter(({ word, uci }) => given.includes(word) || given.includes(uci));
  }

  /** The position after a move; 0: a null move. @param {Place} place @param {number} word */
  after({ position, black }, word) {
    this.machine.run("MAKE", this.machine.put(position), word);
    return { position: this.machine.take(), black: black ^ 1, fen: "" };
  }

  /** @param {Place} place */
  isCheck({ position }) {
    return this.machine.run("IS_CHECK", this.machine.put(position)) !== 0;
  }

  /** "pure", "model", "ideal", or "". @param {Place} place where a side may be mated */
  mateMark({ position }) {
    return this.layout.mateMarks[this.machine.run("MATE_MARK", this.machine.put(position))];
  }

  /** What a key does, as `mark_key` of `solver/play/marks.py` says it.
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
      const passed = { word: 0, uci: NULL_MOVE, san: "--" };
      const move = [passed, ...this.moves(place)]
        .find(({ word, uci }) => given === word || given === uci);
      if (!move) break;
      named.push(move);
      place = this.after(place, move.word);
    }
    return named;
  }
}
