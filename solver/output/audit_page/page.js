/**
 * What the page is about: the audit's totals, and its entries as objects.
 *
 * The fields of an entry are named in `audit.fields`; what is missing at an entry's
 * end is empty.
 */
const audit = JSON.parse(document.getElementById("audit").textContent);

const entries = audit.entries.map((values, place) => {
  const entry = { place };
  audit.fields.forEach((name, index) => {
    entry[name] = index < values.length ? values[index] : "";
  });
  entry.duals = entry.duals || [];
  entry.disagreements = entry.disagreements || [];
  return entry;
});

/** Sums up what a function gives of each item. */
function total(items, measure) {
  return items.reduce((sum, item) => sum + measure(item), 0);
}

/** Counts the records of some claims that have a verdict. */
function countOf(claims, word) {
  return total(claims, (claim) => claim.words[word] || 0);
}

/** Counts all records of some claims. */
function countOfAll(claims) {
  return total(audit.words, (word) => countOf(claims, word));
}

/** The verdicts that occur, in their order. */
const wordsThere = audit.words.filter((word) => countOf(audit.claims, word) > 0);

/**
 * Gives the rows of the charts: a claim each, or several long ones.
 *
 * @returns {{name: string, claims: object[], median: ?number}[]} in the claims' order.
 */
function chartRows() {
  return audit.rows.map((row) => ({
    name: row.name,
    claims: row.claims.map((place) => audit.claims[place]),
    median: row.median_s,
  }));
}

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element; children that are strings become text, never markup. */
function make(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
function draw(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Fills an element of the page with children, in place of those that it had. */
function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children);
}

/** Makes the square that stands for a verdict. */
function swatch(word) {
  return make("span", { class: `swatch ${word}`, "aria-hidden": "true" });
}

const grouped = new Intl.NumberFormat("en");

/** Writes a count: `1,234`. */
function count(number) {
  return grouped.format(number);
}

/** Writes a part of a whole in per cent, so that only nothing is 0% and all is 100%. */
function share(part, whole) {
  if (part === 0 || part === whole) {
    return part ? "100%" : "0%";
  }
  const percent = (100 * part) / whole;
  if (percent < 0.1) {
    return "< 0.1%";
  }
  return percent > 99.9 ? "> 99.9%" : `${percent.toFixed(1)}%`;
}

/** Writes a time with as many digits as people care for. */
function duration(seconds) {
  if (seconds < 1e-3) {
    return `${(1e6 * seconds).toFixed(0)} µs`;
  }
  if (seconds < 1) {
    return `${Number((1e3 * seconds).toPrecision(3))} ms`;
  }
  if (seconds < 60) {
    return `${Number(seconds.toFixed(2))} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${Math.floor(seconds % 60)} s`;
  }
  return `${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** Says a mate in so many moves; fewer than none are those of a side to move that is mated. */
function mateIn(moves) {
  if (moves === 0) {
    return "checkmate on the board";
  }
  return moves > 0 ? `mate in ${moves}` : `mated in ${-moves}`;
}

/** Says in words what a claim such as `#3`, `#-2` or `no #4` says. */
function claimInWords(name) {
  if (name === "none") {
    return "nothing";
  }
  return name.startsWith("no #") ? `no mate in ${name.slice(4)}` : mateIn(Number(name.slice(1)));
}

/** Says what was found, and how sure it is. */
function foundInWords(entry) {
  const excluded = entry.lowerBound - 1;
  let found = "no mate so far";
  if (typeof entry.mate === "number") {
    const shortest = entry.status === "proved";
    found = mateIn(entry.mate) + (shortest ? ", and none shorter" : "; a shorter one is not excluded");
  } else if (entry.status === "disproved") {
    found = `no mate in ${excluded}`;
  } else if (excluded > 0) {
    found += `; proved: none in ${excluded}`;
  }
  if (entry.tablebase) {
    found += ` (${entry.tablebase} tables)`;
  }
  return entry.stoppedBy ? `${found}; stopped by: ${entry.stoppedBy}` : found;
}
