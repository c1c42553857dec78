/** The panel with the answer: what is proved, what it cost, and the line. */

import { element, make, several } from "./dom.mjs";
import { claimText, namedMoves, recordTitle } from "./records.mjs";
import { blackBegins, numbered } from "./rows.mjs";
import { drawRuler } from "./ruler.mjs";
import { factsOf, say } from "./sentences.mjs";

/** @typedef {import("./marks.mjs").AuditRecord} AuditRecord */
/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./viewer.mjs").State} State */

/** A move as a button that plays it. @param {string} text @param {string[]} path from the root */
const moveButton = (text, path) =>
  make("button", { type: "button", class: "move", "data-path": path.join(" ") }, text);

/** A line of moves as buttons, with blanks between them.
 * @param {Move[]} line @param {number} before half-moves of its first number that come before it */
const moveButtons = (line, before) => numbered(line.map(({ san }) => san), before)
  .flatMap((name, ply) => [
    moveButton(name, line.slice(0, ply + 1).map(({ uci }) => uci)), " "]);

/** Moves to choose from. @param {Move[]} moves */
const choices = (moves) => moves.flatMap(({ uci, san }) => [moveButton(san, [uci]), " "]);

export class AnswerPanel {
  root = element("answer");
  /** @type {State | null} what is drawn */
  drawn = null;

  /** @param {State} state */
  draw(state) {
    const before = this.drawn;
    this.drawn = state;
    const { question, answer, progress, doing, fault, record } = state;
    if (before && question === before.question && answer === before.answer && fault === before.fault
      && progress === before.progress && doing === before.doing) return;
    const { dataset } = this.root;
    Object.assign(dataset, {
      fen: question?.fen ?? "", mate: answer?.mate ?? progress?.upper ?? "",
      lower: answer?.lower_bound ?? progress?.lower ?? 0,
      nodes: answer?.nodes ?? progress?.nodes ?? 0,
    });
    const isOpen = answer && !["proved", "disproved"].includes(answer.status);
    dataset.state = doing === "searching" || doing === "reading" ? "searching"
      : doing === "paused" || isOpen ? "stopped" : fault ? "error" : "closed";
    const facts = answer ? factsOf(answer) : {};
    element("answer-headline").textContent = this.headline(state, facts);
    const proof = answer ? [say("proof", facts), say("stop", facts)] : [];
    element("answer-proof").textContent = proof.join(" ").trim();
    element("answer-stop").hidden = doing !== "searching";
    element("answer-resume").hidden = doing !== "paused" && !(isOpen && state.isLive);
    element("answer-title").replaceChildren(...record ? recordTitle(record) : []);
    element("answer-title").hidden = !record;
    this.details(state, facts);
    if (record !== before?.record) this.claim(record);
  }

  /** @param {State} state @param {Record<string, any>} facts */
  headline({ answer, progress, doing, fault, record }, facts) {
    if (answer) return say("headline", facts);
    if (fault) return fault;
    if (!progress) return record && !doing ? "Not solved yet" : "Reading the position ...";
    const found = progress.upper === null ? " ..."
      : `: mate in ${Math.abs(progress.upper)} or fewer`;
    return `${doing === "paused" ? "Stopped" : "Searching"}${found}`;
  }

  /** Bounds, cost, line, solutions and keys. @param {State} state @param {any} facts */
  details({ question, answer, progress }, facts) {
    const { san = {}, keys = [], mate } = answer ?? {};
    const isHelp = question?.part === "help";
    const numberedFrom = isHelp ? Math.ceil((question?.moves ?? 0) % 1)
      : question ? blackBegins(question.fen) : 0;
    const known = answer?.status ? { lower: answer.lower_bound, upper: mate && Math.abs(mate) }
      : progress && { lower: progress.lower, upper: progress.upper && Math.abs(progress.upper) };
    if (known && (known.lower > 1 || known.upper)) {
      drawRuler(element("answer-ruler"), known.lower, known.upper);
    } else element("answer-ruler").replaceChildren();
    const { nodes = 0, seconds = 0 } = progress ??
      { nodes: answer?.nodes, seconds: answer?.time_s };
    const speed = seconds > 0.1 ? `, ${(nodes / seconds / 1e6).toFixed(1)} million a second` : "";
    element("answer-spent").textContent = answer ? say("cost", facts) + speed
      : progress ? several(nodes, "node") + speed : "";
    const list = element("answer-solutions");
    const solutions = (answer?.solutions ?? []).map(
      (/** @type {string[]} */ line, /** @type {number} */ at) =>
        namedMoves(line, san.solutions?.[at]));
    list.hidden = !solutions.length;
    list.replaceChildren(...solutions.map((/** @type {Move[]} */ line) =>
      make("li", {}, ...moveButtons(line, numberedFrom))));
    const line = answer ? namedMoves(answer.pv, san.pv) : progress?.line ?? [];
    element("answer-line").replaceChildren(
      ...solutions.length ? [] : moveButtons(line, numberedFrom));
    const [words, ending] = say("named_keys", { ...facts, names: "\n" }).split("\n");
    element("answer-keys").replaceChildren(...keys.length && !isHelp
      ? [`${words} `, ...choices(keys), ending ?? ""] : []);
  }

  /** What the source of a record claims. @param {AuditRecord | null} record */
  claim(record) {
    if (!record) return element("answer-claim").replaceChildren();
    const { san = {}, claimed_keys: keys = [], wrong_keys: wrong = [] } = record;
    const words = [...new Set([record.verdict, ...record.disagreements ?? []])].filter(Boolean)
      .join(", ");
    const claimed = claimText(record);
    const said = [claimed && `Claimed: ${claimed}`, words].filter(Boolean).join("; ");
    const named = namedMoves(keys, san.claimed_keys).map(({ uci, san: name }) =>
      ({ uci, san: wrong.includes(uci) ? `${name}?` : name }));
    const line = namedMoves(record.claimed_line, san.claimed_line);
    /** @type {[string, (Node | string)[]][]} */
    const lines = [
      [words && said, []], ["Claimed keys: ", choices(named)],
      ["Claimed line: ", moveButtons(line, blackBegins(record.fen))],
    ];
    return element("answer-claim").replaceChildren(...lines.flatMap(([title, moves], at) =>
      (at ? moves.length : title) ? [make("p", {}, title, ...moves)] : []));
  }
}
