// An editor's decisions on records: kept in the browser, exported as CSV or JSON lines.

/**
 * A line of `verify --jsonl`, as the table in solver/record.py has it; pages add fields.
 * @typedef {Record<keyof Fields | string, any>} AuditRecord
 * @typedef {object} Fields
 * @property {string} id
 * @property {string} [source]
 * @property {string | null} fen
 * @property {number | null} claim
 * @property {string | null} status
 * @property {string | null} [verdict]
 * @property {string | null} [soundness]
 * @property {number | null} [mate]
 * @property {number | null} [lower_bound]
 * @property {{uci: string, san: string}[]} [keys]
 * @property {boolean} [keys_complete]
 * @property {string[]} [pv]
 * @property {number} [nodes]
 * @property {number | null} [time_s]
 * @property {string | null} [stopped_by]
 * @property {string} [error]
 * @property {string} solver
 * @property {number} [nomate]
 * @property {string[]} [claimed_keys]
 * @property {string[]} [claimed_line]
 * @property {string[]} [wrong_keys]
 * @property {boolean} [only_moves]
 * @property {Ply[]} [plies]
 * @property {string} [tablebase]
 * @property {string} [stipulation]
 * @property {number} [claimed_solutions]
 * @property {string[][]} [solutions]
 * @property {boolean} [solutions_complete]
 * @property {string} [mark]
 * @property {string} [note]
 * @property {string} [hint]
 * @property {string[]} [warnings]
 * @property {{[name: string]: boolean | number | null}} [restriction]
 * @property {number} [solutions_found]
 * @property {object} [play]
 * @property {string[]} [disagreements]
 * @typedef {{move: string, mate: number | null, keys: string[], only?: boolean | null,
 *   holds?: boolean}} Ply
 */

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

  /** @param {() => void} onRefused called once if the browser stores nothing */
  constructor(onRefused) {
    this.onRefused = onRefused;
  }

  /** What an editor decided here, or else before the audit.
   * @param {AuditRecord} record @returns {Mark} */
  get(record) {
    const key = markKey(record);
    const kept = this.#memory.get(key) ?? this.#try(() => localStorage.getItem(key));
    return kept ? JSON.parse(kept) : { mark: record.mark ?? "", note: record.note ?? "" };
  }

  /** @param {AuditRecord} record @param {Mark} mark */
  set(record, mark) {
    const [key, text] = [markKey(record), JSON.stringify(mark)];
    this.#memory.set(key, text);
    this.#try(() => localStorage.setItem(key, text));
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
 * @param {{record: AuditRecord, mark: string, note: string}[]} marked
 * @param {string} format "csv" or "jsonl" */
export function marksText(marked, format) {
  const names = [...MARK_FIELDS, "mark", "note"];
  const lines = marked.map(({ record, mark, note }) => {
    const values = [...MARK_FIELDS.map((name) => record[name] ?? null), mark, note];
    if (format === "csv") return values.map(csvCell).join();
    return JSON.stringify(Object.fromEntries(
      [["schema", 1], ...names.map((name, i) => [name, values[i]])]));
  });
  return [...(format === "csv" ? [names.join()] : []), ...lines, ""].join("\n");
}
