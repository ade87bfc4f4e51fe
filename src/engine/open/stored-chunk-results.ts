/**
 * The chunk results of aggregates in the store. They are written in batches while reading goes on and then dropped from
 * memory, as those of I/O grow with the number of calls. The first question about an analysis loads its chunk results,
 * which then stay.
 */
import { ChunkResults, type ChunkSpan } from '../analysis/chunk-results.ts';
import { freeBuffers } from '../base/buffers.ts';
import type { NamedValue } from '../base/named-value.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { Chunk } from '../trace/types.ts';
import { type OnDamage, unreadableRecord } from './damage.ts';

/** The record `leaves`. */
interface StoredIndex {
  readonly chunks: readonly Chunk[];
  /** Spans by chunk. */
  readonly spans: readonly (ChunkSpan | undefined)[];
  readonly batches: number;
}

/** A record `leaves/ANALYSIS/BATCH`: chunk results by chunk. */
type StoredBatch = ReadonlyMap<number, unknown>;

const INDEX = 'leaves';
/** Chunks of a batch. */
const BATCH = 16;

export class StoredChunkResults {
  #waiting: number[] = [];
  #writing: Promise<void> = Promise.resolve();
  #fault: Fault | undefined;
  /** Loads by analysis id: resolve when all of its chunk results are in memory. */
  readonly #resident = new Map<string, Promise<void>>();

  /**
   * @param onDamage called with chunk results that the store does not return
   * @param batches number of batches in the store already
   */
  constructor(
    /** Chunk results in memory, to which the driver adds. */
    readonly chunkResults: ChunkResults,
    private readonly analyses: readonly string[],
    private readonly records: HistoryRecords,
    private readonly onDamage: OnDamage,
    private batches = 0,
  ) {}

  /** Called when the results of a chunk were added. */
  add(chunk: number): void {
    this.#waiting.push(chunk);
    if (this.#waiting.length < BATCH) return;
    const chunks = this.#waiting;
    this.#waiting = [];
    this.#writing = this.#writing.then(() => this.#write(chunks));
  }

  /** Chunk results in memory, including all of these analyses so far. */
  async load(...analyses: readonly string[]): Promise<ChunkResults> {
    await Promise.all(analyses.map((id) => this.#load(id)));
    return this.chunkResults;
  }

  /** Records not written yet: the last chunk results, which stay in memory, and that of `openStoredChunkResults`. */
  async rest(): Promise<Result<readonly NamedValue[]>> {
    await this.#writing;
    if (this.#fault !== undefined) return fail(this.#fault);
    const { chunks } = this.chunkResults;
    const spans = chunks.map(({ id }) => this.chunkResults.spanOf(id));
    const last = this.#waiting.length > 0 ? this.#batchOf(this.#waiting) : [];
    const index: StoredIndex = { chunks, spans, batches: this.batches + (last.length > 0 ? 1 : 0) };
    return ok([...last, { name: INDEX, value: index }]);
  }

  /** Writes a batch; if the store refuses, chunk results stay in memory. */
  async #write(chunks: readonly number[]): Promise<void> {
    if (this.#fault !== undefined) return;
    const written = await this.records.write(this.#batchOf(chunks));
    if (!written.ok) {
      this.#fault = written.fault;
      return;
    }
    this.batches++;
    const absent = this.analyses.filter((id) => !this.#resident.has(id));
    // Nobody asked for these, so no merged chunk result has their columns.
    const freed = this.records.copies() ? absent : [];
    for (const chunk of chunks) {
      freeBuffers(freed.map((id) => this.chunkResults.chunkResultOf(chunk, id)));
      this.chunkResults.drop(chunk, absent);
    }
  }

  #batchOf(chunks: readonly number[]): NamedValue[] {
    return this.analyses.map((id) => {
      const value: StoredBatch = new Map(
        chunks.map((chunk) => [chunk, this.chunkResults.chunkResultOf(chunk, id)]),
      );
      return { name: nameOf(id, this.batches), value };
    });
  }

  #load(analysis: string): Promise<void> {
    const loading = this.#resident.get(analysis) ?? this.#writing.then(() => this.#readBatches(analysis));
    this.#resident.set(analysis, loading);
    return loading;
  }

  async #readBatches(analysis: string): Promise<void> {
    for (let batch = 0; batch < this.batches; batch++) {
      const name = nameOf(analysis, batch);
      const found = await this.records.read(name);
      if (!(found instanceof Map)) {
        this.onDamage(analysis, unreadableRecord(name));
        continue;
      }
      for (const [chunk, chunkResult] of found as StoredBatch)
        this.chunkResults.put(
          chunk,
          this.chunkResults.spanOf(chunk) ?? NO_SPAN,
          new Map([[analysis, chunkResult]]),
        );
    }
  }
}

const NO_SPAN: ChunkSpan = { first: NaN, last: NaN };

/** Opens the chunk results of a stored trace; empty, with a fault, if the record that lists them is missing. */
export async function openStoredChunkResults(
  records: HistoryRecords,
  analyses: readonly string[],
  onDamage: OnDamage,
): Promise<StoredChunkResults> {
  const found = (await records.read(INDEX)) as StoredIndex | undefined;
  if (found === undefined) for (const analysis of analyses) onDamage(analysis, unreadableRecord(INDEX));
  const { chunks, spans, batches }: StoredIndex = found ?? { chunks: [], spans: [], batches: 0 };
  const entries = spans.map((span) => span && { span, chunkResults: new Map<string, unknown>() });
  return new StoredChunkResults(new ChunkResults(chunks, entries), analyses, records, onDamage, batches);
}

function nameOf(analysis: string, batch: number): string {
  return `${INDEX}/${analysis}/${batch}`;
}
