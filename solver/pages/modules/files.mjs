// What comes into the page and leaves it: FENs in files and links, copied texts, downloads,
// pictures.

const FEN_PLACEMENT = /([1-8KQRBNPkqrbnp]{1,8}\/){7}[1-8KQRBNPkqrbnp]{1,8}/;

/** @param {string} fen @param {string} find a stipulation; empty: the shortest mate */
export const linkHash = (fen, find) =>
  `#fen=${encodeURIComponent(fen)}${find && `&find=${encodeURIComponent(find)}`}`;

/** Position and stipulation of the address. */
export function linked() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { fen: given.get("fen"), find: given.get("find") ?? "" };
}

/** The FEN in a text, such as an EPD record or a tag of a PGN; null: there is none.
 * @param {string} text */
export function findFen(text) {
  const found = FEN_PLACEMENT.exec(text);
  const fields = found ? text.slice(found.index).split(/["\n]/)[0].trim().split(/\s+/) : [];
  const counted = /^\d+ \d+$/.test(fields.slice(4, 6).join(" "));
  return found ? fields.slice(0, counted ? 6 : 4).join(" ") : null;
}

/** Whether a text could be copied: the browser may not allow it, or have no clipboard.
 * @param {string} text */
export const copyText = async (text) =>
  await navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false;

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
