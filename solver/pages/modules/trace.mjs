// The page of `matesolve trace --html`.

import { pageData } from "./data.mjs";
import { unpack } from "./engine.mjs";
import { Stepper } from "./stepper.mjs";
import { Tracer } from "./tracer.mjs";

const stepper = new Stepper();
const canSearch = pageData.modules && typeof WebAssembly === "object";
const tracer = canSearch ? new Tracer(pageData, stepper) : null;
unpack(pageData.record).then((bytes) => {
  const record = JSON.parse(new TextDecoder().decode(bytes));
  stepper.show(record, Number(location.hash.slice(1)) || 0);
  tracer?.follow(record);
});
