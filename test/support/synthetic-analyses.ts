/** Two analyses whose results show every event and its place in the order: for the laws of the driver. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type {
  Analysis,
  EventBatch,
  HistoryAnalysis,
  TransitionLeaf,
} from '../../src/engine/analysis/contract.ts';
import type { HistorySink } from '../../src/engine/history/types.ts';

const EVERY_EVENT = { meanings: [{ meaning: 'event', events: ['*'], fields: {} }] };

/** `RANK:CLASS` of each event, joined in leaf order: merging in another order gives another text. */
const eventList: Analysis<string, string> = {
  id: 'event-list',
  version: 1,
  reads: EVERY_EVENT,
  map: (batch) => linesOf(batch).join(''),
  merge: (a, b) => a + b,
  empty: '',
  finish: (leaf) => leaf,
};

interface LineLeaf extends TransitionLeaf {
  readonly lines: readonly string[];
}

/** Every event, in the total order, with its merge key. */
const orderedEvents: HistoryAnalysis<LineLeaf, HistorySink, readonly string[]> = {
  id: 'ordered-events',
  version: 1,
  reads: EVERY_EVENT,
  map(batch) {
    let key = -Infinity;
    const time = batch.rows.time.slice(0, batch.rows.length).map((own) => (key = Math.max(key, own)));
    return { length: time.length, time, lines: linesOf(batch) };
  },
  reducer() {
    const lines: string[] = [];
    return {
      run(leaf, from, to) {
        for (let i = from; i < to; i++) lines.push(`${leaf.time[i]} ${leaf.lines[i]}`);
      },
      advance: () => undefined,
      soFar: () => lines,
      finish: () => lines,
    };
  },
};

function linesOf({ rows, streamRank }: EventBatch): string[] {
  return Array.from(rows.eventClass.subarray(0, rows.length), (eventClass) => `${streamRank}:${eventClass};`);
}

export const SYNTHETIC = [eventList, orderedEvents] as readonly unknown[] as readonly AnyAnalysis[];
