// The diagram: an SVG below 64 cells, which take the pointer, the keyboard and the focus of a
// screen reader.
//
//   board = new Board(host, {onMove, onPlacement})
//   board.draw({fen, moves, last, check, arrows}) -> whether the FEN's first field could be read
//   board.setMode("play" | "setup", tool), .flip(), .say(text), .svg(title, options) -> text
//   board.mode, .tool (null: the hand; a letter; "" the eraser), .flipped
//   board.placement: the first field of a FEN
//
// It knows no rules: in play mode a piece goes where a given move takes it, in set-up mode
// anywhere.

import { add, make, makeButton } from "./dom.mjs";
import {
  describePiece, pieceName, readPlacement, squareIndex, squareName, writePlacement,
} from "./records.mjs";

/** @import { Move } from "./rules.mjs" */

/**
 * @typedef {{fen: string, moves?: Move[], last?: string, check?: boolean, arrows?: string[]}} View
 * @typedef {{letter: string, from: number, x: number, y: number, moving: boolean}} Carried
 */

const BOARD_UNIT = 45; // as python-chess draws its pieces
const BOARD_SIZE = 8 * BOARD_UNIT;
const BOARD_CAPTION = 28;
const BOARD_BOX = `0 0 ${BOARD_SIZE} ${BOARD_SIZE}`;
const BOARD_FONT = { "font-size": 8, "font-family": "sans-serif", "font-weight": 600 };
const BOARD_KEYS = "Arrow keys move. Enter picks up and puts down, Escape puts back. " +
  "In set-up, letters place pieces, capital ones of White; Delete removes them.";

export class Board {
  mode = "play";
  tool = /** @type {string | null} */ (null);
  flipped = false;
  letters = /** @type {string[]} */ (Array(64).fill(""));
  view = /** @type {View} */ ({ fen: "" });
  cursor = 60; // the square that Tab reaches
  picked = -1; // the square whose piece goes to the next one
  carried = /** @type {Carried | null} */ (null);
  paint = /** @type {string | null} */ (null); // what the pointer leaves, "" to erase
  ghost = make("g"); // what the pointer carries

  /** @param {HTMLElement} host
   * @param {{onMove?: (uci: string) => void, onPlacement?: (field: string) => void}} options */
  constructor(host, options) {
    this.options = options;
    host.replaceChildren();
    host.classList.add("board");
    this.drawing = add(host, "svg", { viewBox: BOARD_BOX, "aria-hidden": "true" });
    this.grid = add(host, "div", { class: "board-grid", role: "grid", "aria-label": "Chess board",
      "aria-description": BOARD_KEYS });
    const look = { class: "board-cell", role: "gridcell" };
    this.cells = Array.from({ length: 64 }, () => make("div", look));
    for (let at = 0; at < 64; at += 8) {
      add(this.grid, "div", { class: "board-row", role: "row" }, ...this.cells.slice(at, at + 8));
    }
    this.chooser = /** @type {HTMLDialogElement} */ (/** @type {unknown} */ (
      add(host, "dialog", { class: "board-promotion", "aria-label": "Promote to" })));
    this.said = add(host, "p", { class: "board-said", "aria-live": "polite" });
    const { grid } = this;
    grid.addEventListener("pointerdown", (event) => this.#press(event));
    addEventListener("pointermove", (event) => event.isPrimary && this.#drag(event));
    addEventListener("pointerup", (event) => event.isPrimary && this.#release(event));
    addEventListener("pointercancel", (event) =>
      this.paint === null ? this.#putBack() : this.#release(event));
    grid.addEventListener("contextmenu", (event) =>
      this.mode === "setup" && event.preventDefault());
    grid.addEventListener("touchend", (event) => event.cancelable && event.preventDefault());
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("focusin", ({ target }) => {
      this.#place(this.cursor).cell.tabIndex = -1;
      this.cursor = squareIndex(/** @type {HTMLElement} */ (target).dataset.square ?? "");
      this.#place(this.cursor).cell.tabIndex = 0;
    });
    this.chooser.addEventListener("pointerdown", ({ target, currentTarget }) =>
      target === currentTarget && this.chooser.close()); // outside of the buttons
    this.#putBack();
  }

  /** Shows a position. The user's hand keeps what it holds of the same position, and goes on
   * painting.
   * @param {View} view */
  draw(view) {
    const letters = readPlacement(view.fen);
    if (letters && this.paint === null) {
      const changed = letters.join() !== this.letters.join();
      Object.assign(this, { view, letters });
      if (changed) this.#putBack();
      else this.#redraw();
    }
    return letters !== null;
  }

  get placement() {
    return writePlacement(this.letters);
  }

  /** @param {"play" | "setup"} mode @param {string | null} [tool] */
  setMode(mode, tool = null) {
    Object.assign(this, { mode, tool });
    this.#putBack();
  }

  flip() {
    this.flipped = !this.flipped;
    this.#putBack();
    this.say(`${this.flipped ? "Black" : "White"} is at the bottom`);
  }

  /** To a screen reader. @param {string} text */
  say = (text) => this.said.textContent = text;

  /** The diagram as an SVG document, without what is picked.
   * @param {string} title
   * @param {{heading: string, caption: string, isMono: boolean, hasKey: boolean}} options
   *   heading, caption: above and below the board; isMono: for printing in black and white;
   *   hasKey: with the arrows of the keys */
  svg(title, { heading, caption, isMono, hasKey }) {
    const top = heading ? BOARD_CAPTION : 0;
    const [width, height] = [BOARD_SIZE, BOARD_SIZE + BOARD_CAPTION + top];
    const size = { viewBox: `0 ${-top} ${width} ${height}`, width, height };
    const layers = [...this.drawing.children].map((layer) => layer.cloneNode(true));
    const words = Object.entries({ [-8]: heading, [BOARD_SIZE + 20]: caption })
      .filter(([, text]) => text).map(([y, text]) => make("text", { x: width / 2, y,
        "text-anchor": "middle", "font-size": 16, "font-family": "sans-serif" }, text));
    const frame = make("rect", { x: 0.5, y: 0.5, width: width - 1, height: width - 1,
      fill: "none", stroke: "#000" });
    const copy = make("svg", size, make("title", {}, title), ...layers, frame, ...words);
    const hidden = ".board-targets, .board-picked" + (hasKey ? "" : ", .board-arrows") +
      (isMono ? ", .board-last, .board-check" : "");
    for (const each of copy.querySelectorAll(hidden)) each.remove();
    const inks = { ".board-light": "#fff", ".board-dark": "#ccc", ".board-names text": "#000" };
    for (const [drawn, ink] of Object.entries(isMono ? inks : {})) {
      for (const each of copy.querySelectorAll(drawn)) each.setAttribute("fill", ink);
    }
    return new XMLSerializer().serializeToString(copy);
  }

  /** Draws a piece.
   * @param {Element} parent @param {string} letter
   * @param {Record<string, string | number>} [attributes] */
  picture(parent, letter, attributes = { viewBox: `0 0 ${BOARD_UNIT} ${BOARD_UNIT}` }) {
    const piece = add(parent, parent instanceof SVGElement ? "g" : "svg", attributes);
    piece.append(...document.getElementById(`piece-${letter}`)?.cloneNode(true).childNodes ?? []);
  }

  /** A pointer takes a piece, also from outside: -1.
   * @param {string} letter @param {PointerEvent} event @param {number} [from] */
  carry = (letter, { clientX: x, clientY: y }, from = -1) =>
    this.carried = { letter, from, x, y, moving: false };

  /** @param {number} square */
  #place(square) {
    const at = this.flipped ? 63 - square : square;
    const [x, y] = [BOARD_UNIT * (at % 8), BOARD_UNIT * Math.floor(at / 8)];
    return { at, x, y, cell: this.cells[at] };
  }

  /** The moves from a square, in play. @param {number} from @param {number} [to] */
  #moves(from, to) {
    if (this.mode === "setup") return [];
    const start = squareName(from) + (to === undefined ? "" : squareName(to));
    return (this.view.moves ?? []).filter(({ uci }) => uci.startsWith(start));
  }

  /** @param {number} square */
  #movable = (square) =>
    this.letters[square] !== "" && (this.mode === "setup" || this.#moves(square).length > 0);

  #redraw() {
    const { last = "", check, fen, arrows = [] } = this.view;
    const king = check ? this.letters.indexOf(fen.split(/\s+/)[1] === "b" ? "k" : "K") : -1;
    const layers = ["squares", "marks", "names", "pieces", "arrows", "targets"].map((name) =>
      make("g", { class: `board-${name}` }));
    const [squares, marks, names, pieces, keys, targets] = layers;
    const hasTool = this.mode === "setup" && this.tool !== null;
    this.drawing.replaceChildren(...layers, this.ghost);
    for (const [square, letter] of this.letters.entries()) {
      const [{ at, x, y, cell }, name] = [this.#place(square), squareName(square)];
      const box = { x, y, width: BOARD_UNIT, height: BOARD_UNIT };
      const dark = (square + Math.floor(square / 8)) % 2 > 0;
      const text = { fill: dark ? "#f6f0e4" : "#86683f", ...BOARD_FONT };
      const reached = this.picked >= 0 && this.#moves(this.picked, square).length > 0;
      add(squares, "rect", dark ? { ...box, class: "board-dark", fill: "#b3926b" }
        : { ...box, class: "board-light", fill: "#efe7d8" });
      const mark = square === king ? { fill: "#d8332a", "fill-opacity": 0.65, class: "board-check" }
        : { fill: "#f2d64b", "fill-opacity": 0.55, class: "board-last" };
      const isMarked = square === king || last.slice(0, 4).includes(name);
      if (isMarked) add(marks, "rect", { ...box, ...mark });
      if (square === this.picked) add(marks, "rect", { ...box, class: "board-picked" });
      if (at % 8 === 0) add(names, "text", { ...text, x: x + 2, y: y + 9 }, name[1]);
      if (at > 55) add(names, "text", { ...text, x: x + 39, y: y + 42 }, name[0]);
      const look = this.carried?.moving && this.carried.from === square ? "lifted" : "piece";
      const place = { class: `board-${look}`, transform: `translate(${x} ${y})` };
      if (letter) this.picture(pieces, letter, place);
      if (reached) {
        const circle = letter ? { class: "board-capture", r: 20 } : { class: "board-target", r: 7 };
        add(targets, "circle", { ...circle, cx: x + 22.5, cy: y + 22.5 });
      }
      const label = `${name}, ${describePiece(letter)}${reached ? ", can be reached" : ""}`;
      cell.dataset.square = name;
      cell.tabIndex = square === this.cursor ? 0 : -1;
      cell.setAttribute("aria-label", label);
      cell.setAttribute("aria-selected", String(square === this.picked));
      cell.classList.toggle("board-holds", reached || hasTool || this.#movable(square));
    }
    for (const key of [...new Set(arrows.map((uci) => uci.slice(0, 4)))].slice(0, 6)) {
      const [from, to] = [this.#place(squareIndex(key)), this.#place(squareIndex(key.slice(2)))];
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const tip = Math.hypot(dx, dy) - 4;
      const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
      add(keys, "path", { class: "board-arrow", fill: "#1b7a3d", "fill-opacity": 0.7,
        d: `M12 -4H${tip - 16}V-11L${tip} 0L${tip - 16} 11V4H12z`,
        transform: `translate(${from.x + 22.5} ${from.y + 22.5}) rotate(${angle})` });
    }
  }

  /** Where a pointer is on the board, and its square; -1: off the board.
   * @param {PointerEvent} event */
  #at({ clientX, clientY }) {
    const { left, top, width } = this.grid.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top].map((each) => (each * BOARD_SIZE) / width);
    const at = 8 * Math.floor(y / BOARD_UNIT) + Math.floor(x / BOARD_UNIT);
    const isOn = Math.min(x, y) >= 0 && Math.max(x, y) < BOARD_SIZE;
    return { x, y, square: !isOn ? -1 : this.flipped ? 63 - at : at };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const { square } = this.#at(event);
    const [setup, right] = [this.mode === "setup", event.button === 2];
    if (!event.isPrimary || event.button === 1 || square < 0 || (right && !setup)) return;
    this.cursor = square;
    if (setup) this.paint = right ? "" : this.tool;
    if (this.paint !== null) this.#drag(event);
    else if (this.#movable(square)) this.carry(this.letters[square], event, square);
    else this.#choose(square);
    this.grid.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const { paint, carried } = this;
    if (paint === null && !carried) return;
    const { x, y, square } = this.#at(event);
    const [dx, dy] = carried ? [event.clientX - carried.x, event.clientY - carried.y] : [0, 0];
    if (paint !== null && square >= 0 && this.letters[square] !== paint) {
      this.letters[square] = paint;
      this.#redraw();
    } else if (carried && !carried.moving && Math.hypot(dx, dy) > 4) {
      carried.moving = true;
      this.picked = carried.from;
      this.picture(this.ghost, carried.letter, { transform: "translate(-22.5 -22.5)" });
      this.grid.setPointerCapture(event.pointerId);
      this.#redraw();
    }
    this.ghost.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const { carried, paint } = this;
    this.carried = null;
    if (paint !== null) this.#put(this.cursor, this.letters[this.cursor]);
    else if (carried?.moving) this.#goes(carried.from, this.#at(event).square, carried.letter);
    else if (carried && carried.from >= 0) this.#choose(carried.from);
  }

  /** Nothing is picked or carried any more. */
  #putBack() {
    if (this.picked >= 0) this.say("Put back");
    this.picked = -1;
    this.carried = this.paint = null;
    this.chooser.close();
    this.ghost.replaceChildren();
    this.#redraw();
  }

  /** Picks up, or puts down what was picked up. @param {number} square */
  #choose(square) {
    const from = this.picked;
    this.#putBack();
    if ((from < 0 || !this.#goes(from, square)) && from !== square && this.#movable(square)) {
      this.picked = square;
      this.#redraw();
      const moves = this.#moves(square).map(({ san }) => san).join(", ");
      this.say(`${describePiece(this.letters[square])} picked up ${moves}`);
    }
  }

  /** Moves a piece if it may go there.
   * @param {number} from @param {number} to @param {string} [letter] */
  #goes(from, to, letter = this.letters[from]) {
    const moves = to >= 0 ? this.#moves(from, to) : [];
    this.#putBack();
    if (this.mode === "setup" && from !== to) this.#put(to, letter, from);
    else if (moves.length > 1) this.#promote(moves);
    else if (moves.length) this.#play(moves[0].uci);
    return this.mode === "setup" || moves.length > 0;
  }

  /** Puts a piece on a square of the set-up; -1: off the board.
   * @param {number} square @param {string} letter @param {number} [from] */
  #put(square, letter, from = -1) {
    const piece = describePiece(letter);
    this.letters = this.letters.map((other, i) => i === square ? letter : i === from ? "" : other);
    this.view = { fen: this.placement };
    this.#putBack();
    this.say(square < 0 ? `${piece} removed` : `${piece}, ${squareName(square)}`);
    this.options.onPlacement?.(this.placement);
  }

  /** Makes a move, as far as can be seen without rules; the position after it is drawn soon.
   * @param {string} uci */
  #play(uci) {
    const [from, to] = [squareIndex(uci), squareIndex(uci.slice(2))];
    const letter = this.letters[from];
    this.letters[to] = letter < "a" ? (uci[4] ?? letter).toUpperCase() : (uci[4] ?? letter);
    this.letters[from] = "";
    this.view = { fen: this.placement, last: uci }; // no more moves until then
    this.#putBack();
    this.say(`${describePiece(letter)} to ${squareName(to)}`);
    this.options.onMove?.(uci);
  }

  /** Asks what to promote to. @param {Move[]} moves */
  #promote(moves) {
    const byWorth = moves.sort((a, b) => "qrbn".indexOf(a.uci[4]) - "qrbn".indexOf(b.uci[4]));
    this.chooser.replaceChildren(...byWorth.map(({ uci }) => {
      const letter = uci[3] === "8" ? uci[4].toUpperCase() : uci[4];
      const button = makeButton(() => this.#play(uci),
        { "data-piece": uci[4], "aria-label": describePiece(letter) });
      this.picture(button, letter);
      return button;
    }));
    this.chooser.showModal();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key } = event;
    const { at } = this.#place(this.cursor);
    const column = at % 8;
    const enters = key === "Enter" || key === " ";
    const step = { ArrowUp: -8, ArrowDown: 8, Home: -column, End: 7 - column,
      ArrowLeft: column && -1, ArrowRight: column < 7 ? 1 : 0 }[key];
    const chosen = enters ? this.tool : null;
    const letter = { Delete: "", Backspace: "" }[key] ?? (pieceName(key) ? key : chosen);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step !== undefined) this.cells[at + step]?.focus();
    else if (key === "Escape") this.#putBack();
    else if (this.mode === "setup" && letter !== null) this.#put(this.cursor, letter);
    else if (enters) this.#choose(this.cursor);
    else return;
    event.preventDefault();
  }
}
