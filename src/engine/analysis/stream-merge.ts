/**
 * Leaves of aggregates as sets of stream pieces: a piece is what an analysis knows of consecutive chunks of one stream,
 * with an open begin and an open end. Two pieces are joined, and what was open between them closed, as soon as they
 * touch; so the result does not depend on the order in which chunks of different streams arrive (Reumont-Locke et al.
 * 2019, section 4.2).
 */
import type { EventBatch } from './contract.ts';

export interface StreamPiece {
  /** The stream (`Stream.rank`). */
  readonly rank: number;
  /** First and last chunk of the stream in it. */
  readonly first: number;
  readonly last: number;
  readonly host: number;
}

/** The piece that is one chunk, whatever it contains. */
export function pieceOf({ chunk, streamRank }: EventBatch): StreamPiece {
  const { sequence, host } = chunk;
  return { rank: streamRank, first: sequence, last: sequence, host };
}

/**
 * The pieces of all leaves, in order of (stream, chunk), neighbours joined. Associative when `join` is, and commutative;
 * no chunk may be in two of them.
 * @param join gets at least two pieces of which each goes on where the one before ends
 */
export function mergePieces<Piece extends StreamPiece>(
  leaves: readonly (readonly Piece[])[],
  join: (pieces: readonly Piece[]) => Piece,
): readonly Piece[] {
  const pieces = leaves.flat().sort((x, y) => x.rank - y.rank || x.first - y.first);
  const merged: Piece[] = [];
  for (let from = 0, to = 1; from < pieces.length; from = to++) {
    while (to < pieces.length && goesOn(pieces[to - 1], pieces[to])) to++;
    merged.push(to - from === 1 ? pieces[from] : join(pieces.slice(from, to)));
  }
  return merged;
}

function goesOn(earlier: StreamPiece, later: StreamPiece): boolean {
  return earlier.rank === later.rank && earlier.last + 1 === later.first;
}

/** Joins neighbours in rounds, where two are joined at a time: each piece takes part in log n joins, not in n. */
export function inPairs<Piece>(
  join: (earlier: Piece, later: Piece) => Piece,
): (pieces: readonly Piece[]) => Piece {
  return (pieces) => {
    let round = pieces;
    while (round.length > 1) {
      const joined: Piece[] = [];
      for (let i = 0; i < round.length; i += 2)
        joined.push(i + 1 < round.length ? join(round[i], round[i + 1]) : round[i]);
      round = joined;
    }
    return round[0];
  };
}
