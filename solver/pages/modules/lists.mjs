/** The play of a composition, one level at a time, from the kernel's lists of moves. */

import { plain } from "./rules.mjs";

/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./rules.mjs").Named} Named */
/** @typedef {import("./rules.mjs").Place} Place */
/** @typedef {import("./host.mjs").Host} Host */
/**
 * @typedef {Move & {left: number, refutations: Move[], open: boolean, level?: Level}} Attack
 *   level: what follows, once the page has asked for it
 */
/**
 * @typedef {Move & {length: number, ends: boolean, relevant: boolean,
 *   continuations: Attack[]}} Defence
 */
/** @typedef {{threats: Attack[], zugzwang: boolean, defences: Defence[]}} Level */
/** @typedef {{setPlay: Defence[], tries: Attack[], keys: Attack[], level: Level|null}} Root */
/**
 * @typedef {{name: string, part: string, play: number, moves: number,
 *   isStalemate: boolean, isExact: boolean, defenderEnds: boolean}} Stipulation
 */

const ALL_REFUTATIONS = 256;

/** A machine that lists moves; its table has what the search has proved. */
class Lister {
  /** @param {Host} host @param {Stipulation} stipulation */
  constructor(host, stipulation) {
    this.host = host;
    this.rules = host.rules;
    this.stipulation = stipulation;
    this.machine = host.machine(stipulation.part);
    host.useTable(this.machine, stipulation.name);
    this.machine.search.set("play", stipulation.play);
  }

  /** The size of a list, which is whole: a part of one would look like an answer.
   * @param {string} name @param {Uint8Array} position */
  async list(name, position, number = 0, flag = 0) {
    const size = await this.host.runLong(name, position, number, flag);
    if (size === this.host.layout.stopped) throw new Error("the list of moves was cut short");
    return size;
  }

  /** The moves that an operation lists. @param {string} name @param {Uint8Array} position */
  async moves(name, position, number = 0, flag = 0) {
    return this.machine.row(await this.list(name, position, number, flag));
  }

  /** @param {Named} move @param {number} left @returns {Attack} */
  attack(move, left, refutations = /** @type {Move[]} */ ([])) {
    return { ...plain(move), left, refutations, open: left > 0 || this.stipulation.defenderEnds };
  }

  /** Keys, with the fewest moves that each needs. @param {Place} place @param {number} most */
  async keys(place, most) {
    /** @type {Map<number, number>} */
    const lengths = new Map();
    for (let moves = 1; moves <= most; moves++) {
      for (const word of await this.moves("SOLVING_MOVES", place.position, moves)) {
        if (!lengths.has(word)) lengths.set(word, moves);
      }
    }
    return this.rules.chosen(place, [...lengths.keys()])
      .map((key) => this.attack(key, (lengths.get(key.word) ?? 1) - 1));
  }

  /** @param {Place} place @param {number} moves @param {number} most @param {Attack[]} keys */
  async tries(place, moves, most, keys) {
    const { machine } = this;
    /** @type {Attack[]} */
    const tries = [];
    if (!most || !machine.run("HAS_TRIES", machine.put(place.position), moves)) return tries;
    const known = new Set(keys.map(({ uci }) => uci));
    for (const first of this.rules.moves(place)) {
      if (known.has(first.uci)) continue;
      const after = this.rules.after(place, first.word);
      const words = await this.moves("REFUTATIONS", after.position, moves - 1, most + 1);
      if (!words.length || words.length > most) continue;
      tries.push(this.attack(first, moves - 1, this.rules.chosen(after, words).map(plain)));
    }
    return tries;
  }

  /** @param {Place} place @param {number} left @param {boolean} threats
   * @returns {Promise<Level>} */
  async level(place, left, threats) {
    const { ENDS, RELEVANT } = this.host.layout.enums.ReplyFlag;
    const size = await this.list("CONTINUATIONS", place.position, left, Number(threats));
    const words = this.machine.list(size);
    const replies = new Map(
      this.rules.moves(place).map((each) => [each.word, each]));
    /** @type {Level} */
    const level = { threats: [], zugzwang: false, defences: [] };
    for (let at = 0; at < words.length; ) {
      const [reply, length, flags, count] = words.slice(at, at + 4);
      const found = words.slice(at + 4, at + 4 + count);
      at += 4 + count;
      const child = this.rules.after(place, reply);
      const continuations = count
        ? this.rules.chosen(child, found).map((each) => this.attack(each, length - 1)) : [];
      const named = replies.get(reply);
      if (!named) {
        level.threats = continuations;
        level.zugzwang = !count;
        continue;
      }
      level.defences.push({
        ...plain(named), length, continuations,
        ends: (flags & ENDS) !== 0, relevant: (flags & RELEVANT) !== 0,
      });
    }
    return level;
  }
}

/**
 * The first moves: what would follow if the defender began, tries and keys; or the
 * level where the defender begins.
 * @param {Host} host
 * @param {{fen: string, moves: string[], stipulation: Stipulation, tries: number}} question
 * @returns {Promise<Root>}
 */
export async function play(host, { fen, moves, stipulation, tries: most }) {
  const place = host.place(fen, moves);
  const lister = new Lister(host, stipulation);
  if (stipulation.moves < 0) {
    const level = await lister.level(place, -stipulation.moves, true);
    return { setPlay: [], tries: [], keys: [], level };
  }
  const keys = await lister.keys(place, stipulation.moves);
  const tries = await lister.tries(place, stipulation.moves, most, keys);
  if (host.rules.isCheck(place)) return { setPlay: [], tries, keys, level: null };
  const passed = host.rules.after(place, 0);
  const { defences } = await lister.level(passed, stipulation.moves - 1, false);
  return { setPlay: defences, tries, keys, level: null };
}

/**
 * The play after a move of the attacker.
 * @param {Host} host
 * @param {{fen: string, moves: string[], stipulation: Stipulation, left: number,
 *   refuting: string[]}} question
 */
export async function after(host, { fen, moves, stipulation, left, refuting }) {
  const level = await new Lister(host, stipulation).level(host.place(fen, moves), left, true);
  level.defences = level.defences.filter(({ uci }) => !refuting.includes(uci));
  return level;
}

/**
 * All replies that refute a first move.
 * @param {Host} host
 * @param {{fen: string, moves: string[], stipulation: Stipulation}} question
 */
export async function refutations(host, { fen, moves, stipulation }) {
  const place = host.place(fen, moves);
  const lister = new Lister(host, stipulation);
  const words = await lister.moves(
    "REFUTATIONS", place.position, stipulation.moves - 1, ALL_REFUTATIONS);
  return lister.rules.chosen(place, words).map(plain);
}
