/**
 * Leaves of aggregates as sets of stream pieces: a piece is what an analysis knows of consecutive chunks of one stream,
 * with an open begin and an open end. Two pieces are joined, and what was open between them closed, as soon as they
 * touch; so the result does not depend on the order in which chunks of different streams arrive (seed 001 §4.2).
 */
import type { EventBatch } from '../analysis/contract.ts';

export interface StreamPiece {
  /** The stream (`Stream.rank`). */
  readonly rank: number;
  /** First and last chunk of the stream in it. */
  readonly first: number;
  readonly last: number;
  readonly host: number;
}

/** The piece that is one chunk, whatever it tells. */
export function pieceOf({ chunk, streamRank }: EventBatch): StreamPiece {
  const { sequence, host } = chunk;
  return { rank: streamRank, first: sequence, last: sequence, host };
}

/**
 * The pieces of both, in order of (stream, chunk), neighbours joined. Associative when `join` is, and commutative;
 * no chunk may be in both.
 */
export function mergePieces<Piece extends StreamPiece>(
  a: readonly Piece[],
  b: readonly Piece[],
  join: (earlier: Piece, later: Piece) => Piece,
): readonly Piece[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged: Piece[] = [];
  for (const piece of [...a, ...b].sort((x, y) => x.rank - y.rank || x.first - y.first)) {
    const before = merged.at(-1);
    if (before !== undefined && before.rank === piece.rank && before.last + 1 === piece.first) {
      merged[merged.length - 1] = join(before, piece);
    } else {
      merged.push(piece);
    }
  }
  return merged;
}
