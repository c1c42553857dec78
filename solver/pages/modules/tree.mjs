// The play of a composition as a tree whose levels are asked for when they are opened.
//
//   tree = new Tree(host, {after: (path, attack) => Promise<Level>, onGo: (path) => {}})
//   tree.show(root, {fen, stipulation, line}); tree.say(text); tree.mark(path); tree.data; tree.all
//   tree.expand(levels) -> Promise<boolean>
//
// A path has the UCI moves from the root; "0000" passes the turn. An opened Attack gets its `level`, so `data` is the play
// as far as it is known. host has `[data-tree]`, and may have the status, the box and the button of board_views.html.

import { Rows } from "./rows.mjs";

/** @typedef {import("./rows.mjs").Attack} Attack */
/** @typedef {import("./rows.mjs").Level} Level */
/** @typedef {import("./rows.mjs").Play} Play */
/** @typedef {import("./rows.mjs").Root} Root */
/** @typedef {import("./rows.mjs").Row} Row */

/** @param {string} tag @param {Record<string, string | number>} [attributes] @param {(Node | string)[]} children */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export class Tree {
  /** @param {HTMLElement} host
   * @param {{after: (path: string[], attack: Attack) => Promise<Level>, onGo: (path: string[]) => void}} options */
  constructor(host, { after, onGo }) {
    this.after = after;
    this.onGo = onGo;
    this.place = /** @type {HTMLElement} */ (host.querySelector("[data-tree]"));
    this.status = host.querySelector("[data-tree-status]");
    this.box = /** @type {HTMLInputElement | null} */ (host.querySelector("[data-tree-all]"));
    this.data = /** @type {Root | null} */ (null);
    this.play = /** @type {Play} */ ({ fen: "", stipulation: { name: "#", moves: null } });
    this.queue = Promise.resolve(); // one level after the other: a new question ends the one before
    this.loading = /** @type {Map<string, Promise<boolean>>} */ (new Map());
    this.faults = /** @type {Map<string, string>} */ (new Map());
    this.opened = /** @type {Map<string, boolean>} */ (new Map());
    this.rows = /** @type {WeakMap<Element, Row>} */ (new WeakMap());
    this.items = /** @type {Map<string, HTMLElement>} */ (new Map());
    this.current = this.here = ""; // the row with the focus, and the path of the move last gone to
    this.levels = 0; // that `expand` has opened
    this.box?.addEventListener("change", () => this.draw());
    host.querySelector("[data-tree-open]")?.addEventListener("click", () => this.expand(this.levels + 1));
    this.place.addEventListener("click", (event) => this.clicked(event));
    this.place.addEventListener("keydown", (event) => this.pressed(event));
  }

  get all() {
    return this.box?.checked ?? false;
  }

  get words() {
    return new Rows(this.data, this.play, this.all);
  }

  /** @param {string} text */
  say(text) {
    if (this.status) this.status.textContent = text;
  }

  /** @param {Root | null} root null: nothing @param {Play} [play] */
  show(root, play = this.play) {
    this.data = root;
    this.play = play;
    this.loading = new Map();
    this.faults = new Map();
    this.opened = new Map();
    this.current = this.here = "";
    this.levels = 0;
    this.say("");
    this.draw();
  }

  /** Opens so many levels below the first moves, one question after the other.
   * @param {number} levels @returns {Promise<boolean>} false: it failed, or another tree is shown */
  async expand(levels) {
    const root = this.data;
    let rows = this.words.parts();
    for (let level = 0; level < levels && rows.length; level++) {
      const below = [];
      for (const row of treeUnfolded(rows)) {
        this.opened.set(row.key, true);
        if (!row.attack) continue;
        if (!(await this.load(row)) || this.data !== root) {
          this.draw();
          return false;
        }
        below.push(...this.below(row));
      }
      rows = below;
    }
    this.levels = Math.max(this.levels, levels);
    this.draw();
    return true;
  }

  /** @param {Row} row @returns {Row[]} */
  below({ key, rows, attack, path = [], line = [] }) {
    if (rows || !attack) return rows ?? [];
    const fault = this.faults.get(key);
    const found = attack.level && this.words.level(attack.level, path, line);
    if (found?.length) return found;
    const other = attack.refutations.length ? "other " : "";
    const none = `No ${other}defence${attack.level?.threats.length ? " changes the threat" : ""}.`;
    const text = found ? none : fault ? `${fault} Try again` : "solving ...";
    return [{ key: `${key} -`, words: [{ text }], retry: !found && fault ? key : undefined }];
  }

  /** Asks for the level of a row, after all that was asked for before. @param {Row} row @returns {Promise<boolean>} */
  load({ key, attack, path = [] }) {
    if (!attack || attack.level) return Promise.resolve(true);
    const { data, loading, faults } = this;
    const known = loading.get(key);
    if (known) return known;
    faults.delete(key);
    const run = this.queue.then(async () => {
      if (this.data !== data) return false;
      this.say("solving ...");
      try {
        attack.level = await this.after(path, attack);
      } catch (error) {
        faults.set(key, `Not solved: ${(error instanceof Error && error.message) || "stopped"}.`);
      }
      loading.delete(key);
      if (this.data !== data) return false;
      this.say(faults.get(key) ?? "");
      this.update(key);
      return attack.level !== undefined;
    });
    loading.set(key, run);
    this.queue = run.then(() => undefined);
    return run;
  }

  draw() {
    const focused = this.place.contains(document.activeElement);
    this.items = new Map();
    const rows = this.words.parts();
    const list = make("ul", { role: "tree", "aria-label": "Play" }, ...rows.map((row) => this.item(row, 1)));
    this.place.replaceChildren(...(rows.length ? [list] : []));
    const current = this.items.get(this.current) ?? list.querySelector("li");
    current?.setAttribute("tabindex", "0");
    if (focused) current?.focus();
  }

  /** @param {Row} row @param {number} depth */
  item(row, depth) {
    const item = make("li", { role: "treeitem", "aria-level": depth, tabindex: -1 });
    this.items.set(row.key, item);
    this.rows.set(item, row);
    this.fill(item, row, depth);
    return item;
  }

  /** @param {HTMLElement} item @param {Row} row @param {number} depth */
  fill(item, row, depth) {
    const words = make("span");
    const note = row.attack?.level ? this.words.note(row.attack.level, row.path ?? []) : [];
    for (const { text, path } of [...row.words, ...note, ...(row.tail ?? [])]) {
      const at = path?.join(" ") ?? "";
      const look = at === this.here ? "tree-move tree-here" : "tree-move";
      words.append(path ? make("span", { class: look, "data-path": at }, text) : text);
    }
    item.replaceChildren(make("div", { class: "tree-row" }, make("span", { class: "tree-fold", "aria-hidden": "true" }), words));
    item.setAttribute("aria-label", words.textContent ?? "");
    if (row.attack || row.rows) {
      const open = this.isOpen(row);
      item.setAttribute("aria-expanded", String(open));
      if (open) item.append(make("ul", { role: "group" }, ...this.below(row).map((each) => this.item(each, depth + 1))));
    }
  }

  /** Draws a row, and what is below it, anew. @param {string} key */
  update(key) {
    const item = this.items.get(key);
    const row = item && this.rows.get(item);
    if (!row) return;
    const lost = item !== document.activeElement && item.contains(document.activeElement);
    this.fill(item, row, Number(item.getAttribute("aria-level")));
    if (lost) this.select(item);
  }

  /** @param {Row} row */
  isOpen({ key, isOpen = false }) {
    return this.opened.get(key) ?? isOpen;
  }

  /** Opens or closes a row; asks again where that failed. @param {Element | undefined} item @returns {void} */
  toggle(item, open = item?.getAttribute("aria-expanded") === "false") {
    const row = item && this.rows.get(item);
    if (row?.retry) return this.toggle(this.items.get(row.retry), true);
    if (!row || !(row.attack || row.rows)) return;
    this.opened.set(row.key, open);
    if (open) this.load(row);
    this.update(row.key);
  }

  /** Moves the focus. @param {HTMLElement | null | undefined} item */
  select(item) {
    if (!item) return;
    for (const each of this.place.querySelectorAll("[tabindex='0']")) each.setAttribute("tabindex", "-1");
    this.current = this.rows.get(item)?.key ?? "";
    item.setAttribute("tabindex", "0");
    item.focus();
  }

  /** Marks the move that leads to the position shown. @param {string[]} path */
  mark(path) {
    this.here = path.join(" ");
    for (const each of this.place.querySelectorAll(".tree-move")) {
      each.classList.toggle("tree-here", each.getAttribute("data-path") === this.here);
    }
  }

  /** @param {string} path */
  go(path) {
    this.mark(path.split(" "));
    this.onGo(path.split(" "));
  }

  /** @param {Event} event */
  clicked({ target }) {
    const item = target instanceof Element && target.closest("li");
    if (!item) return;
    this.select(item);
    const path = target.closest(".tree-move")?.getAttribute("data-path");
    if (path) this.go(path);
    else this.toggle(item);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const items = [...this.place.querySelectorAll("li")];
    const item = event.target instanceof Element && event.target.closest("li");
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = items.indexOf(item);
    const open = item.getAttribute("aria-expanded");
    const actions = /** @type {Record<string, () => void>} */ ({
      ArrowDown: () => this.select(items[at + 1]),
      ArrowUp: () => this.select(items[at - 1]),
      Home: () => this.select(items[0]),
      End: () => this.select(items.at(-1)),
      ArrowRight: () => (open === "false" ? this.toggle(item, true) : open && this.select(item.querySelector("li"))),
      ArrowLeft: () => (open === "true" ? this.toggle(item, false) : this.select(item.parentElement?.closest("li"))),
      Enter: () => this.enter(item),
      " ": () => this.enter(item),
    });
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Goes to the next move of a row; opens one without moves. @param {Element} item */
  enter(item) {
    const moves = item.querySelectorAll(":scope > .tree-row .tree-move");
    const paths = [...moves].map((move) => move.getAttribute("data-path") ?? "");
    if (paths.length) this.go(paths[(paths.indexOf(this.here) + 1) % paths.length]);
    else this.toggle(item);
  }
}

/** @param {Row[]} rows @returns {Row[]} */
const treeUnfolded = (rows) => rows.flatMap((row) => [row, ...treeUnfolded(row.rows ?? [])]);
