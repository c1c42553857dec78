/**
 * A compiled part of the kernel with its memory: the static data and the stack of the
 * module, the structs, texts, and the transposition table; and the rules of chess by it.
 */

import { plainFen, readMoves, refusedMove, splitText } from "./movetext.mjs";

/**
 * @typedef {{size: number, fields: Record<string, number[]>}} Struct
 * @typedef {{
 *   structs: Record<string, Struct>, operations: Record<string, Record<string, number>>,
 *   enums: Record<string, Record<string, number>>, faults: Record<string, string>,
 *   stackTop: number, positionBytes: number, bucketBytes: number, firstBits: number,
 *   noLimit: string, mateMarks: string[], keyFeatures: Record<string, string>, stopped: number,
 *   mostMoves: number, scoredTableBytes: number, patterns: Record<string, string>,
 *   logBytes?: number,
 * }} Layout logBytes: for the log of a search
 */

const PAGE_BYTES = 1 << 16;
const CACHE_LINE = 64;
const TEXT_BYTES = 1 << 16;
const MOVE_MASK = 0xffffffffn;
const MOST_LEGAL_MOVES = 256;

/** What a part needs besides a `Search`. */
const STRUCTS = /** @type {Record<string, string>} */ ({
  search: "Query", battle: "Query", help: "HelpPlay", laboratory: "Experiment",
});

/** What is too much for a phone is halved until it fits. */
const LEAST_TABLE_BYTES = 1 << 20;

/** Whether a search can wait for messages; else they come between two turns. */
export const CAN_SUSPEND = "Suspending" in WebAssembly;

/** A struct in a machine's memory; numbers are read and written by their names. */
export class Fields {
  /** @param {DataView} view @param {number} address @param {Struct} struct */
  constructor(view, address, struct) {
    this.view = view;
    this.address = address;
    this.struct = struct;
  }

  /** The address of a field, or of an element of it. @param {string} name */
  at(name, index = 0) {
    const [offset, width] = this.struct.fields[name];
    return this.address + offset + index * width;
  }

  /** @param {string} name */
  get(name, index = 0) {
    const at = this.at(name, index);
    if (this.struct.fields[name][1] === 4) return this.view.getUint32(at, true);
    return Number(this.view.getBigInt64(at, true));
  }

  /** @param {string} name @param {number|bigint|boolean} value */
  set = (name, value, index = 0) =>
    this.view.setBigInt64(this.at(name, index), BigInt(value), true);

  /** @param {Record<string, number|bigint|boolean>} values */
  assign(values) {
    for (const [name, value] of Object.entries(values)) this.set(name, value);
  }

  /** The bytes of a field, or of all of the struct. @param {string} [name] */
  bytes(name) {
    const { fields, size } = this.struct;
    const [offset, width, count] = name === undefined ? [0, 1, size] : fields[name];
    return new Uint8Array(this.view.buffer, this.address + offset, width * count);
  }
}

export class Machine {
  /**
   * @param {WebAssembly.Module} module
   * @param {Layout} layout
   * @param {string} part
   * @param {number} tableBytes a power of two, or 0; less if the browser has less
   * @param {() => void | Promise<void>} report called by long searches
   */
  constructor(module, layout, part, tableBytes, report = () => {}) {
    this.layout = layout;
    this.operations = layout.operations[part];
    let place = layout.stackTop;
    /** @param {number} size */
    const reserve = (size) => {
      const start = place;
      place = Math.ceil((start + size) / CACHE_LINE) * CACHE_LINE;
      return start;
    };
    const names = ["Search", STRUCTS[part]];
    const addresses = names.map((name) => reserve(layout.structs[name].size));
    this.position = reserve(layout.positionBytes);
    this.input = reserve(TEXT_BYTES);
    this.moves = reserve(8 * MOST_LEGAL_MOVES);
    this.text = reserve(TEXT_BYTES);
    const log = reserve(layout.logBytes ?? 0);
    const table = Math.ceil(place / PAGE_BYTES) * PAGE_BYTES;
    const { memory, bytes } = allocate(table, tableBytes);
    this.memory = memory;
    this.tableBytes = bytes;
    this.view = new DataView(this.memory.buffer);
    this.records = Object.fromEntries(names.map((name, i) =>
      [name, new Fields(this.view, addresses[i], layout.structs[name])]));
    this.search = this.records.Search;
    const most = this.tableBytes / layout.bucketBytes / 2;
    this.search.assign({
      table, most_buckets: most, first_bits: Math.min(layout.firstBits, Math.log2(most || 1)),
      text: this.text, text_size: TEXT_BYTES, log, node_limit: BigInt(layout.noLimit),
    });
    /** @type {any} */
    const api = WebAssembly;
    const instance = new WebAssembly.Instance(module, {
      env: {
        __linear_memory: this.memory,
        __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, layout.stackTop),
        report: CAN_SUSPEND ? new api.Suspending(report) : report,
      },
    });
    this.entry = /** @type {Function} */ (instance.exports.matesolve_entry);
    this.suspendable = CAN_SUSPEND ? api.promising(this.entry) : this.entry;
  }

  /** Write a question into an empty struct; its texts will be the only ones.
   * @param {Fields} struct @param {Record<string, number|bigint|boolean>} values */
  begin(struct, values) {
    struct.bytes().fill(0);
    struct.assign(values);
    this.search.set("text_written", 0);
  }

  /** Run an operation that takes no time. @param {string} name */
  run = (name, position = 0, number = 0, flag = 0) =>
    Number(this.entry(...this.#arguments(name, position, number, flag)));

  /** Run a search: `report` may pause it where the browser can. @param {string} name */
  runLong = async (name, position = 0, number = 0, flag = 0) =>
    Number(await this.suspendable(...this.#arguments(name, position, number, flag)));

  /** @param {string} name @param {number} position @param {number} number @param {number} flag */
  #arguments(name, position, number, flag) {
    const operation = BigInt(this.operations[name]);
    return [operation, position, this.search.address, BigInt(number), BigInt(flag)];
  }

  /** Copy a position to where operations expect it. @param {Uint8Array} position */
  put(position) {
    new Uint8Array(this.memory.buffer, this.position).set(position);
    return this.position;
  }

  /** The position there, as a copy. */
  take = () => new Uint8Array(this.memory.buffer, this.position, this.layout.positionBytes).slice();

  /** The first moves of the first row. @param {number} count */
  row(count) {
    const at = this.search.at("rows");
    return Array.from({ length: count }, (_, i) =>
      Number(this.view.getBigUint64(at + 8 * i, true) & MOVE_MASK));
  }

  /** The first words of a long list. @param {number} count */
  list = (count) => [...new Uint32Array(this.memory.buffer, this.search.at("phis"), count)];

  /** Write a text for the kernel; return its size in bytes. @param {string} text */
  write(text, offset = 0) {
    const place = new Uint8Array(this.memory.buffer, this.input + offset, TEXT_BYTES - offset);
    const { read, written } = new TextEncoder().encodeInto(text, place);
    return read === text.length ? written : TEXT_BYTES;
  }

  /** Read what the kernel has written. @param {number} start @param {number} size */
  read = (start, size) =>
    new TextDecoder().decode(new Uint8Array(this.memory.buffer, this.text + start, size));

  /** The moves that the kernel has written. @param {Fields} query @param {string} name */
  words(query, name) {
    const text = this.read(query.get(`${name}_at`), query.get(`${name}_written`));
    return text.split(" ").filter(Boolean);
  }

  /** Write a list of a position's moves; return its address. @param {Named[]} moves */
  writeMoves(moves) {
    moves.forEach(({ word }, i) => this.view.setBigUint64(this.moves + 8 * i, BigInt(word), true));
    return this.moves;
  }
}

/**
 * @param {number} below bytes before the table
 * @param {number} tableBytes what is wanted
 * @returns {{memory: WebAssembly.Memory, bytes: number}} bytes: of the table
 */
function allocate(below, tableBytes) {
  for (let bytes = tableBytes; ; bytes /= 2) {
    const initial = Math.ceil((below + bytes) / PAGE_BYTES);
    try {
      return { memory: new WebAssembly.Memory({ initial, maximum: initial }), bytes };
    } catch (error) {
      if (bytes <= LEAST_TABLE_BYTES) throw error;
    }
  }
}

// Reads positions and moves, and names them; searches on other machines go on.

/** @typedef {{uci: string, san: string}} Move */
/** @typedef {{word: number} & Move} Named a move and its number in the kernel */
/** @typedef {{position: Uint8Array, black: number, fen: string}} Place */
/** @typedef {Place & {warnings: string[]}} Given Place as it was given; what was repaired */

const NULL_MOVE = "0000";
export const NO_MOVE = "?"; // where a word is unreadable

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
  chosen = (place, given) =>
    this.moves(place).filter(({ word, uci }) => given.includes(word) || given.includes(uci));

  /** The position after a move; 0: a null move. @param {Place} place @param {number} word */
  after({ position, black }, word) {
    this.machine.run("MAKE", this.machine.put(position), word);
    return { position: this.machine.take(), black: black ^ 1, fen: "" };
  }

  /** @param {Place} place */
  isCheck = ({ position }) => this.machine.run("IS_CHECK", this.machine.put(position)) !== 0;

  /** "pure", "model", "ideal", or "". @param {Place} place where a side may be mated */
  mateMark = ({ position }) =>
    this.layout.mateMarks[this.machine.run("MATE_MARK", this.machine.put(position))];

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
      const moves = [{ word: 0, uci: NULL_MOVE, san: "--" }, ...this.moves(place)];
      const move = moves.find(({ word, uci }) => given === word || given === uci);
      if (!move) break;
      named.push(move);
      place = this.after(place, move.word);
    }
    return named;
  }
}
