/// <reference lib="esnext.disposable" />

/** A move in UCI notation and in standard algebraic notation. */
export interface Move {
  uci: string;
  san: string;
}

/** Options of every question. Without a limit, the search ends when it has an answer. */
export interface Options {
  /** Moves that are played before the question, as they are written, in one string or several. */
  moves?: string | readonly string[] | null | undefined;
  /** Repair what leaves no doubt about the position: `warnings` says what. Else that is an error. */
  repair?: boolean | null | undefined;
  /** Stop after so many positions. */
  nodes?: number | null | undefined;
  /** Stop after so many seconds. */
  timeS?: number | null | undefined;
  /** Stops the search: the answer is what it has proved. */
  signal?: AbortSignal | null | undefined;
  /** Reject the promise with the signal's reason instead. */
  throwOnAbort?: boolean | null | undefined;
}

export interface SolveOptions extends Options {
  /** The longest mate to look for, in attacker's moves, 1 to 200. */
  maxMoves?: number | null | undefined;
  /** The only first moves to search, in SAN or UCI: the answer covers only these. */
  rootMoves?: string | readonly string[] | null | undefined;
  /** Whether to find every key of a proved mate, as without this option, or only one. */
  keys?: boolean | null | undefined;
  /** Called many times a second with what is proved so far; an error in it ends the question. */
  onProgress?: ((progress: Progress) => void) | null | undefined;
}

export interface GradeOptions extends Options {
  /** After a wrong move, look for a mate within so many moves, more than `within`, at most 200. */
  maxMoves?: number | null | undefined;
}

/** What is proved so far, as in an `Answer`. */
export interface Progress {
  nodes: number;
  lowerBound: number;
  mate: number | null;
  pv: Move[];
}

/** What ended a search early: a limit, or the signal. */
export type StoppedBy = "nodes" | "time" | "interrupt";

interface AnswerFields {
  /** No mate takes fewer moves: proved. */
  lowerBound: number;
  /** First moves that mate in `mate` moves. */
  keys: Move[];
  /** Whether `keys` has all of them. */
  keysComplete: boolean;
  /** The mating line; the defender resists as long as possible. */
  pv: Move[];
  /** Positions that were entered. */
  nodes: number;
  /** What was repaired of the position. */
  warnings: string[];
}

/** The answer of `solve`; its `status` says which of these it is. */
export type Answer = Proved | Found | Disproved | Undecided;

interface MateFields extends AnswerFields {
  /** Moves to mate; negative: the side to move is mated; 0: it is checkmate. */
  mate: number;
  /** null: the question is answered. */
  stoppedBy: StoppedBy | null;
}

/** A mate, and none is shorter. */
export interface Proved extends MateFields {
  status: "proved";
}

/** A mate, perhaps not the shortest. */
export interface Found extends MateFields {
  status: "found";
}

/** No mate within the moves searched. */
export interface Disproved extends AnswerFields {
  status: "disproved";
  mate: null;
  stoppedBy: null;
}

/** A limit was hit before a mate was found. */
export interface Undecided extends AnswerFields {
  status: "undecided";
  mate: null;
  stoppedBy: StoppedBy;
}

interface GradeFields {
  /** Why the line is not right, in one line; empty if it is. */
  reason: string;
  /** All moves that mate in time at `ply`; none if the defender is to move there. */
  rightMoves: Move[];
  /** The moves before `ply`; all moves of a right line. */
  line: Move[];
  /** Whether the last of these moves mates at once. A right line may stop earlier. */
  endsInMate: boolean;
  /** The attacker's legal move that no longer mates in time. */
  wrongMove: Move | null;
  /** What the defender answers where a right line ends with the attacker's move: it lasts longest. */
  reply: Move | null;
  /**
   * What the defender answers `wrongMove` with, so that no mate in time is left: proved. Empty if
   * `wrongMove` gives stalemate, or a limit was hit first. The line of a longer mate that is proved
   * follows.
   */
  refutation: Move[];
  /** The position after `line` and `reply`, or `wrongMove` and the first move of `refutation`. */
  fen: string;
  /** With `maxMoves`: the moves in which the line with `wrongMove` mates all the same. */
  longerMate: number | null;
  /** How far that is proved, as in an `Answer`; null: not asked for. */
  longerStatus: Answer["status"] | null;
  /** What was repaired of the position. */
  warnings: string[];
}

/** The answer of `grade`; its `status` says which of these it is. */
export type Grade = RightGrade | WrongGrade | UnreadableGrade | UndecidedGrade;

/** Each move of the attacker keeps a mate within the moves left: proved. */
export interface RightGrade extends GradeFields {
  status: "right";
  isRight: true;
  ply: null;
  stoppedBy: null;
}

/** The line fails: proved. */
export interface WrongGrade extends GradeFields {
  status: "wrong";
  isRight: false;
  /** The first ply at which the line fails, from 0. */
  ply: number;
  stoppedBy: null;
}

/** A word is no move, and every move before it is right. */
export interface UnreadableGrade extends GradeFields {
  status: "unreadable";
  isRight: false;
  /** The ply of that word. */
  ply: number;
  stoppedBy: null;
}

/** A limit was hit, or the search was interrupted. */
export interface UndecidedGrade extends GradeFields {
  status: "undecided";
  isRight: false;
  ply: null;
  stoppedBy: StoppedBy;
}

/**
 * ERR_ARGUMENT: an argument has the wrong type or is out of range, or a move of `moves` is not
 * legal. ERR_FEN: the position cannot be read or is not legal. ERR_UNDECIDED: `keys` was stopped
 * before it had them all. ERR_DISPOSED: the solver was disposed of. ERR_WORKER: the worker could not
 * be started, or has died; `cause` may say why.
 */
export type ErrorCode =
  "ERR_ARGUMENT" | "ERR_FEN" | "ERR_UNDECIDED" | "ERR_DISPOSED" | "ERR_WORKER";

/**
 * Every error of the package. A promise is rejected with another one only by `throwOnAbort`, with
 * the signal's reason, and by `onProgress`.
 */
export class MatesolveError extends Error {
  readonly code: ErrorCode;
}

/** Answers one question after the other, in a worker; other solvers work at the same time. */
export interface Solver {
  /**
   * Find the shortest forced mate, and prove it.
   *
   * @param fen a legal position of orthodox chess: a FEN of 1, 2, 4 or 6 fields or `startpos`,
   *   perhaps followed by `moves` and moves; or a game in PGN, whose last position is meant
   */
  solve(fen: string, options?: SolveOptions): Promise<Answer>;

  /**
   * Grade a line by whether it mates by force within so many moves of the side to move.
   *
   * @param fen the position in which the line begins, as for `solve`
   * @param line moves of both sides, as they are written: in SAN, long algebraic or UCI
   *   notation, with or without move numbers, marks and comments; several strings are read as
   *   one text
   * @param within the attacker's moves to mate, 1 to 200
   */
  grade(
    fen: string, line: string | readonly string[], within: number, options?: GradeOptions,
  ): Promise<Grade>;

  /**
   * List all first moves that mate by force within so many moves.
   *
   * @param fen the position, as for `solve`
   * @param within the attacker's moves to mate, 1 to 200
   */
  keys(fen: string, within: number, options?: Options): Promise<Move[]>;

  /** The largest size of the table in MiB; less than requested, once a system has refused so much. */
  readonly hashMib: number;

  /** End the worker and give its memory back; what is asked is rejected with ERR_DISPOSED. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SolverOptions {
  /** The largest size of the table in MiB, rounded down to a power of two: 1 to 2048; 128 without
   * it. */
  hashMib?: number | null | undefined;
}

/** Create a solver. Its worker starts with the first question. */
export function createSolver(options?: SolverOptions): Solver;

/** The functions of a solver that is created with the module. */
export const solve: Solver["solve"];
export const grade: Solver["grade"];
export const keys: Solver["keys"];
