/** The page of one answer: its record beside its play. */

import { element } from "./dom.mjs";
import { requireRecord } from "./records.mjs";
import { Viewer } from "./viewer.mjs";

const data = JSON.parse(element("data").textContent);
const [record] = data.records;
try {
  requireRecord(record);
  new Viewer(data).open(record);
  if (element("tree-play").firstElementChild) element("answer-solutions").hidden = true;
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  element("answer-headline").textContent = `This page cannot be read: ${message}`;
}
const folding = element("play-folding");
folding?.removeAttribute("hidden");
folding?.addEventListener("click", (/** @type {any} */ { target }) => {
  const { open } = target.dataset;
  for (const line of element("tree-play").querySelectorAll("details")) {
    if (open !== undefined) line.open = Boolean(open);
  }
});
