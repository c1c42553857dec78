/** A table of any length, of which only the visible rows are in the document. */

import { make } from "./dom.mjs";

const MARGIN_ROWS = 8;

/** @template Row */
export class List {
  /** @type {Row[]} */
  rows = [];
  /** The place of the open row; -1: none is open. */
  current = -1;
  isPrinted = false;
  #height = 32;
  /** The places of the rows in the document: the first, and one more than the last. */
  #drawn = [0, 0];

  /**
   * @param {HTMLElement} host that scrolls; it has a table
   * @param {{draw: (row: Row, place: number, isPrinted: boolean) => HTMLElement,
   *   onOpen: (row: Row, isAsked: boolean) => void}} options
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.body = host.getElementsByTagName("tbody")[0];
    host.addEventListener("scroll", () => {
      const [first, end] = this.#visible();
      if (first < this.#drawn[0] || end > this.#drawn[1]) this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(host);
    this.body.addEventListener("click", ({ target }) => {
      const row = /** @type {HTMLElement} */ (target).closest("tr");
      if (row?.dataset.place) this.open(Number(row.dataset.place), true);
    });
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /** Show other rows; the open one stays open if it is among them. @param {Row[]} rows */
  show(rows) {
    const open = this.rows[this.current];
    this.rows = rows;
    this.current = rows.indexOf(open);
    this.host.scrollTop = 0;
    this.draw();
    if (this.current >= 0) this.#reveal();
    else if (rows.length) this.open(0);
  }

  /** @param {number} place @param {boolean} isAsked whether somebody chose this row */
  open(place, isAsked = false) {
    if (!this.rows.length) return;
    this.current = Math.max(0, Math.min(place, this.rows.length - 1));
    this.#reveal();
    this.draw();
    this.options.onOpen(this.rows[this.current], isAsked);
  }

  #reveal() {
    const head = this.body.offsetTop;
    const top = head + this.current * this.#height;
    const { scrollTop, clientHeight } = this.host;
    if (top - head < scrollTop) this.host.scrollTop = top - head;
    else if (top + this.#height > scrollTop + clientHeight) {
      this.host.scrollTop = top + this.#height - clientHeight;
    }
  }

  /** @param {boolean} isPrinted */
  #print(isPrinted) {
    this.isPrinted = isPrinted;
    this.draw();
  }

  /** The places that are in sight, with some around them. @param {number} margin */
  #visible(margin = 0) {
    const { scrollTop, clientHeight } = this.host;
    const end = Math.ceil((scrollTop + clientHeight) / this.#height) + margin;
    return [
      Math.max(0, Math.floor(scrollTop / this.#height) - margin), Math.min(this.rows.length, end),
    ];
  }

  /** Draw the visible rows; all of them if they are printed. */
  draw() {
    const { rows, isPrinted } = this;
    const [first, end] = this.#drawn = isPrinted ? [0, rows.length] : this.#visible(MARGIN_ROWS);
    const shown = rows.slice(first, end).map((row, i) => {
      const drawn = this.options.draw(row, first + i, isPrinted);
      drawn.dataset.place = String(first + i);
      if (first + i === this.current) drawn.setAttribute("aria-current", "true");
      return drawn;
    });
    this.body.replaceChildren(
      this.#gap(first), ...shown, this.#gap(isPrinted ? 0 : rows.length - end));
    const height = shown[0]?.offsetHeight;
    if (isPrinted || !height || height === this.#height) return;
    this.#height = height;
    this.draw();
  }

  /** Room for rows that are not drawn. @param {number} count */
  #gap(count) {
    const room = make("td", { height: Math.max(0, count) * this.#height });
    return make("tr", { class: "gap", "aria-hidden": "true" }, room);
  }
}
