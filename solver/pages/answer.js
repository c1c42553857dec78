"use strict";

const SQUARE = 45;
const MARGIN = 15;

const board = document.getElementById("board");
const caption = document.getElementById("after");
const play = document.getElementById("play");
const diagram = board.querySelector(".diagram");
const position = board.querySelector(".position");

/** The move whose position stays on the board; null: the diagram does. */
let chosen = null;

/** Draws an SVG element into a group. */
function draw(group, tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  group.append(element);
}

/** Shows the position after a move, or the diagram without one. */
function show(move) {
  diagram.hidden = move !== null;
  position.hidden = move === null;
  caption.textContent = move ? `After ${move.textContent}` : "";
  if (!move) {
    return;
  }
  const squares = position.querySelector(".squares");
  const pieces = position.querySelector(".pieces");
  squares.replaceChildren();
  pieces.replaceChildren();
  for (const name of [move.dataset.uci.slice(0, 2), move.dataset.uci.slice(2, 4)]) {
    draw(squares, "rect", {
      x: MARGIN + SQUARE * "abcdefgh".indexOf(name[0]),
      y: MARGIN + SQUARE * (8 - Number(name[1])),
      width: SQUARE,
      height: SQUARE,
    });
  }
  move.dataset.placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (letter >= "1" && letter <= "8") {
        file += Number(letter);
      } else {
        const [x, y] = [MARGIN + SQUARE * file, MARGIN + SQUARE * row];
        draw(pieces, "use", { href: `#piece-${letter}`, x, y, width: SQUARE, height: SQUARE });
        file += 1;
      }
    }
  });
}

/** Leaves the position after a move on the board; null: the diagram. */
function choose(move) {
  if (chosen) {
    chosen.classList.remove("chosen");
  }
  chosen = move;
  if (move) {
    move.classList.add("chosen");
    move.scrollIntoView({ block: "nearest" });
  }
  show(move);
}

/** Chooses the move that is so many moves farther down the page, of those unfolded. */
function step(by) {
  const moves = [...play.querySelectorAll(".move")].filter((move) => move.checkVisibility());
  const next = chosen ? moves.indexOf(chosen) + by : 0;
  if (next >= 0 && next < moves.length) {
    choose(moves[next]);
  }
}

if (play) {
  play.addEventListener("pointerover", (event) => {
    const move = event.target.closest(".move");
    if (move) {
      show(move);
    }
  });
  play.addEventListener("pointerleave", () => show(chosen));
  play.addEventListener("click", (event) => {
    const move = event.target.closest(".move");
    if (move) {
      event.preventDefault(); // a line folds at its other places
      choose(move);
    }
  });
  board.addEventListener("click", () => choose(null));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      step(event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "Escape") {
      choose(null);
    }
  });
  const controls = document.getElementById("controls");
  controls.hidden = false;
  for (const button of controls.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      for (const line of play.querySelectorAll("details")) {
        line.open = button.dataset.open === "yes";
      }
    });
  }
}
