/** Readers of chunks: a definition, and compiled code that does the same. */
import type { EventBatch, PacketReader } from '../analysis/contract.ts';
import { assert } from '../base/assert.ts';
import { lastTime, losesBefore, losesWithin, missingSince, type PacketSpans } from '../ctf/decode/rows.ts';

/** What an analysis makes of the rows of a chunk. */
export interface ChunkReader<Made> {
  /** Begins a chunk; false: it cannot read it. */
  start(batch: EventBatch): boolean;
  /** The next packet; false: there is no room for what it tells. */
  read(packet: number): boolean;
  /** undefined: there is no room for it. */
  finish(): Made | undefined;
}

/** The definition, and compiled code in its place where it can. Chunks of other domains than the kernel's are `empty`. */
export class ChunkReaders<Made, Leaf> implements PacketReader<Leaf> {
  /** Chunks that compiled code read. */
  compiled = 0;
  readonly #definition: ChunkReader<Made>;
  readonly #kernel: ChunkReader<Made> | undefined;
  readonly #leafOf: (batch: EventBatch, made: Made) => Leaf;
  readonly #empty: Leaf;
  // Of the chunk at hand.
  #batch: EventBatch | undefined;
  /** Compiled code has read all packets so far. */
  #isCompiled = false;

  /** @param makeKernel throws where there is no WebAssembly */
  constructor(
    definition: ChunkReader<Made>,
    makeKernel: () => ChunkReader<Made>,
    leafOf: (batch: EventBatch, made: Made) => Leaf,
    empty: Leaf,
  ) {
    this.#definition = definition;
    try {
      this.#kernel = makeKernel();
    } catch {
      this.#kernel = undefined;
    }
    this.#leafOf = leafOf;
    this.#empty = empty;
  }

  start(batch: EventBatch): void {
    this.#batch = batch;
    this.#isCompiled = batch.domain === 'kernel' && this.#kernel?.start(batch) === true;
  }

  read(packet: number): void {
    if (this.#isCompiled) this.#isCompiled = this.#kernel?.read(packet) === true;
  }

  finish(): Leaf {
    const batch = this.#batch;
    assert(batch !== undefined, 'a chunk was begun');
    this.#batch = undefined;
    if (batch.domain !== 'kernel') return this.#empty;
    const compiled = this.#isCompiled ? this.#kernel?.finish() : undefined;
    if (compiled !== undefined) this.compiled++;
    return this.#leafOf(batch, compiled ?? this.#define(batch));
  }

  /** What compiled code cannot read is read in the end, all of it. */
  #define(batch: EventBatch): Made {
    const definition = this.#definition;
    definition.start(batch);
    for (let packet = 0; packet < batch.packets.length; packet++) definition.read(packet);
    const made = definition.finish();
    assert(made !== undefined, 'the definition reads everything');
    return made;
  }
}

/** What sums up rows: it is told of losses as they come. */
export interface RowTally<Made> {
  /** Begins a chunk; false: it cannot read it. */
  start(batch: EventBatch): boolean;
  /** Rows [from, to), those of one packet; false: there is no room for what they tell. */
  read(from: number, to: number, packet: number): boolean;
  /** Events were lost from `since` on (TimeNs). */
  lose(since: number): void;
  finish(): Made | undefined;
}

/** The readers of an aggregate: a leaf is one piece, and none for chunks of other domains. */
export function tallyReaders<Made, Piece>(
  definition: RowTally<Made>,
  makeKernel: () => RowTally<Made>,
  pieceOf: (batch: EventBatch, made: Made) => Piece,
): ChunkReaders<Made, readonly Piece[]> {
  return new ChunkReaders(
    new TallyReader(definition),
    () => new TallyReader(makeKernel()),
    (batch, made) => [pieceOf(batch, made)],
    [],
  );
}

class TallyReader<Made> implements ChunkReader<Made> {
  readonly #tally: RowTally<Made>;
  #packets: PacketSpans | undefined;

  constructor(tally: RowTally<Made>) {
    this.#tally = tally;
  }

  start(batch: EventBatch): boolean {
    this.#packets = batch.packets;
    return this.#tally.start(batch);
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
