/** The board that shows one record of a collection. */

import { Board } from "./board.mjs";
import { element } from "./dom.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */

export class Viewer {
  canSolve = false;
  /** @type {(record: AuditRecord, found: any) => void} */
  onAnswer = () => {};

  constructor() {
    const symbols = [...document.querySelectorAll("symbol[id^=piece-]")];
    const text = new XMLSerializer();
    const pieces = symbols.map(({ id, firstElementChild }) =>
      [id.slice("piece-".length), firstElementChild && text.serializeToString(firstElementChild)]);
    this.board = new Board(element("viewer-board"), { pieces: Object.fromEntries(pieces) });
  }

  /** @param {AuditRecord} record @param {{solve: boolean}} _options */
  open({ fen, keys }, _options) {
    this.board.draw({ fen, arrows: keys.map((/** @type {any} */ { uci }) => uci) });
  }
}
