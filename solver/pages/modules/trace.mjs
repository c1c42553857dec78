// The page of `matesolve trace --html`.

import { element } from "./dom.mjs";
import { unpack } from "./engine.mjs";
import { Stepper } from "./stepper.mjs";

const data = JSON.parse(element("data").textContent);
unpack(data.record).then((bytes) => {
  const record = JSON.parse(new TextDecoder().decode(bytes));
  new Stepper().show(record, Number(location.hash.slice(1)));
});
