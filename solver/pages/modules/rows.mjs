// The play of a composition as rows of words, in the words and order of composers:
//
//   playRows(play, question) -> Row[]: set play, tries, keys, or the play that the defender begins
//   rowsBelow(row) -> Row[]: what follows a move of the attacker

/** @import { Attack, Defence } from "./levels.mjs" */
/** @import { Move } from "./rules.mjs" */
/** @import { Question } from "./records.mjs" */

/** @typedef {Record<string, any>} Play the field `play` of a record */
/**
 * @typedef {{text: string, path?: string[]}} Words
 * @typedef {{key: string, words: Words[], attack?: Attack, path?: string[], rows?: Row[],
 *   isOpen?: boolean, writer?: RowWriter}} Row
 *   attack: play follows it; rows: those below, where no level follows
 */

export const PASSED = "0000"; // a move that passes the turn

/** "1.Qa5", or "1...Bb7" where a line starts with it.
 * @param {number} ply half-moves before it in the numbering of problems @param {string} san */
const numberedMove = (ply, san, starts = true) =>
  ply % 2 === 0 ? `${ply / 2 + 1}.${san}` : starts ? `${(ply + 1) / 2}...${san}` : san;

/** "1.Kg6 Kg1 2.Rd2"; the first move of a problem has the number 1.
 * @param {string[]} names @param {number} before half-moves of this number that come before it */
export const numbered = (names, before) =>
  names.map((san, ply) => numberedMove(ply + before, san, !ply));

/** @param {string} fen */
export const blackBegins = (fen) => Number(fen.split(" ")[1] === "b");

/** @param {Play} play @param {Question} question @returns {Row[]} */
export function playRows(play, { fen, isStalemate, part, moves }) {
  const before = part === "help" ? Math.ceil((moves ?? 0) % 1) : blackBegins(fen);
  const writer = new RowWriter(before, isStalemate ? "=" : ""); // SAN has no sign
  const { set_play: set, tries, keys } = play;
  const setPlay = (/** @type {Row[]} */ rows, /** @type {number} */ count, isOpen = false) =>
    ({ key: "set", words: [{ text: `Set play (${count})` }], rows, isOpen });
  const { lines } = play;
  if (lines) return lines.length ? [setPlay(lines.map(writer.solution), lines.length, true)] : [];
  const features = keys.length === 1 && keys[0].features;
  const title = keys.length > 1 ? "Keys" : features ? `Key: ${features.join(", ")}` : "Key";
  const note = writer.note(play, []);
  return [
    setPlay(writer.defences(set, [PASSED]), set.length),
    { key: "tries", words: [{ text: tries.length === 1 ? "Try" : `Tries (${tries.length})` }],
      rows: tries.map((/** @type {Attack} */ each) => writer.attack(each, [], "?")) },
    { key: "keys", words: [{ text: title }], isOpen: true,
      rows: keys.map((/** @type {Attack} */ each) => writer.attack(each, [], "!")) },
    { key: "play", words: [{ text: "Play" }], isOpen: true,
      rows: [...note.length ? [{ key: "note", words: note }] : [], ...writer.level(play, [])] },
  ].filter(({ rows }) => rows.length);
}

/** What follows the attack of a row whose level is known. @param {Row} row @returns {Row[]} */
export function rowsBelow({ key, rows, attack, path = [], writer }) {
  if (rows || !attack || !writer) return rows ?? [];
  const found = writer.level(attack, path);
  const none = `No ${attack.refutations ? "other " : ""}defence`;
  const why = attack.threats ? " changes the threat." : ".";
  return found.length ? found : [{ key: `${key} -`, words: [{ text: none + why }] }];
}

class RowWriter {
  /** @param {number} before half-moves of the first number that come before the first move
   * @param {string} sign of a last move */
  constructor(before, sign) {
    this.before = before;
    this.sign = sign;
  }

  /** A solution of the set play of help play. @param {Move[]} line @returns {Row} */
  solution = (line) => {
    const paths = line.map((_, ply) => [PASSED, ...line.slice(0, ply + 1).map(({ uci }) => uci)]);
    return { key: paths[paths.length - 1].join(" "), words: joined(line.map((move, ply) =>
      [this.word(paths[ply], move, ply + 1 === line.length, "", !ply)]), " ") };
  };

  /** The last move of a path.
   * @param {string[]} path @param {Attack | Defence} move @returns {Words} */
  word(path, { san, mark }, isLast = false, sign = "", starts = true, isNumbered = true) {
    const name = san + (isLast ? this.sign : "") + sign;
    const text = isNumbered ? numberedMove(this.before + path.length - 1, name, starts) : name;
    return { text: mark ? `${text} (${mark})` : text, path };
  }

  /** @param {Attack} attack @param {string[]} before @returns {Row} */
  attack(attack, before, sign = "", lead = "") {
    const path = [...before, attack.uci];
    const { refutations = [] } = attack;
    const hasPlay = followed(attack);
    const refuting = refutations.map((each, number) =>
      [this.word([...path, each.uci], each, false, "!", true, !number)]);
    return {
      key: path.join(" "), path, ...(hasPlay && { attack, writer: this }),
      words: [
        { text: lead }, this.word(path, attack, !hasPlay && !refuting.length, sign),
        ...this.note(attack, path), ...refuting.length ? [{ text: " but " }] : [],
        ...joined(refuting, ", "),
      ],
    };
  }

  /** What follows an attack: threats that have play of their own, and defences.
   * @param {Partial<Attack>} level @param {string[]} path @returns {Row[]} */
  level({ threats = [], defences = [] }, path) {
    const open = threats.some(followed) ? threats : [];
    return [...open.map((each) => this.attack(each, [...path, PASSED], "", "threat: ")),
      ...this.defences(defences, path)];
  }

  /** Zugzwang, or the threats if nothing follows them: what stands behind the attack.
   * @param {Partial<Attack>} level @param {string[]} path @returns {Words[]} */
  note({ zugzwang, threats = [] }, path) {
    if (zugzwang) return [{ text: " zugzwang" }];
    if (!threats.length || threats.some(followed)) return [];
    const words = threats.map((threat) => [this.word([...path, PASSED, threat.uci], threat, true)]);
    return [{ text: threats.length > 1 ? " threats: " : " threat: " }, ...joined(words, ", ")];
  }

  /** Defences with the same last moves together.
   * @param {Defence[]} defences @param {string[]} path */
  defences(defences, path) {
    const groups = /** @type {Record<string, Defence[]>} */ ({});
    for (const each of defences) {
      const { continuations = [] } = each;
      const answers = continuations.map(({ san, mark }) => san + (mark ?? "")).join(" ");
      (groups[continuations.some(followed) ? `${each.uci}:` : answers] ??= []).push(each);
    }
    return Object.values(groups).map((group) => this.defence(group, path));
  }

  /** @param {Defence[]} group @param {string[]} before @returns {Row} */
  defence(group, before) {
    const path = [...before, group[0].uci];
    const key = path.join(" ");
    const { continuations: moves = [] } = group[0];
    const words = joined(group.map((each, number) =>
      [this.word([...before, each.uci], each, !moves.length, "", true, !number)]), ", ");
    if (!moves.length) return { key, words };
    const dual = moves.length > 1 ? [{ text: " (dual)" }] : [];
    if (dual.length && moves.some(followed)) {
      const rows = moves.map((each, number) => this.attack(each, path, "", number ? "or " : ""));
      return { key, words: [...words, ...dual], rows, isOpen: true };
    }
    const answers = moves.map((each) =>
      [this.word([...path, each.uci], each, !followed(each), "", false)]);
    const row = this.attack(moves[0], path);
    const note = this.note(moves[0], row.path ?? []);
    return { ...row, key, words: [
      ...words, { text: " " }, ...joined(answers, " or "), ...dual, ...note] };
  }
}

/** Whether there is play after a move of the attacker.
 * @param {Attack} attack */
const followed = ({ moves_left: left, defences, cut }) => Boolean(left || defences || cut);

/** @param {Words[][]} groups @param {string} between @returns {Words[]} */
const joined = (groups, between) =>
  groups.flatMap((group, number) => (number ? [{ text: between }, ...group] : group));
