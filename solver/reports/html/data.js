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
