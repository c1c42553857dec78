const ROW = 24;
const BAR = 16;
const AXIS = 38;
const TICK_ROOM = 60;
const TIME_ROOM = 76;
const NARROWEST_BAR = 2;
const NARROWEST_CHART = 280;

/**
 * Draws the frame that both charts share: a name beside each row, a scale below.
 *
 * @param {number} width in pixels.
 * @param {{name: string}[]} rows
 * @param {{label: string, ticks: {at: number, text: string}[]}} scale ticks from 0 to 1.
 * @param {number} right pixels to leave for what stands behind the rows.
 * @param {function} drawRow gives the elements of a row from it, its top, and a
 *     function from 0 to 1 to pixels.
 */
function drawChart(width, rows, scale, right, drawRow) {
  const left = 16 + 7 * Math.max(5, ...rows.map((row) => row.name.length));
  const place = (part) => left + part * (width - left - right);
  const bottom = 16 + rows.length * ROW;
  const chart = draw("svg", {
    viewBox: `0 0 ${width} ${bottom + AXIS}`,
    role: "img",
    "aria-label": scale.label,
  });
  chart.append(draw("text", { x: left - 10, y: 10, "text-anchor": "end" }, "claim"));
  for (const { at, text } of scale.ticks) {
    const x = place(at);
    chart.append(
      draw("line", { class: "grid", x1: x, x2: x, y1: 16, y2: bottom + 4 }),
      draw("text", { x, y: bottom + 17, "text-anchor": "middle" }, text),
    );
  }
  const middle = { x: place(0.5), y: bottom + 34, "text-anchor": "middle" };
  chart.append(draw("text", middle, scale.label));
  rows.forEach((row, index) => {
    const top = 16 + index * ROW + (ROW - BAR) / 2;
    const beside = { class: "name", x: left - 10, y: top + 12, "text-anchor": "end" };
    chart.append(draw("text", beside, row.name), ...drawRow(row, top, place));
  });
  return chart;
}

/** Draws the share of each verdict for each claim, the count behind it. */
function verdictChart(width) {
  const scale = {
    label: "share of the records",
    ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: `${100 * at}%` })),
  };
  const right = 24 + 7 * count(countOfAll(audit.claims)).length;
  return drawChart(width, chartRows(), scale, right, (row, top, place) => {
    const whole = countOfAll(row.claims);
    const segments = segmentsOf(row.claims, place(1) - place(0));
    let x = place(0);
    const bars = segments.map(({ word, part, length }) => {
      const tip = draw("title", {}, `${row.name} ${word}: ${count(part)} (${share(part, whole)})`);
      const box = { class: `segment ${word}`, x, y: top, width: length, height: BAR };
      x += length;
      return draw("rect", box, tip);
    });
    const behind = { x: width, y: top + 12, "text-anchor": "end" };
    return [...bars, draw("text", behind, count(whole))];
  });
}

/** Divides a bar by verdict; what is rare is still wide enough to be seen. */
function segmentsOf(claims, length) {
  const whole = countOfAll(claims);
  const segments = wordsThere
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

/** Draws for each claim how many records took how long, on a logarithmic scale. */
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
  const scale = { label: "time a record took (logarithmic)", ticks };
  const rows = chartRows()
    .map(({ name, claims, median }) => ({ name, median, times: timesOf(claims) }))
    .filter(({ times }) => times.length > 0);
  return drawChart(width, rows, scale, TIME_ROOM, ({ times, median }, top, place) => {
    const most = Math.max(...times.map(([, records]) => records));
    const bars = times.map(([bin, records]) => {
      const height = Math.max(NARROWEST_BAR, (records / most) * (ROW - 4));
      const box = {
        class: "count",
        x: place(at(bin)),
        y: top + BAR - height,
        width: Math.max(1, place(at(bin + 1)) - place(at(bin)) - 0.5),
        height,
      };
      return draw("rect", box);
    });
    // What took less than a microsecond is counted as one, where the scale begins.
    const x = place(Math.max(0, at(perDecade * Math.log10(median))));
    const line = { class: "median", x1: x, x2: x, y1: top - 4, y2: top + BAR };
    const behind = { x: width, y: top + 12, "text-anchor": "end" };
    return [...bars, draw("line", line), draw("text", behind, duration(median))];
  });
}

/** Adds up the times of some claims: pairs of a bin and its count, the shortest first. */
function timesOf(claims) {
  const counts = new Map();
  for (const [bin, records] of claims.flatMap((claim) => claim.times)) {
    counts.set(bin, (counts.get(bin) || 0) + records);
  }
  return Array.from(counts).sort(([one], [other]) => one - other);
}

/** Names a power of ten of a second: `10 µs`, `1 ms`, `100 s`. */
function decadeName(decade) {
  const [unit, exponent] = decade < -3 ? ["µs", -6] : decade < 0 ? ["ms", -3] : ["s", 0];
  return `${count(10 ** (decade - exponent))} ${unit}`;
}
