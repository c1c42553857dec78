// Elements, and numbers in words: what all parts of the page share.

const SVG_TAGS = /^(svg|g|rect|circle|line|path|polyline|text|title|desc|use)$/;

/** @param {string} id @returns {any} */
export const element = (id) => document.getElementById(id);

/** A new element, of SVG if the tag is.
 * @param {string} tag @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} children */
export function make(tag, attributes = {}, ...children) {
  const space = SVG_TAGS.test(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return /** @type {HTMLElement & SVGElement} */ (made);
}

/** A new element at the end of another.
 * @param {Element | DocumentFragment} parent @param {string} tag
 * @param {Record<string, string | number>} [attributes] @param {(Node | string)[]} children */
export const add = (parent, tag, attributes, ...children) =>
  parent.appendChild(make(tag, attributes, ...children));

/** @param {() => unknown} act @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children */
export function makeButton(act, attributes, ...children) {
  const button = make("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("click", act);
  return button;
}

/** @param {number} number */
export const thousands = (number) => number.toLocaleString("en");

/** "1 move", "2 moves". @param {number} count @param {string} name */
export const several = (count, name) => `${thousands(count)} ${name}${count === 1 ? "" : "s"}`;

/** "0.5 ms", "12.34 s", "2 min 05 s"; empty: not known. @param {number | null} [seconds] */
export function timeText(seconds) {
  if (typeof seconds !== "number") return "";
  if (seconds < 0.1) return `${(1000 * seconds).toFixed(1)} ms`;
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}
