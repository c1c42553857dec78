const SQUARE = 45;
const BOARD = 8 * SQUARE;
const MARGIN = 22;
const FILES = "abcdefgh";

/**
 * Draws a position with White at the bottom and a disc beside the side to move.
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

/** Returns all dark squares as one path. */
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
 * Draws a move as an arrow between the centres of its squares.
 *
 * A claimed move may lie on top of a key, so it is narrower and has a light casing.
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
    diagram.dataset.index = entry.index;
    article.append(diagram);
  } else {
    article.classList.add("boardless");
  }
  article.append(make("div", {}, entryHeader(entry), entryFacts(entry)));
  return article;
}

/** Returns the class that colours an entry: its verdict, unless something else disagrees. */
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

/** Lists the known facts of an entry. */
function entryFacts(entry) {
  const facts = make("dl", { class: "facts" });
  const add = (name, ...values) => {
    if (values[0]) {
      facts.append(make("dt", {}, name), make("dd", {}, ...values));
    }
  };
  add("Error", entry.error);
  if (entry.fen) {
    add("Claimed", claimInWords(entry));
    add("Found", foundInWords(entry));
    add("Solutions", ...entry.solutions.map((line) => make("div", {}, line)));
    if (entry.claimedLine === entry.foundLine) {
      add("Both lines", entry.foundLine);
    } else {
      add("Claimed line", entry.claimedLine);
      add("Found line", entry.foundLine);
    }
    add("Claimed keys", entry.claimedKeys === entry.wrongKeys ? "" : entry.claimedKeys);
    add("Wrong keys", entry.wrongKeys);
    add("All keys", entry.keysComplete ? entry.keys : "");
    add("Keys", entry.keysComplete || !entry.keys ? "" : `${entry.keys} (there may be others)`);
    add("Other moves", entry.duals.join("; "));
    add("Cost", costOf(entry));
    add("FEN", make("code", { class: "fen" }, entry.fen), copyButton(entry.fen));
    add("", lichessLink(entry.fen));
  }
  return facts;
}

function costOf(entry) {
  const time = typeof entry.timeS === "number" ? ` in ${duration(entry.timeS)}` : "";
  return `${count(entry.nodes)} nodes${time}`;
}

/** Makes a button that copies a text, or says that the browser does not allow it. */
function copyButton(text) {
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed: select and copy the text";
    }
  });
  return button;
}

function lichessLink(fen) {
  const url = `https://lichess.org/analysis/standard/${encodeURI(fen.replace(/ /g, "_"))}`;
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Analyse on lichess");
}

/** Draws the diagram of an entry into its element. */
function drawDiagram(diagram) {
  const entry = entries[Number(diagram.dataset.index)];
  const arrows = [];
  let caption = `${entry.fen.split(" ")[1] === "b" ? "Black" : "White"} to move`;
  if (entry.foundMove) {
    arrows.push({ move: entry.foundMove, kind: "key" });
  }
  // Drawn last, on top of the key's arrow: both are visible if they overlap.
  if (entry.claimedMove) {
    arrows.push({ move: entry.claimedMove, kind: "claimed" });
    caption += "; dashed: claimed";
  }
  diagram.replaceChildren(drawBoard(entry.fen, arrows), make("p", {}, caption));
}
