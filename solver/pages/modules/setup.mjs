// The tools to set up a position, and the position as FEN, link and picture.
//
//   setup = new Setup(board, {onPosition, onMode, stipulation})
//   onPosition(fen, find)      a new position, from the tools, a paste, a file or a link; find: the
//                              stipulation of a link; null: the one before
//   setup.show(description)    the position was read: show it, or what is wrong with it
//   setup.open(fen)            at the start: the position of the link, else this one
//   setup.fen, setup.setMode("play" | "setup")

import { add, element, makeButton } from "./dom.mjs";
import { copyText, download, findFen, linkHash, linked, svgToPng } from "./files.mjs";
import { pieceCount } from "./sentences.mjs";
import { describePiece, readPlacement, squareIndex } from "./squares.mjs";

const SETUP_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const SETUP_HAND = "M9 3v17l4.4-4 2.8 6 2.6-1.2-2.8-5.8H22z";
const SETUP_ERASER = "M8 6L22 20M22 6L8 20";
/** What stands at home as long as a side may castle. @type {Record<string, string>} */
const SETUP_HOMES = { K: "Ke1 Rh1", Q: "Ke1 Ra1", k: "ke8 rh8", q: "ke8 ra8" };

/** @param {string} name */
const setupPart = (name) => element(`setup-${name}`);

/** Whether king and rook of a right to castle are at home.
 * @param {string[]} letters @param {string} right */
const isHome = (letters, right) =>
  SETUP_HOMES[right].split(" ").every((home) => letters[squareIndex(home.slice(1))] === home[0]);

/** The squares behind pawns that may just have come from home.
 * @param {string[]} letters @param {string} turn */
function passants(letters, turn) {
  const [pawn, ...ranks] = turn === "w" ? "p567" : "P432";
  const columns = [..."abcdefgh"].map((column) => ranks.map((rank) => column + rank));
  return columns.filter(([at, ...behind]) => letters[squareIndex(at)] === pawn
    && behind.every((square) => !letters[squareIndex(square)])).map(([, square]) => square);
}

export class Setup {
  /** @param {import("./board.mjs").Board} board
   * @param {{onPosition: (fen: string, find: string | null) => void,
   *   onMode: (mode: string) => void, stipulation: () => string}} options */
  constructor(board, options) {
    this.board = board;
    this.options = options;
    this.fen = SETUP_START;
    this.past = /** @type {string[]} */ ([]);
    this.future = /** @type {string[]} */ ([]);
    this.written = ""; // what the page itself last wrote into the field of the FEN
    board.options.onPlacement = () => this.#edit();
    this.#makePalette();
    this.#listen();
  }

  /** @param {string} fen */
  open(fen) {
    this.board.draw({ fen });
    this.fen = fen;
    const { fen: given, find } = linked();
    this.#ask(given ?? fen, find);
  }

  /** @param {{fen: string} | {fault: string}} description */
  show(description) {
    const isFault = "fault" in description;
    this.#fault(isFault ? description.fault : "");
    if (isFault) return;
    this.fen = description.fen;
    this.#update();
  }

  /** @param {"play" | "setup"} mode */
  setMode(mode) {
    this.board.setMode(mode, this.board.tool);
    setupPart("toggle").setAttribute("aria-pressed", String(mode === "setup"));
    setupPart("tools").hidden = mode === "play";
    if (mode === "setup") this.options.onMode(mode);
  }

  #makePalette() {
    for (const tool of [null, ..."KQRBNP", "", ..."kqrbnp"]) {
      const label = tool === null ? "Move pieces" : tool ? describePiece(tool) : "Erase";
      const button = makeButton(() => {
        this.board.setMode("setup", tool);
        this.#update();
      }, { "data-tool": tool ?? "hand", "aria-label": label, title: label });
      if (tool) {
        this.board.picture(button, tool);
        button.addEventListener("pointerdown", (event) => this.board.carry(tool, event));
      } else {
        const icon = add(button, "svg", { viewBox: "0 0 30 26", class: "setup-icon" });
        add(icon, "path", { d: tool === null ? SETUP_HAND : SETUP_ERASER });
      }
      setupPart("palette").append(button);
    }
  }

  #listen() {
    const drawing = () => this.board.svg(this.fen, {
      caption: `${this.options.stipulation()} ${pieceCount(this.fen)}`.trim(),
      isMono: setupPart("mono").checked, hasKey: setupPart("key").checked,
    });
    const svg = () => new Blob([drawing()], { type: "image/svg+xml" });
    const hash = () => linkHash(this.fen, this.options.stipulation());
    /** @type {Record<string, () => unknown>} */
    const actions = {
      toggle: () => this.setMode(this.board.mode === "setup" ? "play" : "setup"),
      flip: () => this.board.flip(),
      undo: () => this.#step(this.past, this.future),
      redo: () => this.#step(this.future, this.past),
      clear: () => this.#change("8/8/8/8/8/8/8/8 w - - 0 1"),
      start: () => this.#change(SETUP_START),
      "copy-fen": () => this.#copy("FEN", this.fen),
      "copy-link": () => this.#copy("Link", location.href.split("#")[0] + hash()),
      "copy-svg": () => this.#copy("SVG", drawing()),
      "save-svg": () => download("position.svg", svg()),
      "save-png": async () => download("position.png", await svgToPng(svg())),
      open: () => setupPart("file").click(),
    };
    for (const [name, action] of Object.entries(actions)) {
      setupPart(name).addEventListener("click", action);
    }
    setupPart("tools").addEventListener("change", () => this.#edit());
    setupPart("fen").addEventListener("change", () => {
      const { value } = setupPart("fen");
      this.#change(findFen(value) ?? value.trim());
    });
    setupPart("file").addEventListener("change", () => this.#read(setupPart("file").files[0]));
    document.addEventListener("dragover", (event) =>
      event.dataTransfer?.types.includes("Files") && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      this.#read(event.dataTransfer.files[0]);
    });
    document.addEventListener("keydown", (event) => {
      const { target, key } = event;
      const isUndo = (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(key);
      const isText = target instanceof Element && target.matches("[type=text], textarea");
      if (this.board.mode !== "setup" || !isUndo || isText) return; // a text undoes by itself
      event.preventDefault();
      actions[key === "z" ? "undo" : "redo"]();
    });
    addEventListener("hashchange", () => {
      if (location.hash === hash()) return;
      const { fen, find } = linked();
      this.#change(fen ?? this.fen, find);
    });
  }

  /** Takes the position of the board and its tools. Rights to castle and an en passant square that
   * contradict the pieces go. */
  #edit() {
    const { letters, placement } = this.board;
    const chosen = new FormData(setupPart("tools"));
    const turn = String(chosen.get("turn") ?? "w");
    const rights = chosen.getAll("castling").map(String);
    const castling = rights.filter((right) => isHome(letters, right)).join("");
    const square = passants(letters, turn).find((each) => each === chosen.get("passant"));
    this.#change(`${placement} ${turn} ${castling || "-"} ${square ?? "-"} 0 1`);
  }

  /** @param {string} fen @param {string | null} find */
  #change(fen, find = null) {
    if (readPlacement(fen) && fen !== this.fen) {
      this.past.push(this.fen);
      this.future = [];
    }
    this.#ask(fen, find);
  }

  /** Undoes, or does again. @param {string[]} from @param {string[]} to */
  #step(from, to) {
    const fen = from.pop();
    if (fen === undefined) return;
    to.push(this.fen);
    this.#ask(fen);
  }

  /** @param {string} fen @param {string | null} find */
  #ask(fen, find = null) {
    this.#fault("");
    this.#write(fen);
    if (this.board.draw({ fen })) {
      this.fen = fen;
      this.#update();
    }
    this.options.onPosition(fen, find);
  }

  /** Writes a FEN into its field. @param {string} fen */
  #write(fen) {
    this.written = fen;
    setupPart("fen").value = fen;
  }

  /** Lets the controls show the position. */
  #update() {
    const [placement, turn = "w", rights = "-", passant = "-"] = this.fen.split(/\s+/);
    const letters = readPlacement(placement) ?? [];
    const { turn: sides, castling, passant: squares } = setupPart("tools").elements;
    const field = setupPart("fen");
    const isTyped = field === document.activeElement && field.value !== this.written;
    if (!isTyped) this.#write(this.fen);
    setupPart("undo").disabled = !this.past.length;
    setupPart("redo").disabled = !this.future.length;
    sides.value = turn;
    for (const box of castling) {
      box.checked = rights.includes(box.value);
      box.disabled = !box.checked && !isHome(letters, box.value);
    }
    const choices = new Set(["-", ...passants(letters, turn), passant]);
    squares.replaceChildren(...[...choices].map((square) =>
      new Option(square === "-" ? "none" : square, square, false, square === passant)));
    const chosen = this.board.tool ?? "hand";
    for (const button of setupPart("palette").children) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === chosen));
    }
    clearTimeout(this.timer); // browsers refuse too many links at once
    this.timer = setTimeout(() => history.replaceState(null, "",
      linkHash(this.fen, this.options.stipulation())), 300);
  }

  /** @param {File} file */
  async #read(file) {
    const fen = findFen(await file.slice(0, 1e6).text());
    if (fen === null) this.#fault(`${file.name}: no FEN found`);
    else this.#change(fen);
  }

  /** @param {string} name @param {string} text */
  async #copy(name, text) {
    const isCopied = await copyText(text);
    setupPart("said").textContent = isCopied
      ? `${name} copied.` : "The browser does not allow copying.";
  }

  /** @param {string} text */
  #fault(text) {
    setupPart("fault").textContent = text;
    setupPart("fen").setAttribute("aria-invalid", String(text !== ""));
  }
}
