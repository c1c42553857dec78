/** Shows what is told of the audit as a whole; it never changes. */
function showSummary() {
  const records = countOfAll(audit.claims);
  const nodes = total(audit.claims, (claim) => claim.nodes);
  const time = total(audit.claims, (claim) => claim.time_s);
  const solver = audit.solvers.length ? ` by matesolve ${audit.solvers.join(", ")}` : "";
  const noun = records === 1 ? "record" : "records";
  const cost = `${count(nodes)} nodes in ${duration(time)}`;
  fill("origin", `${count(records)} ${noun} audited${solver}: ${cost}`);
  fill("verdicts", ...wordsThere.map((word) => tile(word, word, countOf(audit.claims, word), records)));
  const soundness = Object.entries(audit.soundness);
  const judged = total(soundness, ([, number]) => number);
  if (audit.duals) {
    soundness.push(["with a dual", audit.duals]);
  }
  document.getElementById("soundness-title").hidden = soundness.length === 0;
  fill("soundness", ...soundness.map(([word, number]) => tile(word, "", number, judged)));
  fill("legend", ...wordsThere.map((word) => make("li", {}, swatch(word), word)));
  showClaims();
}

function tile(name, mark, number, whole) {
  const label = make("span", {}, `${name}, ${share(number, whole)}`);
  return make("li", { class: mark }, make("b", {}, count(number)), label);
}

/** Shows the table of claims and verdicts; what does not agree leads to its entries. */
function showClaims() {
  const names = ["claim", ...wordsThere, "total", "nodes", "time"];
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, ...heading(name))));
  const rows = audit.claims.map((claim) => claimRow(claim.name, [claim]));
  fill(
    "claims",
    make("thead", {}, head),
    make("tbody", {}, ...rows),
    make("tfoot", {}, claimRow("all", audit.claims)),
  );
}

function heading(name) {
  return wordsThere.includes(name) ? [swatch(name), name] : [name];
}

function claimRow(name, claims) {
  const cells = wordsThere.map((word) => {
    const number = countOf(claims, word);
    if (!number || !audit.notAgreeing.includes(word)) {
      return number ? count(number) : "";
    }
    const wanted = claims.length === 1 ? { verdict: word, claim: plain(name) } : { verdict: word };
    return make("a", { href: `#${new URLSearchParams(wanted)}` }, count(number));
  });
  cells.push(
    count(countOfAll(claims)),
    count(total(claims, (claim) => claim.nodes)),
    duration(total(claims, (claim) => claim.time_s)),
  );
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, name),
    ...cells.map((cell) => make("td", {}, cell)),
  );
}

/** Shows the charts as wide as there is room for them, and again when that changes. */
function showCharts() {
  const timed = audit.claims.some((claim) => claim.times.length > 0);
  showChart(document.getElementById("verdict-chart"), verdictChart, audit.claims.length > 0);
  showChart(document.getElementById("time-chart"), timeChart, timed);
}

function showChart(place, chart, hasData) {
  place.parentElement.hidden = !hasData;
  if (!hasData) {
    return;
  }
  let drawn = 0;
  const redraw = () => {
    const width = Math.max(NARROWEST_CHART, place.clientWidth);
    if (width !== drawn) {
      drawn = width;
      place.replaceChildren(chart(width));
    }
  };
  redraw();
  // In the next frame: what changes sizes while they are told would be a loop.
  new ResizeObserver(() => window.requestAnimationFrame(redraw)).observe(place);
}
