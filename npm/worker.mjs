/** The worker: it searches, and grades lines. */

import { grade } from "./grade.mjs";
import { search, serve } from "./modules/host.mjs";

serve({ grade, search });
