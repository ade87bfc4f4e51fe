/** Two analyses whose results show every event and its place in the order: for the laws of the driver. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type {
  Analysis,
  EventBatch,
  HistoryAnalysis,
  TransitionChunk,
} from '../../src/engine/analysis/contract.ts';
import type { HistorySink } from '../../src/engine/history/types.ts';

const EVERY_EVENT = { kinds: [{ kind: 'event', events: ['*'], fields: {} }] };

/** `RANK:CLASS` of each event, joined in order of chunks: merging in another order gives another text. */
const eventList: Analysis<string, string> = {
  id: 'event-list',
  version: 1,
  reads: EVERY_EVENT,
  map: (batch) => linesOf(batch).join(''),
  merge: (chunkResults) => chunkResults.join(''),
  empty: '',
  finish: (chunkResult) => chunkResult,
};

interface LineChunk extends TransitionChunk {
  readonly lines: readonly string[];
}

/** Every event, in the total order, with its merge key. */
const orderedEvents: HistoryAnalysis<LineChunk, HistorySink, readonly string[]> = {
  id: 'ordered-events',
  version: 1,
  reads: EVERY_EVENT,
  map(batch) {
    const { rows, packets } = batch;
    const time = new Float64Array(rows.length);
    let key = -Infinity;
    for (let packet = 0; packet < packets.length; packet++) {
      if (packets.begin[packet] > key) key = packets.begin[packet];
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
        time[row] = key = Math.max(key, rows.time[row]);
      }
    }
    return { length: rows.length, time, lines: linesOf(batch) };
  },
  reducer() {
    const lines: string[] = [];
    return {
      run(chunkResult, from, to) {
        for (let i = from; i < to; i++) lines.push(`${chunkResult.time[i]} ${chunkResult.lines[i]}`);
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
