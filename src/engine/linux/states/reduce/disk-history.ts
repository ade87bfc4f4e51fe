/**
 * Disk requests as intervals of the history: each takes the lowest free slot of its disk, so that several in flight stand
 * side by side: `disks/254:0/SLOT/state` (queued, issued, queued again), `…/sector`, `…/sectors` (0: a flush), `…/thread`
 * (index + 1, 0 unknown).
 */
import { MOST_VALUE } from '../../../history/intervals.ts';
import type { HistorySink } from '../../../history/types.ts';
import { REQUEST_AGAIN, REQUEST_ISSUED, REQUEST_QUEUED } from '../../events/values.ts';
import { deviceName, type DiskTable, type RequestEvent, type RequestListener } from './disk-requests.ts';

/** Requests of a disk with a history at a time. */
export const MOST_SLOTS = 1024;

export interface HistoryEvent extends RequestEvent {
  /** Row of the thread, -1 unknown. */
  readonly thread: number;
}

export function requestHistory({ slot }: DiskTable, sink: HistorySink): RequestListener<HistoryEvent> {
  const end = (row: number): void => {
    sink.end(slot.state[row]);
    sink.end(slot.sectorAttribute[row]);
    sink.end(slot.sectorsAttribute[row]);
    sink.end(slot.threadAttribute[row]);
  };
  return {
    added(row, place, { device }) {
      const [state, ...others] = ['state', 'sector', 'sectors', 'thread'].map((leaf) =>
        sink.attribute(
          ['disks', deviceName(device), String(place), leaf],
          leaf === 'state' ? 'state' : 'integer',
        ),
      );
      slot.state[row] = state;
      [slot.sectorAttribute[row], slot.sectorsAttribute[row], slot.threadAttribute[row]] = others;
    },
    begun(row, { sector, thread }) {
      sink.set(slot.sectorAttribute[row], Math.min(sector, MOST_VALUE));
      sink.set(slot.threadAttribute[row], thread + 1);
    },
    queued(row, { sectors }, again) {
      if (!again) sink.set(slot.sectorsAttribute[row], sectors >>> 0);
      sink.set(slot.state[row], again ? REQUEST_AGAIN : REQUEST_QUEUED);
    },
    issued(row, { sectors }, again) {
      if (!again) sink.set(slot.sectorsAttribute[row], sectors >>> 0);
      sink.set(slot.state[row], REQUEST_ISSUED);
    },
    completed: end,
    dropped: end,
  };
}
