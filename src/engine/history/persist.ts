/**
 * Writes a history as records of a store: directory and blocks of each segment while reading goes on; at the end its
 * outline, its attributes, and the record that lists them. `stored-history.ts` opens it again.
 */
import { freeBuffers } from '../base/buffers.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import type { HostNs } from '../base/units.ts';
import type { AttributeSchemes, HistoryBuilder } from './builder.ts';
import { DIRECTORY_FORMAT, type Segment } from './directory.ts';

/** The records of one trace: a `Store` bound to the trace's key. */
export interface HistoryRecords {
  /** Writes all records or none. */
  write(records: readonly NamedValue[]): Promise<Result<void>>;
  read(name: string): Promise<unknown>;
  /** Whether written values were copied, and not kept themselves. */
  copies(): boolean;
}

/** The record `history`. */
export interface HistoryRecord {
  readonly format: number;
  readonly segments: number;
  readonly extent: { readonly from: HostNs; readonly to: HostNs };
  readonly schemes: AttributeSchemes;
  readonly outlineLevel: number | undefined;
}

/** Bytes gathered for one transaction. */
const TRANSACTION_BYTES = 4 * 1024 * 1024;
/** Bytes that may wait to be written before the reader must wait. */
const WAITING_BYTES = 16 * 1024 * 1024;
/** Bytes of written blocks that stay in memory. */
const MEMORY_BYTES = 4 * 1024 * 1024;

export interface WriterOptions {
  /** Prefix of the records' names, where a trace has several histories: 'host/0/'. */
  readonly prefix?: string;
  /** Default 4 MiB. */
  readonly memoryBytes?: number;
  /** Called once with why writing stopped; the history then stays in memory. */
  readonly onFault?: (fault: Fault) => void;
}

/** Writes segments in the background, in order. */
export class HistoryWriter {
  readonly #records: HistoryRecords;
  readonly #prefix: string;
  readonly #memoryBytes: number;
  readonly #onFault: ((fault: Fault) => void) | undefined;
  #waiting: Segment[] = [];
  #waitingBytes = 0;
  /** Written segments whose blocks are still in memory, oldest first. */
  readonly #resident: Segment[] = [];
  #residentBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #fault: Fault | undefined;

  constructor(records: HistoryRecords, options: WriterOptions = {}) {
    this.#records = records;
    this.#prefix = options.prefix ?? '';
    this.#memoryBytes = options.memoryBytes ?? MEMORY_BYTES;
    this.#onFault = options.onFault;
  }

  /** Takes a sealed segment. */
  add(segment: Segment): void {
    if (this.#fault !== undefined) return;
    this.#waiting.push(segment);
    this.#waitingBytes += bytesOf(segment);
    if (this.#waitingBytes >= TRANSACTION_BYTES) this.#startWriting();
  }

  /** Resolves when the reader may go on; undefined while little waits to be written. */
  pressure(): Promise<void> | undefined {
    return this.#waitingBytes > WAITING_BYTES ? this.#writing : undefined;
  }

  /** Writes what is left. */
  async finish(builder: HistoryBuilder): Promise<Result<void>> {
    const left = await this.rest(builder);
    if (!left.ok) return left;
    const segments = this.#waiting;
    this.#waiting = [];
    return this.#written(segments, await this.#records.write(left.value));
  }

  /** Records not written yet: the last segments, and those that complete the history. */
  async rest(builder: HistoryBuilder): Promise<Result<readonly NamedValue[]>> {
    await builder.ready();
    await this.#writing;
    if (this.#fault !== undefined) return fail(this.#fault);
    const { segments, outline, tree } = builder;
    const history: HistoryRecord = {
      format: DIRECTORY_FORMAT,
      segments: segments.length,
      extent: builder.extent(),
      schemes: builder.schemes(),
      outlineLevel: outline?.level,
    };
    return ok([
      ...this.#waiting.flatMap((segment) => recordsOf(segment, this.#prefix)),
      {
        name: `${this.#prefix}outline`,
        value: outline?.segments.map(({ directory }) => directory.bytes) ?? [],
        isChecked: true,
      },
      { name: `${this.#prefix}attributes`, value: new TextEncoder().encode(tree.toText()) },
      { name: `${this.#prefix}history`, value: history },
    ]);
  }

  #startWriting(): void {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
  }

  async #writeWaiting(): Promise<void> {
    const segments = this.#waiting;
    if (segments.length === 0 || this.#fault !== undefined) return;
    this.#waiting = [];
    this.#written(
      segments,
      await this.#records.write(segments.flatMap((segment) => recordsOf(segment, this.#prefix))),
    );
  }

  #written(segments: readonly Segment[], result: Result<void>): Result<void> {
    this.#waitingBytes -= segments.reduce((sum, segment) => sum + bytesOf(segment), 0);
    if (result.ok) this.#release(segments);
    else {
      this.#fault = result.fault;
      this.#onFault?.(result.fault);
    }
    return result;
  }

  /** Releases the oldest blocks when written ones take more than their share of memory. */
  #release(segments: readonly Segment[]): void {
    for (const segment of segments) {
      this.#resident.push(segment);
      this.#residentBytes += segment.blocks?.length ?? 0;
    }
    while (this.#residentBytes > this.#memoryBytes) {
      const oldest = this.#resident.shift();
      if (oldest === undefined) return;
      this.#residentBytes -= oldest.blocks?.length ?? 0;
      // Queries have copies of the blocks that they need (`block-cache.ts`).
      if (this.#records.copies()) freeBuffers({ blocks: oldest.blocks });
      oldest.blocks = undefined;
    }
  }
}

function bytesOf({ directory, blocks }: Segment): number {
  return directory.bytes.length + (blocks?.length ?? 0);
}

function recordsOf({ index, directory, blocks }: Segment, prefix: string): NamedValue[] {
  return [
    { name: `${prefix}directory/${index}`, value: directory.bytes, isChecked: true },
    { name: `${prefix}blocks/${index}`, value: blocks, isChecked: true },
  ];
}
