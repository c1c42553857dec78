/** The order of entries, by the names that addresses give them; - is downwards. */
const ORDERS = {
  "": ["as in the collection", () => 0],
  claim: ["short claims first", (entry) => claimOrder.get(entry.claim)],
  "-claim": ["long claims first", (entry) => -claimOrder.get(entry.claim)],
  "-time": ["slowest first", (entry) => -entry.timeS],
  time: ["fastest first", (entry) => entry.timeS],
  "-nodes": ["most nodes first", (entry) => -entry.nodes],
  nodes: ["fewest nodes first", (entry) => entry.nodes],
};

const claimOrder = new Map(audit.claims.map((claim, index) => [claim.name, index]));

const form = document.getElementById("filters");

/** Writes a claim as addresses have it, where # has a meaning of its own. */
function plain(claim) {
  return claim.replace("#", "");
}

/** Fills the form's lists with what occurs among the entries. */
function prepareFilters() {
  fillChoice("verdict", occurring((entry) => entry.word, audit.words));
  const soundnesses = Object.keys(audit.soundness);
  const duals = entries.some((entry) => isOfKind(entry, "dual")) ? ["dual"] : [];
  const kinds = [...occurring((entry) => entry.soundness, soundnesses), ...duals];
  fillChoice("soundness", kinds);
  form.elements.soundness.parentElement.hidden = kinds.length === 0;
  const claims = audit.claims.map((claim) => claim.name);
  fillChoice("claim", occurring((entry) => entry.claim, claims), plain);
  const orders = Object.entries(ORDERS).map(([value, [text]]) => make("option", { value }, text));
  form.elements.sort.append(...orders);
}

function fillChoice(name, options, valueOf = (option) => option) {
  form.elements[name].append(
    make("option", { value: "" }, "any"),
    ...options.map((option) => make("option", { value: valueOf(option) }, option)),
  );
}

function occurring(valueOf, order) {
  const there = new Set(entries.map(valueOf));
  return order.filter((value) => there.has(value));
}

/** Reads what the page's address asks for into the form; gives the number of the page. */
function readAddress() {
  const wanted = new URLSearchParams(window.location.hash.slice(1));
  for (const name of ["verdict", "soundness", "claim", "sort"]) {
    form.elements[name].value = wanted.get(name) || "";
    if (form.elements[name].selectedIndex < 0) {
      form.elements[name].value = "";
    }
  }
  form.elements.q.value = wanted.get("q") || "";
  form.elements.all.checked = wanted.has("all");
  return Math.max(1, Math.floor(Number(wanted.get("page"))) || 1);
}

/** Writes the form and the number of the page into the address, so that it can be shared. */
function writeAddress(page) {
  const address = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value) {
      address.set(name, name === "all" ? "1" : value);
    }
  }
  if (page > 1) {
    address.set("page", page);
  }
  window.history.replaceState(null, "", `#${address}`);
}

/** Gives the entries that the form asks for, in its order. */
function chosenEntries() {
  const { verdict, soundness, claim, q, all, sort } = form.elements;
  const searched = q.value.trim().toLowerCase();
  const measure = ORDERS[sort.value][1];
  return entries
    .filter(
      (entry) =>
        (all.checked || !entry.agrees) &&
        (!verdict.value || entry.word === verdict.value) &&
        (!soundness.value || isOfKind(entry, soundness.value)) &&
        (!claim.value || plain(entry.claim) === claim.value) &&
        (!searched || textOf(entry).includes(searched)),
    )
    .sort((one, other) => measure(one) - measure(other));
}

/** Decides whether an entry has a word of soundness, or a dual. */
function isOfKind(entry, word) {
  return entry.soundness === word || entry.disagreements.includes(word);
}

function textOf(entry) {
  return `${entry.id}\n${entry.fen}\n${entry.source}`.toLowerCase();
}
