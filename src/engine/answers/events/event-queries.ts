/** What can be asked about events as a table. */
import { type EventNames, eventNames } from '../../events/event-names.ts';
import { eventsOf } from '../../events/match-counts.ts';
import { type Query, query } from '../context/query.ts';
import { type RecordedEvents, recordedEvents, type RecordedRequest } from '../context/recorded.ts';
import { gridOf } from '../rows/tiles.ts';
import { eventDetails } from './event-details.ts';
import { rowsOf } from './event-rows.ts';
import { matchDensity } from './match-density.ts';
import type { EventTable } from './event-tables.ts';
import type {
  EventCount,
  EventDensityRequest,
  EventDetails,
  EventPlace,
  EventRowAtRequest,
  EventRowsAnswer,
  EventRowsRequest,
  EventSearchAnswer,
  EventSet,
  HostMatches,
} from '../../protocol/events.ts';

/** Rows of one answer. */
const MOST_ROWS = 1000;
const NO_EVENTS: EventSearchAnswer = { total: 0, isWhole: false, faults: 0 };

/** Counts all events of a set. */
const eventSearch = query<EventSet, EventSearchAnswer>({
  nothing: () => NO_EVENTS,
  async answer({ trace, signal, onProgress }, request) {
    const table = await trace.eventTables?.counted(request, signal, onProgress);
    if (table === undefined) return NO_EVENTS;
    return { ...countOf(table), faults: table.faults };
  },
});

/** Rows of what was counted so far; those from a time on once all is counted. */
const eventRows = query<EventRowsRequest, EventRowsAnswer>({
  nothing: () => ({ ...NO_EVENTS, rows: [] }),
  async answer({ trace, signal }, { first, count, atNs, ...set }) {
    const table = await (atNs === undefined
      ? trace.eventTables?.of(set)
      : trace.eventTables?.counted(set, signal));
    if (table === undefined || trace.events === undefined) return { ...NO_EVENTS, rows: [] };
    if (table.problem !== undefined) return { ...countOf(table), rows: [] };
    const from = atNs === undefined ? 0 : await table.matches.rowAt(atNs);
    const places = await table.matches.rows(Math.max(0, from + first), Math.min(count, MOST_ROWS));
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

/** Where they are in time, once all is counted. */
const eventDensity = query<EventDensityRequest, readonly HostMatches[]>({
  nothing: () => [],
  async answer({ trace, signal }, { from, to, bucketNs, ...set }) {
    const table = await trace.eventTables?.counted(set, signal);
    const { traces = [] } = trace.events?.experiment ?? {};
    if (table === undefined || table.problem !== undefined) return [];
    return matchDensity(table.matches, (of) => traces[of].host, gridOf({ from, to, bucketNs }));
  },
});

/** All that one event says; undefined: its packet cannot be read any more. */
const details = query<EventPlace, EventDetails | undefined>({
  nothing: () => undefined,
  answer: ({ trace }, place) => trace.events && eventDetails(trace.events, place),
});

/** What a filter can name; nothing before the metadata are read. */
const names = query<Record<string, never>, EventNames>({
  nothing: () => ({ events: [], fields: [] }),
  answer: ({ trace }) => eventNames(eventsOf(trace.events?.experiment.traces ?? [])),
});

/** What the trace may have, without its files too. */
const recorded = query<RecordedRequest, readonly RecordedEvents[]>({
  nothing: () => [],
  answer: ({ trace }, request) => recordedEvents(trace.hosts, request),
});

export const EVENT_QUERIES = {
  ...{ eventSearch, eventRows, eventRowAt, eventDensity },
  eventDetails: details,
  eventNames: names,
  recorded,
} satisfies Record<string, Query<never, unknown>>;

function countOf({ problem, matches, isWhole }: EventTable): EventCount {
  return { problem, total: matches.length, isWhole };
}
