// What is known of an answer and its play as text: Popeye's form, PGN, JSON. Pure functions that know no rules.
//
//   numbered(line, fen); popeyeText(root, answer, about), pgnText(...), jsonText(...)
//
// root: `data` of a Tree, or null. A level that was not opened is left out, and the text says so.

import { lineAfter, numberedMove, orderedMoves, shownDefences } from "./rows.mjs";

/** @typedef {import("./rows.mjs").Move} Move */
/** @typedef {import("./rows.mjs").Attack} Attack */
/** @typedef {import("./rows.mjs").Defence} Defence */
/** @typedef {import("./rows.mjs").Level} Level */
/** @typedef {import("./rows.mjs").Root} Root */
/**
 * @typedef {{state: string, mate: number | null, lower: number, nodes: number, seconds: number, keys: Move[],
 *   keysComplete: boolean, line: Move[], solutions?: Move[][], solutionsComplete?: boolean, stoppedBy?: string | null}} Answer
 * @typedef {{fen: string, stipulation: import("./rows.mjs").Stipulation, version: string, all?: boolean, tries?: number}} About
 * @typedef {{san: string, nags: string[], comment: string, next: PgnNode[]}} PgnNode
 */

const TEXT_WIDTH = 80;
const NOT_OPENED = "Only the levels that were opened are shown.";

/** @param {string} fen */
const blackBegins = (fen) => Number(fen.split(" ")[1] === "b");

/** The text of a stipulation; empty for the shortest mate. @param {About} about */
const stipulationText = ({ stipulation: { name, moves } }) => (moves ? name + Math.abs(moves) : "");

/** "1.Kg6 Kg1 2.Rd2"; the first move of a problem has the number 1. @param {Move[]} line @param {string} fen */
export const numbered = (line, fen) =>
  line.map(({ san }, ply) => numberedMove(ply + blackBegins(fen), san, !ply)).join(" ");

/** The parts of a play, as they are shown. @param {Root | null} root @param {Answer} answer @param {About} about */
function shownPlay(root, { line }, { stipulation, all = false }) {
  const moves = Math.abs(stipulation.moves ?? root?.keys[0]?.left ?? 0);
  const { setPlay = [], tries = [], keys = [], level = null } = root ?? {};
  return {
    moves, level, line,
    setPlay: shownDefences({ threats: [], zugzwang: false, defences: setPlay }, { left: moves - 1 }, all),
    tries: orderedMoves(tries), keys: orderedMoves(keys, line),
    defences: level ? shownDefences(level, { left: moves }, all, line) : [],
    /** @param {Attack} attack @param {Move[]} [rest] */
    after: (attack, rest) => (attack.level ? shownDefences(attack.level, attack, all, rest) : []),
  };
}

/** Levels that are complete below these attacks; null: nothing is cut off. @param {Attack[]} attacks @param {(attack: Attack) => Defence[]} after */
function completeLevels(attacks, after) {
  for (let levels = 0, rest = attacks.filter(({ open }) => open); rest.length; levels++) {
    if (rest.some(({ level }) => !level)) return levels;
    rest = rest.flatMap((each) => [...(each.level?.threats ?? []), ...after(each).flatMap(({ continuations }) => continuations)])
      .filter(({ open }) => open);
  }
  return null;
}

// Popeye

/** Names moves in long notation: `Qh5*a5`, `e7-e8=S`. It follows which squares are occupied, to know en passant. */
class LongNames {
  /** @param {string} fen */
  constructor(fen) {
    const squares = fen.split(" ")[0].split("/").flatMap((rank) => [...rank].flatMap((x) => (x > "8" ? [x] : Array(Number(x)).fill(""))));
    this.taken = new Set(squares.flatMap((piece, at) => (piece ? ["abcdefgh"[at % 8] + (8 - Math.floor(at / 8))] : [])));
  }

  /** Calls `then` after a move. @template T @param {Move} move @param {(name: string, check: string) => T} then @returns {T} */
  play({ uci, san }, then) {
    const before = new Set(this.taken);
    const [from, to, promoted] = [uci.slice(0, 2), uci.slice(2, 4), uci.slice(4)];
    const captures = san.includes("x");
    const passant = captures && san[0] > "Z" && !this.taken.has(to);
    let name = `${san[0] < "Z" ? san[0].replace("N", "S") : ""}${from}${captures ? "*" : "-"}${to}`;
    if (promoted) name += `=${promoted.toUpperCase().replace("N", "S")}`;
    if (san[0] === "O") name = san.replace(/[+#]/, "").replaceAll("O", "0");
    this.taken.delete(from);
    this.taken.add(to);
    if (passant) this.taken.delete(to[0] + from[1]);
    const result = then(passant ? `${name} ep.` : name, /[+#]$/.test(san) ? " +" : "");
    this.taken = before;
    return result;
  }
}

/** @param {Root | null} root @param {Answer} answer @param {About} about */
export function popeyeText(root, answer, about) {
  const { stipulation, fen } = about;
  const names = new LongNames(fen);
  const goal = stipulation.isStalemate ? " =" : " #";
  const play = shownPlay(root, answer, about);
  if (answer.solutions?.length) return answer.solutions.map((line) => helpText(line, stipulation.moves ?? 0, names, goal)).join("");
  /** @param {Move} move @param {string} sign */
  const reply = (move, sign) => `\n      1...${names.play(move, (name, check) => name + check)}${sign}`;
  /** @param {Level} level @param {number} left @param {Defence[]} defences @param {number} number @param {Move[]} line @returns {string} */
  const after = (level, left, defences, number, line) => {
    const threats = orderedMoves(level.threats).map((each) => attack(each, number + 1, []));
    return (threats.length ? ` threat:${threats.join("")}` : level.zugzwang && left ? " zugzwang." : "")
      + defences.map((each) => defence(each, number, lineAfter(line, each))).join("");
  };
  /** @param {Attack} move @param {number} number @param {Move[]} line @param {string} [sign] @returns {string} */
  const attack = (move, number, line, sign = "") => names.play(move, (name, check) => {
    const ends = !move.left && !stipulation.defenderEnds;
    const indent = sign ? "   " : " ".repeat(8 * number - 6);
    const rest = lineAfter(line, move);
    const below = move.level && !ends ? after(move.level, move.left, play.after(move, rest), number, rest) : "";
    const refuted = move.refutations.map((each) => reply(each, " !")).join("");
    return `\n${indent}${number}.${name}${ends ? goal : check}${sign}${below}${refuted && `\n    but${refuted}`}`;
  });
  /** @param {Defence} move @param {number} number @param {Move[]} line @returns {string} */
  const defence = (move, number, line) => names.play(move, (name, check) =>
    `\n${" ".repeat(8 * number - 2)}${number}...${name}${move.continuations.length ? check : goal}`
    + orderedMoves(move.continuations, line).map((each) => attack(each, number + 1, line)).join(""));
  const first = [...play.tries, ...play.keys].map((each) =>
    `${attack(each, 1, play.line, each.refutations.length ? " ?" : " !")}\n`);
  const begun = play.level ? after(play.level, play.moves, play.defences, 1, play.line) : "";
  const cut = completeLevels([...play.keys, ...play.tries, ...play.defences.flatMap((each) => each.continuations)], play.after);
  return [play.setPlay.map((each) => defence(each, 1, [])).join(""), first.join(""), begun && `\n${begun}`,
    cut === null ? "" : `\n${NOT_OPENED}`].filter(Boolean).map((part) => part.trimEnd()).join("\n");
}

/** @param {Move[]} line @param {number} moves @param {LongNames} names @param {string} goal @returns {string} */
function helpText(line, moves, names, goal) {
  const skipped = moves % 1 ? 1 : 0;
  /** @param {number} at @returns {string} */
  const from = (at) => (at === line.length ? "" : names.play(line[at], (name, check) => {
    const ply = at + skipped;
    const number = Math.floor(ply / 2) + 1;
    const text = ply % 2 === 0 ? `  ${number}.${name}` : at ? ` ${name}` : `  ${number}...${name}`;
    return text + (at + 1 === line.length ? goal : check + (ply % 2 ? " " : "")) + from(at + 1);
  }));
  return `\n${from(0)}`;
}

// PGN

/** @param {Root | null} root @param {Answer} answer @param {About} about */
export function pgnText(root, answer, about) {
  const { mate, solutions } = answer;
  const { stipulation } = about;
  const text = stipulationText(about);
  const others = stipulation.name === "#" ? "" : text;
  const odd = /^(exact-)?[#=]$/.test(stipulation.name) || (stipulation.moves ?? 0) % 1 > 0;
  const whiteWins = mate !== null && ((mate > 0) === odd) === !blackBegins(about.fen);
  const result = mate === null ? "*" : stipulation.isStalemate ? "1/2-1/2" : whiteWins ? "1-0" : "0-1";
  const tags = [["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", result],
    ["Annotator", `matesolve ${about.version}`], ["SetUp", "1"], ["FEN", about.fen],
    ...(answer.keys.length > 1 ? [["Keys", answer.keys.map(({ uci }) => uci).join(" ")]] : []),
    ...(others || !mate ? [["Stipulation", others || "?"]] : [])];
  if (!solutions?.length) return pgnGame(tags, proofText(answer, about), pgnPlay(root, answer, about), result, about.fen);
  const count = `${solutions.length.toLocaleString("en")} solution${solutions.length > 1 ? "s" : ""}`;
  const complete = answer.state === "proved";
  return solutions.map((line, number) => {
    const nodes = line.reduceRight((/** @type {PgnNode[]} */ next, { san }) => [{ san, nags: [], comment: "", next }], []);
    const own = tags.map(([tag, value]) => [tag, tag === "Round" ? String(number + 1) : value]);
    if (complete) own.push(["Solutions", String(solutions.length)]);
    return pgnGame(own, number ? "" : complete ? `${count}, and no others.` : `${count} found.`, nodes, result, about.fen);
  }).join("\n");
}

/** @param {Answer} answer @param {About} about */
function proofText({ state, mate, lower, keys, keysComplete }, { stipulation: { goal = "mate" } }) {
  const none = lower > 1 ? `Proved: no ${goal} takes ${lower === 2 ? "1 move" : `${lower - 1} or fewer moves`}.` : "";
  if (mate === 0) return "checkmate.";
  if (mate === null) return state === "disproved" ? none : `Undecided. ${none}`.trim();
  const proof = state === "proved" ? "Proved, and none is shorter." : `Proved; there may be a shorter one. ${none}`.trim();
  const more = keys.length && !keysComplete ? " There may be more keys." : "";
  return `${mate > 0 ? `${goal} in ${mate}` : `mated in ${-mate}`}. ${proof}${more}`;
}

/** @param {Root | null} root @param {Answer} answer @param {About} about @returns {PgnNode[]} */
function pgnPlay(root, answer, about) {
  const play = shownPlay(root, answer, about);
  const [side, , , , move] = about.fen.split(" ").slice(1);
  const ply = 2 * (Number(move) || 1) - 2 + Number(side === "b");
  /** @param {Level} level @param {number} at */
  const words = (level, at) => {
    const lines = orderedMoves(level.threats).map((threat) => pgnLine(threat, at, play.after));
    return level.zugzwang ? "zugzwang" : lines.length ? `threat${lines.length > 1 ? "s" : ""}: ${lines.join(", ")}` : "";
  };
  /** @param {Attack} attack @param {number} at @param {Move[]} line @param {string[]} nags @returns {PgnNode} */
  const attacked = (attack, at, line, nags = []) => {
    const rest = lineAfter(line, attack);
    const cut = attack.open && !attack.level && attack.left > 0;
    return {
      san: attack.san, nags,
      comment: attack.level ? words(attack.level, at + 2) : cut ? `${about.stipulation.goal ?? "mate"} in ${attack.left} more` : "",
      next: [...attack.refutations.map(({ san }) => ({ san, nags: ["$1"], comment: "", next: [] })),
        ...play.after(attack, rest).map((each) => defended(each, at + 1, lineAfter(rest, each)))],
    };
  };
  /** @param {Defence} defence @param {number} at @param {Move[]} line @returns {PgnNode} */
  const defended = ({ san, continuations }, at, line) =>
    ({ san, nags: [], comment: "", next: orderedMoves(continuations, line).map((each) => attacked(each, at + 1, line)) });
  const first = [...play.keys.map((key) => attacked(key, ply, play.line, ["$1"])), ...play.tries.map((each) => attacked(each, ply, [], ["$2"]))];
  const begun = play.defences.map((each) => defended(each, ply, lineAfter(play.line, each)));
  const line = root ? [] : answer.line.reduceRight((/** @type {PgnNode[]} */ next, { san }) => [{ san, nags: [], comment: "", next }], []);
  const set = play.setPlay.length && first.length ? [{ san: "--", nags: [], comment: "set play", next: play.setPlay.map((each) => defended(each, ply + 1, [])) }] : [];
  return [...first, ...begun, ...line, ...set];
}

/** A threat, as far as there is no choice of moves. @param {Attack} threat @param {number} ply @param {(attack: Attack) => Defence[]} after */
function pgnLine(threat, ply, after) {
  const line = [threat.san];
  for (let defences = after(threat); defences.length === 1 && defences[0].continuations.length === 1; ) {
    const [{ san, continuations: [next] }] = defences;
    line.push(san, next.san);
    defences = after(next);
  }
  return line.map((san, at) => pgnNumber(ply + at, !at).replace("... ", "...") + san).join(" ");
}

/** @param {number} ply @param {boolean} starts */
const pgnNumber = (ply, starts) => (ply % 2 === 0 ? `${ply / 2 + 1}. ` : starts ? `${(ply + 1) / 2}... ` : "");

/** @param {string[][]} tags @param {string} comment @param {PgnNode[]} nodes @param {string} result @param {string} fen */
function pgnGame(tags, comment, nodes, result, fen) {
  const [side, , , , move] = fen.split(" ").slice(1);
  const lines = [""];
  let forced = true;
  /** @param {string} token */
  const write = (token) => {
    if (TEXT_WIDTH - lines[lines.length - 1].length < token.length) lines.push("");
    lines[lines.length - 1] += token;
  };
  /** @param {string} text */
  const say = (text) => {
    if (text) write(`{ ${filled(text)} } `);
    forced ||= Boolean(text);
  };
  /** @param {PgnNode} node @param {number} ply */
  const put = ({ san, nags, comment: words }, ply) => {
    const number = pgnNumber(ply, forced);
    if (number) write(number);
    write(`${san} `);
    forced = false;
    for (const nag of nags) write(`${nag} `);
    say(words);
  };
  /** @param {PgnNode[]} alternatives @param {number} ply */
  const walk = (alternatives, ply) => {
    const [main, ...rest] = alternatives;
    if (!main) return;
    put(main, ply);
    for (const other of rest) {
      write("( ");
      forced = true;
      put(other, ply);
      walk(other.next, ply + 1);
      write(") ");
      forced = true;
    }
    walk(main.next, ply + 1);
  };
  say(comment);
  walk(nodes, 2 * (Number(move) || 1) - 2 + Number(side === "b"));
  write(`${result} `);
  return `${tags.map(([tag, value]) => `[${tag} "${value}"]\n`).join("")}\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** @param {string} text */
function filled(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (longer.length > TEXT_WIDTH) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join("\n");
}

// JSON

/** The record of `matesolve solve --json`. @param {Root | null} root @param {Answer} answer @param {About} about */
export function jsonText(root, answer, about) {
  const text = stipulationText(about);
  const record = /** @type {Record<string, unknown>} */ ({
    schema: 1, id: "", fen: about.fen, claim: text ? about.stipulation.moves && Math.ceil(about.stipulation.moves) : null,
    status: answer.state, mate: answer.mate, lower_bound: answer.lower, keys: answer.keys, keys_complete: answer.keysComplete,
    pv: answer.line.map(({ uci }) => uci), nodes: answer.nodes, time_s: Math.round(answer.seconds * 1e6) / 1e6,
    stopped_by: answer.stoppedBy ?? null, solver: about.version, ...(text && { stipulation: text }),
  });
  if (about.stipulation.name.includes("h")) {
    record.solutions = (answer.solutions ?? []).map((line) => line.map(({ uci }) => uci));
    record.solutions_complete = answer.state !== "found" && answer.state !== "undecided";
  }
  if (root) record.play = playRecord(root, answer, about);
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** @param {Root} root @param {Answer} answer @param {About} about */
function playRecord(root, answer, about) {
  const play = shownPlay(root, answer, about);
  /** @param {Move[]} moves */
  const plain = (moves) => orderedMoves(moves).map(({ uci, san }) => ({ uci, san }));
  /** @param {Attack} attack @param {Move[]} line @returns {object} */
  const attacked = (attack, line) => {
    const { uci, san, left, level, refutations } = attack;
    const rest = lineAfter(line, attack);
    const defences = play.after(attack, rest);
    return {
      uci, san, ...(left && { moves_left: left }), ...(level?.zugzwang && { zugzwang: true }),
      ...(level?.threats.length && { threats: orderedMoves(level.threats).map((each) => attacked(each, [])) }),
      ...(defences.length && { defences: defences.map((each) => defended(each, rest)) }),
      ...(refutations.length && { refutations: plain(refutations) }), ...(attack.open && !level && { cut: true }),
    };
  };
  /** @param {Defence} defence @param {Move[]} line @returns {object} */
  const defended = (defence, line) => {
    const { uci, san, continuations } = defence;
    const rest = lineAfter(line, defence);
    return { uci, san, ...(continuations.length && { continuations: orderedMoves(continuations, rest).map((each) => attacked(each, rest)) }) };
  };
  const [keyMoves, setMoves, tryMoves] = [[...play.keys, ...play.defences.flatMap((each) => each.continuations)],
    play.setPlay.flatMap((each) => each.continuations), play.tries].map((attacks) => completeLevels(attacks, play.after));
  const cut = [keyMoves, setMoves, tryMoves].filter((moves) => moves !== null);
  return {
    stipulation: stipulationText(about) || `#${play.moves}`, set_play: play.setPlay.map((each) => defended(each, [])),
    tries: play.tries.map((each) => attacked(each, [])), tries_complete: Boolean(about.tries),
    keys: play.keys.map((each) => attacked(each, play.line)), keys_complete: true,
    defences: play.defences.map((each) => defended(each, play.line)), refutations: [],
    threats: orderedMoves(play.level?.threats ?? []).map((each) => attacked(each, [])), zugzwang: play.level?.zugzwang ?? false,
    complete_moves: cut.length ? Math.min(...cut) : null, key_moves: keyMoves, set_play_moves: setMoves, try_moves: tryMoves,
  };
}
