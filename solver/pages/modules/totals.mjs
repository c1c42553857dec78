// The totals at the top of a page whose records are solved in it, as collection.html has them.

import { element, make, several, thousands } from "./dom.mjs";

/** Draw the verdicts' totals, and offer their words as filters.
 * @param {Record<string, number>} totals by verdict @param {number} solved in this page */
export function drawTotals(totals, solved) {
  const found = Object.entries(totals).filter(([, count]) => count);
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  let begin = 0;
  const bars = found.map(([word, width]) => {
    begin += width;
    return make("rect", { class: word, x: begin - width, width, height: 1 });
  });
  const look = { class: "parts", viewBox: `0 0 ${total} 1`, preserveAspectRatio: "none" };
  const links = found.map(([word, count]) => make("li", { class: word },
    make("a", { href: `#all=1&verdict=${word}` }, make("b", {}, thousands(count)), ` ${word}`)));
  element("verdict-totals").replaceChildren(make("svg", look, ...bars), make("ul", {}, ...links));
  element("headline").textContent =
    `${several(total, "record")}, ${thousands(solved)} solved here`;
  const { verdict } = element("filters");
  const offered = new Set([...verdict.options].map(({ value }) => value));
  for (const [word] of found) if (!offered.has(word)) verdict.add(new Option(word));
}
