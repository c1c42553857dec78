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
