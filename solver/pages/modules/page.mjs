/** The live board: what is set up is searched, played and counted. */

import { Count } from "./count.mjs";
import { element } from "./dom.mjs";
import { Setup } from "./setup.mjs";
import { Viewer } from "./viewer.mjs";

const data = JSON.parse(element("data").textContent);
const viewer = new Viewer(data);
const setup = new Setup(viewer.board, {
  onPosition: (/** @type {string} */ fen) => viewer.setUp(fen), onMode: () => viewer.draw(),
});
viewer.onPosition = (here, asked) => {
  if (asked !== undefined) return setup.show(here, asked);
  if (!here.fault) setup.follow(here.fen);
  return true;
};
new Count({
  data: data.experiments,
  preset: (/** @type {string} */ fen) => (location.hash = `fen=${encodeURIComponent(fen)}`),
  count: (fields, depth, nodes, onProgress, signal) => {
    const worker = viewer.engine(0);
    signal.addEventListener("abort", () => worker.stop());
    const asked = { fields, depth, nodes, windows: data.experiments };
    const question = { fen: viewer.root, moves: viewer.played, ...asked };
    return worker.ask("count", question, onProgress, "laboratory").finally(() => worker.end());
  },
});
setup.open(data.fen);
