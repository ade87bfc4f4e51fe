/**
 * The functions of a symbol table in order of where they begin: 25 bytes each. What a function is called is read when
 * somebody asks for it.
 */
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { stableOrder } from '../base/stable-order.ts';
import { compareText } from '../base/compare-text.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WINDOW_BYTES, WindowReader } from '../io/window-reader.ts';

export interface FunctionTable {
  readonly length: number;
  /** Bytes from the first page, ascending; at equal ones the function that is preferred comes last. */
  readonly from: Float64Array;
  /** Where it ends. */
  readonly to: Float64Array;
  /** Where its name is. */
  readonly name: Uint32Array;
  /** The less, the more it is preferred among functions that begin at the same byte. */
  readonly rank: Uint8Array;
  /** The last function before that ends behind it; -1: none does. */
  readonly around: Int32Array;
}

/** Functions in any order. */
interface FoundFunctions {
  readonly length: number;
  readonly from: Float64Array;
  /** Bytes; 0: up to the next function. */
  readonly size: Float64Array;
  readonly name: Uint32Array;
  readonly rank: Uint8Array;
}

/** @param end where the last function ends when it has no size, in bytes from the first page; at most */
export function functionTable(found: FoundFunctions, end: (from: number) => number): FunctionTable {
  const { length } = found;
  const order = orderOf(found);
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  const name = new Uint32Array(length);
  const rank = new Uint8Array(length);
  let next = NaN;
  let last: number | undefined;
  for (let i = length - 1; i >= 0; i--) {
    const row = order[i];
    from[i] = found.from[row];
    name[i] = found.name[row];
    rank[i] = found.rank[row];
    if (i + 1 < length && from[i + 1] > from[i]) next = from[i + 1];
    const size = found.size[row];
    to[i] = from[i] + size;
    if (size > 0) continue;
    // Only those that begin last have no next one, all at the same byte.
    to[i] = Number.isNaN(next) ? (last ??= end(from[i])) : next;
  }
  return { length, from, to, name, rank, around: aroundEach(to) };
}

/** Order of functions by their start, then by rank, the preferred last. */
function orderOf({ from, rank, length }: FoundFunctions): Uint32Array {
  const ranks = new Float64Array(length);
  for (let i = 0; i < length; i++) ranks[i] = -rank[i];
  return stableOrder(from.subarray(0, length), stableOrder(ranks));
}

/** Each step back goes to a function that ends later, so that all steps together are no more than twice the functions. */
function aroundEach(to: Float64Array): Int32Array {
  const around = new Int32Array(to.length);
  for (let i = 0; i < to.length; i++) {
    let outer = i - 1;
    while (outer >= 0 && to[outer] <= to[i]) outer = around[outer];
    around[i] = outer;
  }
  return around;
}

/** The same functions as parts that do not overlap: of those that cover a byte the last one in `found` keeps it. */
export function lastHolding(found: FoundFunctions): FunctionList {
  const { length, from, size, name, rank } = found;
  const to = from.subarray(0, length).map((begin, row) => begin + size[row]);
  const ends = new Float64Array(2 * length);
  ends.set(from.subarray(0, length));
  ends.set(to, length);
  const edges = ends.sort().filter((edge, i) => i === 0 || edge !== ends[i - 1]);
  const owner = new Int32Array(edges.length).fill(-1);
  /** The first part from here on that nobody has, by way of others. */
  const free = Uint32Array.from(edges, (_, part) => part);
  const firstFree = (part: number) => {
    let last = part;
    while (last < edges.length && free[last] !== last) last = free[last] = free[free[last]] ?? free[last];
    return last;
  };
  for (let row = length - 1; row >= 0; row--) {
    for (let at = firstFree(lowerBound(edges, from[row])); edges[at] < to[row]; at = firstFree(at)) {
      owner[at] = row;
      free[at] = at + 1;
    }
  }
  const parts = new FunctionList(length);
  for (let at = 0; at < edges.length; at++) {
    const row = owner[at];
    if (row < 0) continue;
    let end = at + 1;
    while (owner[end] === row) end++;
    parts.add(edges[at], edges[end] - edges[at], name[row], rank[row]);
    at = end - 1;
  }
  return parts;
}

/** How deep functions are nested. */
const MOST_STEPS = 256;
/** Functions that share their begin and their rank and are asked for their names. */
const MOST_NAMES = 16;

/**
 * Rows of the functions that hold a byte and begin where the innermost of them does, the preferred first, of which several
 * may be of equal rank. None: it is in no function.
 */
function functionsAt(table: FunctionTable, at: number): number[] {
  const { from, to, rank, around } = table;
  let row = firstWhere(0, table.length, (i) => from[i] > at) - 1;
  for (let step = 0; row >= 0 && !(at < to[row]); step++) row = step < MOST_STEPS ? around[row] : -1;
  const rows: number[] = [];
  for (let i = row; i >= 0 && row - i < MOST_NAMES && from[i] === from[row] && rank[i] === rank[row]; i--)
    if (at < to[i]) rows.push(i);
  return rows;
}

/** Functions as they come: columns that grow. */
export class FunctionList implements FoundFunctions {
  length = 0;
  from: Float64Array;
  size: Float64Array;
  name: Uint32Array;
  rank: Uint8Array;

  /** @param capacity functions before columns grow */
  constructor(capacity = 1024) {
    this.from = new Float64Array(capacity);
    this.size = new Float64Array(capacity);
    this.name = new Uint32Array(capacity);
    this.rank = new Uint8Array(capacity);
  }

  add(from: number, size: number, name: number, rank: number): void {
    if (this.length === this.from.length) this.#grow();
    const row = this.length++;
    this.from[row] = from;
    this.size[row] = size;
    this.name[row] = name;
    this.rank[row] = rank;
  }

  #grow(): void {
    const capacity = Math.ceil(this.length * 1.5) + 16;
    const { from, size, name, rank } = this;
    (this.from = new Float64Array(capacity)).set(from);
    (this.size = new Float64Array(capacity)).set(size);
    (this.name = new Uint32Array(capacity)).set(name);
    (this.rank = new Uint8Array(capacity)).set(rank);
  }
}

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
