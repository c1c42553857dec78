// The play of a composition as a tree whose levels are asked for when they are opened.
//
//   tree = new Tree({after: (path, attack) => Promise<Level>})
//   tree.show(root, {fen, stipulation, line, before}); tree.say(text); tree.data; tree.all
//   tree.expand() opens one more level everywhere
//
// A path has the UCI moves from the root; "0000" passes the turn. An opened Attack gets its
// `level`, so `data` is the play as far as it is known. A row with play below it is a `details`
// of HTML, and every move a button.

import { element, make, makeButton } from "./dom.mjs";
import { Rows } from "./rows.mjs";

/** @typedef {import("./lists.mjs").Attack} Attack */
/** @typedef {import("./lists.mjs").Level} Level */
/** @typedef {import("./lists.mjs").Root} Root */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {import("./rows.mjs").Row} Row */

export class Tree {
  /** @param {{after: (path: string[], attack: Attack) => Promise<Level>}} options */
  constructor({ after }) {
    this.after = after;
    this.place = element("tree-play");
    this.data = /** @type {Root | null} */ (null);
    this.play = /** @type {Play & {before: string[]}} */ (
      { fen: "", stipulation: { name: "#", moves: null }, before: [] });
    this.asked = /** @type {Map<Attack, Promise<Level>>} */ (new Map());
    this.opened = /** @type {Map<string, boolean>} */ (new Map());
    this.here = ""; // the moves to the position on the board
    this.levels = 0; // that `expand` has opened
    element("tree-all")?.addEventListener("change", () => this.draw());
    element("tree-open")?.addEventListener("click", () => this.expand());
    this.place.onkeydown = (/** @type {KeyboardEvent} */ event) => this.step(event);
  }

  /** Whether the defences that change nothing about the threat are shown too. @returns {boolean} */
  get all() {
    return element("tree-all")?.checked ?? false;
  }

  get words() {
    return new Rows(this.data, this.play, this.all);
  }

  /** @param {string} text */
  say(text) {
    element("tree-status").textContent = text;
  }

  /** @param {Root | null} root null: nothing, except what the page came with
   * @param {Play & {before: string[]}} [play] before: the moves played before it */
  show(root, play = this.play) {
    const hasOwn = root || this.data;
    Object.assign(this, { data: root, play, levels: 0 });
    this.opened.clear();
    this.say("");
    if (hasOwn) this.draw();
  }

  draw() {
    const rows = this.words.parts().map((row) => this.item(row));
    this.place.replaceChildren(make("ul", {}, ...rows));
  }

  /** Opens one more level everywhere, one question after the other. */
  async expand() {
    const { data } = this;
    let rows = this.words.parts();
    for (let level = 0; level <= this.levels; level++) {
      const below = [];
      for (const row of treeUnfolded(rows)) {
        const fault = await this.load(row);
        if (fault || this.data !== data) return this.draw();
        this.opened.set(row.key, true);
        if (row.attack) below.push(...this.below(row));
      }
      rows = below;
    }
    this.levels++;
    this.draw();
  }

  /** Asks for the level of a row. @param {Row} row @returns {Promise<string>} what went wrong */
  async load({ attack, path = [] }) {
    if (!attack || attack.level) return "";
    const { data, asked } = this;
    const level = asked.get(attack) ?? this.after([...this.play.before, ...path], attack);
    asked.set(attack, level);
    this.say("solving ...");
    let fault = "";
    try {
      attack.level = await level;
    } catch (error) {
      fault = `Not solved: ${(error instanceof Error && error.message) || "stopped"}.`;
    }
    asked.delete(attack);
    if (this.data === data && !asked.size) this.say(fault);
    return fault;
  }

  /** The rows below one whose level is known. @param {Row} row @returns {Row[]} */
  below({ key, rows, attack, path = [], line = [] }) {
    if (rows || !attack?.level) return rows ?? [];
    const found = this.words.level(attack.level, path, line);
    const none = `No ${attack.refutations.length ? "other " : ""}defence`;
    const why = attack.level.threats.length ? " changes the threat." : ".";
    return found.length ? found : [{ key: `${key} -`, words: [{ text: none + why }] }];
  }

  /** @param {Row} row @returns {HTMLElement} */
  item(row) {
    if (!row.attack && !row.rows) return make("li", {}, ...this.texts(row));
    const summary = make("summary", {}, ...this.texts(row));
    const list = make("ul");
    const details = make("details", {}, summary, list);
    const fill = async () => {
      const fault = await this.load(row);
      const retry = () => make("li", {}, fault, " ", makeButton(fill, {}, "Try again"));
      summary.replaceChildren(...this.texts(row));
      list.replaceChildren(...fault ? [retry()] : this.below(row).map((each) => this.item(each)));
    };
    details.toggleAttribute("open", this.opened.get(row.key) ?? row.isOpen ?? false);
    details.addEventListener("toggle", () => {
      this.opened.set(row.key, details.hasAttribute("open"));
      if (details.hasAttribute("open") && !list.hasChildNodes()) fill();
    });
    if (details.hasAttribute("open")) fill();
    return make("li", {}, details);
  }

  /** The words of a row, its moves as buttons. @param {Row} row */
  texts({ words, attack, path = [], tail = [] }) {
    const note = attack?.level ? this.words.note(attack.level, path) : [];
    return [...words, ...note, ...tail].map((word) => {
      if (!word.path) return word.text;
      const at = [...this.play.before, ...word.path].join(" ");
      const look = { type: "button", class: "move", "data-path": at };
      return make("button", at === this.here ? { ...look, "aria-current": "step" } : look,
        word.text);
    });
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

/** @param {Row[]} rows @returns {Row[]} */
const treeUnfolded = (rows) => rows.flatMap((row) => [row, ...treeUnfolded(row.rows ?? [])]);
