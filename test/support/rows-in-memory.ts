/** Batches whose rows lie in a WebAssembly.Memory, as a decoder's do, without a decoder. */
import type { EventBatch } from '../../src/engine/analysis/contract.ts';
import { Arena } from '../../src/engine/base/tables.ts';
import type { Rows } from '../../src/engine/ctf/decode/rows/rows.ts';

const PAGE = 65_536;
/** What lies before the rows' texts. */
const BEGIN = 4096;

/** The same batch in `memory`, which grows, with so many bytes of arena behind the rows. */
export function inMemory(batch: EventBatch, memory: WebAssembly.Memory, arenaBytes: number): EventBatch {
  const { rows, packets } = batch;
  const columns = [rows.bytes, rows.time, rows.at, rows.words, rows.kind, rows.eventClass] as const;
  const places: number[] = [];
  let at = BEGIN;
  for (const { byteLength } of columns) {
    places.push(at);
    at = Math.ceil((at + byteLength + 8) / 8) * 8;
  }
  const arenaEnd = at + arenaBytes;
  const pages = Math.ceil((arenaEnd + 8) / PAGE) - memory.buffer.byteLength / PAGE;
  if (pages > 0) memory.grow(pages);
  const { buffer } = memory;
  new Uint8Array(buffer).fill(0xaa);
  columns.forEach(({ buffer: from, byteOffset, byteLength }, i) =>
    new Uint8Array(buffer, places[i]).set(new Uint8Array(from, byteOffset, byteLength)),
  );
  const { length } = rows;
  const placed: Rows = {
    length,
    time: new Float64Array(buffer, places[1], length),
    at: new Uint32Array(buffer, places[2], length),
    words: new Int32Array(buffer, places[3], rows.words.length),
    kind: new Uint16Array(buffer, places[4], length),
    eventClass: new Uint16Array(buffer, places[5], length),
    bytes: rows.bytes,
    place: {
      memory,
      textBase: new Int32Array(packets.length).fill(BEGIN),
      capacity: rows.length,
      arena: new Arena(at, arenaEnd),
    },
  };
  return { ...batch, rows: placed };
}
