/**
 * Chunk results of aggregates as sets of stream parts: the results of an analysis for consecutive chunks of one stream,
 * with an open begin and an open end. Two parts are joined, and what was open between them closed, as soon as they
 * touch; so the result does not depend on the order in which chunks of different streams arrive (Reumont-Locke et al.
 * 2019, section 4.2).
 */
import type { EventBatch } from './contract.ts';

export interface StreamPart {
  /** Rank of the stream (`Stream.rank`), or of the one that it continues (`Stream.follows`). */
  readonly rank: number;
  /** First and last chunk of the stream in this part. */
  readonly first: number;
  readonly last: number;
  readonly host: number;
  /** CPU of all its events; -1: they differ. */
  readonly cpu: number;
}

/** The part that consists of one chunk. */
export function streamPart<Content extends object>(
  { chunk, streamRank, cpu }: EventBatch,
  content: Content,
): StreamPart & Content {
  const { rank, sequence } = chunk.place ?? { rank: streamRank, sequence: chunk.sequence };
  return { rank, first: sequence, last: sequence, host: chunk.host, cpu, ...content };
}

/**
 * The parts of all chunk results, in order of (stream, chunk), with neighbours joined. Associative and commutative when
 * `join` is; no chunk may be in two of them.
 * @param join gets at least two parts, each of which begins where the one before ends
 */
export function mergeStreamParts<Part extends StreamPart>(
  chunkResults: readonly (readonly Part[])[],
  join: (parts: readonly Part[]) => Part,
): readonly Part[] {
  const parts = chunkResults.flat().sort((x, y) => x.rank - y.rank || x.first - y.first);
  const merged: Part[] = [];
  for (let from = 0, to = 1; from < parts.length; from = to++) {
    while (to < parts.length && goesOn(parts[to - 1], parts[to])) to++;
    merged.push(to - from === 1 ? parts[from] : join(parts.slice(from, to)));
  }
  return merged;
}

/** Joins parts that hold a list with an entry for each chunk. */
export function joinLists<Part extends StreamPart & { readonly parts: readonly unknown[] }>(
  streamParts: readonly Part[],
): Part {
  const { last } = streamParts[streamParts.length - 1];
  return { ...streamParts[0], last, parts: streamParts.flatMap(({ parts }) => parts) };
}

function goesOn(earlier: StreamPart, later: StreamPart): boolean {
  return earlier.rank === later.rank && earlier.last + 1 === later.first;
}

/** Joins neighbours in rounds, two at a time: each part is joined log n times, not n times. */
export function inPairs<Part>(join: (earlier: Part, later: Part) => Part): (parts: readonly Part[]) => Part {
  return (parts) => {
    let round = parts;
    while (round.length > 1) {
      const joined: Part[] = [];
      for (let i = 0; i < round.length; i += 2)
        joined.push(i + 1 < round.length ? join(round[i], round[i + 1]) : round[i]);
      round = joined;
    }
    return round[0];
  };
}
