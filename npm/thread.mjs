/** The same worker as a thread of Node, where messages come from another object. */

import { parentPort } from "node:worker_threads";

Object.assign(globalThis, { self: parentPort });
await import("./worker.mjs");
