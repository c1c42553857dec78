/**
 * A compiled part of the kernel with its memory: the static data and the stack of the
 * module, the structs, texts, and the transposition table.
 */

/** @import { Named } from "./rules.mjs" */

/**
 * @typedef {{size: number, fields: Record<string, number[]>}} Struct
 * @typedef {{
 *   structs: Record<string, Struct>, operations: Record<string, Record<string, number>>,
 *   enums: Record<string, Record<string, number>>, faults: Record<string, string>,
 *   stackTop: number, positionBytes: number, bucketBytes: number, firstBits: number,
 *   noLimit: string, mateMarks: string[], keyFeatures: Record<string, string>, stopped: number,
 *   mostMoves: number, scoredTableBytes: number, patterns: Record<string, string>,
 *   levelShift: number,
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

const decoder = new TextDecoder();

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

  /** The words of a list of replies. @param {number} count */
  list = (count) => new Uint32Array(this.memory.buffer, this.search.at("phis"), count);

  /** Write a text for the kernel; return its size in bytes. @param {string} text */
  write(text, offset = 0) {
    const place = new Uint8Array(this.memory.buffer, this.input + offset, TEXT_BYTES - offset);
    const { read, written } = new TextEncoder().encodeInto(text, place);
    return read === text.length ? written : TEXT_BYTES;
  }

  /** Read what the kernel has written. @param {number} start @param {number} size */
  read = (start, size) =>
    decoder.decode(new Uint8Array(this.memory.buffer, this.text + start, size));

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

/** The name of a number. @param {Record<string, number>} names @param {number} number */
export const nameOf = (names, number) =>
  Object.keys(names).find((name) => names[name] === number) ?? "";
