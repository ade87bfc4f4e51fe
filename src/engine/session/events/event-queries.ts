/** What can be asked about events as a table. */
import { type Query, query, type QueryContext } from '../query.ts';
import { rowsOf } from './event-rows.ts';
import type { EventTable } from './event-tables.ts';
import type {
  EventCount,
  EventRowAtRequest,
  EventRowsAnswer,
  EventRowsRequest,
  EventSearchAnswer,
  EventSet,
} from './events-api.ts';

/** Rows of one answer. */
const MOST_ROWS = 1000;
const NO_EVENTS: EventSearchAnswer = { total: 0, isWhole: false, faults: 0 };

/** Counts all events of a set. */
const eventSearch = query<EventSet, EventSearchAnswer>({
  nothing: () => NO_EVENTS,
  async answer({ trace, signal, onProgress }, request) {
    const table = await trace.eventTables?.of(request);
    if (table === undefined) return NO_EVENTS;
    const silence = table.hear(() => onProgress?.(table.share));
    await Promise.race([table.counted, abortOf(signal)]);
    silence();
    return { ...countOf(table), faults: table.faults };
  },
});

/** Rows of what was counted so far. */
const eventRows = query<EventRowsRequest, EventRowsAnswer>({
  nothing: () => ({ ...NO_EVENTS, rows: [] }),
  async answer({ trace }, { first, count, ...set }) {
    const table = await trace.eventTables?.of(set);
    if (table === undefined || trace.events === undefined) return { ...NO_EVENTS, rows: [] };
    if (table.problem !== undefined) return { ...countOf(table), rows: [] };
    const places = await table.matches.rows(first, Math.min(count, MOST_ROWS));
    return { ...countOf(table), rows: await rowsOf(trace.events, trace, places) };
  },
});

/** Number of the first row at a time or later, of what was counted so far; that of the last row behind it. */
const eventRowAt = query<EventRowAtRequest, number>({
  nothing: () => 0,
  async answer({ trace }, { timeNs, ...set }) {
    const table = await trace.eventTables?.of(set);
    if (table === undefined) return 0;
    return Math.max(0, Math.min(await table.matches.rowAt(timeNs), table.matches.length - 1));
  },
});

export const EVENT_QUERIES = { eventSearch, eventRows, eventRowAt } satisfies Record<
  string,
  Query<never, unknown>
>;

function countOf({ problem, matches, isWhole }: EventTable): EventCount {
  return { problem, total: matches.length, isWhole };
}

function abortOf(signal: QueryContext['signal']): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}
