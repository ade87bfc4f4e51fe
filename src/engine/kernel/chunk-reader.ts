/** Going through the rows of one chunk after the other, packet by packet. */
import type { EventBatch } from '../analysis/contract.ts';
import { assert } from '../base/assert.ts';
import { lastTime, losesBefore, losesWithin } from '../ctf/decode/rows.ts';

/** What an analysis makes of the rows of a chunk: its definition, or compiled code that does the same. */
export interface ChunkReader<Made> {
  /** Begins a chunk; false: it cannot read it. */
  start(batch: EventBatch): boolean;
  /**
   * Rows [from, to), those of one packet; false: there is no room for what they tell.
   * @param textBase see `RowsInMemory`; 0 without
   */
  read(from: number, to: number, textBase: number): boolean;
  /** Events were lost from `since` on (TimeNs; NaN: nobody knows). */
  lose(since: number): void;
  /** undefined: there is no room for it. */
  finish(): Made | undefined;
}

/** The definition, and compiled code in its place where it can. */
export class ChunkReaders<Made> {
  /** Chunks that compiled code read. */
  compiled = 0;
  readonly #definition: ChunkReader<Made>;
  readonly #kernel: ChunkReader<Made> | undefined;

  /** @param makeKernel throws where there is no WebAssembly */
  constructor(definition: ChunkReader<Made>, makeKernel: () => ChunkReader<Made>) {
    this.#definition = definition;
    try {
      this.#kernel = makeKernel();
    } catch {
      this.#kernel = undefined;
    }
  }

  read(batch: EventBatch): Made {
    const compiled = this.#kernel && readWith(this.#kernel, batch);
    if (compiled !== undefined) this.compiled++;
    const made = compiled ?? readWith(this.#definition, batch);
    assert(made !== undefined, 'the definition reads everything');
    return made;
  }
}

function readWith<Made>(reader: ChunkReader<Made>, batch: EventBatch): Made | undefined {
  if (!reader.start(batch)) return undefined;
  const { packets, rows } = batch;
  for (let packet = 0; packet < packets.length; packet++) {
    if (losesBefore(packets, packet)) reader.lose(packets.previousEnd[packet]);
    const textBase = rows.place?.textBase[packet] ?? 0;
    if (!reader.read(packets.firstRow[packet], packets.firstRow[packet + 1], textBase)) return undefined;
    if (losesWithin(packets, packet)) reader.lose(lastTime(packets, packet));
  }
  return reader.finish();
}
