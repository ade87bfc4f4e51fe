/** Readers of chunks: compiled code over rows in a memory (`row-kernel.ts`). */
import type { EventBatch, PacketReader } from '../contract.ts';
import { assert } from '../../base/assert.ts';
import {
  lastTime,
  losesBefore,
  losesWithin,
  missingSince,
  type PacketSpans,
} from '../../ctf/decode/rows/rows.ts';
import { Arena, aligned } from '../../base/tables.ts';
import aggregates from 'wasm:aggregates';
import { kernelModule } from '../../base/kernel-module.ts';

const PAGE = 65_536;

/** Address 0 stays unused. */
const BEGIN = 64;

/** Kernels read up to this many bytes beyond the end of a text. */
const SPARE_BYTES = 8;

/**
 * Bytes of the arena that an analysis needs for a row, for a packet, and for everything else in a chunk, at scale 1.
 */
const ROW_BYTES = 128;

const PACKET_BYTES = 512;

const TABLE_BYTES = 2 ** 21;

let memory: WebAssembly.Memory | undefined;

/**
 * Copies a batch into a memory with an arena.
 * @param scale factor on the arena that most chunks need beside that of rows and packets
 * @throws where WebAssembly or the memory is not available
 */
function withArena(batch: EventBatch, scale: number): EventBatch {
  const { rows, packets } = batch;
  const { length, bytes } = rows;
  const time = aligned(BEGIN + bytes.byteLength + SPARE_BYTES);
  const at = time + 8 * length;
  const words = at + 4 * length;
  const kind = words + 4 * rows.words.length;
  const eventClass = kind + 2 * length;
  const begin = aligned(eventClass + 2 * length);
  const end = begin + ROW_BYTES * length + PACKET_BYTES * (packets.length + 1024) + TABLE_BYTES * scale;
  const { buffer } = (memory = memoryOf(end));
  new Uint8Array(buffer, BEGIN, bytes.byteLength).set(bytes);
  const copy = {
    length,
    time: new Float64Array(buffer, time, length),
    at: new Uint32Array(buffer, at, length),
    words: new Int32Array(buffer, words, rows.words.length),
    kind: new Uint16Array(buffer, kind, length),
    eventClass: new Uint16Array(buffer, eventClass, length),
    bytes,
    place: {
      memory,
      textBase: new Int32Array(packets.length).fill(BEGIN),
      capacity: length,
      arena: new Arena(begin, end),
    },
  };
  copy.time.set(rows.time.subarray(0, length));
  copy.at.set(rows.at.subarray(0, length));
  copy.words.set(rows.words);
  copy.kind.set(rows.kind.subarray(0, length));
  copy.eventClass.set(rows.eventClass.subarray(0, length));
  return { ...batch, rows: copy };
}

function memoryOf(bytes: number): WebAssembly.Memory {
  const pages = Math.ceil(bytes / PAGE);
  if (memory === undefined) return new WebAssembly.Memory({ initial: pages });
  const missing = pages - memory.buffer.byteLength / PAGE;
  if (missing > 0) memory.grow(missing);
  return memory;
}

/** Reader that makes an analysis's result of the rows of a chunk. */
export interface ChunkReader<Made> {
  /**
   * Begins a chunk; false: the arena behind its rows is too small.
   * @param scale factor on the arena that most chunks need
   */
  start(batch: EventBatch, scale: number): boolean;
  /** Reads the next packet; false: the arena is full. */
  read(packet: number): boolean;
  /** The result; undefined: the arena is full. */
  finish(): Made | undefined;
}

/** Upper limit of the scale; no chunk needs as much. */
const MOST_SCALE = 2 ** 20;

/**
 * Reads chunks in place. A chunk whose rows lie in no memory (the interpreter's), or whose arena was too small, is
 * copied into a larger memory and read again. Chunks of other domains than the kernel's give `empty`.
 */
export class ChunkReaders<Made, ChunkResult> implements PacketReader<ChunkResult> {
  /** Number of chunks that were read in place. */
  readInPlace = 0;
  // The batch of the chunk being read.
  #batch: EventBatch | undefined;
  /** Whether the arena had room for all packets so far. */
  #fits = false;

  constructor(
    private readonly reader: ChunkReader<Made>,
    private readonly chunkResultOf: (batch: EventBatch, made: Made) => ChunkResult,
    private readonly empty: ChunkResult,
  ) {}

  start(batch: EventBatch): void {
    this.#batch = batch;
    this.#fits = batch.domain === 'kernel' && this.reader.start(batch, 1);
  }

  read(packet: number): void {
    if (this.#fits) this.#fits = this.reader.read(packet);
  }

  finish(): ChunkResult {
    const batch = this.#batch;
    assert(batch !== undefined, 'a chunk was begun');
    this.#batch = undefined;
    if (batch.domain !== 'kernel') return this.empty;
    const made = this.#fits ? this.reader.finish() : undefined;
    if (made !== undefined) this.readInPlace++;
    return this.chunkResultOf(batch, made ?? this.#readCopy(batch));
  }

  #readCopy(batch: EventBatch): Made {
    for (let scale = 1; scale <= MOST_SCALE; scale *= 2) {
      const made = this.#readAll(withArena(batch, scale), scale);
      if (made !== undefined) return made;
    }
    throw new Error('a chunk that no arena is enough for');
  }

  #readAll(batch: EventBatch, scale: number): Made | undefined {
    const reader = this.reader;
    if (!reader.start(batch, scale)) return undefined;
    for (let packet = 0; packet < batch.packets.length; packet++) if (!reader.read(packet)) return undefined;
    return reader.finish();
  }
}

/** Reader of an aggregate, which is told of losses in their order among the rows. */
export interface RowChunkReader<Made> {
  /** Begins a chunk, see `ChunkReader.start`. */
  start(batch: EventBatch, scale: number): boolean;
  /** Reads rows [from, to), those of one packet; false: the arena is full. */
  read(from: number, to: number, packet: number): boolean;
  /** Records that events were lost from `since` on (HostNs). */
  lose(since: number): void;
  finish(): Made | undefined;
}

/** The readers of an aggregate: the chunk result has one part, or none for chunks of other domains. */
export function rowReaders<Made, Part>(
  rowReader: RowChunkReader<Made>,
  partOf: (batch: EventBatch, made: Made) => Part,
): ChunkReaders<Made, readonly Part[]> {
  return new ChunkReaders(rowReaderOf(rowReader), (batch, made) => [partOf(batch, made)], []);
}

function rowReaderOf<Made>(rowReader: RowChunkReader<Made>): ChunkReader<Made> {
  let packets: PacketSpans;
  /** A loss without a time lies between no two events. */
  const lose = (since: number): void => {
    if (!Number.isNaN(since)) rowReader.lose(since);
  };
  return {
    start(batch, scale) {
      ({ packets } = batch);
      return rowReader.start(batch, scale);
    },
    read(packet) {
      if (losesBefore(packets, packet)) lose(missingSince(packets, packet));
      if (!rowReader.read(packets.firstRow[packet], packets.firstRow[packet + 1], packet)) return false;
      if (losesWithin(packets, packet)) lose(lastTime(packets, packet));
      return true;
    },
    finish: () => rowReader.finish(),
  };
}

/** The compiled code that reads rows for sums (`src/wasm/aggregates`), compiled once for all analyses of a thread. */
let compiled: WebAssembly.Module | undefined;

/** @throws where there is no WebAssembly */
export function aggregatesModule(): WebAssembly.Module {
  return (compiled ??= kernelModule(aggregates));
}
