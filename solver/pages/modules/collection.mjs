/** A collection: its records in a list that is filtered and sorted, one of them on the board. */

import { download, element, make, onKeys, pageData, several, thousands, timeText } from "./dom.mjs";
import { Cancelled, unpack } from "./engine.mjs";
import { drawTotals, foundHere, isAbout, List, Marks, marksText, verdictOf } from "./list.mjs";
import { liveRecord, questionOf, readPlacement, requireRecord, shownName } from "./records.mjs";
import { Viewer } from "./viewer.mjs";

/** @import { AuditRecord } from "./records.mjs" */

/**
 * @typedef {{record: AuditRecord, name: string, index: number, claim: string, found: string,
 *   agrees: boolean, verdict: string, soundness: string[], text: string, mark: string,
 *   note: string, answer?: AuditRecord}} Row
 *   answer: of a search in the page; of a record that was not solved, the row shows it
 */

const LAST = 1e15;
const PRINTED_DIAGRAMS = 500;
const MOST_NODES = 5_000_000;

const form = /** @type {any} */ (element("filters"));

/** What rows are sorted by. @type {Record<string, (row: Row) => number | string>} */
const ORDERS = {
  record: ({ index }) => index,
  claim: ({ claim }) => Number(/[\d.]+/.exec(claim) ?? LAST),
  found: (row) => known(row).mate ?? LAST,
  verdict: (row) => said(row),
  nodes: (row) => known(row).nodes ?? LAST,
  time: (row) => known(row).time_s ?? LAST,
  mark: ({ mark }) => mark || "~",
};

/** The records of the page. @param {string} packed lines of JSON, gzip, base64 */
async function readRecords(packed) {
  const text = new TextDecoder().decode(await unpack(packed));
  const records = JSON.parse(`[${text.replaceAll("\n", ",")}]`);
  records.forEach(requireRecord);
  return records;
}

/** A static diagram of a FEN. @param {string} fen */
function diagram(fen) {
  const pieces = (readPlacement(fen) ?? []).flatMap((letter, at) => letter ? [make("use",
    { href: `#piece-${letter}`, x: 45 * (at % 8), y: 45 * Math.floor(at / 8) })] : []);
  return make("svg", { class: "diagram", viewBox: "0 0 360 360" },
    make("use", { href: "#squares" }), ...pieces);
}

/** The moves of the claimed line that are not the only ones.
 * @param {AuditRecord} record @returns {string[]} */
function duals({ san, plies = [] }) {
  return plies.flatMap((/** @type {any} */ { only, keys, move }, /** @type {number} */ i) => {
    if (only !== false) return [];
    const others = san.plies[i].filter((/** @type {any} */ _, /** @type {number} */ at) =>
      keys[at] !== move);
    const word = keys.includes(move) ? "also" : "faster";
    return [`move ${i + 1}: ${san.claimed_line?.[2 * i] ?? move} (${word} ${others.join(", ")})`];
  });
}

/** What a row shows: what is recorded, or else what a search in the page found.
 * @param {Row} row @returns {AuditRecord} */
const known = ({ record, answer }) => record.status ? record : { ...record, ...answer };

/** What is wrong with a record in a sentence, or else the words of its verdict.
 * @param {Row} row */
const said = ({ record, verdict, soundness }) =>
  [record.change, record.fault ?? [verdict, ...soundness].join(", "),
    record.duplicate && "duplicate"].filter(Boolean).join("; ");

/** Whether a record is a failure that an editor has not decided about.
 * @param {Row} row */
const isUnmarked = ({ record, mark }) => Boolean(record.fault) && !mark;

class Collection {
  open = /** @type {Row | null} */ (null);
  /** The worker of "Solve all", while it runs. */
  solver = /** @type {import("./engine.mjs").Engine | null} */ (null);
  /** How many records were solved that had not been. */
  solved = 0;
  /** Whether the browser has not stored a mark, which was not exported either. */
  isUnsaved = false;

  /** @param {AuditRecord[]} records */
  constructor(records) {
    this.viewer = new Viewer();
    this.marks = new Marks();
    this.rows = records.map((record, index) => this.row(record, index));
    this.list = new List(element("list"), {
      draw: (/** @type {Row} */ row, place, isPrinted) => this.draw(row, place, isPrinted),
      onOpen: (row, isAsked) => this.show(row, isAsked),
    });
    this.viewer.onAnswer = (record, answer) => {
      const row = this.rows.find((each) => each.record === record);
      if (row && isAbout(record, answer)) this.answered(row, answer);
    };
    const { length: agreeing } = this.rows.filter(({ agrees }) => agrees);
    element("agreeing").hidden = agreeing % this.rows.length === 0; // all or none
    element("duplicates").hidden = !records.some(({ duplicate }) => duplicate);
    element("solving").hidden = !this.viewer.canSolve || !this.unsolved(this.rows).length;
    element("solved").textContent = `each with at most ${thousands(MOST_NODES)} nodes`;
    form.hidden = element("viewer").hidden = element("exports").hidden = false;
    this.listen();
    this.readHash();
  }

  /** @param {AuditRecord} record @param {number} index @returns {Row} */
  row(record, index) {
    const [claim, found, agrees, soundness] = record.row;
    const name = shownName(record, "id") || "(no name)";
    return {
      name, record, index, claim, found, agrees, soundness,
      verdict: record.verdict ?? record.status ?? "unsolved",
      text: [name, record.fen, ...["source", "text"].map((field) => shownName(record, field))]
        .join("\n").toLowerCase(),
      ...this.marks.get(record),
    };
  }

  /** @param {string} words */
  note = (words) => element("note").textContent += ` ${words}`;

  listen() {
    form.addEventListener("input", () => this.filter());
    for (const id of ["agreeing", "duplicates"]) {
      element(id).addEventListener("input", () => this.filter());
    }
    element("mark-note").addEventListener("change", () =>
      this.keep({ mark: this.open?.mark ?? "", note: element("mark-note").value }));
    form.addEventListener("reset", () => setTimeout(() => this.filter()));
    form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
    addEventListener("hashchange", () => this.readHash());
    onKeys((event) => this.press(event));
    addEventListener("beforeunload", (event) => this.isLosing() && event.preventDefault());
    /** @type {Record<string, (value: string) => void>} */
    const acts = {
      sort: (name) => this.sort(name), mark: (mark) => this.mark(mark),
      step: (by) => this.step(Number(by) || by), export: (format) => this.export(format),
      solve: () => this.solveAll(),
    };
    addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      for (const [name, value] of Object.entries(button?.dataset ?? {})) acts[name]?.(value ?? "");
    });
  }

  /** @param {KeyboardEvent} event @returns {unknown} */
  press({ target, key }) {
    const step = target === this.list.host && { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[key];
    if (typeof step === "number") return this.step(step);
    const button = this.buttons().find(({ lastChild }) => lastChild?.textContent === key);
    return button ? button.click() : true;
  }

  /** The buttons with keys. @returns {HTMLButtonElement[]} */
  buttons = () => [...element("marking").querySelectorAll("button")];

  // The list

  /** Set the form from the address. */
  readHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const field of form.elements) {
      if (field.type === "checkbox") field.checked = wanted.has(field.name);
      else if (field.name) field.value = wanted.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = "";
    }
    this.filter();
    if (location.hash) this.list.host.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name of a column: up, down, or the order of the collection */
  sort(name) {
    const next = { [name]: `-${name}`, [`-${name}`]: "" };
    form.sort.value = next[form.sort.value] ?? name;
    this.filter();
    this.list.host.scrollTop = 0;
  }

  /** Show the rows that the form asks for. */
  filter() {
    const given = /** @type {[string, string][]} */ ([...new FormData(form)]);
    const address = new URLSearchParams(given.filter(([, value]) => value));
    history.replaceState(null, "", address.size ? `#${address}` : location.pathname);
    const { verdict, soundness, claim, mark, q, sort, all: isAll, duplicate: isDuplicate } =
      Object.fromEntries(given);
    const all = isAll || isDuplicate || element("agreeing").hidden;
    const searched = q.trim().toLowerCase();
    let shown = this.rows.filter((row) =>
      (all || !row.agrees) && (!isDuplicate || row.record.duplicate) &&
      (!verdict || row.verdict === verdict) &&
      (!soundness || row.soundness.includes(soundness)) && (!claim || row.claim === claim) &&
      (!mark || (row.mark || "unmarked") === mark) && (!searched || row.text.includes(searched)));
    const [column, sign] = sort[0] === "-" ? [sort.slice(1), -1] : [sort, 1];
    if (ORDERS[column]) {
      const keyed = shown.map((row) => ({ row, key: ORDERS[column](row) }));
      keyed.sort(({ key: one }, { key: other }) => one < other ? -sign : one > other ? sign : 0);
      shown = keyed.map(({ row }) => row);
    }
    const order = sign > 0 ? "ascending" : "descending";
    for (const { dataset, parentElement } of element("list").querySelectorAll("[data-sort]")) {
      parentElement.ariaSort = dataset.sort === column ? order : null;
    }
    element("shown").textContent =
      `${thousands(shown.length)} of ${several(this.rows.length, "record")}` +
      (shown.length ? "." : ": none matches the filters.");
    this.list.show(shown);
    this.drawTools();
  }

  /** @param {Row} row @param {number} place @param {boolean} isPrinted */
  draw(row, place, isPrinted) {
    const { record } = row;
    const source = shownName(record, "source");
    const head = make("td", { class: "record", title: `${row.name}\n${source}` });
    if (isPrinted && record.fen && place < PRINTED_DIAGRAMS) head.append(diagram(record.fen));
    head.append(make("b", {}, make("bdi", {}, row.name)));
    const { pv, claimed_line: claimed } = record.san;
    const lines = [shownName(record, "text"), ...isPrinted ? [record.fen,
      pv?.length && `found: ${pv.join(" ")}`, claimed && `claimed: ${claimed.join(" ")}`] : []];
    head.append(...lines.filter(Boolean).flatMap((line) =>
      [" ", make("small", {}, make("bdi", {}, line))]));
    const { status, nodes, time_s: time } = known(row);
    const look = row.soundness.at(-1) ?? row.verdict;
    const cells = Object.entries({
      claim: row.claim, found: row.found, [`verdict ${look}`]: said(row),
      nodes: status ? thousands(nodes) : "", time: timeText(time), mark: row.mark,
    });
    return make("tr", {}, head,
      ...cells.map(([name, text]) => make("td", { class: name }, text)));
  }

  // Solving

  /** The rows that can be solved. @param {Row[]} rows */
  unsolved = (rows) => rows.filter(({ record, answer }) => record.fen && !record.status && !answer);

  /** A search in the page has an answer. @param {Row} row @param {AuditRecord} answer */
  answered(row, answer) {
    const { record } = row;
    this.solved += !record.status && !row.answer ? 1 : 0;
    row.answer = answer;
    row.found = foundHere(record, answer) + (record.status ? " here" : "");
    if (!record.status) {
      pageData.totals[row.verdict]--;
      row.verdict = verdictOf(record, answer);
      pageData.totals[row.verdict]++;
      drawTotals(pageData.totals, this.solved);
    }
    this.list.draw();
    if (row === this.open) this.facts();
  }

  /** Solve the listed records, one after the other in a worker of their own; or stop that. */
  async solveAll() {
    if (this.solver) {
      this.solver.stop();
      return this.solver.end();
    }
    const solver = this.solver = this.viewer.engine(pageData.tableBytes);
    const button = element("solving").querySelector("button");
    button.textContent = "Stop";
    const rows = this.unsolved(this.list.rows);
    let [solved, fault] = [0, ""];
    const say = () => element("solved").textContent =
      `${thousands(solved)} of ${thousands(rows.length)} solved${fault}`;
    for (const row of rows) {
      say();
      try {
        const question = { ...questionOf(row.record).question, nodes: MOST_NODES };
        const found = await solver.ask("search",
          { ...question, moves: [], stipulation: question }, undefined, question.part);
        this.answered(row, liveRecord(question, found));
        solved++;
      } catch (error) {
        if (error instanceof Cancelled) break;
        fault = `; ${row.name}: ${/** @type {Error} */ (error).message}`;
      }
    }
    say();
    solver.end();
    this.solver = null;
    return button.textContent = "Solve all";
  }

  // The open record

  /** @param {number | string} by so many rows, or to the next one without a mark */
  step(by) {
    const { current } = this.list;
    const place = typeof by === "number" ? current + by : this.unmarked.find((at) => at > current);
    this.list.open(place ?? this.unmarked[0], true);
  }

  /** The places of the failures in the list that have no mark. */
  get unmarked() {
    return this.list.rows.flatMap((row, at) => isUnmarked(row) ? [at] : []);
  }

  /** @param {Row} row @param {boolean} isAsked */
  show(row, isAsked) {
    this.open = row;
    const { record, answer } = row;
    const solve = !record.status && !answer && this.viewer.canSolve;
    if (record.fen) this.viewer.open(record, { solve, answer });
    element("viewer-panels").classList.toggle("no-position", !record.fen);
    this.facts();
    this.drawTools();
    if (isAsked && matchMedia("(max-width: 60rem)").matches) element("viewer").scrollIntoView();
  }

  /** Say what the panels do not, the fault first. */
  facts() {
    const { record, answer, ...row } = /** @type {Row} */ (this.open);
    element("viewer").className = row.soundness.at(-1) ?? row.verdict;
    element("record-title").textContent = element("record-title").title = row.name;
    element("mark-note").hidden = !row.mark;
    element("mark-note").value = row.note;
    const others = duals(record).join("; ");
    element("repeats").textContent = record.duplicate ?? "";
    const more = [record.change, others && `Other moves: ${others}`, record.hint,
      record.status && answer &&
        `Recorded: ${record.row[1] || row.verdict}; here: ${foundHere(record, answer)}`];
    element("record-said").replaceChildren(
      ...record.fault ? [make("p", { class: "fault" }, record.fault)] : [],
      ...record.text ? [make("code", {}, shownName(record, "text"))] : [],
      ...more.filter(Boolean).map((words) => make("p", {}, words)));
  }

  /** Mark the open record, or take the same mark back. @param {string} mark */
  mark(mark) {
    const taken = this.open?.mark === mark;
    this.keep({ mark: taken ? "" : mark, note: taken ? "" : this.open?.note ?? "" });
  }

  /** @param {import("./list.mjs").Mark} mark of the open record */
  keep(mark) {
    if (!this.open) return;
    if (!this.marks.set(this.open.record, mark)) {
      if (!this.isUnsaved) this.note("The browser stores nothing: export the marks.");
      this.isUnsaved = true;
    }
    Object.assign(this.open, mark);
    this.facts();
    this.list.draw();
    this.drawTools();
  }

  /** How many failures are marked, and which buttons have something to do. */
  drawTools() {
    const failures = this.rows.filter(({ record }) => record.fault);
    const unmarked = failures.filter(isUnmarked).length;
    element("marked").textContent = failures.length === 0 ? "" :
      `${thousands(failures.length - unmarked)} of ${thousands(failures.length)} marked`;
    const { rows, current } = this.list;
    for (const button of this.buttons()) {
      const { mark, step } = button.dataset;
      if (mark) button.ariaPressed = String(mark === this.open?.mark);
      else button.disabled = step === "unmarked" ? !this.unmarked.length
        : !rows[current + Number(step)];
    }
    for (const button of element("exports").querySelectorAll("button")) {
      button.disabled = !this.marked.length;
    }
  }

  /** Whether closing the page loses marks, or answers to other records than the first one, which
   * is solved whenever the page is opened. */
  isLosing = () => this.isUnsaved || this.rows.some(({ answer }, at) => answer && at);

  /** The rows that are exported. A mark that was taken back is exported empty, so that a store
   * forgets it too. */
  get marked() {
    return this.rows.filter(({ record, mark }) => mark || record.mark);
  }

  /** @param {string} format */
  export(format) {
    const rows = this.marked;
    this.isUnsaved = false;
    const type = format === "csv" ? "text/csv" : "application/jsonl";
    download(`marks.${format}`, new Blob([marksText(rows, format)], { type }));
  }
}

readRecords(pageData.records).then((records) => new Collection(records)).catch((error) => {
  element("note").textContent = `The records of this page cannot be read: ${error.message}.`;
});
