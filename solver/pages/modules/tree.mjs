// The play of a composition as a tree of its rows, and the reader's place in the lines of a page.
//
// Play below a row is in a `details` after its words, and every move is a button. A path has the
// UCI moves from the position of the question; "0000" passes the turn.

import { element, make, makeButton, onKeys } from "./dom.mjs";
import { playRows, rowsBelow } from "./rows.mjs";

/** @import { Attack } from "./levels.mjs" */
/** @import { Question } from "./records.mjs" */
/** @import { Play, Row } from "./rows.mjs" */

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
