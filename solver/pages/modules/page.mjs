/** The live board: what is set up is searched, played and counted. */

import { Count } from "./count.mjs";
import { pageData } from "./data.mjs";
import { splitStipulation, stipulationText } from "./sentences.mjs";
import { Setup } from "./setup.mjs";
import { Viewer } from "./viewer.mjs";

const viewer = new Viewer();
const setup = new Setup(viewer.board, {
  onPosition: (fen, find) => {
    if (find !== null) {
      const [name, length] = splitStipulation(find || "#");
      viewer.fillForm({ name, length: length || "", nodes: viewer.form().nodes });
    }
    viewer.setUp(fen);
  },
  onMode: () => viewer.toStart(),
  stipulation: () => (viewer.state.question ? stipulationText(viewer.state.question) : ""),
});
viewer.onPosition = (read) => setup.show(read);
new Count({
  data: pageData.experiments,
  preset: (/** @type {string} */ fen) => (location.hash = `fen=${encodeURIComponent(fen)}`),
  count: (fields, depth, nodes, onProgress, signal) => {
    const worker = viewer.engine(0);
    signal.addEventListener("abort", () => worker.stop());
    const asked = { fields, depth, nodes, windows: pageData.experiments };
    const question = { fen: viewer.state.here?.fen, moves: [], ...asked };
    return worker.ask("count", question, onProgress, "laboratory").finally(() => worker.end());
  },
});
setup.open(pageData.fen);
