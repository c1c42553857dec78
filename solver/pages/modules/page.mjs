// The live board: what is set up is searched, played and counted.
//
// First the tools to set up a position, and the position as FEN, link and picture:
//
//   setup = new Setup(viewer), which shows what the tools, a paste, a file or a link ask for
//   setup.show(description)    the position was read: show it, or what is wrong with it
//   setup.open(fen)            at the start: the position of the link, else this one

import { DepthCharts, ratioText, scoreText } from "./counts.mjs";
import {
  add, copyText, download, element, findFen, linked, linkHash, make, makeButton, onClicks,
  pageData, svgToPng, thousands,
} from "./dom.mjs";
import { Cancelled } from "./engine.mjs";
import {
  describePiece, pieceCount, readPlacement, splitStipulation, squareIndex, stipulationText,
} from "./records.mjs";
import { Viewer } from "./viewer.mjs";

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

class Setup {
  fen = SETUP_START;
  past = /** @type {string[]} */ ([]);
  future = /** @type {string[]} */ ([]);
  written = ""; // what the page itself last wrote into the field of the FEN
  before = ""; // the position that a text replaces, until the text is read

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.board = viewer.board;
    this.board.options.onPlacement = () => this.#edit();
    viewer.onPosition = (read) => this.show(read);
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

  /** What is asked, as the program writes it; empty: the shortest mate. */
  get stipulation() {
    const { question } = this.viewer.state;
    return question ? stipulationText(question) : "";
  }

  /** @param {{fen: string, warnings?: string[]} | {fault: string}} description */
  show(description) {
    if ("fault" in description) {
      this.before = "";
      return this.#fault(description.fault);
    }
    this.#fault("", description.warnings);
    return this.#become(description.fen);
  }

  /** @param {string} fen of the board from now on */
  #become(fen) {
    if (this.before && this.before !== fen) {
      this.past.push(this.before);
      this.future = [];
    }
    this.before = "";
    this.fen = fen;
    this.#update();
  }

  #toggle() {
    const isSetup = this.board.mode === "play";
    this.board.setMode(isSetup ? "setup" : "play", this.board.tool);
    setupPart("toggle").setAttribute("aria-pressed", String(isSetup));
    setupPart("tools").hidden = !isSetup;
    if (isSetup) this.viewer.toStart();
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
      caption: `${this.stipulation} ${pieceCount(this.fen)}`.trim(),
      isMono: setupPart("mono").checked, hasKey: setupPart("key").checked,
    });
    const svg = () => new Blob([drawing()], { type: "image/svg+xml" });
    const hash = () => linkHash(this.fen, this.stipulation);
    const copy = async (/** @type {string} */ name, /** @type {string} */ text) =>
      setupPart("said").textContent = await copyText(text, `${name} copied.`);
    const undo = () => this.#step(this.past, this.future);
    const redo = () => this.#step(this.future, this.past);
    onClicks({
      "setup-toggle": () => this.#toggle(),
      "setup-flip": () => this.board.flip(), "setup-undo": undo, "setup-redo": redo,
      "setup-clear": () => this.#change("8/8/8/8/8/8/8/8 w - - 0 1"),
      "setup-start": () => this.#change(SETUP_START),
      "setup-copy-fen": () => copy("FEN", this.fen),
      "setup-copy-link": () => copy("Link", location.href.split("#")[0] + hash()),
      "setup-copy-svg": () => copy("SVG", drawing()),
      "setup-save-svg": () => download("position.svg", svg()),
      "setup-save-png": async () => download("position.png", await svgToPng(svg())),
      "setup-open": () => setupPart("file").click(),
    });
    setupPart("tools").addEventListener("change", () => this.#edit());
    setupPart("fen").addEventListener("change", () => this.#change(setupPart("fen").value));
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
      (key === "z" ? undo : redo)();
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
    const castling = chosen.getAll("castling").map(String)
      .filter((right) => isHome(letters, right)).join("");
    const square = passants(letters, turn).find((each) => each === chosen.get("passant"));
    this.#change(`${placement} ${turn} ${castling || "-"} ${square ?? "-"} 0 1`);
  }

  /** @param {string} text of a position @param {string | null} find */
  #change(text, find = null) {
    this.before = this.fen;
    this.#ask(text, find);
  }

  /** Undoes, or does again. @param {string[]} from @param {string[]} to */
  #step(from, to) {
    const fen = from.pop();
    if (fen === undefined) return;
    to.push(this.fen);
    this.before = "";
    this.#ask(fen);
  }

  /** A plain FEN is drawn at once, any other text once it is read.
   * @param {string} text of a position
   * @param {string | null} find the stipulation of a link; null: the one before */
  #ask(text, find = null) {
    const fen = text.trim();
    this.#fault("");
    this.#write(fen);
    if (this.board.draw({ fen })) this.#become(fen);
    if (find !== null) {
      const [name, length] = splitStipulation(find || "#");
      this.viewer.fillForm({ ...this.viewer.form(), name, length: length || "" });
    }
    this.viewer.setUp(fen);
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
    this.timer = setTimeout(() =>
      history.replaceState(null, "", linkHash(this.fen, this.stipulation)), 300);
  }

  /** @param {File} file */
  async #read(file) {
    const fen = findFen(await file.slice(0, 1e6).text());
    if (fen === null) this.#fault(`${file.name}: no FEN found`);
    else this.#change(fen);
  }

  /** @param {string} fault @param {string[]} [warnings] what was repaired */
  #fault(fault, warnings = []) {
    const repaired = warnings.length ? `Repaired: ${warnings.join("; ")}.` : "";
    setupPart("fault").textContent = fault || repaired;
    setupPart("fen").setAttribute("aria-invalid", String(fault !== ""));
  }
}

// The panel "Count": searches of the laboratory with different techniques, side by side.
//
// Each search runs in a worker of its own; the first one is the base of the ratios.

/**
 * @typedef {Record<string, number>} Fields
 * @typedef {{name: string, title: string, fields: Fields, sound: boolean}} Technique
 * @typedef {{glass: string, depth: number, mostDepth: number, mate: number, mateZone: number,
 *   techniques: Technique[]}} Experiments
 * @typedef {{depth: number, score: number, move: {san: string} | null, nodes: number,
 *   pvNodes: number, seconds: number}} CountRow
 * @typedef {{depth: number, nodes: number, seconds?: number, row?: CountRow}} CountProgress
 * @typedef {import("./counts.mjs").Counted & {move: string}} CountedMove
 * @typedef {{technique: Technique, rows: CountedMove[], line: HTMLElement}} CountSide
 */

class Count {
  data = /** @type {Experiments} */ (pageData.experiments);
  depth = element("count-depth");
  limit = element("count-nodes");
  choices = ["first", "second", "third"].map((name) => element(`count-${name}`));
  running = /** @type {ReturnType<Viewer["engine"]>[]} */ ([]);
  sides = /** @type {CountSide[]} */ ([]);
  charts = /** @type {DepthCharts | null} */ (null);

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    const { data } = this;
    Object.assign(this.depth, { max: data.mostDepth, value: data.depth });
    for (const [number, choice] of this.choices.entries()) {
      if (number === 2) choice.add(new Option("none", ""));
      choice.append(...data.techniques.map(({ name, title }) =>
        new Option(`${title} (${name})`, name)));
      if (number < 2) choice.value = data.techniques[number].name;
    }
    onClicks({
      "count-start": () =>
        this.running.length ? this.running.forEach((worker) => worker.stop()) : this.start(),
      "count-preset": () => (location.hash = `fen=${encodeURIComponent(data.glass)}`),
    });
    addEventListener("resize", () => this.draw());
  }

  async start() {
    if (!this.depth.reportValidity() || !this.limit.reportValidity()) return;
    const chosen = new Set(this.choices.map(({ value }) => value));
    this.sides = [...chosen].flatMap((wanted) => this.data.techniques
      .filter(({ name }) => name === wanted)
      .map((technique) => ({ technique, rows: [], line: make("li") })));
    const running = this.running = this.sides.map(() => this.viewer.engine(0));
    element("count-lines").replaceChildren(...this.sides.map(({ line }) => line));
    const names = this.sides.map(({ technique }) => technique.name);
    this.charts = new DepthCharts(element("count-chart"), names);
    element("count-start").textContent = "Stop";
    element("count-status").textContent = "counting ...";
    this.draw();
    const [depth, nodes] = [Number(this.depth.value), Number(this.limit.value) || null];
    const asked = { fen: this.viewer.state.here?.fen, moves: [], depth, nodes, windows: this.data };
    const ended = await Promise.allSettled(this.sides.map((side, number) => running[number].ask(
      "count", { ...asked, fields: side.technique.fields },
      (progress) => this.advance(side, progress), "laboratory")));
    for (const worker of running) worker.end();
    this.running = [];
    element("count-start").textContent = "Start";
    const { reason } = /** @type {any} */ (ended.find((each) => "reason" in each) ?? {});
    const short = this.sides.filter(({ rows }) => rows.length < depth);
    const stopped = short.map(({ technique }) => technique.name).join(", ");
    element("count-status").textContent = reason instanceof Cancelled ? "Stopped."
      : reason ? `Not counted: ${reason.message}.`
        : stopped ? `The node limit stopped ${stopped} before depth ${depth}.` : "Done.";
  }

  /** @param {CountSide} side @param {CountProgress} progress */
  advance(side, { depth, nodes, seconds, row }) {
    const speed = seconds ? `, ${thousands(Math.round(nodes / seconds))} nodes/s` : "";
    side.line.textContent =
      `${side.technique.name}: depth ${depth}, ${thousands(nodes)} nodes${speed}`;
    if (!row) return;
    side.rows.push(this.counted(row, side.technique));
    this.draw();
  }

  /** A row as `matesolve table --json` has it.
   * @param {CountRow} row @param {Technique} technique @returns {CountedMove} */
  counted({ depth, score, move, pvNodes }, { sound }) {
    const { mate, mateZone } = this.data;
    const counted = { score, nodes: pvNodes, move: move?.san ?? "" };
    if (Math.abs(score) < mateZone) return counted;
    const plies = mate - Math.abs(score);
    const text = score > 0 ? `M${Math.floor((plies + 1) / 2)}` : `-M${Math.floor(plies / 2)}`;
    return { ...counted, score: text, proved: sound, settled: sound && depth >= plies - 1 };
  }

  draw() {
    const { sides, charts } = this;
    if (!charts) return;
    const names = sides.map(({ technique }) => technique.name);
    const [base, ...others] = names;
    const depths = Math.max(...sides.map(({ rows }) => rows.length));
    const rows = Array.from({ length: depths }, (_, i) => ({
      depth: i + 1,
      variants: Object.fromEntries(sides.filter((side) => side.rows[i])
        .map((side) => [side.technique.name, side.rows[i]])),
    }));
    charts.draw(rows);
    const heads = ["depth", "score", "move", ...names,
      ...others.map((name) => (others.length > 1 ? `${name} ratio` : "ratio"))];
    const table = element("count-table");
    table.tHead.replaceChildren(make("tr", {}, ...heads.map((head) =>
      make("th", { scope: "col" }, head))));
    table.tBodies[0].replaceChildren(...rows.map(({ depth, variants }) => {
      /** What the searches say, once where they agree.
       * @param {(counted: CountedMove) => string} say */
      const said = (say) => [...new Set(Object.values(variants).map(say))].join(" / ");
      const ratios = others.map((name) => variants[name]?.nodes / variants[base]?.nodes);
      const cells = [
        said(scoreText), said(({ move }) => move),
        ...names.map((name) => (variants[name] ? thousands(variants[name].nodes) : "")),
        ...ratios.map((ratio) => (ratio ? ratioText(ratio) : "")),
      ];
      return make("tr", {}, make("th", { scope: "row" }, String(depth)),
        ...cells.map((cell) => make("td", {}, cell)));
    }));
    table.hidden = !depths;
  }
}

const viewer = new Viewer();
const setup = new Setup(viewer);
new Count(viewer);
setup.open(pageData.fen);
