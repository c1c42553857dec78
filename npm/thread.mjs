/** The same worker as a thread of Node, where messages come from another object. */

import { parentPort, receiveMessageOnPort } from "node:worker_threads";

/** Handle the messages that have arrived while a search runs. */
function receive() {
  const port = /** @type {any} */ (parentPort);
  for (let next; (next = receiveMessageOnPort(port)); ) port.onmessage({ data: next.message });
}

Object.assign(globalThis, { self: Object.assign(/** @type {any} */ (parentPort), { receive }) });
await import("./worker.mjs");
