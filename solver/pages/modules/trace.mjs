// The page of `matesolve trace --html`.

import { element } from "./dom.mjs";
import { unpack } from "./engine.mjs";
import { Stepper } from "./stepper.mjs";
import { Tracer } from "./tracer.mjs";

const data = JSON.parse(element("data").textContent);
const stepper = new Stepper(data.words);
const canSearch = data.modules && typeof WebAssembly === "object";
const tracer = canSearch ? new Tracer(data, stepper) : null;
unpack(data.record).then((bytes) => {
  const record = JSON.parse(new TextDecoder().decode(bytes));
  stepper.show(record, Number(location.hash.slice(1)) || 0);
  tracer?.follow(record);
});
