const SQUARE = 45;
const BOARD = 8 * SQUARE;
const MARGIN = 22;
const FILES = "abcdefgh";

/**
 * Draws a position, White at the bottom, a disc beside the side to move.
 *
 * @param {string} fen
 * @param {{move: string, kind: string}[]} arrows moves in UCI notation.
 */
function drawBoard(fen, arrows) {
  const [placement, side] = fen.split(" ");
  const moverY = side === "b" ? SQUARE / 2 : BOARD - SQUARE / 2;
  return draw(
    "svg",
    {
      class: "board",
      role: "img",
      "aria-label": fen,
      viewBox: `${-MARGIN} -2 ${BOARD + 2 * MARGIN} ${BOARD + MARGIN + 2}`,
    },
    draw("rect", { class: "light", width: BOARD, height: BOARD }),
    draw("path", { class: "dark", d: darkSquares() }),
    draw("rect", { class: "frame", width: BOARD, height: BOARD }),
    ...coordinates(),
    ...pieces(placement),
    ...arrows.map(drawArrow),
    draw("circle", {
      class: side === "b" ? "mover black" : "mover",
      cx: BOARD + MARGIN / 2,
      cy: moverY,
      r: 8,
    }),
  );
}

/** Gives the outline of all dark squares, as one path. */
function darkSquares() {
  let path = "";
  for (let row = 0; row < 8; row += 1) {
    for (let file = (row + 1) % 2; file < 8; file += 2) {
      path += `M${file * SQUARE} ${row * SQUARE}h${SQUARE}v${SQUARE}h-${SQUARE}z`;
    }
  }
  return path;
}

function coordinates() {
  return Array.from(FILES, (letter, index) => [
    draw("text", { x: (index + 0.5) * SQUARE, y: BOARD + 17 }, letter),
    draw("text", { x: -MARGIN / 2, y: (7.5 - index) * SQUARE + 5 }, `${index + 1}`),
  ]).flat();
}

/** Draws the pieces of a FEN's first field. */
function pieces(placement) {
  const drawn = [];
  placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (letter >= "1" && letter <= "8") {
        file += Number(letter);
      } else {
        drawn.push(draw("use", { href: `#piece-${letter}`, x: file * SQUARE, y: row * SQUARE }));
        file += 1;
      }
    }
  });
  return drawn;
}

/**
 * Draws a move from the middle of its first square to that of its second.
 *
 * A claimed move is drawn narrower than a key, in a light casing: it may lie upon one.
 */
function drawArrow({ move, kind }) {
  const [fromX, fromY, toX, toY] = [0, 2].flatMap((at) => [
    (FILES.indexOf(move[at]) + 0.5) * SQUARE,
    (8.5 - Number(move[at + 1])) * SQUARE,
  ]);
  const length = Math.hypot(toX - fromX, toY - fromY);
  const [headLength, headWidth] = kind === "claimed" ? [15, 14] : [25, 30];
  const shaft = { x1: 8, y1: 0, x2: length - 2 - headLength, y2: 0 };
  const turn = (Math.atan2(toY - fromY, toX - fromX) * 180) / Math.PI;
  return draw(
    "g",
    { class: `arrow ${kind}`, transform: `translate(${fromX} ${fromY}) rotate(${turn})` },
    draw("line", { class: "casing", ...shaft }),
    draw("line", shaft),
    draw("path", { d: `M${length - 2} 0l-${headLength} -${headWidth / 2}v${headWidth}z` }),
  );
}

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
