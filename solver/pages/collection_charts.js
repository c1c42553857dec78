const ROW = 24;
const BAR = 16;
const AXIS = 38;
const TICK_ROOM = 60;
const TIME_ROOM = 76;
const NARROWEST_BAR = 2;
const NARROWEST_CHART = 280;

/**
 * Draws a chart: a name to the left of each row, a scale below.
 *
 * @param {number} width in pixels.
 * @param {{name: string}[]} rows
 * @param {{label: string, ticks: {at: number, text: string}[]}} scale ticks from 0 to 1.
 * @param {number} right pixels to leave for the figures to the right of the rows.
 * @param {function} drawRow returns the elements of a row, given the row, its top, and a
 *     function that converts 0 to 1 to pixels.
 */
function drawChart(width, rows, scale, right, drawRow) {
  const left = 16 + 7 * Math.max(5, ...rows.map((row) => row.name.length));
  const toX = (part) => left + part * (width - left - right);
  const bottom = 16 + rows.length * ROW;
  const chart = draw("svg", {
    viewBox: `0 0 ${width} ${bottom + AXIS}`,
    role: "img",
    "aria-label": scale.label,
  });
  chart.append(draw("text", { x: left - 10, y: 10, "text-anchor": "end" }, "claim"));
  for (const { at, text } of scale.ticks) {
    const x = toX(at);
    chart.append(
      draw("line", { class: "grid", x1: x, x2: x, y1: 16, y2: bottom + 4 }),
      draw("text", { x, y: bottom + 17, "text-anchor": "middle" }, text),
    );
  }
  const middle = { x: toX(0.5), y: bottom + 34, "text-anchor": "middle" };
  chart.append(draw("text", middle, scale.label));
  rows.forEach((row, index) => {
    const top = 16 + index * ROW + (ROW - BAR) / 2;
    const nameAt = { class: "name", x: left - 10, y: top + 12, "text-anchor": "end" };
    chart.append(draw("text", nameAt, row.name), ...drawRow(row, top, toX));
  });
  return chart;
}

/** Draws the share of each verdict for each claim, with the number of records. */
function verdictChart(width) {
  const scale = {
    label: "share of records",
    ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: `${100 * at}%` })),
  };
  const right = 24 + 7 * count(countOfAll(audit.claims)).length;
  return drawChart(width, chartRows(), scale, right, (row, top, toX) => {
    const whole = countOfAll(row.claims);
    const segments = segmentsOf(row.claims, toX(1) - toX(0));
    let x = toX(0);
    const bars = segments.map(({ word, part, length }) => {
      const tip = draw("title", {}, `${row.name} ${word}: ${count(part)} (${share(part, whole)})`);
      const box = { class: `segment ${word}`, x, y: top, width: length, height: BAR };
      x += length;
      return draw("rect", box, tip);
    });
    const figureAt = { x: width, y: top + 12, "text-anchor": "end" };
    return [...bars, draw("text", figureAt, count(whole))];
  });
}

/** Divides a bar by verdict; rare verdicts are still wide enough to be seen. */
function segmentsOf(claims, length) {
  const whole = countOfAll(claims);
  const segments = wordsFound
    .map((word) => ({ word, part: countOf(claims, word) }))
    .filter(({ part }) => part > 0)
    .map(({ word, part }) => ({
      word,
      part,
      length: Math.max(NARROWEST_BAR, (length * part) / whole),
    }));
  const longest = segments.reduce((most, one) => (one.length > most.length ? one : most));
  longest.length -= total(segments, (segment) => segment.length) - length;
  return segments;
}

/** Draws a histogram of times for each claim, on a logarithmic scale. */
function timeChart(width) {
  const perDecade = audit.binsPerDecade;
  const bins = audit.claims.flatMap((claim) => claim.times.map(([bin]) => bin));
  const first = Math.floor(Math.min(...bins) / perDecade);
  const last = Math.floor(Math.max(...bins) / perDecade) + 1;
  const step = Math.ceil((last - first) * (TICK_ROOM / (width - 2 * TIME_ROOM)));
  const ticks = [];
  for (let decade = first; decade <= last; decade += step) {
    ticks.push({ at: (decade - first) / (last - first), text: decadeName(decade) });
  }
  const at = (bin) => (bin / perDecade - first) / (last - first);
  const scale = { label: "time per record (logarithmic)", ticks };
  const rows = chartRows()
    .map(({ name, claims, median }) => ({ name, median, times: timesOf(claims) }))
    .filter(({ times }) => times.length > 0);
  return drawChart(width, rows, scale, TIME_ROOM, ({ times, median }, top, toX) => {
    const most = Math.max(...times.map(([, records]) => records));
    const bars = times.map(([bin, records]) => {
      const height = Math.max(NARROWEST_BAR, (records / most) * (ROW - 4));
      const box = {
        class: "count",
        x: toX(at(bin)),
        y: top + BAR - height,
        width: Math.max(1, toX(at(bin + 1)) - toX(at(bin)) - 0.5),
        height,
      };
      return draw("rect", box);
    });
    // Times under a microsecond are in the first bin, so their median is drawn there.
    const x = toX(Math.max(0, at(perDecade * Math.log10(median))));
    const line = { class: "median", x1: x, x2: x, y1: top - 4, y2: top + BAR };
    const figureAt = { x: width, y: top + 12, "text-anchor": "end" };
    return [...bars, draw("line", line), draw("text", figureAt, duration(median))];
  });
}

/** Adds up the histograms of some claims: pairs of bin and count, shortest times first. */
function timesOf(claims) {
  const counts = new Map();
  for (const [bin, records] of claims.flatMap((claim) => claim.times)) {
    counts.set(bin, (counts.get(bin) || 0) + records);
  }
  return Array.from(counts).sort(([one], [other]) => one - other);
}

/** Writes a power of ten of a second: `10 µs`, `1 ms`, `100 s`. */
function decadeName(decade) {
  const [unit, exponent] = decade < -3 ? ["µs", -6] : decade < 0 ? ["ms", -3] : ["s", 0];
  return `${count(10 ** (decade - exponent))} ${unit}`;
}

/** Shows the totals of the audit, which no filter changes. */
function showSummary() {
  const records = countOfAll(audit.claims);
  const nodes = total(audit.claims, (claim) => claim.nodes);
  const time = total(audit.claims, (claim) => claim.time_s);
  const solver = audit.solvers.length ? ` by matesolve ${audit.solvers.join(", ")}` : "";
  const noun = records === 1 ? "record" : "records";
  const cost = `${count(nodes)} nodes in ${duration(time)}`;
  fill("origin", `${count(records)} ${noun} audited${solver}: ${cost}`);
  fill("verdicts", ...wordsFound.map((word) => tile(word, word, countOf(audit.claims, word), records)));
  const soundness = Object.entries(audit.soundness);
  const assessed = total(soundness, ([, number]) => number);
  if (audit.duals) {
    soundness.push(["with a dual", audit.duals]);
  }
  document.getElementById("soundness-title").hidden = soundness.length === 0;
  fill("soundness", ...soundness.map(([word, number]) => tile(word, "", number, assessed)));
  fill("legend", ...wordsFound.map((word) => make("li", {}, swatch(word), word)));
  showClaims();
}

function tile(name, mark, number, whole) {
  const label = make("span", {}, `${name}, ${share(number, whole)}`);
  return make("li", { class: mark }, make("b", {}, count(number)), label);
}

/** Shows the table of claims and verdicts, with links to entries that do not agree. */
function showClaims() {
  const names = ["claim", ...wordsFound, "total", "nodes", "time"];
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
  return wordsFound.includes(name) ? [swatch(name), name] : [name];
}

function claimRow(name, claims) {
  const cells = wordsFound.map((word) => {
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

/** Shows the charts, and draws them again when the room for them changes. */
function showCharts() {
  const timed = audit.claims.some((claim) => claim.times.length > 0);
  showChart(document.getElementById("verdict-chart"), verdictChart, audit.claims.length > 0);
  showChart(document.getElementById("time-chart"), timeChart, timed);
}

function showChart(element, chart, hasData) {
  element.parentElement.hidden = !hasData;
  if (!hasData) {
    return;
  }
  let drawn = 0;
  const redraw = () => {
    const width = Math.max(NARROWEST_CHART, element.clientWidth);
    if (width !== drawn) {
      drawn = width;
      element.replaceChildren(chart(width));
    }
  };
  redraw();
  // In the next frame, because changing a size in this callback would call it again.
  new ResizeObserver(() => window.requestAnimationFrame(redraw)).observe(element);
}
