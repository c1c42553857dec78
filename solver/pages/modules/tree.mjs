// The play of a composition as a tree of HTML: a row with play below it is a `details`, and every
// move a button.
//
//   tree = new Tree({load: (attack, path) => Promise<string>})  what went wrong
//   tree.draw(play, question); tree.unfold(isOpen)
//
// A path has the UCI moves from the position of the question; "0000" passes the turn.

import { element, make, makeButton } from "./dom.mjs";
import { playRows, rowsBelow } from "./rows.mjs";

/** @typedef {import("./levels.mjs").Attack} Attack */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {import("./rows.mjs").Row} Row */
/** @typedef {import("./sentences.mjs").Question} Question */

const MOST_UNFOLDED = 3_000; // rows

export class Tree {
  /** @type {Play | null} */
  play = null;
  /** @type {Question | null} */
  question = null;
  /** @type {Map<string, boolean>} what the reader has opened and shut */
  opened = new Map();
  /** Rows that may still be unfolded at once. */
  room = 0;

  /** @param {{load: (attack: Attack, path: string[]) => Promise<string>}} options */
  constructor({ load }) {
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
      const next = this.place.querySelector(
        isOpen ? "details:not([open], .cut)" : "details[open]");
      if (!next) return;
      next.toggleAttribute("open", isOpen);
      if (isOpen) this.fill(next);
    }
  }

  /** @param {Row} row @returns {HTMLElement} */
  item(row) {
    if (!row.attack && !row.rows) return make("li", {}, ...this.texts(row));
    const details = make("details", {}, make("summary", {}, ...this.texts(row)), make("ul"));
    const isCut = row.attack?.cut;
    if (isCut) details.classList.add("cut");
    const isOpen = this.opened.get(row.key) ?? (row.isOpen || (this.room > 0 && !isCut));
    rowOf.set(details, row);
    details.toggleAttribute("open", isOpen);
    if (isOpen) this.fill(details);
    details.addEventListener("toggle", () => {
      this.opened.set(row.key, details.hasAttribute("open"));
      if (details.hasAttribute("open")) this.fill(details);
    });
    return make("li", {}, details);
  }

  /** Draw the rows below one; ask for its level where the play is cut. @param {Element} details */
  async fill(details) {
    const row = rowOf.get(details);
    const list = details.lastElementChild;
    if (!row || !list || list.hasChildNodes()) return;
    const { attack, path = [] } = row;
    if (!attack?.cut) {
      const below = rowsBelow(row);
      this.room -= below.length;
      list.replaceChildren(...below.map((each) => this.item(each)));
      return;
    }
    list.replaceChildren(make("li", {}, "solving ..."));
    const fault = await this.load(attack, path);
    const retry = () => {
      list.replaceChildren();
      this.fill(details);
    };
    if (fault) list.replaceChildren(make("li", {}, fault, " ", makeButton(retry, {}, "Try again")));
  }

  /** The words of a row, its moves as buttons. @param {Row} row */
  texts({ words }) {
    return words.map(({ text, path }) => !path ? text
      : make("button", { type: "button", class: "move", "data-path": path.join(" ") }, text));
  }

  /** Arrows go up and down the rows. @param {KeyboardEvent} event */
  step(event) {
    const { target, key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!step || !(target instanceof Element)) return;
    const rows = [...this.place.querySelectorAll("summary, li > .move:first-of-type")]
      .filter((each) => each.checkVisibility());
    const row = target.closest("summary") ?? target.parentElement?.querySelector(".move");
    const at = rows.indexOf(row);
    rows[at + step]?.focus();
    event.preventDefault();
  }
}

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
