/** Makes a thread of Node what `worker.mjs` expects, which follows this in one script. */

const { parentPort, receiveMessageOnPort } = require("node:worker_threads");

/** Handle the messages that have arrived while a search runs. */
function receive() {
  for (let next; (next = receiveMessageOnPort(parentPort)); ) {
    parentPort.onmessage({ data: next.message });
  }
}

globalThis.self = Object.assign(parentPort, { receive });
