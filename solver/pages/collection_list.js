/** The orders of entries, by their names in the URL; `-` means descending. */
const ORDERS = {
  "": ["order of the collection", () => 0],
  claim: ["short claims first", (entry) => claimOrder.get(entry.claim)],
  "-claim": ["long claims first", (entry) => -claimOrder.get(entry.claim)],
  "-time": ["slowest first", (entry) => -entry.timeS],
  time: ["fastest first", (entry) => entry.timeS],
  "-nodes": ["most nodes first", (entry) => -entry.nodes],
  nodes: ["fewest nodes first", (entry) => entry.nodes],
};

const claimOrder = new Map(audit.claims.map((claim, index) => [claim.name, index]));

const form = document.getElementById("filters");

/** Writes a claim for the URL, where # has a meaning of its own. */
function plain(claim) {
  return claim.replace("#", "");
}

/** Fills the form's menus with the values that occur in the entries. */
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
  const values = new Set(entries.map(valueOf));
  return order.filter((value) => values.has(value));
}

/** Sets the form from the URL and returns the page number. */
function readUrl() {
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

/** Writes the form and the page number into the URL, so that it can be shared. */
function writeUrl(page) {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value) {
      parameters.set(name, name === "all" ? "1" : value);
    }
  }
  if (page > 1) {
    parameters.set("page", page);
  }
  window.history.replaceState(null, "", `#${parameters}`);
}

/** Returns the entries that match the form, in its order. */
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

/** Returns whether an entry has a soundness, or a disagreement such as `dual`. */
function isOfKind(entry, word) {
  return entry.soundness === word || entry.disagreements.includes(word);
}

function textOf(entry) {
  return `${entry.id}\n${entry.fen}\n${entry.source}`.toLowerCase();
}

const PAGE_SIZE = 50;

/** Draws each diagram when it comes near the visible part of the page. */
const nearby = new IntersectionObserver(
  (sightings) => {
    for (const { isIntersecting, target } of sightings) {
      if (isIntersecting) {
        nearby.unobserve(target);
        drawDiagram(target);
      }
    }
  },
  { rootMargin: "600px 0px" },
);

/** Describes which entries are listed, and which are only counted. */
function showKept() {
  const others = countOfAll(audit.claims) - audit.agreeing;
  const kept = entries.filter((entry) => entry.agrees).length;
  const othersKept = entries.length - kept;
  const undecided = count(others - audit.disagreements);
  const sentences = [
    `Disagreeing, cooked or with a dual: ${count(audit.disagreements)}.`,
    `Undecided or unreadable: ${undecided}.`,
  ];
  if (othersKept < others) {
    const left = count(others - othersKept);
    sentences.push(`Only the first ${count(othersKept)} are listed; ${left} more are counted above.`);
  }
  if (kept < audit.agreeing) {
    sentences.push(`Of the ${count(audit.agreeing)} that agree, the first ${count(kept)} can be shown.`);
  }
  fill("kept", sentences.join(" "));
}

/** Shows one page of the entries that match the form. */
function showList(wantedPage) {
  const chosen = chosenEntries();
  const pages = Math.max(1, Math.ceil(chosen.length / PAGE_SIZE));
  const page = Math.min(wantedPage, pages);
  const start = (page - 1) * PAGE_SIZE;
  const shown = chosen.slice(start, start + PAGE_SIZE);
  const range = pages > 1 ? `${count(start + 1)} to ${count(start + shown.length)} of ` : "";
  const noun = chosen.length === 1 ? "entry" : "entries";
  fill("shown", `${range}${count(chosen.length)} ${noun}`);
  nearby.disconnect();
  fill("entries", ...(shown.length ? shown.map(showEntry) : [emptyMessage()]));
  document.querySelectorAll(".diagram").forEach((diagram) => nearby.observe(diagram));
  document.querySelectorAll(".pages").forEach((nav) => showPages(nav, page, pages));
}

function emptyMessage() {
  let why = "No entry matches these filters.";
  if (audit.agreeing === countOfAll(audit.claims)) {
    why = audit.claims.length ? "All records agree with their claims." : "There are no records.";
  }
  return make("p", { class: "empty" }, why);
}

function showPages(nav, page, pages) {
  const button = (text, target) => {
    const made = make("button", { type: "button" }, text);
    made.disabled = target < 1 || target > pages;
    made.addEventListener("click", () => goTo(target));
    return made;
  };
  nav.hidden = pages === 1;
  nav.replaceChildren(
    button("Back", page - 1),
    `page ${count(page)} of ${count(pages)}`,
    button("Next", page + 1),
  );
}

/** Shows another page of the list from its top. */
function goTo(page) {
  writeUrl(page);
  showList(page);
  scrollToList();
}

function scrollToList() {
  document.getElementById("list-title").scrollIntoView();
}

showSummary();
showCharts();
showKept();
prepareFilters();
showList(readUrl());
if (window.location.hash) {
  scrollToList();
}

form.addEventListener("input", () => {
  writeUrl(1);
  showList(1);
});

form.addEventListener("reset", () => {
  // The form is reset after this event.
  window.setTimeout(() => {
    writeUrl(1);
    showList(1);
  });
});

form.addEventListener("submit", (event) => event.preventDefault());

window.addEventListener("hashchange", () => {
  showList(readUrl());
  scrollToList();
});

window.addEventListener("beforeprint", () => {
  document.querySelectorAll(".diagram:empty").forEach(drawDiagram);
});
