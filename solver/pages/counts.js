"use strict";

/** Shows or hides the lines and the rows of a variant. */
function show(key, visible) {
  for (const part of document.querySelectorAll(`[data-key="${key}"]`)) {
    part.toggleAttribute("hidden", !visible);
  }
}

/** Gives each variant of a chart a box that hides it. */
function addBoxes() {
  for (const item of document.querySelectorAll("[data-variant]")) {
    const key = item.dataset.variant;
    if (!document.querySelector(`.series[data-key="${key}"]`)) {
      continue;
    }
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => show(key, box.checked));
    const label = document.createElement("label");
    label.append(box, " show");
    item.append(label);
  }
}

/** Writes the counts of a depth above the charts, and marks its row in the table. */
function point(strip) {
  const readout = document.getElementById("readout");
  readout.textContent = strip.querySelector("title").textContent.split("\n").join(" · ");
  for (const row of document.querySelectorAll("#details tbody tr")) {
    row.classList.toggle("pointed", row.cells[0].textContent === strip.dataset.depth);
  }
}

addBoxes();
const invitation = document.getElementById("readout");
if (invitation) {
  invitation.hidden = false;
}
for (const strip of document.querySelectorAll(".depth")) {
  strip.addEventListener("pointerenter", () => point(strip));
}
