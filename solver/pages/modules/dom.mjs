// What all parts of a page share: elements, numbers in words, the page's data, and what comes
// into it and leaves it.

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

/** What buttons do, by their ids. @param {Record<string, () => unknown>} acts */
export function onClicks(acts) {
  for (const [id, act] of Object.entries(acts)) element(id)?.addEventListener("click", act);
}

/** What keys do outside of fields; true: another part of the page may want the key too.
 * @param {(event: KeyboardEvent) => unknown} act */
export const onKeys = (act) => document.addEventListener("keydown", (event) => {
  const { target, defaultPrevented, ctrlKey, altKey, metaKey } = event;
  const isTaken = target instanceof Element &&
    target.closest("input:not([type=checkbox]), select, textarea, dialog");
  if (isTaken || defaultPrevented || ctrlKey || altKey || metaKey) return;
  if (!act(event)) event.preventDefault();
});

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

/** What the program has written into the page. */

/** @type {any} */
export const pageData = JSON.parse(document.getElementById("data")?.textContent ?? "{}");

// What comes into the page and leaves it: FENs in texts, copied texts, downloads, pictures.

const FEN_PLACEMENT = /(?<![\w/])([1-8KQRBNPkqrbnp]{1,8}\/){7}[1-8KQRBNPkqrbnp]{1,8}/;

/** The FEN in a text, such as an EPD record or a tag of a PGN; null: there is none.
 * @param {string} text */
export function findFen(text) {
  const found = FEN_PLACEMENT.exec(text);
  const fields = found ? text.slice(found.index).split(/["\n]/)[0].trim().split(/\s+/) : [];
  const counted = /^\d+ \d+$/.test(fields.slice(4, 6).join(" "));
  return found ? fields.slice(0, counted ? 6 : 4).join(" ") : null;
}

/** Copy a text, and say so: the browser may not allow it, or have no clipboard.
 * @param {string} text @param {string} what it is */
export const copyText = async (text, what) =>
  await navigator.clipboard?.writeText(text).then(() => `Copied: ${what}.`, () => null)
    ?? `The browser does not allow copying ${what}.`;

/** @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(blob), download: name }).click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Draws an SVG document as PNG, three times as large.
 * @param {Blob} svg @returns {Promise<Blob>} */
export async function svgToPng(svg) {
  const [image, canvas] = [new Image(), document.createElement("canvas")];
  image.src = URL.createObjectURL(svg);
  await image.decode();
  Object.assign(canvas, { width: 3 * image.width, height: 3 * image.height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob((png) => resolve(/** @type {Blob} */ (png))));
}
