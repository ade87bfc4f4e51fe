/** Functions of a symbol table in order of their begin: 25 bytes each. Names are read on demand. */
import { GrowingTable } from '../base/columns.ts';
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { stableOrder } from '../base/stable-order.ts';
import { compare } from '../base/compare.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WINDOW_BYTES, WindowReader } from '../io/window-reader.ts';

export interface FunctionTable {
  readonly length: number;
  /** Bytes from the first page, ascending; of several with the same begin the preferred one is last. */
  readonly from: Float64Array;
  /** End of the function, bytes from the first page. */
  readonly to: Float64Array;
  /** Offset of its name. */
  readonly name: Uint32Array;
  /** Rank among functions that begin at the same byte; lower is preferred. */
  readonly rank: Uint8Array;
  /** The last earlier function that ends after it; -1: none does. */
  readonly around: Int32Array;
}

/** Functions in any order; `size` is in bytes, 0: up to the next function. */
export type FunctionList = ReturnType<typeof functionList>;

/** @param capacity functions before columns grow */
export function functionList(capacity = 1024) {
  const columns = {
    from: new Float64Array(0),
    size: new Float64Array(0),
    name: new Uint32Array(0),
    rank: new Uint8Array(0),
  };
  return new GrowingTable(columns, capacity);
}

export function addFunction(
  list: FunctionList,
  from: number,
  size: number,
  name: number,
  rank: number,
): void {
  const row = list.addRow();
  const { rows } = list;
  rows.from[row] = from;
  rows.size[row] = size;
  rows.name[row] = name;
  rows.rank[row] = rank;
}

/** @param end greatest end of the last function if it has no size, bytes from the first page */
export function functionTable({ rows, length }: FunctionList, end: (from: number) => number): FunctionTable {
  // By their start, then by rank, the preferred last.
  const ranks = Float64Array.from(rows.rank.subarray(0, length), (rank) => -rank);
  const order = stableOrder(rows.from.subarray(0, length), stableOrder(ranks));
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  const name = new Uint32Array(length);
  const rank = new Uint8Array(length);
  let next = NaN;
  let last: number | undefined;
  for (let i = length - 1; i >= 0; i--) {
    const row = order[i];
    from[i] = rows.from[row];
    name[i] = rows.name[row];
    rank[i] = rows.rank[row];
    if (i + 1 < length && from[i + 1] > from[i]) next = from[i + 1];
    const size = rows.size[row];
    to[i] = from[i] + size;
    if (size > 0) continue;
    // Only functions with the last begin have no next one.
    to[i] = Number.isNaN(next) ? (last ??= end(from[i])) : next;
  }
  return { length, from, to, name, rank, around: aroundEach(to) };
}

/**
 * Finds the enclosing function of each. Each step back leads to a function that ends later, so that there are at most
 * twice as many steps as functions.
 */
function aroundEach(to: Float64Array): Int32Array {
  const around = new Int32Array(to.length);
  for (let i = 0; i < to.length; i++) {
    let outer = i - 1;
    while (outer >= 0 && to[outer] <= to[i]) outer = around[outer];
    around[i] = outer;
  }
  return around;
}

/** The same functions as parts without overlap: of those that cover a byte the last one in `found` keeps it. */
export function lastHolding({ length, rows }: FunctionList): FunctionList {
  const { from, size, name, rank } = rows;
  const to = from.subarray(0, length).map((begin, row) => begin + size[row]);
  const ends = new Float64Array(2 * length);
  ends.set(from.subarray(0, length));
  ends.set(to, length);
  const edges = ends.sort().filter((edge, i) => i === 0 || edge !== ends[i - 1]);
  const owner = new Int32Array(edges.length).fill(-1);
  /** The first free part from here on, found through others. */
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
  const parts = functionList(length);
  for (let at = 0; at < edges.length; at++) {
    const row = owner[at];
    if (row < 0) continue;
    let end = at + 1;
    while (owner[end] === row) end++;
    addFunction(parts, edges[at], edges[end] - edges[at], name[row], rank[row]);
    at = end - 1;
  }
  return parts;
}

/** Greatest nesting of functions. */
const MOST_STEPS = 256;
/** Functions with the same begin and rank whose names are read. */
const MOST_NAMES = 16;

/**
 * Rows of the functions that contain a byte and begin with the innermost of them, the preferred first, of which
 * several may have equal rank. Empty: it is in no function.
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

/** Longest name, bytes; longer ones are not shown. */
const LONGEST_NAME = 16 * 1024;
const SHORT_NAME = 256;
const PIECE_BYTES = 1024 * 1024;

const decoder = new TextDecoder();

/** Names in the bytes [offset, offset + size) of a file. */
export interface NamesInFile {
  readonly source: ByteSource;
  readonly offset: number;
  readonly size: number;
  /** The byte after each name. */
  readonly endsWith: number;
}

/** Reads names by offset, without those that are too long or do not end. */
async function readNames(
  texts: NamesInFile,
  places: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  // If names are in every part of the file, it is read sequentially.
  const isDense = places.size * WINDOW_BYTES > texts.size;
  const reader = new WindowReader(texts.source, isDense ? PIECE_BYTES : WINDOW_BYTES);
  for (const at of [...places].sort((a, b) => a - b)) {
    const name = await readName(texts, reader, at);
    if (name !== undefined && name !== '') names.set(at, name);
  }
  return names;
}

async function readName(
  { offset, size, endsWith }: NamesInFile,
  reader: WindowReader,
  at: number,
): Promise<string | undefined> {
  for (const length of [SHORT_NAME, LONGEST_NAME]) {
    const there = Math.min(length, size - at);
    if (there <= 0) return undefined;
    const bytes = await reader.read(offset + at, there);
    const end = bytes.ok ? bytes.value.indexOf(endsWith) : -1;
    if (bytes.ok && end >= 0) return decoder.decode(bytes.value.subarray(0, end));
  }
  return undefined;
}

/** A function or data object that contains a place. */
export interface NamedSymbol {
  readonly name: string;
  /** Its begin, in the same bytes as the places. */
  readonly from: number;
}

/**
 * Functions at some places; undefined: none. Of several the first in order of text.
 * @param places bytes from the same address as those of the functions
 */
export async function symbolsAt(
  functions: FunctionTable,
  texts: NamesInFile,
  places: Float64Array,
): Promise<(NamedSymbol | undefined)[]> {
  const rowsOf = Array.from(places, (place) => functionsAt(functions, place));
  const names = await readNames(texts, new Set(rowsOf.flat().map((row) => functions.name[row])));
  return rowsOf.map((rows) => {
    const found = rows.flatMap((row) => names.get(functions.name[row]) ?? []);
    const name = found.sort(compare).at(0);
    return name === undefined ? undefined : { name, from: functions.from[rows[0]] };
  });
}
