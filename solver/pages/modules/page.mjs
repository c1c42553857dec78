// The live board: a composition is set up, searched and copied.
//
//   setup = new Setup(viewer), which shows what the tools, a paste, a file or a link ask for
//   setup.open(hash)    at the start: the composition of the address

import {
  isHome, LINK, linkHash, MOST_TWINS, namesOf, popeyeInput, readLink, readText, twinLabel,
} from "./composition.mjs";
import {
  copyText, download, element, findFen, make, makeButton, onClicks, pageData, svgToPng,
} from "./dom.mjs";
import {
  describePiece, drawSide, isSound, pieceCount, readPlacement, stipulationText, squareIndex, turned,
} from "./records.mjs";
import { Viewer } from "./viewer.mjs";

/** @import { Composition, Twin } from "./composition.mjs" */

const SETUP_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const SETUP_HAND = "M9 3v17l4.4-4 2.8 6 2.6-1.2-2.8-5.8H22z";
const SETUP_ERASER = "M8 6L22 20M22 6L8 20";
const NO_NUMBER = "Popeye needs the number of moves, such as #2";

/** @param {string} name */
const setupPart = (name) => element(`setup-${name}`);

/** The squares behind pawns that may just have come from home.
 * @param {string[]} letters @param {string} turn */
function passants(letters, turn) {
  const [pawn, ...ranks] = turn === "w" ? "p567" : "P432";
  const columns = [..."abcdefgh"].map((column) => ranks.map((rank) => column + rank));
  return columns.filter(([at, ...behind]) => letters[squareIndex(at)] === pawn
    && behind.every((square) => !letters[squareIndex(square)])).map(([, square]) => square);
}

class Setup {
  /** What is set up, and the last one whose position could be drawn. @type {Composition} */
  composition = readLink("", pageData.fen);
  drawn = this.composition;
  past = /** @type {Composition[]} */ ([]);
  future = /** @type {Composition[]} */ ([]);
  isTyping = false; // changes of one text are one step to undo

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.board = viewer.board;
    this.board.options.onPlacement = () => this.#edit();
    viewer.onPosition = (read) => this.#show(read);
    this.#makePalette();
    this.#listen();
  }

  /** @param {string} hash of the address */
  open(hash) {
    this.#ask(readLink(hash, this.fen));
  }

  get twin() {
    return this.composition.twins[this.composition.at];
  }

  get fen() {
    return this.twin.fen;
  }

  // The composition

  /** Another composition is set up. @param {Composition} composition */
  #give(composition, isTyped = false) {
    const isNew = this.past[this.past.length - 1] !== this.drawn;
    if (isNew && !(isTyped && this.isTyping)) this.past.push(this.drawn);
    this.isTyping = isTyped;
    this.future = [];
    this.#ask(composition);
  }

  /** Another text is given. One that is typed changes the twin on the board; so does one that is
   * pasted, if there are others. @param {string} text */
  #read(text, isTyped = false) {
    const read = readText(text, this.viewer.form().find);
    const isPart = (isTyped || this.composition.twins.length > 1) && !LINK.test(text);
    this.#give(isPart ? this.#with(read.twins[0]) : read, isTyped);
  }

  /** The twin on the board has changed. @param {Partial<Twin>} changes */
  #with(changes) {
    const { composition, composition: { twins, at } } = this;
    return { ...composition, twins: twins.with(at, { ...twins[at], ...changes }) };
  }

  /** A plain FEN is drawn at once, any other text once it is read.
   * @param {Composition} composition */
  #ask(composition) {
    this.composition = composition;
    this.#fault("");
    for (const [name, text] of Object.entries(namesOf(composition))) {
      if (setupPart(name) !== document.activeElement) setupPart(name).value = text;
    }
    this.viewer.fillForm({ ...this.viewer.form(), find: this.twin.find });
    this.viewer.setUp(this.fen);
    if (this.board.draw({ fen: this.fen })) {
      this.drawn = composition;
      drawSide(this.fen);
    }
    this.#update();
  }

  /** A position was read. @param {{fen: string, warnings?: string[]} | {fault: string}} read */
  #show(read) {
    if ("fault" in read) return this.#fault(read.fault);
    this.#fault("", read.warnings);
    this.drawn = this.composition = this.#with({ fen: read.fen, find: this.viewer.form().find });
    return this.#update();
  }

  /** @param {Composition[]} from @param {Composition[]} to */
  #step(from, to) {
    const composition = from.pop();
    if (!composition) return;
    to.push(this.drawn);
    this.isTyping = false;
    this.#ask(composition);
  }

  /** Show another twin. @param {number} at */
  #turnTo(at) {
    this.isTyping = false;
    this.#ask({ ...this.composition, at });
  }

  /** @param {(fen: string) => string} change */
  #addTwin(change) {
    const { composition, composition: { twins } } = this;
    const added = [...twins, { ...this.twin, fen: change(this.fen) }];
    this.#give({ ...composition, twins: added, at: twins.length });
  }

  #removeTwin() {
    const { composition, composition: { twins, at } } = this;
    this.#give({ ...composition, twins: twins.toSpliced(at, 1), at: Math.max(0, at - 1) });
  }

  /** Undo and redo keep a name that was written in between.
   * @param {string} name of a field @param {string} text */
  #rename(name, text) {
    const { [name]: before } = /** @type {any} */ (this.composition);
    const renamed = (/** @type {any} */ each) => each[name] !== before ? each
      : { ...each, ...namesOf({ ...each, [name]: text }) };
    this.composition = renamed(this.composition);
    this.drawn = renamed(this.drawn);
    [this.past, this.future] = [this.past, this.future].map((steps) => steps.map(renamed));
    this.#update();
  }

  // The tools

  /** @param {"play" | "setup"} mode @param {string | null} [tool] */
  #setMode(mode, tool = null) {
    if (mode !== this.board.mode) this.viewer.toStart();
    this.board.setMode(mode, tool);
    this.#update();
  }

  #makePalette() {
    for (const tool of [null, ..."KQRBNP", "", ..."kqrbnp"]) {
      const label = tool === null ? "Move pieces" : tool ? describePiece(tool) : "Erase";
      const button = makeButton(() => this.#setMode("setup", tool),
        { "data-tool": tool ?? "hand", "aria-label": label, title: label });
      if (tool) {
        this.board.picture(button, tool);
        button.addEventListener("pointerdown", (event) => {
          if (this.board.mode === "play") this.#setMode("setup");
          this.board.carry(tool, event);
        });
      } else {
        const path = make("path", { d: tool === null ? SETUP_HAND : SETUP_ERASER });
        button.append(make("svg", { viewBox: "0 0 30 26", class: "setup-icon" }, path));
      }
      setupPart("palette").append(button);
    }
  }

  #listen() {
    const undo = () => this.#step(this.past, this.future);
    const redo = () => this.#step(this.future, this.past);
    const change = (/** @type {string} */ fen) => this.#give(this.#with({ fen }));
    onClicks({
      "setup-toggle": () => this.#setMode(this.board.mode === "play" ? "setup" : "play"),
      "setup-flip": () => this.board.flip(), "setup-undo": undo, "setup-redo": redo,
      "setup-clear": () => change("8/8/8/8/8/8/8/8 w - - 0 1"),
      "setup-start": () => change(SETUP_START),
      "setup-add": () => this.#addTwin((fen) => fen),
      "setup-duplex": () => this.#addTwin(turned),
      "setup-remove": () => this.#removeTwin(),
      "setup-copy-fen": () => this.#copy("FEN", ({ fen }) => fen),
      "setup-copy-link": () => this.#copy("link", this.#link),
      "setup-copy-svg": () => this.#copy("SVG", this.#drawing),
      "setup-copy-input": () => this.#copy("Popeye's input", this.#input),
      "setup-save-svg": () => download("position.svg", this.#svg()),
      "setup-save-png": async () => download("position.png", await svgToPng(this.#svg())),
      "setup-open": () => setupPart("file").click(),
    });
    const field = setupPart("fen");
    setupPart("tools").addEventListener("change", () => this.#edit());
    field.addEventListener("input", () => this.#read(field.value, true));
    field.addEventListener("change", () => {
      this.isTyping = false;
      field.value = this.fen;
    });
    field.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
      event.preventDefault();
      this.#read(event.clipboardData?.getData("text") ?? ""); // its lines, which a field joins
    });
    setupPart("names").addEventListener("input", (/** @type {any} */ { target }) =>
      this.#rename(target.id.replace("setup-", ""), target.value));
    setupPart("file").addEventListener("change", () => this.#readFile(setupPart("file").files[0]));
    document.addEventListener("dragover", (event) =>
      event.dataTransfer?.types.includes("Files") && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      this.#readFile(event.dataTransfer.files[0]);
    });
    document.addEventListener("keydown", (event) => {
      const { target, key } = event;
      const isUndo = (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(key);
      const isText = target instanceof Element && target.matches("[type=text], textarea");
      if (this.board.mode !== "setup" || !isUndo || isText) return; // a text undoes by itself
      event.preventDefault();
      (key === "z" ? undo : redo)();
    });
    addEventListener("hashchange", () =>
      location.hash !== linkHash(this.composition) &&
        this.#give(readLink(location.hash, this.fen)));
  }

  /** Takes the position of the board and its tools. Rights to castle and an en passant square that
   * contradict the pieces go. */
  #edit() {
    const { letters, placement } = this.board;
    const chosen = new FormData(setupPart("tools"));
    const turn = String(chosen.get("turn") ?? "w");
    const castling = chosen.getAll("castling").map(String)
      .filter((right) => isHome(letters, right)).join("");
    const square = passants(letters, turn).find((each) => each === chosen.get("passant"));
    const fen = `${placement} ${turn} ${castling || "-"} ${square ?? "-"} 0 1`;
    this.#give(this.#with({ fen }));
  }

  /** Lets the controls show the composition. */
  #update() {
    const { composition, composition: { twins, at }, board } = this;
    const [placement, turn = "w", rights = "-", passant = "-"] = this.fen.split(/\s+/);
    const letters = readPlacement(placement) ?? [];
    const { turn: sides, castling, passant: squares } = setupPart("tools").elements;
    if (!this.isTyping) setupPart("fen").value = this.fen;
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
    const isSetup = board.mode === "setup";
    setupPart("toggle").setAttribute("aria-pressed", String(isSetup));
    setupPart("tools").hidden = !isSetup;
    setupPart("palette").classList.toggle("is-used", isSetup);
    const chosen = isSetup ? board.tool ?? "hand" : null;
    for (const button of setupPart("palette").children) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === chosen));
    }
    setupPart("twins").replaceChildren(...twins.length > 1 ? twins.map(({ find }, number) =>
      makeButton(() => this.#turnTo(number), { "aria-pressed": String(number === at) },
        `${twinLabel(number)}) ${find}`)) : []);
    setupPart("remove").hidden = twins.length < 2;
    for (const name of ["add", "duplex"]) setupPart(name).disabled = twins.length >= MOST_TWINS;
    const names = Object.entries(namesOf(composition)).filter(([, text]) => text);
    this.viewer.names = Object.fromEntries(names);
    clearTimeout(this.timer); // browsers refuse too many links at once
    this.timer = setTimeout(() =>
      history.replaceState(null, "", linkHash(this.composition)), 300);
  }

  /** @param {File} file */
  async #readFile(file) {
    const text = await file.slice(0, 1e6).text();
    const read = readText(text, this.viewer.form().find);
    const fen = findFen(read.twins[0].fen);
    if (fen !== null) this.#give({ ...read, twins: read.twins.with(0, { ...read.twins[0], fen }) });
    else this.#fault(`${file.name}: no FEN found; "matesolve board FILE" reads other formats`);
  }

  /** @param {string} fault @param {string[]} [warnings] what was repaired */
  #fault(fault, warnings = []) {
    const repaired = warnings.length ? `Repaired: ${warnings.join("; ")}.` : "";
    setupPart("fault").textContent = fault || repaired;
    setupPart("fen").setAttribute("aria-invalid", String(fault !== ""));
  }

  // Copies: of the problem, or as shown after moves of a line

  /** The position that a copy has. @returns {{fen: string, isShown: boolean}} */
  get copied() {
    const { here, path } = this.viewer.state;
    const isShown = setupPart("of").value === "shown";
    return { fen: isShown && here && path.length ? here.fen : this.fen, isShown };
  }

  /** @param {string} name
   * @param {(copied: {fen: string, isShown: boolean}) => string} write empty: it has no number */
  async #copy(name, write) {
    const { copied } = this;
    const isRead = readPlacement(copied.fen) !== null;
    const text = isRead ? write(copied) : "";
    const of = copied.isShown ? "the position shown" : "the problem";
    setupPart("said").textContent = text ? await copyText(text, `${name} of ${of}`)
      : `Nothing is copied: ${isRead ? NO_NUMBER : "the FEN is unreadable"}.`;
  }

  /** What is copied. @param {{fen: string, isShown: boolean}} copied @param {string} find in it
   * @returns {Composition} */
  #part({ fen, isShown }, find) {
    const { composition, composition: { twins, at } } = this;
    return isShown ? { ...composition, at: 0, twins: [{ fen, find }] }
      : { ...composition, twins: twins.with(at, { ...twins[at], find }) };
  }

  /** What is asked in the position shown. */
  get left() {
    const { path } = this.viewer.state;
    return path.length ? this.viewer.findAfter(path.length) : this.twin.find;
  }

  #link = (/** @type {{fen: string, isShown: boolean}} */ copied) =>
    location.href.split("#")[0] + linkHash(this.#part(copied, copied.isShown ? this.left
      : this.twin.find));

  /** What is asked with the number of moves that was found; empty: it is not known. */
  get stipulation() {
    const { question, answer } = this.viewer.state;
    const asked = question ? stipulationText(question) : "";
    return asked || (answer?.status === "proved" && answer.mate > 0 ? `#${answer.mate}` : "");
  }

  #drawing = ({ fen, isShown } = this.copied) => {
    const { answer, path } = this.viewer.state;
    const { view } = this.board;
    const isAfter = isShown && path.length > 0;
    const tested = answer && isSound(answer) ? "C+" : "";
    const words = isAfter ? [element("board-moves").textContent, pieceCount(fen)]
      : [this.stipulation, pieceCount(fen), tested];
    if (path.length && !isAfter) {
      const arrows = answer?.keys?.map((/** @type {{uci: string}} */ { uci }) => uci);
      this.board.draw({ fen, arrows });
    }
    const { author, origin, title } = this.composition;
    const svg = this.board.svg(fen, {
      heading: [author, title, origin].filter(Boolean).join(", "),
      caption: words.filter(Boolean).join(" "),
      isMono: setupPart("mono").checked, hasKey: setupPart("key").checked,
    });
    this.board.draw(view);
    return svg;
  };

  #svg = () => new Blob([this.#drawing()], { type: "image/svg+xml" });

  #input = (/** @type {{fen: string, isShown: boolean}} */ copied) => {
    const isAfter = copied.isShown && this.viewer.state.path.length > 0;
    const part = this.#part(copied, isAfter ? this.left : this.stipulation || this.twin.find);
    return part.twins.every(({ find }) => /\d$/.test(find)) ? popeyeInput(part) : "";
  };
}

const viewer = new Viewer();
new Setup(viewer).open(location.hash);
