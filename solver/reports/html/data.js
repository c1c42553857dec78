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

const MANY_CLAIMS = 14;

/** Longer claims share a row of a chart up to the next of these lengths. */
const BAND_ENDS = [15, 20, 30, 50, 100, 1000];

/**
 * Gathers the claims for a chart: each alone, or the long ones together where there
 * are many.
 *
 * @returns {{name: string, claims: object[]}[]} in the order of the claims.
 */
function chartRows() {
  const rows = new Map();
  for (const claim of audit.claims) {
    const name = audit.claims.length > MANY_CLAIMS ? bandName(claim.name) : claim.name;
    if (!rows.has(name)) {
      rows.set(name, []);
    }
    rows.get(name).push(claim);
  }
  return Array.from(rows, ([name, claims]) => ({ name, claims }));
}

/** Names the band that a claim such as `#17` belongs to: `#16 to 20`, or `over #100`. */
function bandName(name) {
  const [, sign, digits] = /^(\D*)(\d*)$/.exec(name);
  const moves = Number(digits);
  if (moves <= 10) {
    return name;
  }
  const end = BAND_ENDS.find((length) => moves <= length);
  const before = [10, ...BAND_ENDS][BAND_ENDS.indexOf(end)];
  const minus = sign.endsWith("-") ? "-" : "";
  return end === 1000 ? `over ${sign}100` : `${sign}${before + 1} to ${minus}${end}`;
}
