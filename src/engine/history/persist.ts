/**
 * A history as records of a store: per segment its directory and its blocks, and at the end one record with the
 * attributes, the texts and the number of segments. Segments are written while reading goes on; a history is opened
 * from its directories alone, and blocks are read when a query needs them.
 */
import type { Fault } from '../base/fault.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { TimeNs } from '../base/units.ts';
import { AttributeTree } from './attribute-tree.ts';
import { DIRECTORY_FORMAT, parseDirectory } from './directory.ts';
import { groupTables, NO_GROUPS, type GroupTable } from './groups.ts';
import type { HistorySource } from './query-context.ts';
import { patchSegments, type Segment } from './segment.ts';
import type { AttributeId, ValueScheme } from './types.ts';

/** The records of one trace in a store: a `Store` bound to the trace's key. */
export interface HistoryRecords {
  /** All or none. */
  write(records: readonly { readonly name: string; readonly value: unknown }[]): Promise<Result<void>>;
  read(name: string): Promise<unknown>;
}

/** Bytes that one transaction gathers. */
const TRANSACTION_BYTES = 4 * 1024 * 1024;
/** Bytes that may wait to be written before the reader has to. */
const WAITING_BYTES = 16 * 1024 * 1024;
/** Bytes of written blocks that stay in memory. */
const MEMORY_BYTES = 64 * 1024 * 1024;

export interface WriterOptions {
  /** Of the records' names, where a trace has several histories: 'host/0/'. */
  readonly prefix?: string;
  /** Default 64 MiB. */
  readonly memoryBytes?: number;
  /** Hears, once, why writing stopped; the history then stays in memory. */
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

  /** Takes a segment that was just sealed. */
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

  /** Writes what is left and the record that makes the history complete. */
  async finish(source: HistorySource): Promise<Result<void>> {
    await source.ready?.();
    this.#startWriting();
    await this.#writing;
    if (this.#fault !== undefined) return fail(this.#fault);
    const value: HistoryRecord = {
      format: DIRECTORY_FORMAT,
      segments: source.segments.length,
      extent: source.extent(),
      tree: source.tree.toText(),
    };
    return this.#records.write([{ name: `${this.#prefix}history`, value }]);
  }

  #startWriting(): void {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
  }

  async #writeWaiting(): Promise<void> {
    const segments = this.#waiting;
    if (segments.length === 0 || this.#fault !== undefined) return;
    this.#waiting = [];
    const written = await this.#records.write(
      segments.flatMap((segment) => recordsOf(segment, this.#prefix)),
    );
    this.#waitingBytes -= segments.reduce((sum, segment) => sum + bytesOf(segment), 0);
    if (written.ok) {
      this.#release(segments);
      return;
    }
    this.#fault = written.fault;
    this.#onFault?.(written.fault);
  }

  /** Lets go of the oldest blocks when those written take more than their share of memory. */
  #release(segments: readonly Segment[]): void {
    for (const segment of segments) {
      this.#resident.push(segment);
      this.#residentBytes += segment.blocks?.length ?? 0;
    }
    while (this.#residentBytes > this.#memoryBytes) {
      const oldest = this.#resident.shift();
      if (oldest === undefined) return;
      this.#residentBytes -= oldest.blocks?.length ?? 0;
      oldest.blocks = undefined;
    }
  }
}

/** Reads the blocks of a segment back, for `QueryOptions.load`. */
export function blockLoader(
  records: HistoryRecords,
  prefix = '',
): (segment: number) => Promise<Uint8Array | undefined> {
  return async (segment) => {
    const bytes = await records.read(`${prefix}blocks/${segment}`);
    return bytes instanceof Uint8Array ? bytes : undefined;
  };
}

/** The last record. */
interface HistoryRecord {
  readonly format: number;
  readonly segments: number;
  readonly extent: { readonly from: TimeNs; readonly to: TimeNs };
  /** `AttributeTree.toText`. */
  readonly tree: string;
}

function bytesOf({ directory, blocks }: Segment): number {
  return directory.bytes.length + (blocks?.length ?? 0);
}

function recordsOf(
  { index, directory, blocks }: Segment,
  prefix: string,
): { name: string; value: unknown }[] {
  return [
    { name: `${prefix}directory/${index}`, value: directory.bytes },
    { name: `${prefix}blocks/${index}`, value: blocks },
  ];
}

export interface StoredHistory {
  readonly source: HistorySource;
  /** For `QueryOptions.load`. */
  readonly load: (segment: number) => Promise<Uint8Array | undefined>;
  /** Segments that could not be read; their time is without values. */
  readonly faults: readonly Fault[];
}

/**
 * Opens a stored history from its directories. A fault where the history is not complete, of another format, or
 * without its attributes.
 */
export async function openHistory(
  records: HistoryRecords,
  schemeOf: (path: readonly string[]) => ValueScheme | undefined,
  prefix = '',
): Promise<Result<StoredHistory>> {
  const record = (await records.read(`${prefix}history`)) as Partial<HistoryRecord> | undefined;
  if (record?.format !== DIRECTORY_FORMAT || typeof record.segments !== 'number')
    return damaged('history', record === undefined ? 'no such record' : 'another format');
  const tree = AttributeTree.fromText(record.tree ?? '');
  if (tree === undefined) return damaged('history', 'attributes that cannot be read');
  const segments: Segment[] = [];
  const faults: Fault[] = [];
  const reads = Array.from({ length: record.segments }, (_, i) => records.read(`${prefix}directory/${i}`));
  for (const [index, bytes] of (await Promise.all(reads)).entries()) {
    const place = { file: `${prefix}directory/${index}` };
    const parsed = parseDirectory(bytes instanceof Uint8Array ? bytes : new Uint8Array(0));
    if (parsed.ok) segments.push({ index, directory: parsed.value, blocks: undefined });
    else faults.push({ ...parsed.fault, place });
  }
  for (const { directory } of segments)
    for (const patch of directory.patches) patchSegments(segments, patch, directory.from);
  const tableOf = groupTables();
  const groups = tree.attributes.map(({ path, kind }) =>
    kind === 'state' ? tableOf(schemeOf(path)) : NO_GROUPS,
  );
  const { extent = { from: 0, to: 0 } } = record;
  const groupsOf = (attribute: AttributeId): GroupTable => groups[attribute];
  const source = { tree, segments, extent: () => extent, groupsOf };
  return ok({ source, load: blockLoader(records, prefix), faults });
}

function damaged(file: string, found: string): { readonly ok: false; readonly fault: Fault } {
  return fail({ code: 'store-damaged', place: { file }, found });
}

/**
 * SHA-256 (hex) over all that is stored of a history: attributes, directories and blocks, in order. Equal for equal
 * sequences of sink calls, fresh or opened again.
 */
export async function blocksSha256(
  source: HistorySource,
  load?: (segment: number) => Promise<Uint8Array | undefined>,
): Promise<string> {
  await source.ready?.();
  const parts = [await sha256(new TextEncoder().encode(source.tree.toText()))];
  for (const { index, directory, blocks } of source.segments) {
    parts.push(await sha256(directory.bytes));
    parts.push(await sha256(blocks ?? (await load?.(index)) ?? new Uint8Array(0)));
  }
  const all = new Uint8Array(parts.length * 32);
  parts.forEach((part, i) => all.set(part, i * 32));
  return Array.from(await sha256(all), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}
