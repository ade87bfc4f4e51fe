/**
 * Chunks whose rows are copies in a memory of this thread, with an arena behind them. One chunk is there at a time: what is
 * made of it must not refer to it.
 */
import type { EventBatch } from '../contract.ts';
import { Arena } from '../../base/arena.ts';
import { aligned } from '../../base/tables.ts';

const PAGE = 65_536;
/** Nothing lies at address 0. */
const BEGIN = 64;
/** Up to so many bytes behind a text are read. */
const SPARE_BYTES = 8;
/** Bytes of the arena that a row, a packet, and all else of a chunk at scale 1 may take in the tables of an analysis. */
const ROW_BYTES = 128;
const PACKET_BYTES = 512;
const TABLE_BYTES = 2 ** 21;

let memory: WebAssembly.Memory | undefined;

/**
 * @param scale times the arena that all but rows and packets of most chunks need
 * @throws where there is no WebAssembly, or not as much memory
 */
export function withArena(batch: EventBatch, scale: number): EventBatch {
  const { rows, packets } = batch;
  const { length } = rows;
  const { bytes } = rows;
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
