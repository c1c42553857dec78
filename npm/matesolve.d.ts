/// <reference lib="esnext.disposable" />

/** A move in UCI notation and in standard algebraic notation. */
export interface Move {
  uci: string;
  san: string;
}

/** Without a limit, the search ends when it has an answer, however long that takes. */
export interface Options {
  /** Stop after so many positions. */
  nodes?: number | null | undefined;
  /** Stop after so many seconds. */
  time?: number | null | undefined;
  /** Stops the search: the answer is what it has proved. */
  signal?: AbortSignal | null | undefined;
  /** Reject the promise with the signal's reason instead. */
  throwOnAbort?: boolean | undefined;
}

export interface SolveOptions extends Options {
  /** The longest mate to look for, in attacker's moves, 1 to 200. */
  moves?: number | null | undefined;
  /** Called many times a second with what is proved so far. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Bounds that are proved so far. */
export interface Progress {
  nodes: number;
  /** No mate takes fewer moves. */
  lower: number;
  /** A mate in so many moves; negative: the side to move is mated; null: none is known. */
  upper: number | null;
  /** The line of that mate. */
  line: Move[];
}

/** What ended a search early: a limit, or the signal. */
export type StoppedBy = "nodes" | "time" | "interrupt";

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
  /** null: the question is answered. */
  stoppedBy: StoppedBy | null;
}

export interface Grade {
  /** Whether each move of the attacker keeps a mate within the moves left: proved. */
  correct: boolean;
  /**
   * right and wrong are proved. undecided: a limit was hit, or the search was interrupted.
   * unreadable: a word is no move, and every move before it is right.
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
  /** null, unless the status is undecided. */
  stoppedBy: StoppedBy | null;
}

/**
 * ERR_ARGUMENT: an argument has the wrong type or is out of range. ERR_FEN: the position cannot
 * be read or is not legal. ERR_UNDECIDED: `keys` was stopped before it had them all.
 * ERR_DISPOSED: the solver was disposed of. ERR_WORKER: the worker could not be started, or has
 * died; `cause` may say why.
 */
export type ErrorCode =
  "ERR_ARGUMENT" | "ERR_FEN" | "ERR_UNDECIDED" | "ERR_DISPOSED" | "ERR_WORKER";

/** Every error of the package; with `throwOnAbort`, a promise is rejected with a signal's reason. */
export class MatesolveError extends Error {
  readonly code: ErrorCode;
}

/** Answers one question after the other, in a worker; other solvers work at the same time. */
export interface Solver {
  /**
   * Find the shortest forced mate, and prove it.
   *
   * @param fen a legal position of orthodox chess: 1, 2, 4 or 6 fields
   */
  solve(fen: string, options?: SolveOptions): Promise<Answer>;

  /**
   * Grade a line by whether it mates by force within `n` moves of the side to move.
   *
   * @param fen the position in which the line begins
   * @param line moves of both sides, as they are written: in SAN, long algebraic or UCI
   *   notation, with or without move numbers, marks and comments; several strings are read as
   *   one text
   * @param n the attacker's moves to mate, 1 to 200
   */
  isCorrect(
    fen: string, line: string | readonly string[], n: number, options?: Options,
  ): Promise<Grade>;

  /**
   * List all first moves that mate by force within `n` moves.
   *
   * @param fen a legal position of orthodox chess
   * @param n the attacker's moves to mate, 1 to 200
   */
  keys(fen: string, n: number, options?: Options): Promise<Move[]>;

  /** The largest size of the table in MiB; less than requested, once a system has refused so much. */
  readonly hashMiB: number;

  /** End the worker and give its memory back; what is asked is rejected with ERR_DISPOSED. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SolverOptions {
  /** The largest size of the table in MiB, rounded down to a power of two: 1 to 2048; 128 without
   * it. */
  hashMiB?: number | null | undefined;
}

/** Create a solver. Its worker starts with the first question. */
export function createSolver(options?: SolverOptions): Solver;

/** The functions of a solver that is created with the module. */
export const solve: Solver["solve"];
export const isCorrect: Solver["isCorrect"];
export const keys: Solver["keys"];
