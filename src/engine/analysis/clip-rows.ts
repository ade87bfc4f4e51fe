/** Cuts a batch to the events of a time range. The context stays that of all rows: it is known from before the cut. */
import type { Rows } from '../ctf/decode/rows.ts';
import type { CpuContext, EventBatch } from './contract.ts';

/** TimeNs, half-open. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export function clipRows(
  batch: EventBatch,
  cpu: CpuContext,
  { from, to }: TimeWindow,
): { readonly batch: EventBatch; readonly cpu: CpuContext } {
  const { rows, packets } = batch;
  const kept = new Uint32Array(rows.length);
  const firstRow = new Uint32Array(packets.length + 1);
  let length = 0;
  for (let packet = 0; packet < packets.length; packet++) {
    firstRow[packet] = length;
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      if (rows.time[row] >= from && rows.time[row] < to) kept[length++] = row;
    }
  }
  firstRow[packets.length] = length;
  const chosen = kept.subarray(0, length);
  const clipped: Rows = {
    length,
    time: Float64Array.from(chosen, (row) => rows.time[row]),
    meaning: Uint16Array.from(chosen, (row) => rows.meaning[row]),
    eventClass: Uint16Array.from(chosen, (row) => rows.eventClass[row]),
    at: Uint32Array.from(chosen, (row) => rows.at[row]),
    words: rows.words,
    bytes: rows.bytes,
  };
  return {
    batch: { ...batch, rows: clipped, packets: { ...packets, firstRow } },
    cpu: {
      thread: Int32Array.from(chosen, (row) => cpu.thread[row]),
      pendingCall: Uint8Array.from(chosen, (row) => cpu.pendingCall[row]),
      depth: Uint8Array.from(chosen, (row) => cpu.depth[row]),
    },
  };
}
