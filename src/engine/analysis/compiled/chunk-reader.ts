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
import { withArena } from './rows-in-arena.ts';

/** Reader that makes a result of the rows of a chunk for an analysis. */
export interface ChunkReader<Made> {
  /**
   * Begins a chunk; false: there is not enough arena behind its rows.
   * @param scale how many times as much as most chunks need there must be room for
   */
  start(batch: EventBatch, scale: number): boolean;
  /** The next packet; false: there is no room for its rows. */
  read(packet: number): boolean;
  /** undefined: there is no room for it. */
  finish(): Made | undefined;
}

/** No chunk needs so much. */
const MOST_SCALE = 2 ** 20;

/**
 * Reads chunks where their rows lie; those that lie in no memory (the interpreter's), and those whose arena was too small,
 * again as copies with more and more of it. Chunks of other domains than the kernel's are `empty`.
 */
export class ChunkReaders<Made, Leaf> implements PacketReader<Leaf> {
  /** Chunks that were read where they lie. */
  readInPlace = 0;
  readonly #reader: ChunkReader<Made>;
  readonly #leafOf: (batch: EventBatch, made: Made) => Leaf;
  readonly #empty: Leaf;
  // Of the chunk at hand.
  #batch: EventBatch | undefined;
  /** There was room for all packets so far. */
  #fits = false;

  constructor(reader: ChunkReader<Made>, leafOf: (batch: EventBatch, made: Made) => Leaf, empty: Leaf) {
    this.#reader = reader;
    this.#leafOf = leafOf;
    this.#empty = empty;
  }

  start(batch: EventBatch): void {
    this.#batch = batch;
    this.#fits = batch.domain === 'kernel' && this.#reader.start(batch, 1);
  }

  read(packet: number): void {
    if (this.#fits) this.#fits = this.#reader.read(packet);
  }

  finish(): Leaf {
    const batch = this.#batch;
    assert(batch !== undefined, 'a chunk was begun');
    this.#batch = undefined;
    if (batch.domain !== 'kernel') return this.#empty;
    const made = this.#fits ? this.#reader.finish() : undefined;
    if (made !== undefined) this.readInPlace++;
    return this.#leafOf(batch, made ?? this.#readCopy(batch));
  }

  #readCopy(batch: EventBatch): Made {
    for (let scale = 1; scale <= MOST_SCALE; scale *= 2) {
      const made = this.#readAll(withArena(batch, scale), scale);
      if (made !== undefined) return made;
    }
    throw new Error('a chunk that no arena is enough for');
  }

  #readAll(batch: EventBatch, scale: number): Made | undefined {
    const reader = this.#reader;
    if (!reader.start(batch, scale)) return undefined;
    for (let packet = 0; packet < batch.packets.length; packet++) if (!reader.read(packet)) return undefined;
    return reader.finish();
  }
}

/** Sums up rows: it gets losses as they come. */
export interface RowChunkReader<Made> {
  /** Begins a chunk, see `ChunkReader.start`. */
  start(batch: EventBatch, scale: number): boolean;
  /** Rows [from, to), those of one packet; false: there is no room for their sums. */
  read(from: number, to: number, packet: number): boolean;
  /** Events were lost from `since` on (HostNs). */
  lose(since: number): void;
  finish(): Made | undefined;
}

/** The readers of an aggregate: a leaf is one part, and none for chunks of other domains. */
export function tallyReaders<Made, Part>(
  tally: RowChunkReader<Made>,
  partOf: (batch: EventBatch, made: Made) => Part,
): ChunkReaders<Made, readonly Part[]> {
  return new ChunkReaders(new TallyReader(tally), (batch, made) => [partOf(batch, made)], []);
}

class TallyReader<Made> implements ChunkReader<Made> {
  readonly #tally: RowChunkReader<Made>;
  #packets: PacketSpans | undefined;

  constructor(tally: RowChunkReader<Made>) {
    this.#tally = tally;
  }

  start(batch: EventBatch, scale: number): boolean {
    this.#packets = batch.packets;
    return this.#tally.start(batch, scale);
  }

  read(packet: number): boolean {
    const packets = this.#packets;
    assert(packets !== undefined, 'a chunk was begun');
    if (losesBefore(packets, packet)) this.#lose(missingSince(packets, packet));
    if (!this.#tally.read(packets.firstRow[packet], packets.firstRow[packet + 1], packet)) return false;
    if (losesWithin(packets, packet)) this.#lose(lastTime(packets, packet));
    return true;
  }

  finish(): Made | undefined {
    return this.#tally.finish();
  }

  /** Without a time there is nothing that a loss could lie between. */
  #lose(since: number): void {
    if (!Number.isNaN(since)) this.#tally.lose(since);
  }
}
