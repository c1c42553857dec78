/** The page of one answer: its record beside its play. */

import { element } from "./dom.mjs";
import { requireRecord } from "./records.mjs";
import { Viewer } from "./viewer.mjs";

const data = JSON.parse(element("data").textContent);
const [record] = data.records;
try {
  requireRecord(record);
  new Viewer(data).open(record);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  element("answer-headline").textContent = `This page cannot be read: ${message}`;
}
for (const open of [true, false]) {
  element(open ? "play-unfold" : "play-fold")?.addEventListener("click", () => {
    for (const line of element("tree-play").querySelectorAll("details")) line.open = open;
  });
}
