/** What becomes of any first move: how it is refuted, or how long it takes. */

import { element, makeButton } from "./dom.mjs";
import { notSolved } from "./play.mjs";
import { played } from "./squares.mjs";

/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./sentences.mjs").Question} Question */
/** @typedef {import("./viewer.mjs").Viewer} Viewer */

/** @type {unknown} the position whose moves are offered */
let offered = null;

/** Offer every first move, and show what became of one. @param {Viewer} viewer */
export function showFirstMoves(viewer) {
  const { question, isLive, root, first } = viewer.state;
  element("answer-first").hidden = !question || !isLive || question.part === "help";
  element("answer-first-answer").textContent = first;
  if (root === offered) return;
  offered = root;
  const buttons = root?.moves.map((move) => makeButton(() => askFirst(viewer, move), {}, move.san));
  element("answer-first-moves").replaceChildren(...buttons ?? []);
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
  const ask = (job, about, onProgress) =>
    viewer.thinker.ask(job, { fen: question.fen, moves: [], stipulation: question, ...about },
      onProgress, question.part);
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
    const about = isMated ? { fen: played(question.fen, [move.uci]) } : { rootMove: move.uci };
    const found = await ask("search", { ...about, stipulation, nodes: null },
      (/** @type {any} */ { lower, upper }) => say(upper ? `mate in ${Math.abs(upper)} or fewer ...`
        : `no mate in fewer than ${lower} ...`));
    say(found.mate === null ? "no mate" : `mate in ${Math.abs(found.mate)}`);
  } catch (error) {
    say(notSolved(error));
  }
}
