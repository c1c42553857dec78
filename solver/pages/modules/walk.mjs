// Where the reader is in the lines of a page: every move on it is an element of the class `move`
// whose `data-path` has the UCI moves from the root.
//
//   walk = new Walk(() => {})      called when the position on the board is another one
//   walk.begin(); walk.go(path); walk.back(); walk.forward()
//   walk.mark() -> the text of the move that leads here
//
// Clicks on moves and the arrow keys walk too.

export class Walk {
  /** @type {string[]} moves played from the root, and how many of them are on the board */
  moves = [];
  ply = 0;
  /** What Back and Escape do. */
  onBack = () => this.back();
  onStart = () => this.go([]);
  /** @type {Element|null} the line that is followed */
  #line = null;

  /** @param {() => unknown} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    document.addEventListener("click", (event) => {
      const move = /** @type {Element} */ (event.target).closest(".move");
      if (!move) return;
      event.preventDefault(); // a line folds at its other places
      this.#line = move.closest(".moves, .tree");
      this.go(pathOf(move).split(" "));
    });
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** The moves that lead to the position on the board. */
  get played() {
    return this.moves.slice(0, this.ply);
  }

  /** Another root. */
  begin() {
    Object.assign(this, { moves: [], ply: 0 });
    this.#line = null;
  }

  /** Go to the position after moves; those that follow are kept. @param {string[]} path */
  go(path) {
    const isKept = path.every((uci, ply) => uci === this.moves[ply]);
    Object.assign(this, { moves: isKept ? this.moves : path, ply: path.length });
    this.onGo();
  }

  back() {
    const before = this.played.slice(0, -1);
    this.go(before.at(-1) === "0000" ? before.slice(0, -1) : before);
  }

  forward() {
    const next = this.next();
    if (next.length) this.go(next);
  }

  /** The moves to the position that comes next: on the line that is followed, else on the first
   * one from here, else farther down the play; empty: none. @returns {string[]} */
  next() {
    if (this.ply < this.moves.length) return this.moves.slice(0, this.ply + 1);
    const here = this.played.join(" ");
    const before = here && `${here} `;
    const selector = here ? `.move[data-path^="${CSS.escape(before)}"]` : ".move";
    const isPlay = this.#line?.matches(".tree");
    const onward = [this.#line, isPlay ? null : document.body].flatMap((place) =>
      [...place?.querySelectorAll(selector) ?? []]);
    let found = onward.find((move) => !pathOf(move).slice(before.length).includes(" "));
    if (!found && this.#line && isPlay) {
      const all = [...this.#line.querySelectorAll(".move")];
      const at = all.findIndex((move) => pathOf(move) === here);
      found = all.slice(at + 1).find((move) => move.checkVisibility());
    }
    return found ? pathOf(found).split(" ") : [];
  }

  /** Mark the moves that lead here, and return the text of the one on the line. */
  mark() {
    for (const move of document.querySelectorAll(".move[aria-current]")) {
      move.removeAttribute("aria-current");
    }
    const path = CSS.escape(this.played.join(" "));
    const marked = [...document.querySelectorAll(`.move[data-path="${path}"]`)];
    for (const move of marked) move.setAttribute("aria-current", "step");
    const label = marked.find((move) => this.#line?.contains(move)) ?? marked[0];
    if (label && this.#line?.matches(".tree")) {
      let fold = (label.closest("summary")?.parentElement ?? label).parentElement;
      while ((fold = fold?.closest("details") ?? null)) {
        fold.setAttribute("open", "");
        fold = fold.parentElement;
      }
      label.scrollIntoView({ block: "nearest" });
    }
    return label?.textContent ?? "";
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { target, key } = event;
    const isTaken = target instanceof Element && target.closest("input, select, textarea, dialog");
    const act = {
      ArrowLeft: this.onBack, ArrowRight: () => this.forward(), Escape: this.onStart,
    }[key];
    if (isTaken || !act || event.defaultPrevented || event.ctrlKey || event.altKey ||
      event.metaKey) return;
    event.preventDefault();
    act();
  }
}

/** @param {Element} move */
const pathOf = (move) => /** @type {HTMLElement} */ (move).dataset.path ?? "";
