// The page of `matesolve table --html`: it draws the counts of its record by depth.

import { DepthCharts, GLASS } from "./depths.mjs";
import { element } from "./dom.mjs";

const { techniques, rows } = JSON.parse(element("data").textContent);
const glass = rows.some((/** @type {object} */ row) => "glass" in row) ? GLASS : [];
element("charts").hidden = false;
const charts = new DepthCharts(element("chart"), [...Object.keys(techniques), ...glass]);
const draw = () => charts.draw(rows);
addEventListener("resize", draw);
draw();
