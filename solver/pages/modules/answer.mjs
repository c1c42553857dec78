/** The panel with the answer: what is proved, what it cost, and the line. */

import { element, make, several, timeText } from "./dom.mjs";
import { claimText, namedMoves, recordTitle } from "./records.mjs";
import { drawRuler } from "./ruler.mjs";
import { blackBegins, numbered } from "./texts.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */
/**
 * @typedef {{lower: number, nodes: number, seconds: number, line: Move[]}} Known
 * @typedef {Known & {upper: number|null}} Progress
 * @typedef {{state: string, mate: number|null, lower: number, nodes: number, seconds: number,
 *   keys: Move[], keysComplete: boolean, line: Move[], solutions: Move[][]}} Found
 */

/** What a search says, in a sentence. @param {Found} found @param {any} stipulation */
export function headline(found, { goal, moves, isMated = false }) {
  const name = goal[0].toUpperCase() + goal.slice(1);
  const { mate, lower, keys, solutions } = found;
  const within = moves === null ? "" : ` in ${moves}`;
  const none = isMated ? "Not mated" : `No ${goal}`;
  if (found.state === "disproved") return `${none}${within}: proved`;
  if (found.state === "undecided") {
    return `Undecided: ${none.toLowerCase()} in fewer than ${several(lower, "move")}`;
  }
  if (mate === 0) return "Checkmate";
  const length = Math.abs(mate ?? 0);
  if (found.state === "found") return `${name} in ${length} found; none in fewer than ${lower}`;
  if (solutions.length) return `${name}${within}, ${several(solutions.length, "solution")}: proved`;
  if ((mate ?? 0) < 0) return `Mated in ${length}, proved`;
  if (!keys.length || !found.keysComplete) return `${name} in ${length}, proved`;
  const named = keys.length === 1 ? `only key ${keys[0].san}` : `${keys.length} keys`;
  return `${name} in ${length}, proved; ${named}`;
}

/** A move as a button that plays it. @param {string} text @param {string[]} path from the root */
const moveButton = (text, path) =>
  make("button", { type: "button", class: "move", "data-path": path.join(" ") }, text);

/** A line of moves as buttons, with blanks between them.
 * @param {Move[]} line @param {number} before half-moves of its first number that come before it
 * @param {string[]} [root] the moves before the line */
export function moveButtons(line, before, root = []) {
  const words = numbered(line, before).split(" ");
  return line.flatMap((_, ply) => {
    const path = [...root, ...line.slice(0, ply + 1).map(({ uci }) => uci)];
    return [moveButton(words[ply], path), " "];
  });
}

export class AnswerPanel {
  root = element("answer");
  /** Half-moves of the first number that come before the answer, and the moves played. */
  before = 0;
  /** @type {string[]} */
  path = [];

  /** A search begins. In help play, the side that does not end the play begins each number.
   * @param {string} fen @param {any} stipulation @param {string[]} path */
  begin(fen, stipulation, path = []) {
    this.root.dataset.fen = fen;
    this.path = path;
    element("answer-keys").replaceChildren();
    const isHelp = stipulation?.part === "help";
    this.before = isHelp ? Math.ceil(stipulation.moves % 1) : blackBegins(fen);
  }

  /** @param {string} state @param {string} words @param {number|null} mate */
  mark(state, words, mate = null, lower = 0, nodes = 0) {
    const { dataset } = this.root;
    Object.assign(dataset, { mate: mate ?? "", lower, nodes });
    dataset.state = state;
    element("answer-headline").textContent = words;
    element("answer-stop").hidden = state !== "searching";
    element("answer-resume").hidden = state !== "stopped";
  }

  /** Show nothing but a sentence. @param {string} state @param {string} words */
  say(state, words) {
    this.mark(state, words);
    for (const part of ["ruler", "spent", "line", "solutions", "keys"]) {
      element(`answer-${part}`).replaceChildren();
    }
    element("answer-solutions").hidden = true;
  }

  /** @param {Progress} progress */
  showProgress(progress, state = "searching") {
    const { lower, upper, nodes } = progress;
    const words = { searching: "Searching", stopped: "Stopped" }[state];
    const found = upper === null ? "" : `: mate in ${Math.abs(upper)} or fewer`;
    this.mark(state, `${words}${found || " ..."}`, upper, lower, nodes);
    this.#details(progress, upper && Math.abs(upper));
  }

  /** @param {Found} found @param {any} stipulation */
  showAnswer(found, stipulation) {
    const state = ["proved", "disproved"].includes(found.state) ? "closed" : "stopped";
    this.mark(state, headline(found, stipulation), found.mate, found.lower, found.nodes);
    this.#details(found, found.mate && Math.abs(found.mate));
    const list = element("answer-solutions");
    list.hidden = !found.solutions.length;
    list.replaceChildren(...found.solutions.map((line) =>
      make("li", {}, ...moveButtons(line, this.before, this.path))));
    if (found.solutions.length) element("answer-line").replaceChildren();
    const { keys, keysComplete } = found;
    const title = keysComplete ? "Keys: " : "Keys (there may be others): ";
    if (keys.length > 1) element("answer-keys").replaceChildren(title, ...this.#choices(keys));
  }

  /** Name a record, and what its source claims. @param {AuditRecord} record */
  showRecord(record) {
    const { san = {}, claimed_keys: keys = [], wrong_keys: wrong = [] } = record;
    element("answer-title").replaceChildren(...recordTitle(record));
    element("answer-title").hidden = false;
    const words = [...new Set([record.verdict, ...record.disagreements ?? []])].filter(Boolean)
      .join(", ");
    const claimed = claimText(record);
    const said = [claimed && `Claimed: ${claimed}`, words].filter(Boolean).join("; ");
    const named = namedMoves(keys, san.claimed_keys).map(({ uci, san: name }) =>
      ({ uci, san: wrong.includes(uci) ? `${name}?` : name }));
    const line = namedMoves(record.claimed_line, san.claimed_line);
    /** @type {[string, (Node | string)[]][]} */
    const lines = [
      [words && said, []], ["Claimed keys: ", this.#choices(named)],
      ["Claimed line: ", moveButtons(line, this.before)],
    ];
    element("answer-claim").replaceChildren(...lines.flatMap(([title, moves], at) =>
      (at ? moves.length : title) ? [make("p", {}, title, ...moves)] : []));
  }

  /** Moves to choose from. @param {Move[]} moves */
  #choices(moves) {
    return moves.flatMap(({ uci, san }) => [moveButton(san, [...this.path, uci]), " "]);
  }

  /** @param {Known} known @param {number|null} upper */
  #details({ lower, nodes, seconds, line }, upper) {
    drawRuler(element("answer-ruler"), lower, upper);
    const speed = seconds > 0.1 ? `, ${(nodes / seconds / 1e6).toFixed(1)} million a second` : "";
    const spent = `${several(nodes, "node")} in ${timeText(seconds)}`;
    element("answer-spent").textContent = spent + speed;
    element("answer-line").replaceChildren(...moveButtons(line, this.before, this.path));
  }
}
