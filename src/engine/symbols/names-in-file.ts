/** Names that are read from a file when they are asked for. */
import { compareText } from '../base/compare-text.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WINDOW_BYTES, WindowReader } from '../io/window-reader.ts';
import { functionsAt, type FunctionTable } from './function-table.ts';

/** Bytes of a name; nothing longer is shown. */
const LONGEST_NAME = 16 * 1024;
const SHORT_NAME = 256;
const PIECE_BYTES = 1024 * 1024;

const decoder = new TextDecoder();

/** Names in the bytes [offset, offset + size) of a file. */
export class NamesInFile {
  readonly #source: ByteSource;
  readonly #offset: number;
  readonly #size: number;
  readonly #endsWith: number;

  /** @param endsWith the byte behind each name */
  constructor(source: ByteSource, offset: number, size: number, endsWith: number) {
    this.#source = source;
    this.#offset = offset;
    this.#size = size;
    this.#endsWith = endsWith;
  }

  /** Reads names by where they begin, without those that are longer than a name may be, or do not end. */
  async read(places: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
    const names = new Map<number, string>();
    // Many names are in every part of the file: it is read on.
    const isDense = places.size * WINDOW_BYTES > this.#size;
    const reader = new WindowReader(this.#source, isDense ? PIECE_BYTES : WINDOW_BYTES);
    for (const at of [...places].sort((a, b) => a - b)) {
      const name = await this.#read(reader, at);
      if (name !== undefined && name !== '') names.set(at, name);
    }
    return names;
  }

  async #read(reader: WindowReader, at: number): Promise<string | undefined> {
    for (const length of [SHORT_NAME, LONGEST_NAME]) {
      const there = Math.min(length, this.#size - at);
      if (there <= 0) return undefined;
      const bytes = await reader.read(this.#offset + at, there);
      const end = bytes.ok ? bytes.value.indexOf(this.#endsWith) : -1;
      if (bytes.ok && end >= 0) return decoder.decode(bytes.value.subarray(0, end));
    }
    return undefined;
  }
}

/** A function, or an object of data, that a place is in. */
export interface NamedSymbol {
  readonly name: string;
  /** Where it begins, in the bytes of the places. */
  readonly from: number;
}

/**
 * The functions at some places; undefined: it is in none. Of several the first in order of text.
 * @param places bytes from the same address as those of the functions
 */
export async function symbolsAt(
  functions: FunctionTable,
  texts: NamesInFile,
  places: Float64Array,
): Promise<(NamedSymbol | undefined)[]> {
  const rowsOf = Array.from(places, (place) => functionsAt(functions, place));
  const names = await texts.read(new Set(rowsOf.flat().map((row) => functions.name[row])));
  return rowsOf.map((rows) => {
    const found = rows.flatMap((row) => names.get(functions.name[row]) ?? []);
    const name = found.sort(compareText).at(0);
    return name === undefined ? undefined : { name, from: functions.from[rows[0]] };
  });
}
