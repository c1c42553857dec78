// The panels of a viewer: the answer, what becomes of other first moves, the play and its texts.

import { copyText, element, make, makeButton, onClicks, several } from "./dom.mjs";
import {
  claimText, factsOf, namedMoves, played, recordTitle, say, sideOf, stipulationText, turned,
} from "./records.mjs";
import { blackBegins, numbered, PASSED } from "./rows.mjs";
import { helpPlay, pgnText, playGaps, popeyeText } from "./texts.mjs";
import { moveButton, Tree, withLevel } from "./tree.mjs";

/** @import { Attack } from "./levels.mjs" */
/** @import { Move } from "./rules.mjs" */
/** @import { AuditRecord, Question, State } from "./records.mjs" */
/** @import { Play } from "./rows.mjs" */
/** @import { Viewer } from "./viewer.mjs" */

// The answer: what is proved, what it cost, and the line.

/** A line of moves as buttons, with blanks between them.
 * @param {Move[]} line @param {number} before half-moves of its first number that come before it */
const moveButtons = (line, before) => numbered(line.map(({ san }) => san), before)
  .flatMap((name, ply) => [moveButton(name, line.slice(0, ply + 1).map(({ uci }) => uci)), " "]);

/** Moves to choose from. @param {Move[]} moves */
const choices = (moves) => moves.flatMap(({ uci, san }) => [moveButton(san, [uci]), " "]);

/** @type {State | null} what is drawn */
let drawn = null;

/** @param {State} state */
export function drawAnswer(state) {
  const before = drawn;
  drawn = state;
  const { question, answer, progress, doing, fault, record, isLive } = state;
  if (before && question === before.question && answer === before.answer && fault === before.fault
    && progress === before.progress && doing === before.doing) return;
  const known = answer ?? progress;
  const isOpen = answer && !["proved", "disproved"].includes(answer.status);
  Object.assign(element("answer").dataset, {
    fen: question?.fen ?? "", mate: known?.mate ?? "", lower: known?.lower_bound ?? 0,
    nodes: known?.nodes ?? 0, state: doing === "searching" || doing === "reading" ? "searching"
      : doing === "paused" || isOpen ? "stopped" : fault ? "error" : "closed",
  });
  const facts = answer ? factsOf(answer) : {};
  element("answer-headline").textContent = headline(state, facts);
  element("answer-proof").textContent =
    answer ? `${say("proof", facts)} ${say("stop", facts)}`.trim() : "";
  const canGoOn = doing === "paused" || (!doing && isOpen && isLive);
  element("answer-stop").textContent = canGoOn ? "Go on" : "Stop";
  element("answer-stop").disabled = !canGoOn && doing !== "searching";
  const roles = say("roles", facts);
  element("answer-roles").hidden = !roles || !isLive;
  element("answer-roles").firstElementChild.textContent = roles;
  element("answer-turn").textContent = `Let ${sideOf(turned(question?.fen ?? ""))} begin`;
  element("answer-title").replaceChildren(...record ? recordTitle(record) : []);
  element("answer-title").hidden = !record;
  drawDetails(state, facts);
  if (record !== before?.record) drawClaim(record);
}

/** @param {State} state @param {Record<string, any>} facts */
function headline({ answer, progress, doing, fault, record }, facts) {
  if (answer) return say("headline", facts);
  if (fault) return fault;
  if (!progress) return record && !doing ? "Not solved yet" : "Reading the position ...";
  const { mate } = progress;
  return (doing === "paused" ? "Stopped" : "Searching") +
    (mate === null ? " ..." : `: mate in ${Math.abs(mate)} or fewer`);
}

/** Bounds, cost, line, solutions and keys. @param {State} state @param {any} facts */
function drawDetails({ question, answer, progress }, facts) {
  const known = answer ?? progress ?? {};
  const { san = {}, keys = [], solutions = [], mate, nodes, time_s: time } = known;
  const isHelp = question?.part === "help";
  const from = isHelp ? Math.ceil((question?.moves ?? 0) % 1)
    : question ? blackBegins(question.fen) : 0;
  drawRuler(element("answer-ruler"), known.lower_bound ?? 0, mate && Math.abs(mate));
  const speed = time > 0.1 ? `, ${several(Number((nodes / time).toPrecision(2)), "node")}/s` : "";
  element("answer-spent").textContent = answer ? say("cost", facts) + speed
    : progress ? several(nodes, "node") + speed : "";
  element("answer-solutions").hidden = !solutions.length;
  element("answer-solutions").replaceChildren(...solutions.map(
    (/** @type {string[]} */ line, /** @type {number} */ at) =>
      make("li", {}, ...moveButtons(namedMoves(line, san.solutions?.[at]), from))));
  element("answer-line").replaceChildren(
    ...solutions.length ? [] : moveButtons(namedMoves(known.pv, san.pv), from));
  const [words, ending] = say("named_keys", { ...facts, names: "\n" }).split("\n");
  element("answer-keys").replaceChildren(...keys.length && !isHelp
    ? [`${words} `, ...choices(keys), ending ?? ""] : []);
}

/** What the source of a record claims. @param {AuditRecord | null} record */
function drawClaim(record) {
  if (!record) return element("answer-claim").replaceChildren();
  const { san = {}, claimed_keys: keys = [], wrong_keys: wrong = [] } = record;
  const words = [...new Set([record.verdict, ...record.disagreements ?? []])].filter(Boolean);
  const claimed = claimText(record);
  const said = [claimed && `Claimed: ${claimed}`, words.join(", ")].filter(Boolean).join("; ");
  const named = namedMoves(keys, san.claimed_keys).map(({ uci, san: name }) =>
    ({ uci, san: wrong.includes(uci) ? `${name}?` : name }));
  const line = moveButtons(namedMoves(record.claimed_line, san.claimed_line),
    blackBegins(record.fen));
  return element("answer-claim").replaceChildren(
    ...words.length ? [make("p", {}, said)] : [],
    ...named.length ? [make("p", {}, "Claimed keys: ", ...choices(named))] : [],
    ...line.length ? [make("p", {}, "Claimed line: ", ...line)] : []);
}

// Both bounds on one ruler: the lengths that are excluded, open, and proved to suffice.

const [RULER_CELLS, RULER_MOST, RULER_CELL, RULER_HEIGHT] = [12, 40, 40, 56];
const RULER_BOX = { y: 4, width: RULER_CELL - 2, height: 28, rx: 4 };

/** Draw the bounds on the length of a mate, in moves, if something is known of it.
 * @param {Element} host @param {number} lower no mate takes fewer moves: proved
 * @param {number | null | undefined} upper a mate in so many moves is proved */
function drawRuler(host, lower, upper = null) {
  if (lower < 2 && !upper) return host.replaceChildren();
  const end = Math.max(RULER_CELLS, lower + 2, (upper ?? 0) + 2);
  const first = end > RULER_MOST ? Math.max(1, Math.min(lower, end - RULER_MOST) - 2) : 1;
  const cells = Math.min(end - first + 1, RULER_MOST);
  const words = upper === null ? `no mate in fewer than ${lower} moves`
    : `a mate in ${upper} moves, none in fewer than ${lower}`;
  const look = { viewBox: `0 0 ${cells * RULER_CELL} ${RULER_HEIGHT}`, class: "ruler" };
  const label = { role: "img", "aria-label": `Proved: ${words}` };
  return host.replaceChildren(make("svg", { ...look, ...label },
    ...Array.from({ length: cells }, (_, i) => first + i).flatMap((moves, i) => {
      const isMate = upper !== null && moves >= upper;
      const isMet = upper === lower && moves === upper;
      const kind = isMet ? "met" : moves < lower ? "excluded" : isMate ? "mate" : "open";
      const place = { x: (i + 0.5) * RULER_CELL, y: 51, class: `ruler-number-${kind}` };
      return [make("rect", { ...RULER_BOX, x: i * RULER_CELL + 1, class: `ruler-${kind}` }),
        make("text", place, String(moves))];
    })));
}

// What becomes of any first move: how it is refuted, or how long it takes.

/** @type {unknown} the position whose moves are offered */
let offered = null;

/** Offer every first move, and show what became of one. @param {Viewer} viewer */
export function showFirstMoves(viewer) {
  const { question, isLive, root, first } = viewer.state;
  element("answer-first").hidden = !question || !isLive || question.part === "help";
  element("answer-first-answer").textContent = first;
  if (root === offered) return;
  offered = root;
  element("answer-first-moves").replaceChildren(...(root?.moves ?? []).map((move) =>
    makeButton(() => askFirst(viewer, move), {}, move.san)));
}

/** How a first move fails, or how long it takes.
 * @param {Viewer} viewer @param {Move} move */
async function askFirst(viewer, move) {
  const { question, doing } = viewer.state;
  if (!question) return;
  viewer.thinker.stop();
  if (doing) viewer.learn(question, { doing: doing === "searching" ? "paused" : "" });
  let said = `${move.san}: `;
  const say = (/** @type {string} */ words) => viewer.learn(question, { first: said + words });
  /** @param {string} job @param {object} about @param {(progress: any) => void} [onProgress] */
  const ask = (job, about, onProgress) => viewer.think(question, job, about, onProgress);
  const { moves, goal, name } = question;
  const length = moves ?? viewer.state.answer?.mate ?? null;
  const isMated = length !== null && length < 0;
  say("searching ...");
  try {
    if (length !== null && !isMated) {
      const stipulation = { ...question, moves: length };
      const refuting = await ask("refutations", { moves: [move.uci], stipulation });
      const names = refuting.map((/** @type {Move} */ { san }) => san).join(", ");
      said += names ? `refuted by ${names}: no ${goal} in ${length}` : "a key";
      say("");
      if (!names || name !== "#") return;
      said += "; ";
    }
    const stipulation = { ...question, moves: null };
    const about = isMated ? { moves: [move.uci] } : { rootMoves: move.uci };
    const found = await ask("search", { ...about, stipulation, nodes: null },
      (/** @type {any} */ { lower, upper }) => say(upper ? `mate in ${Math.abs(upper)} or fewer ...`
        : `no mate in fewer than ${lower} ...`));
    say(found.mate === null ? "no mate" : `mate in ${Math.abs(found.mate)}`);
  } catch (error) {
    say(notSolved(error));
  }
}

// The panel with the play of a composition, and the texts that are copied.

export const AUTOMATIC_PLAY = 3; // moves: longer play is listed on demand, level by level
const ALL_MOVES = 50_000; // of both sides, as `solve` shows
const NO_SET_PLAY = "There is no set play.";

/** What is copied, and the function that writes it. */
const WRITERS = /** @type {const} */ ({
  popeye: ["the play in Popeye's form", popeyeText], pgn: ["the PGN", pgnText],
  json: ["the record", jsonText],
});

/** The record without what only pages have, and its play without what only Popeye's text needs.
 * @param {AuditRecord} record @param {Play | null} play */
function jsonText({
  san, row, shown, fault, change, duplicate, stalemated, restriction, texts, ...record
}, play) {
  const skipped = ["isCheck", "isWhole", "forced", "long", "lines", "names"];
  return `${JSON.stringify(play ? { ...record, play } : record, (name, value) =>
    skipped.includes(name) ? undefined : value, 2)}\n`;
}

/** @param {unknown} error */
const notSolved = (error) =>
  `Not solved: ${(error instanceof Error && error.message) || "stopped"}.`;

export class PlayPanel {
  /** The listing of a play, while it runs. @type {Promise<unknown>} */
  running = Promise.resolve();

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.tree = new Tree((attack, path) => this.openLevel(attack, path));
    for (const id of ["tree-tries", "tree-all"]) {
      element(id)?.addEventListener("change", () => viewer.state.play && this.list());
    }
    onClicks({
      "tree-show": () => this.list(), "tree-unfold": () => this.unfold(),
      "tree-fold": () => this.tree.unfold(false), "answer-popeye": () => this.copy("popeye"),
      "answer-pgn": () => this.copy("pgn"), "answer-json": () => this.copy("json"),
    });
    element("tree-tools")?.toggleAttribute("hidden", !viewer.canSolve);
  }

  /** @param {State} state */
  draw({ question, answer, play, doing, listed }) {
    this.tree.draw(play, question, (question?.moves ?? answer?.mate ?? 0) <= AUTOMATIC_PLAY);
    element("tree-status").textContent = doing === "listing" ? listed || "solving ..."
      : play?.keys ? playGaps(play).join(" ") : listed;
    element("tree-tools")?.classList.toggle("of-help", question?.part === "help");
    element("tree-show")?.replaceChildren(doing === "listing" ? "Stop"
      : `Show the ${question?.part === "help" ? "set " : ""}play`);
    const hasPopeye = this.viewer.canSolve || answer?.texts || answer?.solutions;
    element("answer-popeye").hidden = !hasPopeye; // which has the play, no main line
    element("tree-folding").hidden = !this.tree.place.querySelector("details");
  }

  /** List the play, or stop looking for it: whole if it is short or all of it is wanted.
   * @param {boolean} isWhole */
  async list(isWhole = false) {
    const { question, answer, doing, root } = this.viewer.state;
    if (doing === "listing") return this.viewer.thinker.stop();
    if (question?.part === "help" && answer) {
      return root?.check || question.moves === 0.5
        ? this.viewer.learn(question, { listed: NO_SET_PLAY })
        : this.running = this.build(question, () => this.setPlay(question));
    }
    const { moves } = this;
    if (question && moves) {
      return this.running = this.build(question, () => this.battlePlay(question, moves, isWhole));
    }
    return question && this.viewer.learn(question, { listed: "No mate is known yet." });
  }

  /** How many moves the play has; none without a known mate, and in help play.
   * @returns {number} */
  get moves() {
    const { question, answer } = this.viewer.state;
    return !answer || question?.part === "help" ? 0 : question?.moves ?? answer.mate ?? 0;
  }

  /** @param {Question} question @param {() => Promise<Play>} solve */
  async build(question, solve) {
    this.viewer.thinker.stop();
    this.viewer.learn(question, { play: null, doing: "listing", listed: "" });
    try {
      const play = await solve();
      this.viewer.learn(question, { play, doing: "",
        listed: play.lines?.length === 0 ? NO_SET_PLAY : "" });
    } catch (error) {
      this.viewer.learn(question, { doing: "", listed: notSolved(error) });
    }
  }

  /** @param {Question} question @param {string} job @param {object} about
   * @returns {Promise<any>} */
  think = (question, job, about) => this.viewer.think(question, job, about, ({ nodes }) =>
    this.viewer.learn(question, { listed: `solving ... ${several(nodes, "node")}` }));

  /** @param {Question} question @param {number} moves @param {boolean} isWhole
   * @returns {Promise<Play>} */
  battlePlay(question, moves, isWhole) {
    const levels = isWhole || Math.abs(moves) <= AUTOMATIC_PLAY ? null : 1;
    return this.think(question, "play", {
      stipulation: { ...question, moves }, line: this.viewer.state.answer?.pv ?? [], levels,
      all: element("tree-all").checked, tries: Number(element("tree-tries").value),
      most: ALL_MOVES,
    });
  }

  /** What helps to the goal if the other side begins, in half a move less.
   * @param {Question} question @returns {Promise<Play>} */
  async setPlay(question) {
    const stipulation = { ...question, moves: (question.moves ?? 0) - 0.5 };
    const found = await this.think(question, "search",
      { fen: played(question.fen, [PASSED]), stipulation, nodes: null });
    return { ...helpPlay({ stipulation: stipulationText(question) }, found),
      lines: found.solutions };
  }

  /** The level after a move of the play. @param {Attack} attack @param {string[]} path
   * @returns {Promise<string>} what went wrong */
  async openLevel(attack, path) {
    const { question, answer, play } = this.viewer.state;
    if (!question || !answer || !play) return "";
    const { moves_left: left = 0, defences } = attack;
    const line = [];
    for (let next = /** @type {any} */ (defences?.[0]); next;
      [next] = next.continuations ?? next.defences ?? []) line.push(next.uci);
    const wanted = {
      moves: path, left, line, most: ALL_MOVES,
      stipulation: { ...question, moves: question.moves ?? answer.mate },
      all: element("tree-all").checked,
    };
    try {
      const level = await this.viewer.think(question, "after", wanted);
      const known = this.viewer.state.play;
      if (known) this.viewer.learn(question, { play: withLevel(known, path, level) });
      return "";
    } catch (error) {
      return notSolved(error);
    }
  }

  /** Unfold the whole play. */
  async unfold() {
    if (this.tree.isWritten || await this.wholePlay()) this.tree.unfold(true);
  }

  /** The play of the question, all of it that a text can have; null: there is none. */
  async wholePlay() {
    const { viewer, viewer: { state: { question } } } = this;
    await this.running;
    if (viewer.state.question !== question) return null;
    const { play } = viewer.state;
    const isWhole = play && (play.isWhole || play.complete_moves === null);
    if (viewer.canSolve && question?.part !== "help" && !isWhole) {
      await this.list(true);
      const known = viewer.state.play;
      if (question && known) viewer.learn(question, { play: { ...known, isWhole: true } });
    }
    return viewer.state.question === question ? viewer.state.play : null;
  }

  /** Copy the answer and its play, or say why nothing is copied.
   * @param {keyof typeof WRITERS} name */
  async copy(name) {
    const { viewer, viewer: { state: { question, answer, isLive } } } = this;
    if (!question || !answer) return viewer.note("There is nothing to copy yet.");
    const written = answer.texts?.[name]; // by the program, with the page
    const isRecord = name === "json" && !isLive;
    const play = written || isRecord ? null : await this.wholePlay();
    if (viewer.state.question !== question) {
      return viewer.note("Nothing is copied: the question has changed.");
    }
    if (!play && !written && !isRecord && viewer.canSolve && this.moves) {
      return viewer.note("Nothing is copied: the play was not solved.");
    }
    const [what, write] = WRITERS[name];
    const text = written ?? write({ ...answer, ...viewer.names }, play);
    return viewer.note(text ? await copyText(text, `${what} of the problem`)
      : "There is no play to copy.");
  }
}
