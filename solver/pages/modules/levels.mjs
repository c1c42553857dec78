/**
 * The play of a composition as a record (docs/reference/record.md), level by level, from the
 * kernel's rows of moves: as `solver/play/builder.py` builds it.
 */

import { named } from "./rules.mjs";

/** @import { Host } from "./host.mjs" */
/** @import { Move, Named, Place } from "./rules.mjs" */

/**
 * @typedef {Move & {moves_left?: number, zugzwang?: boolean, threats?: Attack[],
 *   defences?: Defence[], refutations?: Refutation[], cut?: boolean, mark?: string,
 *   features?: string[]}} Attack
 * @typedef {Move & {forced?: Move[]}} Refutation forced: what ends reflex play after it
 * @typedef {Move & {continuations?: Attack[], incomplete?: boolean, mark?: string}} Defence
 * @typedef {{threats?: Attack[], zugzwang?: boolean, defences?: Defence[]}} Level
 * @typedef {{name: string, part: string, play: number, moves: number, isStalemate: boolean,
 *   is_exact: boolean, defenderEnds: boolean}} Stipulation
 * @typedef {{place: Place, attack: Attack, line: string[], isSetPlay?: boolean}} Node
 *   a position with the defender to move, whose play is to be added; line: the main line from
 *   there on
 * @typedef {{fen: string, stipulation: Stipulation, line: string[], all: boolean,
 *   most: number}} Wanted line: of the answer; all: also defences that change nothing about the
 *   threat; most: moves of both sides
 */

const ALL_REFUTATIONS = 256;

class Builder {
  spent = 0;

  /** @param {Host} host @param {Wanted} wanted */
  constructor(host, { stipulation, all, most }) {
    this.all = all;
    this.most = most;
    this.host = host;
    this.rules = host.rules;
    this.stipulation = stipulation;
    this.machine = host.machine(stipulation.part);
    host.useTable(stipulation.name);
    this.machine.search.set("play", stipulation.play);
  }

  /** The size of a list, which is whole: a part of one would look like an answer.
   * @param {string} name @param {Place} place */
  async list(name, { position }, number = 0, flag = 0) {
    const size = await this.host.runLong(name, position, number, flag);
    if (size === this.host.layout.stopped) throw new Error("the list of moves was cut short");
    return size;
  }

  /** The moves that an operation lists. @param {string} name @param {Place} place */
  moves = async (name, place, number = 0, flag = 0) =>
    this.machine.row(await this.list(name, place, number, flag));

  // First moves

  /** Keys, the answer's first, then those that need the fewest moves.
   * @param {Place} place @param {string[]} line @returns {Promise<Node[]>} */
  async keys(place, line) {
    const lengths = /** @type {Map<number, number>} */ (new Map());
    const { moves: most, is_exact: isExact } = this.stipulation;
    for (let moves = isExact ? most : 1; moves <= most; moves++) {
      const solving = await this.moves("SOLVING_MOVES", place, moves);
      for (const word of solving) lengths.set(word, lengths.get(word) ?? moves);
    }
    const keys = this.rules.chosen(place, [...lengths.keys()]).map((key) => {
      const attack = attackOf(key, (lengths.get(key.word) ?? 1) - 1);
      const node = this.node(place, key, attack, line);
      const features = this.rules.keyFeatures(place, key.word);
      if (features.length) node.attack.features = features;
      return node;
    });
    const left = (/** @type {Node} */ { attack }) => attack.moves_left ?? 0;
    return keys.sort((a, b) => byLine(line)(a.attack, b.attack) || left(a) - left(b) ||
      byName(a.attack, b.attack));
  }

  /** First moves that few replies refute, with their play: those with one refutation first.
   * @param {Place} place @param {number} most refutations @param {Node[]} keys */
  async tries(place, most, keys) {
    const left = this.stipulation.moves - 1;
    const known = keys.map(({ attack }) => attack.uci);
    const [depths, tries] = [/** @type {(number | null)[]} */ ([]), /** @type {Attack[]} */ ([])];
    const isPossible = most &&
      this.machine.run("HAS_TRIES", this.machine.put(place.position), left + 1);
    let rest = this.rules.moves(place).filter(({ uci }) => !known.includes(uci)).sort(byName);
    for (let count = 1; isPossible && count <= most && rest.length; count++) {
      const [found, others] = [/** @type {Node[]} */ ([]), /** @type {Named[]} */ ([])];
      for (const first of rest) {
        const node = this.node(place, first, attackOf(first, left), []);
        const words = await this.moves("REFUTATIONS", node.place, left, count + 1);
        if (words.length > count) others.push(first);
        if (!words.length || words.length > count) continue;
        node.attack.refutations = this.rules.chosen(node.place, words).sort(byName).map((each) =>
          ({ ...named(each), ...this.forced(node.place, each) }));
        found.push(node);
      }
      rest = others;
      tries.push(...found.map(({ attack }) => attack));
      depths.push(await this.add(found));
    }
    return { tries: tries.sort(byName), depth: least(depths) };
  }

  /** The moves with which the attacker must end reflex play after a refutation.
   * @param {Place} after @param {Named} refutation */
  forced(after, refutation) {
    const { name, isStalemate } = this.stipulation;
    if (name[0] !== "r") return {};
    const place = this.rules.after(after, refutation.word);
    const forced = this.rules.moves(place).filter(({ word, san }) => {
      const end = this.rules.after(place, word);
      return isStalemate ? !this.rules.isCheck(end) && !this.rules.moves(end).length
        : san.endsWith("#");
    });
    return { forced: forced.map(named).sort(byName) };
  }

  // Levels

  /** The position after a move of the attacker.
   * @param {Place} place @param {Named} move @param {Attack} attack its record
   * @param {string[]} line @returns {Node} */
  node = (place, move, attack, line) =>
    ({ place: this.rules.after(place, move.word), attack, line: lineAfter(line, move) });

  /** Whether there is play after a move of the attacker. @param {Attack} attack */
  isOpen = (attack) => Boolean(attack.moves_left) || this.stipulation.defenderEnds;

  /** Add the play after moves; a level that would exceed the limit is left out with all below.
   * @param {Node[]} nodes @param {number} most levels
   * @returns {Promise<number | null>} how many are complete; null: all */
  async add(nodes, most = Infinity) {
    let complete = 0;
    let open = nodes.filter(({ attack }) => this.isOpen(attack));
    for (; open.length && complete < most; complete++) {
      const before = this.spent;
      const [following, levels] = [/** @type {Node[]} */ ([]), /** @type {Level[]} */ ([])];
      for (const node of open) {
        if (this.spent <= this.most) levels.push(await this.grow(node, following));
      }
      if (this.spent > this.most) {
        this.spent = before;
        break;
      }
      open.forEach(({ attack }, at) => Object.assign(attack, levels[at]));
      open = following;
    }
    for (const node of open) {
      this.chain(node);
      node.attack.cut = true;
    }
    return open.length ? complete : null;
  }

  /** What follows a move: threats or zugzwang, and defences. The moves below them are added to
   * `following`.
   * @param {Node} node @param {Node[]} following @returns {Promise<Level>} */
  async grow({ place, attack, line, isSetPlay }, following) {
    const size = await this.list(
      "CONTINUATIONS", place, attack.moves_left ?? 0, Number(!isSetPlay));
    const level = /** @type {Level} */ ({});
    let [reply, rest] = [0, line];
    let moves = /** @type {Attack[]} */ ([]);
    let before = /** @type {Place | null} */ (null); // after the reply
    for (const row of this.rules.level(place, this.machine.list(size), this.all)) {
      if (row.role === "Z") {
        level.zugzwang = true;
        continue;
      }
      this.spent++;
      if (row.role === "D" || row.role === "E") {
        [reply, before, rest, moves] = [row.word, null, lineAfter(line, row), []];
        const defence = row.role === "E" ? attackOf(row) : { ...named(row), continuations: moves };
        (level.defences ??= []).push(defence);
        continue;
      }
      if (row.role === "T" && !level.threats) {
        [rest, moves] = [[], level.threats = []];
      }
      const attack = attackOf(row, row.left);
      moves.push(attack);
      if (!this.isOpen(attack)) continue;
      before ??= this.rules.after(place, reply);
      following.push(this.node(before, row, attack, rest));
    }
    if (line.length) this.spent -= 2; // the main line costs nothing
    if (line.length > 1 && level.defences) { // a last defence is in its order
      level.defences.sort(byLine(line));
      const [{ uci, continuations = [] }] = level.defences;
      if (uci === line[0]) continuations.sort(byLine(line.slice(1)));
    }
    return level;
  }

  /** Add the rest of the main line, from a defence on, where the play is cut.
   * @param {Node} node */
  chain({ place, attack, line: [reply, move, ...line] }) {
    if (!reply) return;
    const [row] = this.rules.chosen(place, [reply]);
    const defence = /** @type {Defence} */ (move ? named(row) : attackOf(row));
    attack.defences = [defence];
    if (move) {
      const after = this.rules.after(place, row.word);
      const [next] = this.rules.chosen(after, [move]);
      const made = attackOf(next, (attack.moves_left ?? 0) - 1);
      const node = { ...this.node(after, next, made, []), line };
      defence.continuations = [node.attack];
      this.chain(node);
      if (node.attack.moves_left || line.length % 2) node.attack.cut = true;
    }
    defence.incomplete = true;
  }
}

/** The record of a move after which the attacker needs so many; a last one has the mark of the
 * mate. @param {Named} move @returns {Attack} */
function attackOf({ uci, san, long, mark }, left = 0) {
  if (left) return { uci, san, long, moves_left: left };
  return mark ? { uci, san, long, mark } : { uci, san, long };
}

/** @param {{uci: string}} a @param {{uci: string}} b */
const byName = (a, b) => (a.uci < b.uci ? -1 : a.uci > b.uci ? 1 : 0);

/** The move of the main line first. @param {string[]} line
 * @returns {(a: {uci: string}, b: {uci: string}) => number} */
const byLine = ([first]) => (a, b) => Number(b.uci === first) - Number(a.uci === first);

/** The rest of a line after a move; empty elsewhere.
 * @param {string[]} line @param {{uci: string}} move */
const lineAfter = (line, move) => (line[0] === move.uci ? line.slice(1) : []);

/** A position without the move that led to it.
 * @param {Place} place @param {number} left @param {string[]} line @returns {Node} */
const begun = (place, left, line, isSetPlay = false) => ({
  place, attack: { uci: "", san: "", moves_left: left }, line, isSetPlay,
});

/** @param {(number | null)[]} depths */
function least(depths) {
  const cut = depths.filter((depth) => depth !== null);
  return cut.length ? Math.min(...cut) : null;
}

/**
 * The whole play: what would follow if the defender began, tries and keys; or the play where the
 * defender begins.
 * @param {Host} host
 * @param {Wanted & {tries: number, levels: number | null}} question tries: with at most so many
 *   refutations; levels: as many as are built; null: all
 */
export async function play(host, { tries: most, levels, ...wanted }) {
  const { fen, stipulation, line } = wanted;
  const { rules } = host;
  const place = host.place(fen, []);
  const isMated = stipulation.moves < 0;
  const moves = Math.abs(stipulation.moves);
  const builder = new Builder(host, { ...wanted, stipulation: { ...stipulation, moves } });
  const depth = levels ?? Infinity;
  const first = begun(place, moves, line);
  const keys = isMated ? [] : await builder.keys(place, line);
  const keyMoves = await builder.add(isMated ? [first] : keys, depth);
  const hasSet = !isMated && !rules.isCheck(place);
  const passed = begun(rules.after(place, 0), moves - 1, [], true);
  const setMoves = hasSet ? await builder.add([passed], depth) : null;
  const { tries, depth: tryMoves } = await builder.tries(place, isMated ? 0 : most, keys);
  return {
    stipulation: `${stipulation.name}${moves}`,
    set_play: (hasSet && passed.attack.defences) || [], tries,
    tries_complete: !isMated && most > 0,
    keys: keys.map(({ attack }) => attack), keys_complete: true,
    defences: (isMated && first.attack.defences) || [], refutations: [],
    threats: (isMated && first.attack.threats) || [],
    zugzwang: isMated && first.attack.zugzwang === true,
    complete_moves: least([keyMoves, setMoves, tryMoves]),
    key_moves: keyMoves, set_play_moves: setMoves, try_moves: tryMoves,
    isCheck: rules.isCheck(place),
  };
}

/**
 * The level after a move of the attacker.
 * @param {Host} host
 * @param {Wanted & {moves: string[], left: number}} question line: from there
 */
export async function after(host, { moves, left, ...wanted }) {
  const node = begun(host.place(wanted.fen, moves), left, wanted.line);
  await new Builder(host, wanted).add([node], 1);
  const { attack: { threats, defences, zugzwang } } = node;
  return { threats, defences, zugzwang };
}

/**
 * All replies that refute a first move.
 * @param {Host} host @param {Wanted & {moves: string[]}} question
 */
export async function refutations(host, question) {
  const place = host.place(question.fen, question.moves);
  const words = await new Builder(host, question).moves(
    "REFUTATIONS", place, question.stipulation.moves - 1, ALL_REFUTATIONS);
  return host.rules.chosen(place, words).map(named);
}
