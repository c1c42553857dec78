/** What the program has written into the page. */

/** @type {any} */
export const pageData = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
