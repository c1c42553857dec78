/** A move in UCI notation and in standard algebraic notation. */
export interface Move {
  uci: string;
  san: string;
}

export interface Options {
  /** Stop after so many positions. Without it the search ends with an answer. */
  nodes?: number | null;
  /** Takes the question back; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface SolveOptions extends Options {
  /** The longest mate to look for, in attacker's moves, 1 to 200. */
  moves?: number | null;
  /** Called many times a second with what is proved so far. */
  onProgress?: (progress: Progress) => void;
}

/** Bounds that are proved so far. */
export interface Progress {
  nodes: number;
  /** No mate takes fewer moves. */
  lower: number;
  /** A mate in so many moves; negative: the side to move is mated; null: none is known. */
  upper: number | null;
}

export interface Answer {
  /**
   * proved: a mate, and none is shorter. found: a mate, perhaps not the shortest.
   * disproved: no mate within the moves searched. undecided: a limit was hit first.
   */
  status: "proved" | "found" | "disproved" | "undecided";
  /** Moves to mate; negative: the side to move is mated; null: no mate was found. */
  mate: number | null;
  /** No mate takes fewer moves: proved. */
  lowerBound: number;
  /** First moves that mate in `mate` moves. */
  keys: Move[];
  /** Whether `keys` has all of them. */
  keysComplete: boolean;
  /** The mating line; the defender resists as long as possible. */
  line: Move[];
  /** Positions that were entered. */
  nodes: number;
}

export interface Grade {
  /** Whether each move of the attacker keeps a mate within the moves left: proved. */
  correct: boolean;
  /**
   * right and wrong are proved. undecided: the node limit was hit. unreadable: a word is no
   * move, and every move before it is right.
   */
  status: "right" | "wrong" | "undecided" | "unreadable";
  /** Why the line is not right, in one line. */
  why?: string;
  /** The first ply at which a wrong or unreadable line fails, from 0. */
  ply?: number;
  /** All moves that mate in time at that ply; none if the defender is to move there. */
  rightMoves: Move[];
  /** The moves before that ply; all moves of a right line. */
  line: Move[];
  /** Whether the last of these moves mates at once. A right line may stop earlier. */
  endsInMate: boolean;
}

/**
 * Find the shortest forced mate, and prove it.
 *
 * @param fen a legal position of orthodox chess: 1, 2, 4 or 6 fields
 */
export function solve(fen: string, options?: SolveOptions): Promise<Answer>;

/**
 * Grade a line by whether it mates by force within `n` moves of the side to move.
 *
 * @param fen the position in which the line begins
 * @param line moves of both sides, as they are written: in SAN, long algebraic or UCI notation,
 *   with or without move numbers, marks and comments; several strings are read as one text
 * @param n the attacker's moves to mate, 1 to 200
 */
export function isCorrect(
  fen: string, line: string | readonly string[], n: number, options?: Options,
): Promise<Grade>;

/**
 * List all first moves that mate by force within `n` moves.
 *
 * @param fen a legal position of orthodox chess
 * @param n the attacker's moves to mate, 1 to 200
 */
export function keys(fen: string, n: number, options?: Options): Promise<Move[]>;
