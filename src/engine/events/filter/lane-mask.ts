/** Rows by the threads that contexts of programs name: those of some threads, of all others, or of none. */
import { findKey } from '../../density/lane-keys.ts';
import { nestedNamespace } from '../../linux/namespaces/facts.ts';
import type { FieldPlace, Rows } from '../../ctf/decode/rows/rows.ts';
import { fieldPlace, PID_NS, VPID, VTID } from './field-wants.ts';
import type { LaneNode } from './resolved.ts';
import type { EventBatch } from '../../analysis/contract.ts';

export function ofLanes(batch: FilteredRows, { of, keys, pids }: LaneNode): RowMask {
  const { rows, eventClasses, eventContext, plan } = batch;
  const places = eventClasses.map((event) =>
    [VTID, VPID, PID_NS].map((field) => fieldPlace(plan, { event, stream: { eventContext } }, field, 'wide')),
  );
  const sorted = Int32Array.from(keys);
  const ownPid = pids[batch.trace];
  const mask = new Uint8Array(rows.length);
  for (let row = 0; row < rows.length; row++) {
    const [vtid, vpid, space] = places[rows.eventClass[row]];
    if (vtid === undefined || !isThere(rows, row, vtid)) {
      mask[row] = of === 'none' ? 1 : 0;
      continue;
    }
    if (of === 'none') continue;
    const pid = vpid !== undefined && isThere(rows, row, vpid) ? lowWord(rows, row, vpid) : ownPid;
    const ns = space !== undefined && isThere(rows, row, space) ? lowWord(rows, row, space) : 0;
    const isFound = findKey(sorted, lowWord(rows, row, vtid), pid, nestedNamespace(ns)) >= 0;
    mask[row] = isFound === (of === 'these') ? 1 : 0;
  }
  return mask;
}

function isThere({ words, at }: Rows, row: number, { presence, bit }: FieldPlace): boolean {
  return ((words[at[row] + presence] >>> bit) & 1) === 1;
}

function lowWord({ words, at }: Rows, row: number, { offset }: FieldPlace): number {
  return words[at[row] + offset];
}
/** Rows of one stream, with what is known of all of them. */

export interface FilteredRows extends Pick<
  EventBatch,
  'rows' | 'packets' | 'plan' | 'eventClasses' | 'eventContext' | 'domain' | 'cpuRequest'
> {
  /** Index in `Experiment.traces`; that of its host is in `Experiment.hosts`. */
  readonly trace: number;
  readonly host: number;
}
/** Mask by row; 1: the filter accepts it. */

export type RowMask = Uint8Array;
