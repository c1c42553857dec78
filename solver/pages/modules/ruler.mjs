/** Both bounds on one ruler: the lengths that are excluded, open, and proved to suffice. */

import { make } from "./dom.mjs";

const RULER_CELLS = 12;
const RULER_MOST = 40;
const RULER_CELL = 40;
const RULER_HEIGHT = 56;
const RULER_BOX = { y: 4, width: RULER_CELL - 2, height: 28, rx: 4 };

/**
 * Draw the bounds on the length of a mate, in moves.
 * @param {Element} host
 * @param {number} lower no mate takes fewer moves: proved
 * @param {number|null} upper a mate in so many moves is proved
 */
export function drawRuler(host, lower, upper) {
  const end = Math.max(RULER_CELLS, lower + 2, (upper ?? 0) + 2);
  const first = end > RULER_MOST ? Math.max(1, Math.min(lower, end - RULER_MOST) - 2) : 1;
  const cells = Math.min(end - first + 1, RULER_MOST);
  const width = cells * RULER_CELL;
  const words = upper === null
    ? `no mate in fewer than ${lower} moves`
    : `a mate in ${upper} moves, none in fewer than ${lower}`;
  const drawing = make("svg", {
    viewBox: `0 0 ${width} ${RULER_HEIGHT}`, class: "ruler", role: "img",
    "aria-label": `Proved: ${words}`,
  });
  for (let i = 0; i < cells; i++) {
    const moves = first + i;
    const isMet = upper === lower && moves === upper;
    const isMate = upper !== null && moves >= upper;
    const kind = isMet ? "met" : moves < lower ? "excluded" : isMate ? "mate" : "open";
    const x = i * RULER_CELL;
    drawing.append(
      make("rect", { ...RULER_BOX, x: x + 1, class: `ruler-${kind}` }),
      make("text", { x: x + RULER_CELL / 2, y: 51, class: `ruler-number-${kind}` }, String(moves)));
  }
  host.replaceChildren(drawing);
}
