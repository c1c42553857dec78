// The parts of a collection's page: its list, an editor's marks, totals, and the page's verdicts.

import { element, make, several, thousands } from "./dom.mjs";
import { questionOf, splitStipulation } from "./records.mjs";

/** @import { AuditRecord } from "./records.mjs" */

const MARGIN_ROWS = 8;

/** A table of any length, of which only the visible rows are in the document. @template Row */
export class List {
  rows = /** @type {Row[]} */ ([]);
  /** The place of the open row; -1: none is open. */
  current = -1;
  isPrinted = false;
  #height = 32;
  /** The places of the rows in the document: the first, and one more than the last. */
  #drawn = [0, 0];

  /**
   * @param {HTMLElement} host that scrolls; it has a table
   * @param {{draw: (row: Row, place: number, isPrinted: boolean) => HTMLElement,
   *   onOpen: (row: Row, isAsked: boolean) => void}} options
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.body = host.getElementsByTagName("tbody")[0];
    host.addEventListener("scroll", () => {
      const [first, end] = this.#visible();
      if (first < this.#drawn[0] || end > this.#drawn[1]) this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(host);
    this.body.addEventListener("click", ({ target }) => {
      const row = /** @type {HTMLElement} */ (target).closest("tr");
      if (row?.dataset.place) this.open(Number(row.dataset.place), true);
    });
    for (const name of ["beforeprint", "afterprint"]) {
      addEventListener(name, () => {
        this.isPrinted = name === "beforeprint";
        this.draw();
      });
    }
  }

  /** Show other rows; the open one stays open if it is among them. @param {Row[]} rows */
  show(rows) {
    const open = this.rows[this.current];
    this.rows = rows;
    this.current = rows.indexOf(open);
    this.host.scrollTop = 0;
    this.draw();
    if (this.current >= 0) this.#reveal();
    else if (rows.length) this.open(0);
  }

  /** @param {number} place @param {boolean} isAsked whether somebody chose this row */
  open(place, isAsked = false) {
    if (!this.rows.length) return;
    this.current = Math.max(0, Math.min(place, this.rows.length - 1));
    this.#reveal();
    this.draw();
    this.options.onOpen(this.rows[this.current], isAsked);
  }

  #reveal() {
    const top = this.current * this.#height; // below the head, which stays in sight
    const least = this.body.offsetTop + top + this.#height - this.host.clientHeight;
    this.host.scrollTop = Math.min(top, Math.max(this.host.scrollTop, least));
  }

  /** The places that are in sight, with some around them. @param {number} margin */
  #visible(margin = 0) {
    const { scrollTop, clientHeight } = this.host;
    const [first, end] = [scrollTop, scrollTop + clientHeight].map((y) => y / this.#height);
    return [Math.max(0, Math.floor(first) - margin),
      Math.min(this.rows.length, Math.ceil(end) + margin)];
  }

  /** Draw the visible rows; all of them if they are printed. */
  draw() {
    const { rows, isPrinted } = this;
    const [first, end] = this.#drawn = isPrinted ? [0, rows.length] : this.#visible(MARGIN_ROWS);
    const shown = rows.slice(first, end).map((row, i) => {
      const drawn = this.options.draw(row, first + i, isPrinted);
      drawn.dataset.place = String(first + i);
      if (first + i === this.current) drawn.setAttribute("aria-current", "true");
      return drawn;
    });
    this.body.replaceChildren(
      this.#gap(first), ...shown, this.#gap(isPrinted ? 0 : rows.length - end));
    const height = shown[0]?.offsetHeight;
    if (isPrinted || !height || height === this.#height) return;
    this.#height = height;
    this.draw();
  }

  /** Room for rows that are not drawn. @param {number} count */
  #gap(count) {
    const room = make("td", { height: Math.max(0, count) * this.#height });
    return make("tr", { class: "gap", "aria-hidden": "true" }, room);
  }
}

// An editor's decisions on records: kept in the browser, exported as CSV or JSON lines.

/** What a mark belongs to, and how it is found again. */
const MARK_FIELDS = ["fen", "stipulation", "claim", "nomate", "id", "source"];
const STORED = "matesolve mark ";

/** @typedef {{mark: string, note: string}} Mark an empty mark: none */

/** On another machine, the source is in another folder. @param {AuditRecord} record */
const markKey = (record) => STORED + JSON.stringify(
  MARK_FIELDS.map((name) => name === "source" ? record.source?.split("/").at(-1) : record[name]));

export class Marks {
  /** What the browser has not stored. @type {Map<string, string>} */
  #memory = new Map();

  /** What an editor decided here, or else before the audit.
   * @param {AuditRecord} record @returns {Mark} */
  get(record) {
    const key = markKey(record);
    const kept = this.#memory.get(key) ?? this.#try(() => localStorage.getItem(key));
    return kept ? JSON.parse(kept) : { mark: record.mark ?? "", note: record.note ?? "" };
  }

  /** @param {AuditRecord} record @param {Mark} mark @returns whether the browser stores it */
  set(record, mark) {
    const [key, text] = [markKey(record), JSON.stringify(mark)];
    this.#memory.set(key, text);
    return this.#try(() => (localStorage.setItem(key, text), true)) ?? false;
  }

  /** @template T @param {() => T} use @returns {T | null} */
  #try(use) {
    try {
      return use();
    } catch {
      return null;
    }
  }
}

/** A cell of CSV, on one line. @param {unknown} value */
const csvCell = (value) => {
  const text = String(value ?? "").replaceAll(/\s*[\r\n]+\s*/g, " ");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The marks of records in a format that `verify --marks` reads.
 * @param {{record: AuditRecord, mark: string, note: string}[]} marked
 * @param {string} format "csv" or "jsonl" */
export function marksText(marked, format) {
  const names = [...MARK_FIELDS, "mark", "note"];
  const rows = marked.map(({ record, mark, note }) =>
    /** @type {AuditRecord} */ ({ ...record, mark, note }));
  const lines = rows.map((row) => format === "csv" ? names.map((name) => csvCell(row[name])).join()
    : JSON.stringify(Object.fromEntries([["schema", 1], ...names.map((name) =>
      [name, row[name] ?? null])])));
  return [...(format === "csv" ? [names.join()] : []), ...lines, ""].join("\n");
}

// The totals at the top of a page whose records are solved in it, as collection.html has them.

/** Draw the verdicts' totals, and offer their words as filters.
 * @param {Record<string, number>} totals by verdict @param {number} solved in this page */
export function drawTotals(totals, solved) {
  const found = Object.entries(totals).filter(([, count]) => count);
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  let end = 0;
  const bars = found.map(([word, width]) => {
    end += width;
    return make("rect", { class: word, x: end - width, width, height: 1 });
  });
  const look = { class: "parts", viewBox: `0 0 ${total} 1`, preserveAspectRatio: "none" };
  const links = found.map(([word, count]) => make("li", { class: word },
    make("a", { href: `#all=1&verdict=${word}` }, make("b", {}, thousands(count)), ` ${word}`)));
  element("verdict-totals").replaceChildren(make("svg", look, ...bars), make("ul", {}, ...links));
  element("headline").textContent = `${several(total, "record")}, ${thousands(solved)} solved here`;
  const { verdict } = element("filters");
  const offered = [...verdict.options].map(({ value }) => value);
  for (const [word] of found) if (!offered.includes(word)) verdict.add(new Option(word));
}

// What an answer of the page says of a record, in the words of an audit.

/** Whether an answer decides what the record asks: at its length, or at a greater one if play
 * is by force. @param {AuditRecord} record @param {AuditRecord} answer */
export function isAbout(record, answer) {
  const { name, moves, part } = questionOf(record).question;
  const [asked, length] = splitStipulation(answer.stipulation);
  if (name !== asked || part === "help") return name === asked && moves === length;
  return !length || (moves !== null && moves <= length);
}

/** What a search in the page found, as briefly as what is recorded.
 * @param {AuditRecord} record @param {AuditRecord} answer */
export function foundHere({ stipulation }, { status, mate, lower_bound: lower, solutions }) {
  const [name, number] = splitStipulation(stipulation);
  const length = (/** @type {number} */ moves) => `${name}${number % 1 ? moves - 0.5 : moves}`;
  if (mate !== null) return length(mate) + (solutions ? `, ${solutions.length}` : "");
  return lower > 1 ? `no ${length(lower - 1)}` : status;
}

/** The verdict, as `find_verdict` has it; the answer's own status if nothing is claimed.
 * @param {AuditRecord} record @param {AuditRecord} answer @returns {string} */
export function verdictOf(record, answer) {
  const { claim, nomate } = record;
  const { mate, lower_bound: lower } = answer;
  if (nomate) {
    if (mate > 0 && mate <= nomate) return "refuted";
    return (mate !== null && mate <= 0) || lower > nomate ? "proved" : "undecided";
  }
  if (typeof claim !== "number") return answer.status;
  if (answer.solutions) return helpVerdict(record, answer);
  const moves = Math.abs(claim);
  if (mate !== null) {
    if ((claim > 0) !== (mate > 0)) return "refuted"; // the other side is mated
    if (Math.abs(mate) < moves) return "shorter";
    if (Math.abs(mate) === moves) return lower === moves ? "proved" : "holds";
  }
  return lower > moves ? "refuted" : "undecided";
}

/** The same of help play: its number of solutions counts where no limit left it open.
 * @param {AuditRecord} record @param {AuditRecord} answer */
function helpVerdict({ claim, claimed_keys: keys = [], claimed_solutions: number }, answer) {
  const { mate, lower_bound: lower, solutions, solutions_complete: areAll } = answer;
  const wanted = number ?? Math.max(1, keys.length);
  if (mate === null && lower > claim) return wanted ? "refuted" : "proved";
  if (!solutions.length) return "undecided";
  if (!wanted) return "refuted";
  if (mate !== null && mate < claim) return "shorter";
  if (!areAll && solutions.length < wanted) return "undecided";
  return lower === claim && (areAll || solutions.length > wanted) ? "proved" : "holds";
}
