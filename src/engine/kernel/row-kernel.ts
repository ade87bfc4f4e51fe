/**
 * Compiled code over rows that lie in a decoder's memory, and the room behind them for what it reads and makes
 * (`RowsInMemory`). All of the room is free again with each chunk; what should last is copied out of it.
 */
import { assert } from '../base/assert.ts';
import { aligned, bytesOf, tableIn, type Table, type TableColumn, type TableForm } from '../base/tables.ts';
import type { Rows } from '../ctf/decode/rows.ts';
import type { FieldPlace } from './row-reader.ts';
import { textOfBytes } from './text-table.ts';

/** What such kernels export: where rows are (`src/kernels/rows.ts`), and the texts that they met (`texts.ts`). */
export interface RowExports {
  openRows(time: number, meaning: number, eventClass: number, place: number, words: number): void;
  openTexts(slots: number, entries: number, most: number): void;
  textAt(address: number, length: number): number;
  textCount(): number;
  /** Address of what is known of the texts: address and bytes of the first, … */
  textEntries(): number;
}

const SLOT_BYTES = 2 * 4;
const ENTRY_BYTES = 24;
/** Kernels read whole words of texts. */
const WORD_BYTES = 8;

export class RowKernel<Exports extends RowExports> {
  /** There was no room for something. */
  isFull = false;
  readonly #module: WebAssembly.Module;
  readonly #imports: WebAssembly.Imports;
  /** The instance for the memory in use. */
  #memory: WebAssembly.Memory | undefined;
  #exports: Exports | undefined;
  #bytes = new Uint8Array(0);
  #free = 0;
  #end = 0;

  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports = {}) {
    this.#module = module;
    this.#imports = imports;
  }

  /** Begins a chunk; false where its rows do not lie in a memory. */
  open(rows: Rows): boolean {
    if (rows.place === undefined) return false;
    const { memory, room, roomEnd } = rows.place;
    this.isFull = false;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#free = room;
    this.#end = roomEnd - WORD_BYTES;
    const exports = this.#instanceFor(memory);
    const { time, meaning, eventClass, at, words } = rows;
    exports.openRows(
      time.byteOffset,
      meaning.byteOffset,
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

  /** Address of so many bytes more, 8-aligned. */
  take(bytes: number): number {
    const at = this.#free;
    this.isFull ||= at + bytes > this.#end;
    if (!this.isFull) this.#free = aligned(at + bytes);
    return at;
  }

  /** A table in the room, which holds anything; without rows where there is no room for it. */
  table<F extends TableForm>(form: F, capacity: number): Table<F> {
    const at = this.take(bytesOf(form, capacity));
    return tableIn(form, this.isFull ? 0 : capacity, this.#bytes.buffer, at);
  }

  /** Address of a copy of these numbers. */
  copy(values: Uint8Array | Int8Array | Int32Array): number {
    const at = this.take(values.byteLength);
    if (!this.isFull)
      this.#bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }

  /** Makes room for texts; there are none then. `most`: a power of two not below 128. */
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
      const imports = { ...this.#imports, env: { memory } };
      this.#exports = new WebAssembly.Instance(this.#module, imports).exports as unknown as Exports;
      this.#memory = memory;
    }
    return this.#exports;
  }
}

/** Where the columns of a table lie, in order. */
export function addressesOf(table: Readonly<Record<string, TableColumn>>): number[] {
  return Object.values(table).map(({ byteOffset }) => byteOffset);
}

/** A field's place as kernels have it, in one number. */
export function packed({ offset, bit }: FieldPlace): number {
  return offset | (bit << 16);
}
