/** Cuts a batch to some of its events. */
import type { HostNs } from '../base/units.ts';
import type { Rows } from '../ctf/decode/rows/rows.ts';
import type { EventBatch } from './contract.ts';

/** Half-open. */
export interface TimeWindow {
  readonly from: HostNs;
  readonly to: HostNs;
}

export function clipRows(batch: EventBatch, { from, to }: TimeWindow): EventBatch {
  const { time } = batch.rows;
  return keepRows(batch, (row) => time[row] >= from && time[row] < to);
}

/** The batch with some of its rows, copied out of the kernels' memory. */
export function keepRows(batch: EventBatch, isKept: (row: number) => boolean): EventBatch {
  const { rows, packets } = batch;
  const kept = new Uint32Array(rows.length);
  const firstRow = new Uint32Array(packets.length + 1);
  let length = 0;
  for (let packet = 0; packet < packets.length; packet++) {
    firstRow[packet] = length;
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      if (isKept(row)) kept[length++] = row;
    }
  }
  firstRow[packets.length] = length;
  const chosen = kept.subarray(0, length);
  const clipped: Rows = {
    length,
    time: pick(rows.time, chosen),
    kind: pick(rows.kind, chosen),
    eventClass: pick(rows.eventClass, chosen),
    at: pick(rows.at, chosen),
    words: rows.words,
    bytes: rows.bytes,
  };
  return { ...batch, rows: clipped, packets: { ...packets, firstRow } };
}

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array;

function pick<C extends Column>(column: C, rows: Uint32Array): C {
  const picked = column.slice(0, rows.length) as C;
  for (let i = 0; i < picked.length; i++) picked[i] = column[rows[i]];
  return picked;
}
