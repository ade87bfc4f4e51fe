/**
 * Compiled code over rows that lie in a decoder's memory, with the arena behind them for its input and output
 * (`RowsInMemory`). The arena belongs to the chunk; what must outlive it is copied out.
 */
import { assert } from '../../base/assert.ts';
import { HASH_FACTORS } from '../../base/hash.ts';
import {
  bytesOf,
  directoryBytes,
  noRows,
  tableIn,
  writeDirectory,
  type Table,
  type TableForm,
} from '../../base/tables.ts';
import type { Rows, RowsInMemory } from '../../ctf/decode/rows/rows.ts';
import type { FieldPlace } from '../../linux/events/row-reader.ts';
import { textOfBytes } from '../../linux/events/text-table.ts';

/**
 * Functions that such kernels export: where rows are (`src/wasm/rows.ts`), and the texts that they found (`texts.ts`).
 */
export interface RowExports {
  openRows(time: number, kind: number, eventClass: number, place: number, words: number): void;
  openTexts(slots: number, entries: number, most: number): void;
  textCount(): number;
  /** Address of the texts found: address and number of bytes of the first, then of the next. */
  textEntries(): number;
}

/** A table, and the address where kernels find the addresses of its columns (`TableMemory.directoryOf`). */
export interface ArenaTable<F extends TableForm> {
  readonly rows: Table<F>;
  readonly directory: number;
}

/** A table without rows, in no memory. */
function noTable<F extends TableForm>(form: F): ArenaTable<F> {
  return { rows: noRows(form), directory: 0 };
}

const SLOT_BYTES = 2 * 4;
export const ENTRY_BYTES = 24;

export class RowKernel<Exports extends RowExports> {
  /** Whether the arena was too small for something. */
  isFull = false;
  /** The kernel's instance for the memory in use. */
  #memory: WebAssembly.Memory | undefined;
  #exports: Exports | undefined;
  // Place of the rows of the current chunk.
  #place: RowsInMemory | undefined;
  #bytes = new Uint8Array(0);

  constructor(private readonly module: WebAssembly.Module) {}

  /** Begins a chunk; false where its rows lie in no memory. */
  open(rows: Rows): boolean {
    if (rows.place === undefined) return false;
    const { memory } = rows.place;
    this.isFull = false;
    this.#place = rows.place;
    this.#bytes = new Uint8Array(memory.buffer);
    const exports = this.#instanceFor(memory);
    const { time, kind, eventClass, at, words } = rows;
    exports.openRows(
      time.byteOffset,
      kind.byteOffset,
      eventClass.byteOffset,
      at.byteOffset,
      words.byteOffset,
    );
    return true;
  }

  get exports(): Exports {
    assert(this.#exports !== undefined, 'a chunk was begun');
    return this.#exports;
  }

  /** Rows for which each of the chunk's tables has room (`RowsInMemory`). */
  get capacity(): number {
    return this.#place?.capacity ?? 0;
  }

  /** Base that turns offsets of texts in a packet's rows into addresses. */
  textBase(packet: number): number {
    return this.#place?.textBase[packet] ?? 0;
  }

  /** Takes bytes from the arena; their address, 8-aligned. */
  take(bytes: number): number {
    const at = this.#place?.arena.take(bytes);
    this.isFull ||= at === undefined;
    return at ?? 0;
  }

  /** A table in the arena, not cleared; without rows where there is no room for it. */
  table<F extends TableForm>(form: F, capacity: number): ArenaTable<F> {
    const directory = this.take(directoryBytes(form));
    const at = this.take(bytesOf(form, capacity));
    if (this.isFull) return noTable(form);
    const { buffer } = this.#bytes;
    const rows = tableIn(form, capacity, buffer, at);
    writeDirectory(rows, form, capacity, new Uint32Array(buffer, directory));
    return { rows, directory };
  }

  /** Copies numbers into the arena; their address. */
  copy(values: Uint8Array | Int8Array | Int32Array): number {
    const at = this.take(values.byteLength);
    if (!this.isFull)
      this.#bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }

  /**
   * Reserves room for texts and clears them.
   * @param most number of texts, a power of two of at least 128
   */
  openTexts(most: number): void {
    const slots = this.take(SLOT_BYTES * most);
    const entries = this.take(ENTRY_BYTES * most);
    if (!this.isFull) this.exports.openTexts(slots, entries, most);
  }

  /** All texts of the chunk, in order of their first use. */
  texts(): readonly string[] {
    const count = this.exports.textCount();
    const entries = new Int32Array(this.#bytes.buffer, this.exports.textEntries(), (count * ENTRY_BYTES) / 4);
    return Array.from({ length: count }, (_, text) => {
      const at = entries[(text * ENTRY_BYTES) / 4];
      return textOfBytes(this.#bytes.subarray(at, at + entries[(text * ENTRY_BYTES) / 4 + 1]));
    });
  }

  #instanceFor(memory: WebAssembly.Memory): Exports {
    if (this.#exports === undefined || this.#memory !== memory) {
      const instance = new WebAssembly.Instance(this.module, { env: { memory, ...HASH_FACTORS } });
      this.#exports = instance.exports as unknown as Exports;
      this.#memory = memory;
    }
    return this.#exports;
  }
}

/** Places of fields in the form of kernels: one number each, of word offset and presence bit; -1: no place. */
export function packed(places: readonly (FieldPlace | undefined)[]): Int32Array {
  return Int32Array.from(places, (place) => {
    if (place === undefined) return -1;
    assert(place.presence === 0, 'kernels look at the first presence word');
    return place.offset | (place.bit << 16);
  });
}
