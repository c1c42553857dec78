/** The jobs of a page that sets up, solves, plays and counts. */

import { solutions } from "./help.mjs";
import { serve } from "./host.mjs";
import { after, play, refutations } from "./levels.mjs";
import { count } from "./scored.mjs";
import { search } from "./search.mjs";
import { trace } from "./traces.mjs";

serve({
  after, count, play, refutations, trace,
  search: (host, question) =>
    (question.stipulation.part === "help" ? solutions : search)(host, question),
  describe: ({ rules }, { fen, moves, black }) => rules.describe(fen, moves, black),
});
