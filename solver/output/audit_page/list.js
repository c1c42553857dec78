const PAGE_SIZE = 50;

/** Draws diagrams when they come near the window. */
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

/** Says which entries this page has, and which are only counted. */
function showKept() {
  const others = countOfAll(audit.claims) - audit.agreeing;
  const kept = entries.filter((entry) => entry.agrees).length;
  const othersKept = entries.length - kept;
  const open = count(others - audit.disagreements);
  const sentences = [
    `${count(audit.disagreements)} not as claimed, with a cook or with a dual;`,
    `${open} undecided or unreadable.`,
  ];
  if (othersKept < others) {
    const left = count(others - othersKept);
    sentences.push(`Only the first ${count(othersKept)} are listed; ${left} more are counted above.`);
  }
  if (kept < audit.agreeing) {
    sentences.push(`Of ${count(audit.agreeing)} that agree, the first ${count(kept)} can be shown.`);
  }
  fill("kept", sentences.join(" "));
}

/** Shows one page of the entries that the form asks for. */
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
  fill("entries", ...(shown.length ? shown.map(showEntry) : [nothingShown()]));
  document.querySelectorAll(".diagram").forEach((diagram) => nearby.observe(diagram));
  document.querySelectorAll(".pages").forEach((nav) => showPages(nav, page, pages));
}

function nothingShown() {
  let why = "Nothing matches these filters.";
  if (audit.agreeing === countOfAll(audit.claims)) {
    why = audit.claims.length ? "Everything agrees." : "There are no records.";
  }
  return make("p", { class: "empty" }, why);
}

function showPages(nav, page, pages) {
  const button = (text, target) => {
    const made = make("button", { type: "button" }, text);
    made.disabled = target < 1 || target > pages;
    made.addEventListener("click", () => turnTo(target));
    return made;
  };
  nav.hidden = pages === 1;
  nav.replaceChildren(
    button("Back", page - 1),
    `page ${count(page)} of ${count(pages)}`,
    button("Next", page + 1),
  );
}

/** Shows another page from its top. */
function turnTo(page) {
  writeAddress(page);
  showList(page);
  scrollToList();
}

function scrollToList() {
  document.getElementById("list-title").scrollIntoView();
}
