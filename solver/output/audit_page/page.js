showSummary();
showCharts();
showKept();
prepareFilters();
showList(readAddress());
if (window.location.hash) {
  scrollToList();
}

form.addEventListener("input", () => {
  writeAddress(1);
  showList(1);
});

form.addEventListener("reset", () => {
  // The fields are only empty when this event is over.
  window.setTimeout(() => {
    writeAddress(1);
    showList(1);
  });
});

form.addEventListener("submit", (event) => event.preventDefault());

window.addEventListener("hashchange", () => {
  showList(readAddress());
  scrollToList();
});

window.addEventListener("beforeprint", () => {
  document.querySelectorAll(".diagram:empty").forEach(drawDiagram);
});
