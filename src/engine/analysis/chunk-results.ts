/**
 * The chunk results of aggregates, kept per chunk: merged in order of chunk ids whatever the order of arrival,
 * for the whole experiment or for a time range.
 */
import type { Chunk } from '../trace/types.ts';
import type { AnyAggregate } from './analysis-set.ts';
import type { TimeWindow } from './clip-rows.ts';

/** HostNs of a chunk's first and last event; NaN without timed events. */
export interface ChunkSpan {
  readonly first: number;
  readonly last: number;
}

export interface ChunkResult {
  readonly span: ChunkSpan;
  /** Chunk results by analysis id. */
  readonly chunkResults: ReadonlyMap<string, unknown>;
}

export type Overlap = 'outside' | 'within' | 'cut';

export class ChunkResults {
  readonly chunks: readonly Chunk[];
  readonly #entries: (ChunkResult | undefined)[];
  /** Merged chunk results that were asked for, by host and analysis id; dropped when another chunk arrives. */
  readonly #merged = new Map<string, unknown>();

  /**
   * @param chunks in order of id
   * @param entries results of chunks that were read before, by chunk id
   */
  constructor(chunks: readonly Chunk[], entries: readonly (ChunkResult | undefined)[] = []) {
    this.chunks = chunks;
    this.#entries = chunks.map((_, id) => entries[id]);
  }

  put(chunk: number, span: ChunkSpan, chunkResults: ReadonlyMap<string, unknown>): void {
    const known = this.#entries[chunk]?.chunkResults ?? new Map<string, unknown>();
    this.#merged.clear();
    this.#entries[chunk] = { span, chunkResults: new Map([...known, ...chunkResults]) };
  }

  /** The merged chunk result of all chunks of a host that have arrived. */
  whole(analysis: AnyAggregate, host: number): unknown {
    const key = `${host} ${analysis.id}`;
    if (!this.#merged.has(key)) {
      const chunkResults = this.#idsOf(host).map((id) => this.#entries[id]?.chunkResults.get(analysis.id));
      this.#merged.set(key, mergeAll(analysis, chunkResults));
    }
    return this.#merged.get(key);
  }

  /** Drops chunk results that are stored elsewhere; `put` brings them back. */
  drop(chunk: number, analyses: readonly string[]): void {
    const entry = this.#entries[chunk];
    if (entry === undefined) return;
    const chunkResults = [...entry.chunkResults].filter(([id]) => !analyses.includes(id));
    this.#entries[chunk] = { span: entry.span, chunkResults: new Map(chunkResults) };
  }

  /** Times of the first and last event of a chunk; undefined when it has not arrived. */
  spanOf(chunk: number): ChunkSpan | undefined {
    return this.#entries[chunk]?.span;
  }

  /** The chunk result of one chunk, undefined when it has not arrived, or was dropped. */
  chunkResultOf(chunk: number, analysis: string): unknown {
    return this.#entries[chunk]?.chunkResults.get(analysis);
  }

  /** How the events of a chunk overlap a time range; chunks that have not arrived lie outside. */
  overlap(chunk: number, window: TimeWindow): Overlap {
    const span = this.#entries[chunk]?.span;
    if (span === undefined || span.last < window.from || span.first >= window.to) return 'outside';
    return span.first >= window.from && span.last < window.to ? 'within' : 'cut';
  }

  /** The chunks of a host that a range cuts and that must be decoded again. */
  cutChunks(host: number, window: TimeWindow): Chunk[] {
    return this.#idsOf(host)
      .filter((id) => this.overlap(id, window) === 'cut')
      .map((id) => this.chunks[id]);
  }

  /** The merged chunk result of a range; `cut` has clipped chunk results of the chunks that it cuts, by chunk id. */
  range(
    analysis: AnyAggregate,
    host: number,
    window: TimeWindow,
    cut: ReadonlyMap<number, unknown>,
  ): unknown {
    return mergeAll(
      analysis,
      this.#idsOf(host).map((id) => {
        const where = this.overlap(id, window);
        if (where === 'within') return this.#entries[id]?.chunkResults.get(analysis.id);
        return where === 'cut' ? cut.get(id) : undefined;
      }),
    );
  }

  #idsOf(host: number): number[] {
    return this.chunks.filter((chunk) => chunk.host === host).map(({ id }) => id);
  }
}

/** Merges the chunk results that are defined. */
function mergeAll(analysis: AnyAggregate, chunkResults: readonly unknown[]): unknown {
  const present = chunkResults.filter((chunkResult) => chunkResult !== undefined);
  if (present.length < 2) return present.length === 0 ? analysis.empty : present[0];
  return analysis.merge(present);
}
