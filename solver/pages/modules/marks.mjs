// An editor's decisions on records: kept in the browser, exported as CSV or JSON lines.

/** @typedef {Record<string, any>} AuditRecord as `verify --jsonl` prints it */

export const MARKS = ["accept", "cook", "reject"];

const MARK_FIELDS = ["fen", "stipulation", "claim", "nomate", "id", "source"];
const STORED = "matesolve mark ";

/** What a mark belongs to; names are for people. @param {AuditRecord} record */
const markKey = ({ fen, stipulation, claim, nomate }) =>
  STORED + JSON.stringify([fen, stipulation ?? "", claim ?? null, nomate ?? null]);

export class Marks {
  /** What the browser has not stored. @type {Map<string, string>} */
  #memory = new Map();

  /** @param {() => void} onRefused called once if the browser stores nothing */
  constructor(onRefused) {
    this.onRefused = onRefused;
  }

  /** What an editor decided here, or else before the audit. @param {AuditRecord} record */
  get(record) {
    const key = markKey(record);
    const kept = this.#memory.get(key) ?? this.#try(() => localStorage.getItem(key));
    return kept ?? record.mark ?? "";
  }

  /** Mark a record, or take the same mark back. @param {AuditRecord} record @param {string} mark */
  toggle(record, mark) {
    const key = markKey(record);
    const wanted = this.get(record) === mark ? "" : mark;
    this.#memory.set(key, wanted);
    this.#try(() => localStorage.setItem(key, wanted));
  }

  /** @template T @param {() => T} use @returns {T | null} */
  #try(use) {
    try {
      return use();
    } catch {
      this.onRefused();
      this.onRefused = () => {};
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
 * @param {{record: AuditRecord, mark: string}[]} marked @param {string} format "csv" or "jsonl" */
export function marksText(marked, format) {
  const isCsv = format === "csv";
  const lines = marked.map(({ record, mark }) => {
    const values = MARK_FIELDS.map((name) => record[name] ?? null);
    if (isCsv) return [...values, mark].map(csvCell).join();
    const fields = MARK_FIELDS.map((name, i) => [name, values[i]]);
    return JSON.stringify({ schema: 1, ...Object.fromEntries(fields), mark });
  });
  return [...(isCsv ? [[...MARK_FIELDS, "mark"].join()] : []), ...lines, ""].join("\n");
}
