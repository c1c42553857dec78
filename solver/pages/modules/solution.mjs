/** The page of one answer: its record beside its play. */

import { pageData } from "./data.mjs";
import { element } from "./dom.mjs";
import { requireRecord } from "./records.mjs";
import { Viewer } from "./viewer.mjs";

const [record] = pageData.records;
try {
  requireRecord(record);
  new Viewer().open(record);
  if (element("tree-play").firstElementChild) element("answer-solutions").hidden = true;
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  element("answer-headline").textContent = `This page cannot be read: ${message}`;
}
