/** Makes the article that shows an entry; its diagram is drawn by `drawDiagram`. */
function showEntry(entry) {
  const article = make("article", { class: `entry ${markOf(entry)}` });
  if (entry.fen) {
    const diagram = make("div", { class: "diagram" });
    diagram.dataset.place = entry.place;
    article.append(diagram);
  } else {
    article.classList.add("boardless");
  }
  article.append(make("div", {}, entryHeader(entry), entryFacts(entry)));
  return article;
}

/** Gives the class that colours an entry: its verdict, if that says it all. */
function markOf(entry) {
  if (entry.agrees || audit.notAgreeing.includes(entry.word)) {
    return entry.word;
  }
  return entry.disagreements.length ? "unsound" : "undecided";
}

function entryHeader(entry) {
  const header = make(
    "header",
    {},
    make("h3", {}, entry.id || "(no name)"),
    make("span", { class: `badge ${entry.word}` }, swatch(entry.word), entry.word),
  );
  if (entry.soundness) {
    const mark = entry.soundness === "sound" ? "sound" : "unsound";
    header.append(make("span", { class: `badge ${mark}` }, entry.soundness));
  }
  if (entry.disagreements.includes("dual")) {
    header.append(make("span", { class: "badge unsound" }, "dual"));
  }
  if (entry.source) {
    header.append(make("span", {}, entry.source));
  }
  return header;
}

/** Lists what is known of an entry; what is not known is left out. */
function entryFacts(entry) {
  const facts = make("dl", { class: "facts" });
  const tell = (name, ...values) => {
    if (values[0]) {
      facts.append(make("dt", {}, name), make("dd", {}, ...values));
    }
  };
  tell("Error", entry.error);
  if (entry.fen) {
    tell("Claimed", claimInWords(entry.claim));
    tell("Found", foundInWords(entry));
    if (entry.claimedLine === entry.foundLine) {
      tell("Both lines", entry.foundLine);
    } else {
      tell("Claimed line", entry.claimedLine);
      tell("Found line", entry.foundLine);
    }
    tell("Claimed keys", entry.claimedKeys === entry.wrongKeys ? "" : entry.claimedKeys);
    tell("Wrong keys", entry.wrongKeys);
    tell("All keys", entry.keysComplete ? entry.keys : "");
    tell("Keys", entry.keysComplete || !entry.keys ? "" : `${entry.keys}, perhaps not all`);
    tell("Choices", entry.duals.join("; "));
    tell("Cost", costOf(entry));
    tell("FEN", make("code", { class: "fen" }, entry.fen), copyButton(entry.fen));
    tell("", lichessLink(entry.fen));
  }
  return facts;
}

function costOf(entry) {
  const time = typeof entry.timeS === "number" ? ` in ${duration(entry.timeS)}` : "";
  return `${count(entry.nodes)} nodes${time}`;
}

/** Makes the button that copies a text, or says that the browser does not allow it. */
function copyButton(text) {
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed: mark it and copy";
    }
  });
  return button;
}

function lichessLink(fen) {
  const address = `https://lichess.org/analysis/standard/${encodeURI(fen.replace(/ /g, "_"))}`;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, "Analyse on lichess");
}

/** Draws the diagram of an entry into its place. */
function drawDiagram(diagram) {
  const entry = entries[Number(diagram.dataset.place)];
  const arrows = [];
  let caption = `${entry.fen.split(" ")[1] === "b" ? "Black" : "White"} to move`;
  if (entry.foundMove) {
    arrows.push({ move: entry.foundMove, kind: "key" });
  }
  // Narrower and on top, so that both are seen where they lie on one line.
  if (entry.claimedMove) {
    arrows.push({ move: entry.claimedMove, kind: "claimed" });
    caption += "; dashed: as claimed";
  }
  diagram.replaceChildren(drawBoard(entry.fen, arrows), make("p", {}, caption));
}
