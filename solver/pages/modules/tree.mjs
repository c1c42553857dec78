// The play of a composition: as rows of words, as a tree of them, and the reader's place in it.
//
// The rows are in the words and order of composers, and need no browser:
//
//   playRows(play, question) -> Row[]: set play, tries, keys, or the play that the defender begins
//   rowsBelow(row) -> Row[]: what follows a move of the attacker

import { element, make, makeButton, onKeys } from "./dom.mjs";

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

const PASSED = "0000";

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
export function playRows(play, { fen, isStalemate }) {
  const writer = new RowWriter(blackBegins(fen), isStalemate ? "=" : ""); // SAN has no sign
  const { set_play: set, tries, keys } = play;
  const features = keys.length === 1 && keys[0].features;
  const title = keys.length > 1 ? "Keys" : features ? `Key: ${features.join(", ")}` : "Key";
  const note = writer.note(play, []);
  return [
    { key: "set", words: [{ text: `Set play (${set.length})` }],
      rows: writer.defences(set, [PASSED]) },
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
  /** @param {number} black whether Black begins @param {string} sign of a last move */
  constructor(black, sign) {
    this.black = black;
    this.sign = sign;
  }

  /** The last move of a path.
   * @param {string[]} path @param {Attack | Defence} move @returns {Words} */
  word(path, { san, mark }, isLast = false, sign = "", starts = true, isNumbered = true) {
    const name = san + (isLast ? this.sign : "") + sign;
    const text = isNumbered ? numberedMove(this.black + path.length - 1, name, starts) : name;
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

// The rows as a tree of HTML: play below a row is in a `details` after its words, and every move is
// a button. A path has the UCI moves from the position of the question; "0000" passes the turn.

const MOST_UNFOLDED = 3_000; // rows

export class Tree {
  play = /** @type {Play | null} */ (null);
  question = /** @type {Question | null} */ (null);
  /** What the reader has opened and shut. */
  opened = /** @type {Map<string, boolean>} */ (new Map());
  /** Rows that may still be unfolded at once. */
  room = 0;

  /** @param {(attack: Attack, path: string[]) => Promise<string>} load what went wrong */
  constructor(load) {
    this.load = load;
    this.place = element("tree-play");
    this.place.onkeydown = (/** @type {KeyboardEvent} */ event) => this.step(event);
  }

  /** Whether the page came with a play, which is still shown. */
  get isWritten() {
    return !this.play && this.place.hasChildNodes();
  }

  /** @param {Play | null} play null: nothing, except what the page came with
   * @param {Question | null} question @param {boolean} isUnfolded */
  draw(play, question, isUnfolded = false) {
    if (play === this.play) return;
    if (question !== this.question) this.opened.clear();
    Object.assign(this, { play, question });
    this.room = isUnfolded ? MOST_UNFOLDED : 0;
    const rows = play && question ? playRows(play, question) : [];
    this.place.replaceChildren(...rows.length
      ? [make("ul", {}, ...rows.map((row) => this.item(row)))] : []);
  }

  /** Open or shut all rows, as far as their play is known. @param {boolean} isOpen */
  unfold(isOpen) {
    for (let left = MOST_UNFOLDED; left > 0; left--) {
      const next = this.place.querySelector(`details${isOpen ? ":not([open], .cut)" : "[open]"}`);
      if (!next) return;
      next.toggleAttribute("open", isOpen);
      this.fill(next);
    }
  }

  /** @param {Row} row @returns {HTMLElement} */
  item(row) {
    const texts = this.texts(row);
    if (!row.attack && !row.rows) return make("li", {}, ...texts);
    const move = row.words.find(({ path }) => path)?.text;
    const summary = move ? make("summary", { "aria-label": `Play after ${move}` })
      : make("summary", {}, ...texts);
    const details = make("details", {}, summary, make("ul"));
    const isCut = row.attack?.cut;
    if (isCut) details.classList.add("cut");
    const isOpen = this.opened.get(row.key) ?? (row.isOpen || (this.room > 0 && !isCut));
    rowOf.set(details, row);
    details.toggleAttribute("open", isOpen);
    this.fill(details);
    details.addEventListener("toggle", () => {
      this.opened.set(row.key, details.hasAttribute("open"));
      this.fill(details);
    });
    return make("li", {}, ...move ? texts : [], details);
  }

  /** Draw the rows below an open one; ask for its level where the play is cut.
   * @param {Element} details */
  async fill(details) {
    const [row, list] = [rowOf.get(details), details.lastElementChild];
    if (!row || !list || list.hasChildNodes() || !details.hasAttribute("open")) return;
    const { attack, path = [] } = row;
    if (!attack?.cut) {
      const below = rowsBelow(row);
      this.room -= below.length;
      return list.replaceChildren(...below.map((each) => this.item(each)));
    }
    list.replaceChildren(make("li", {}, "solving ..."));
    const fault = await this.load(attack, path);
    if (!fault) return undefined;
    return list.replaceChildren(make("li", {}, fault, " ", makeButton(() => {
      list.replaceChildren();
      this.fill(details);
    }, {}, "Try again")));
  }

  /** The words of a row, its moves as buttons. @param {Row} row */
  texts = ({ words }) => words.map(({ text, path }) => path ? moveButton(text, path) : text);

  /** Arrows go up and down the rows. @param {KeyboardEvent} event */
  step(event) {
    const { target, key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!step || !(target instanceof Element)) return;
    const selector = "summary, li:not(:has(> details)) > .move:first-of-type";
    const rows = [...this.place.querySelectorAll(selector)].filter((row) => row.checkVisibility());
    const row = target.closest("summary, li");
    rows[rows.findIndex((each) => row?.contains(each)) + step]?.focus();
    event.preventDefault();
  }
}

/** A move as a button that plays it. @param {string} text @param {string[]} path from the root */
export const moveButton = (text, path) =>
  make("button", { type: "button", class: "move", "data-path": path.join(" ") }, text);

/** @type {WeakMap<Element, Row>} */
const rowOf = new WeakMap();

/** The same play with the level after the attack at the end of a path.
 * @param {Record<string, any>} node the play, or a move of it @param {string[]} path
 * @param {object} level @returns {Record<string, any>} */
export function withLevel(node, path, level) {
  if (!path.length) {
    const { cut, defences, ...rest } = node;
    return { ...rest, ...level };
  }
  const isPassed = path[0] === "0000";
  const [uci, ...rest] = isPassed ? path.slice(1) : path;
  const lists = isPassed ? ["threats", "set_play"] : ["keys", "tries", "defences", "continuations"];
  const copies = lists.filter((name) => node[name]).map((name) => [name, node[name].map(
    (/** @type {Record<string, any>} */ each) =>
      each.uci === uci ? withLevel(each, rest, level) : each)]);
  return { ...node, ...Object.fromEntries(copies) };
}

// Where the reader is in the lines of a page: every move on it is an element of the class `move`
// whose `data-path` has the UCI moves from the root.
//
//   walk = new Walk(() => {})      called when the position on the board is another one
//   walk.begin(); walk.go(path); walk.back(); walk.forward()
//   walk.mark() -> the text of the move that leads here
//
// Clicks on moves and the arrow keys walk too.

export class Walk {
  /** Moves played from the root, and how many of them are on the board. */
  moves = /** @type {string[]} */ ([]);
  ply = 0;
  /** What Back and Escape do. */
  onBack = () => this.back();
  onStart = () => this.go([]);
  /** The line that is followed. */
  #line = /** @type {Element | null} */ (null);

  /** @param {() => unknown} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    addEventListener("click", (event) => {
      const move = /** @type {Element} */ (event.target).closest(".move");
      if (!move) return;
      event.preventDefault(); // a line folds at its other places
      this.#line = move.closest(".moves, .tree");
      this.go(pathOf(move).split(" "));
    });
    onKeys(({ key }) => {
      if (key === "ArrowRight") this.forward();
      else if (key === "ArrowLeft") this.onBack();
      else if (key === "Escape") this.onStart();
      else return true;
    });
  }

  /** The moves that lead to the position on the board. */
  get played() {
    return this.moves.slice(0, this.ply);
  }

  /** Another root. */
  begin() {
    Object.assign(this, { moves: [], ply: 0 });
    this.#line = null;
  }

  /** Go to the position after moves; those that follow are kept. @param {string[]} path */
  go(path) {
    const isKept = path.every((uci, ply) => uci === this.moves[ply]);
    Object.assign(this, { moves: isKept ? this.moves : path, ply: path.length });
    this.onGo();
  }

  back() {
    const before = this.played.slice(0, -1);
    this.go(before.at(-1) === "0000" ? before.slice(0, -1) : before);
  }

  forward() {
    const next = this.next();
    if (next.length) this.go(next);
  }

  /** The moves to the position that comes next: on the line that is followed, else on the first
   * one from here, else farther down the play; empty: none. @returns {string[]} */
  next() {
    if (this.ply < this.moves.length) return this.moves.slice(0, this.ply + 1);
    const here = this.played.join(" ");
    const before = here && `${here} `;
    const selector = `.move[data-path^="${CSS.escape(before)}"]`;
    const isPlay = this.#line?.matches(".tree");
    const onward = [this.#line, isPlay ? null : document.body].flatMap((place) =>
      [...place?.querySelectorAll(here ? selector : ".move") ?? []]);
    let found = onward.find((move) => !pathOf(move).slice(before.length).includes(" "));
    if (!found && this.#line && isPlay) {
      const all = [...this.#line.querySelectorAll(".move")];
      const at = all.findIndex((move) => pathOf(move) === here);
      found = all.slice(at + 1).find((move) => move.checkVisibility());
    }
    return found ? pathOf(found).split(" ") : [];
  }

  /** Mark the moves that lead here, and return the text of the one on the line. */
  mark() {
    const before = document.querySelectorAll(".move[aria-current]");
    for (const move of before) move.removeAttribute("aria-current");
    const path = CSS.escape(this.played.join(" "));
    const marked = [...document.querySelectorAll(`.move[data-path="${path}"]`)];
    for (const move of marked) move.setAttribute("aria-current", "step");
    const label = marked.find((move) => this.#line?.contains(move)) ?? marked[0];
    if (label && this.#line?.matches(".tree")) {
      let fold = (label.closest("summary")?.parentElement ?? label).parentElement;
      while ((fold = fold?.closest("details") ?? null)) {
        fold.setAttribute("open", "");
        fold = fold.parentElement;
      }
      label.scrollIntoView({ block: "nearest" });
    }
    return label?.textContent ?? "";
  }
}

/** @param {Element} move */
const pathOf = (move) => /** @type {HTMLElement} */ (move).dataset.path ?? "";
