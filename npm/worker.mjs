/** The worker: it searches, and grades lines. */

import { grade } from "./grade.mjs";
import { serve } from "./modules/host.mjs";
import { search } from "./modules/search.mjs";

serve({ grade, search });
