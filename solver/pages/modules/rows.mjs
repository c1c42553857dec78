// The play of a composition as rows of words, in the words and order of composers; without a
// browser.
//
//   new Rows(root, {fen, stipulation, line}, all).parts() -> Row[]: set play, tries, keys

/** @typedef {import("./lists.mjs").Attack} Attack */
/** @typedef {import("./lists.mjs").Defence} Defence */
/** @typedef {import("./lists.mjs").Level} Level */
/** @typedef {import("./lists.mjs").Root} Root */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {{name: string, moves: number | null, goal?: string, isStalemate?: boolean,
 *   defenderEnds?: boolean}} Stipulation
 * @typedef {{text: string, path?: string[]}} Words
 * @typedef {{key: string, words: Words[], attack?: Attack, tail?: Words[], path?: string[],
 *   line?: Move[], rows?: Row[], isOpen?: boolean}} Row
 *   attack: it is followed by a level; rows: they are known
 * @typedef {{fen: string, stipulation: Stipulation, line?: Move[]}} Play
 *   fen: of the root; line: the main line
 */

const TREE_PASS = "0000";

/** "1.Qa5", or "1...Bb7" where a line starts with it.
 * @param {number} ply half-moves before it in the numbering of problems @param {string} san */
export const numberedMove = (ply, san, starts = true) =>
  ply % 2 === 0 ? `${ply / 2 + 1}.${san}` : starts ? `${(ply + 1) / 2}...${san}` : san;

/** The defences that composers show, in their order: the main line, then the longest resistance,
 * then by name.
 * @param {Defence[]} defences @param {boolean} all also those that change nothing about the threat
 * @param {Move[]} [line] the main line from here on @returns {Defence[]} */
export const shownDefences = (defences, all, line = []) => defences
  .filter((each) => (each.ends || each.continuations.length > 0) && (all || each.relevant))
  .sort((a, b) => byLine(a, b, line) || b.length - a.length || byName(a, b));

/** Moves by name, that of the main line first.
 * @template {{uci: string}} T @param {T[]} moves @param {Move[]} [line] */
export const orderedMoves = (moves, line = []) =>
  [...moves].sort((a, b) => byLine(a, b, line) || byName(a, b));

/** @param {{uci: string}} a @param {{uci: string}} b @param {Move[]} line */
const byLine = (a, b, [first]) => Number(b.uci === first?.uci) - Number(a.uci === first?.uci);

/** @param {{uci: string}} a @param {{uci: string}} b */
const byName = (a, b) => (a.uci < b.uci ? -1 : 1);

/** The rest of a line after a move; empty elsewhere.
 * @param {Move[]} line @param {{uci: string}} move */
export const lineAfter = (line, move) => (line[0]?.uci === move.uci ? line.slice(1) : []);

/** Rows of what is known of a play. */
export class Rows {
  /** @param {Root | null} root @param {Play} play
   * @param {boolean} all also defences that change nothing about the threat */
  constructor(root, { fen, stipulation, line = [] }, all) {
    this.root = root;
    this.all = all;
    this.black = Number(fen.split(" ")[1] === "b");
    this.line = line;
    this.sign = stipulation.isStalemate ? "=" : ""; // SAN has none
  }

  /** @returns {Row[]} */
  parts() {
    if (!this.root) return [];
    const { setPlay, tries, keys, level } = this.root;
    const set = this.defences(shownDefences(setPlay, this.all), [TREE_PASS], []);
    const tried = orderedMoves(tries).map((each) => this.attack(each, [], [], "?"));
    const solving = orderedMoves(keys, this.line)
      .map((each) => this.attack(each, [], this.line, "!"));
    const solved = keys.length > 1 ? "Keys" : "Key";
    const begun = level ? this.level(level, [], this.line, true) : [];
    return [
      { key: "set", words: [{ text: `Set play (${set.length})` }], rows: set },
      { key: "tries", words: [{ text: `Tries (${tries.length})` }], rows: tried },
      { key: "keys", words: [{ text: solved }], rows: solving, isOpen: true },
      { key: "play", words: [{ text: "Play" }], rows: begun, isOpen: true },
    ].filter(({ rows }) => rows.length);
  }

  /** The last move of a path.
   * @param {string[]} path @param {{san: string}} move @returns {Words} */
  word(path, move, last = false, sign = "", starts = true, numbered = true) {
    const text = move.san + (last ? this.sign : "") + sign;
    if (!numbered) return { text, path };
    return { text: numberedMove(this.black + path.length - 1, text, starts), path };
  }

  /** @param {Attack} attack @param {string[]} before @param {Move[]} line @returns {Row} */
  attack(attack, before, line, sign = "", lead = "") {
    const path = [...before, attack.uci];
    const refuting = attack.refutations.map((each, number) =>
      [this.word([...path, each.uci], each, false, "!", true, !number)]);
    return {
      key: path.join(" "), path, line: lineAfter(line, attack),
      attack: attack.open ? attack : undefined,
      words: [{ text: lead }, this.word(path, attack, !attack.open && !refuting.length, sign)],
      tail: refuting.length ? [{ text: " but " }, ...treeJoined(refuting, ", ")] : [],
    };
  }

  /** What follows an attack, or the root if the defender begins there: then with a title.
   * @param {Level} level @param {string[]} path @param {Move[]} line @returns {Row[]} */
  level(level, path, line, titled = false) {
    const shut = level.threats.every((threat) => !threat.open);
    const note = titled ? this.note(level, path) : [];
    const threats = shut ? [] : orderedMoves(level.threats).map((each) =>
      this.attack(each, [...path, TREE_PASS], [], "", "threat: "));
    const shown = shownDefences(level.defences, this.all, line);
    return [
      ...(note.length ? [{ key: "note", words: note }] : []),
      ...threats, ...this.defences(shown, path, line),
    ];
  }

  /** Zugzwang, or the threats if nothing follows them: what stands behind the attack.
   * @param {Level} level @param {string[]} path */
  note(level, path) {
    if (level.zugzwang) return [{ text: " zugzwang" }];
    if (!level.threats.length || level.threats.some((threat) => threat.open)) return [];
    const threats = orderedMoves(level.threats).map((threat) =>
      [this.word([...path, TREE_PASS, threat.uci], threat, true)]);
    const title = threats.length > 1 ? " threats: " : " threat: ";
    return [{ text: title }, ...treeJoined(threats, ", ")];
  }

  /** Defences with the same last moves together.
   * @param {Defence[]} defences @param {string[]} path @param {Move[]} line */
  defences(defences, path, line) {
    const groups = /** @type {Map<string, Defence[]>} */ (new Map());
    for (const each of defences) {
      const isLast = each.continuations.every((attack) => !attack.open);
      const answers = orderedMoves(each.continuations).map(({ san }) => san).join(" ");
      const key = isLast ? answers : `${each.uci}:`;
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    return [...groups.values()].map((group) =>
      this.defence(group, path, lineAfter(line, group[0])));
  }

  /** @param {Defence[]} group @param {string[]} before @param {Move[]} line @returns {Row} */
  defence(group, before, line) {
    const path = [...before, group[0].uci];
    const key = path.join(" ");
    const moves = orderedMoves(group[0].continuations, line);
    const words = treeJoined(group.map((each, number) =>
      [this.word([...before, each.uci], each, !moves.length, "", true, !number)]), ", ");
    if (!moves.length) return { key, words };
    const dual = moves.length > 1 ? [{ text: " (dual)" }] : [];
    if (dual.length && moves.some(({ open }) => open)) {
      const rows = moves.map((each, number) =>
        this.attack(each, path, line, "", number ? "or " : ""));
      return { key, words: [...words, ...dual], rows, isOpen: true };
    }
    const answers = moves.map((each) =>
      [this.word([...path, each.uci], each, !each.open, "", false)]);
    const all = [...words, { text: " " }, ...treeJoined(answers, " or "), ...dual];
    return { ...this.attack(moves[0], path, line), key, words: all };
  }
}

/** @param {Words[][]} groups @param {string} between @returns {Words[]} */
const treeJoined = (groups, between) =>
  groups.flatMap((group, number) => (number ? [{ text: between }, ...group] : group));
