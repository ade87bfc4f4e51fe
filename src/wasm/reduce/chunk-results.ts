/**
 * The total order over the chunk results of several streams, as `engine/analysis/merge-runs.ts` makes it: a list of the
 * chunk results by their next transitions, of which the first goes on as long as it comes before the second. A list and no
 * heap: there are few chunk results, and of the steps to a chunk result's new place a processor guesses all but the last.
 */
import * as words from '../../engine/linux/states/reduce/wasm-reducer';
import { CHUNK_RESULT } from '../../engine/linux/states/reduce/wasm-reducer';

// Bytes of a chunk result's words: addresses of the columns of its transitions, of its first argument, of the indices of its texts,
// and of its packets.
export const TIME: usize = words.TIME << 2;
export const KIND: usize = words.KIND << 2;
export const CPU: usize = words.CPU << 2;
export const PLACE: usize = words.PLACE << 2;
export const ARGS: usize = words.ARGS << 2;
export const TEXTS: usize = words.TEXTS << 2;
export const PACKET_KIND: usize = words.PACKET_KIND << 2;
export const PACKET_KEY: usize = words.PACKET_KEY << 2;
/** Next transition, and how many there are. */
export const AT: usize = words.AT << 2;
export const TO: usize = words.TO << 2;
/** Place of the chunk result's stream in the total order. */
const ORDER: usize = words.ORDER << 2;
/** CPU of the transition before: its number and its row, -1 not known. */
export const CPU_NUMBER: usize = 44;
export const CPU_ROW: usize = 48;
/** f64: time of the next transition, as it was when the list was last in order. */
const KEY: usize = 56;
const CHUNK_RESULT_BYTES: usize = words.CHUNK_RESULT_WORDS << 2;

let count: i32 = 0;

/** Directory of the table of chunk results. */
export function placeChunkResults(table: CHUNK_RESULT): void {
  CHUNK_RESULT.bind(table);
}

/** Begins with the first `chunkResults` rows, each of which has a next transition. */
export function begin(chunkResults: i32): void {
  count = chunkResults;
  for (let row = chunkResults - 1; row >= 0; row--) {
    const address = CHUNK_RESULT.words.at(row * words.CHUNK_RESULT_WORDS);
    store<i32>(address, -1, CPU_ROW);
    insert(address, row);
  }
}

/** Row of a chunk result. */
@inline
export function rowOf(address: usize): i32 {
  return <i32>((address - CHUNK_RESULT.words.at(0)) / CHUNK_RESULT_BYTES);
}

/** The chunk result that was first when the list was last in order. */
@inline
export function first(): usize {
  return <usize>CHUNK_RESULT.list[0];
}

@inline
export function isDone(address: usize): bool {
  return load<i32>(address, AT) === load<i32>(address, TO);
}

/** The first chunk result has gone on. */
@inline
export function reorder(): void {
  insert(first(), 0);
}

/** Puts a chunk result before those behind `place` that come later. */
function insert(address: usize, place: i32): void {
  const key = load<f64>(<usize>load<i32>(address, TIME) + (<usize>load<i32>(address, AT) << 3));
  store<f64>(address, key, KEY);
  for (; place + 1 < count; place++) {
    const next = <usize>CHUNK_RESULT.list[place + 1];
    if (isBefore(address, load<f64>(next, KEY), load<i32>(next, ORDER))) break;
    CHUNK_RESULT.list[place] = <i32>next;
  }
  CHUNK_RESULT.list[place] = <i32>address;
}

/** Whether the next transition of a chunk result lies before this place in the total order. */
@inline
export function isBefore(address: usize, time: f64, order: f64): bool {
  const key = load<f64>(address, KEY);
  return key < time || (key === time && <f64>load<i32>(address, ORDER) < order);
}

/** Where the first chunk result's run ends: time of what comes second, at most `limit`. */
@inline
export function endOfRun(limit: f64): f64 {
  return count > 1 ? min(limit, load<f64>(<usize>CHUNK_RESULT.list[1], KEY)) : limit;
}
