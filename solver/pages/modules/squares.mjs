// Squares and pieces by number, letter and name.

const PIECE_NAMES = new Map([
  ["p", "pawn"], ["n", "knight"], ["b", "bishop"], ["r", "rook"], ["q", "queen"], ["k", "king"],
]);

/** Squares are 0 (a8) to 63 (h1), in the order of a FEN. @param {number} square */
export const squareName = (square) => "abcdefgh"[square % 8] + (8 - Math.floor(square / 8));

/** The square that a text begins with. @param {string} name */
export const squareIndex = (name) => "abcdefgh".indexOf(name[0]) + 8 * (8 - Number(name[1]));

/** "rook" of a letter of either case. @param {string} letter */
export const pieceName = (letter) => PIECE_NAMES.get(letter.toLowerCase());

/** "white rook", or "empty". @param {string} letter */
export const describePiece = (letter) =>
  letter ? `${letter < "a" ? "white" : "black"} ${pieceName(letter)}` : "empty";

/** The 64 letters, "" for an empty square, of the first field of a FEN; null: it is none.
 * @param {string} fen @returns {string[] | null} */
export function readPlacement(fen) {
  const ranks = fen.trim().split(/\s/)[0].split("/").map((rank) => {
    if (!/^[1-8KQRBNPkqrbnp]+$/.test(rank)) return [];
    return [...rank].flatMap((x) => (x > "8" ? [x] : Array(Number(x)).fill("")));
  });
  return ranks.length === 8 && ranks.every((rank) => rank.length === 8) ? ranks.flat() : null;
}

/** The first field of a FEN. @param {string[]} letters */
export function writePlacement(letters) {
  const ranks = [0, 8, 16, 24, 32, 40, 48, 56].map((first) => {
    const rank = letters.slice(first, first + 8).map((letter) => letter || "1").join("");
    return rank.replace(/1+/g, ({ length }) => String(length));
  });
  return ranks.join("/");
}

/** Rights to castle that end with a move from or to a square. @type {Record<number, string>} */
const CASTLING_HOMES = { 0: "q", 4: "kq", 7: "k", 56: "Q", 60: "KQ", 63: "K" };

/** The FEN after legal moves; `0000` and what is no move pass the turn.
 * @param {string} fen @param {string[]} moves in UCI notation */
export function played(fen, moves) {
  if (!moves.length) return fen;
  const letters = readPlacement(fen) ?? [];
  let [, turn = "w", rights = "-", passant = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
  for (const uci of moves) {
    const [from, to] = [squareIndex(uci), squareIndex(uci.slice(2))];
    const piece = (uci !== "0000" && letters[from]) || "";
    const isPawn = /p/i.test(piece);
    half = isPawn || (piece && letters[to]) ? "0" : String(Number(half) + 1);
    passant = isPawn && Math.abs(from - to) === 16 ? squareName((from + to) / 2) : "-";
    if (piece) {
      if (isPawn && !letters[to] && from % 8 !== to % 8) letters[to + (turn === "w" ? 8 : -8)] = "";
      if (/k/i.test(piece) && Math.abs(from - to) === 2) {
        const [rook, beside] = to > from ? [to + 1, to - 1] : [to - 2, to + 1];
        [letters[beside], letters[rook]] = [letters[rook], ""];
      }
      letters[from] = "";
      letters[to] = turn === "w" ? (uci[4] ?? piece).toUpperCase() : uci[4] ?? piece;
      const lost = `${CASTLING_HOMES[from] ?? ""}${CASTLING_HOMES[to] ?? ""}`;
      rights = [...rights].filter((right) => !lost.includes(right)).join("") || "-";
    }
    if (turn === "b") full = String(Number(full) + 1);
    turn = turn === "w" ? "b" : "w";
  }
  return [writePlacement(letters), turn, rights, passant, half, full].join(" ");
}
