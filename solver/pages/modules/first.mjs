/** What becomes of any first move: how it is refuted, or how long it takes. */

import { element, makeButton } from "./dom.mjs";

/** @typedef {import("./rules.mjs").Move} Move */
/** @typedef {import("./viewer.mjs").Viewer} Viewer */

/** Offer every first move. @param {Viewer} viewer */
export function showFirstMoves(viewer) {
  const { stipulation } = viewer.searched;
  element("answer-first").hidden = !stipulation || stipulation.part === "help";
  element("answer-first-answer").textContent = "";
  const buttons = viewer.here.moves.map((/** @type {Move} */ move) =>
    makeButton(() => askFirst(viewer, move), {}, move.san));
  element("answer-first-moves").replaceChildren(...buttons);
}

/** How a first move fails, or how long it takes.
 * @param {Viewer} viewer @param {Move} move */
async function askFirst(viewer, move) {
  const { searched } = viewer;
  const { stipulation } = searched;
  const after = { ...searched, moves: [...searched.moves, move.uci] };
  viewer.thinker.stop();
  if (!viewer.found && viewer.progress) {
    viewer.answer.showProgress(viewer.progress, "stopped");
  }
  let said = `${move.san}: `;
  const say = (/** @type {string} */ words) => {
    element("answer-first-answer").textContent = said + words;
  };
  say("searching ...");
  try {
    if (stipulation.moves > 0) {
      const refuting = await viewer.ask("refutations", after);
      const names = refuting.map((/** @type {Move} */ { san }) => san).join(", ");
      const none = `no ${stipulation.goal} in ${stipulation.moves}`;
      said += names ? `refuted by ${names}: ${none}` : "a key";
      say("");
      if (!names || stipulation.name !== "#") return;
      said += "; ";
    }
    const any = { ...stipulation, moves: null };
    const asked = stipulation.moves < 0 ? after : { ...searched, rootMove: move.uci };
    const question = { ...asked, stipulation: any, nodes: null };
    const found = await viewer.ask("search", question, ({ lower, upper }) => say(upper
      ? `mate in ${Math.abs(upper)} or fewer ...` : `no mate in fewer than ${lower} ...`));
    say(found.mate === null ? "no mate" : `mate in ${Math.abs(found.mate)}`);
  } catch (error) {
    viewer.fail(error);
  }
}
