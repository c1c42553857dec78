/**
 * The audit's totals, and its entries as objects.
 *
 * An entry is an array with a value for each of `audit.fields`. Empty values at its end are
 * left out.
 */
const audit = JSON.parse(document.getElementById("audit").textContent);

const entries = audit.entries.map((values, index) => {
  const entry = { index };
  audit.fields.forEach((name, place) => {
    entry[name] = place < values.length ? values[place] : "";
  });
  entry.duals = entry.duals || [];
  entry.disagreements = entry.disagreements || [];
  entry.solutions = entry.solutions || [];
  return entry;
});

/** Returns the sum of a measure over all items. */
function total(items, measure) {
  return items.reduce((sum, item) => sum + measure(item), 0);
}

/** Counts the records of some claims that have a verdict. */
function countOf(claims, word) {
  return total(claims, (claim) => claim.words[word] || 0);
}

/** Counts the records of some claims. */
function countOfAll(claims) {
  return total(audit.words, (word) => countOf(claims, word));
}

/** The verdicts that occur, in order. */
const wordsFound = audit.words.filter((word) => countOf(audit.claims, word) > 0);

/**
 * Returns the rows of the charts, each for one claim or for several long ones.
 *
 * @returns {{name: string, claims: object[], median: ?number}[]} in the order of claims.
 */
function chartRows() {
  return audit.rows.map((row) => ({
    name: row.name,
    claims: row.claims.map((index) => audit.claims[index]),
    median: row.median_s,
  }));
}

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element; children that are strings become text, never markup. */
function make(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way as `make`. */
function draw(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Replaces the children of an element of the page. */
function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children);
}

/** Makes a square in the colour of a verdict. */
function swatch(word) {
  return make("span", { class: `swatch ${word}`, "aria-hidden": "true" });
}

const grouped = new Intl.NumberFormat("en");

/** Writes a count: `1,234`. */
function count(number) {
  return grouped.format(number);
}

/** Writes a share in per cent; 0% and 100% are exact. */
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

/** Writes a time in the unit that suits it, from µs to hours. */
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

/** Writes a mate; the number of moves is negative if the side to move is mated. */
function mateIn(moves) {
  if (moves === 0) {
    return "checkmate on the board";
  }
  return moves > 0 ? `mate in ${moves}` : `mated in ${-moves}`;
}

/** Writes a claim such as `#3`, `#-2`, `no #4` or `s#3` in words. */
function claimInWords(entry) {
  const name = entry.claim;
  if (name === "none") {
    return "nothing";
  }
  if (entry.stipulation) {
    const number = entry.claimedSolutions;
    return typeof number === "number" ? `${name} with ${solutionsInWords(number)}` : name;
  }
  return name.startsWith("no #") ? `no mate in ${name.slice(4)}` : mateIn(Number(name.slice(1)));
}

function solutionsInWords(number) {
  return `${number || "no"} ${number > 1 ? "solutions" : "solution"}`;
}

/** Writes a stipulation in another number of the attacker's moves: `h#2.5` in 2 is `h#1.5`. */
function stipulationIn(stipulation, moves) {
  const [, kind, half] = stipulation.match(/^(\D+)\d+(\.5)?$/);
  return half ? `${kind}${moves - 1}.5` : `${kind}${moves}`;
}

/** What stopped a search, in words. */
const STOPS = {
  time: "the time limit",
  nodes: "the node limit",
  solutions: "the number of solutions",
  interrupt: "an interrupt",
  crash: "a crash",
  tablebase: "the tablebase result",
};

/** Describes what was found, and whether it is proved to be the shortest, or complete. */
function foundInWords(entry) {
  const excluded = entry.lowerBound - 1;
  const lengthOf = (moves) => (entry.stipulation ? stipulationIn(entry.stipulation, moves) : mateIn(moves));
  const goal = entry.stipulation ? "solution" : "mate";
  let found = `no ${goal} found so far`;
  if (entry.solutions.length > 0) {
    const others = entry.solutionsComplete ? ", and there are no others" : "; there may be others";
    found = `${lengthOf(entry.mate)} with ${solutionsInWords(entry.solutions.length)}${others}`;
  } else if (typeof entry.mate === "number") {
    const shortest = entry.status === "proved";
    found = lengthOf(entry.mate) + (shortest ? ", and none is shorter" : "; there may be a shorter one");
  } else if (entry.status === "disproved") {
    found = `no ${lengthOf(excluded)}`;
  } else if (excluded > 0) {
    found += `; proved: no ${lengthOf(excluded)}`;
  }
  if (entry.tablebase) {
    found += ` (${entry.tablebase} tablebase)`;
  }
  return entry.stoppedBy ? `${found}; stopped by ${STOPS[entry.stoppedBy] || entry.stoppedBy}` : found;
}
