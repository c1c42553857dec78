const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element; children that are strings become text, never markup. */
function make(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
function draw(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Fills an element of the page with children, in place of those that it had. */
function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children);
}

/** Makes the square that stands for a verdict. */
function swatch(word) {
  return make("span", { class: `swatch ${word}`, "aria-hidden": "true" });
}
