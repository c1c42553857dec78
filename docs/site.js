// A frame is as high as the page in it, which grows while its script works.
for (const frame of document.querySelectorAll("iframe")) {
  const fit = () => {
    const page = frame.contentDocument; // null where files are no site
    if (!page?.body) return;
    new ResizeObserver(() => {
      frame.style.height = `${page.body.offsetHeight}px`;
    }).observe(page.body);
  };
  frame.addEventListener("load", fit);
  fit();
}
