/** What can be asked about events as a table. */
import { eventNames } from '../../events/event-names.ts';
import { eventsOf } from '../../events/match-counts.ts';
import type { QueryOf } from '../context/query.ts';
import { recordedEvents } from '../context/recorded.ts';
import { gridOf } from '../rows/tiles.ts';
import { eventDetails } from './event-details.ts';
import { rowsOf } from './event-rows.ts';
import { matchDensity } from './match-density.ts';
import type { EventTable } from './event-tables.ts';
import type { EventCount, EventSearchAnswer } from '../../protocol/events.ts';

/** Rows of one answer. */
const MOST_ROWS = 1000;
const NO_EVENTS: EventSearchAnswer = { total: 0, isWhole: false, faults: 0 };

const eventSearch: QueryOf<'eventSearch'> = {
  nothing: () => NO_EVENTS,
  async answer({ trace, signal, onProgress }, request) {
    const table = await trace.eventTables?.counted(request, signal, onProgress);
    if (table === undefined) return NO_EVENTS;
    return { ...countOf(table), faults: table.faults };
  },
};

const eventRows: QueryOf<'eventRows'> = {
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
};

const eventRowAt: QueryOf<'eventRowAt'> = {
  nothing: () => 0,
  async answer({ trace }, { timeNs, ...set }) {
    const table = await trace.eventTables?.of(set);
    if (table === undefined) return 0;
    return Math.max(0, Math.min(await table.matches.rowAt(timeNs), table.matches.length - 1));
  },
};

const eventDensity: QueryOf<'eventDensity'> = {
  nothing: () => [],
  async answer({ trace, signal }, { from, to, bucketNs, ...set }) {
    const table = await trace.eventTables?.counted(set, signal);
    const { traces = [] } = trace.events?.experiment ?? {};
    if (table === undefined || table.problem !== undefined) return [];
    return matchDensity(table.matches, (of) => traces[of].host, gridOf({ from, to, bucketNs }));
  },
};

const details: QueryOf<'eventDetails'> = {
  nothing: () => undefined,
  answer: ({ trace }, place) => trace.events && eventDetails(trace.events, place),
};

const names: QueryOf<'eventNames'> = {
  nothing: () => ({ events: [], fields: [] }),
  answer: ({ trace }) => eventNames(eventsOf(trace.events?.experiment.traces ?? [])),
};

const recorded: QueryOf<'recorded'> = {
  nothing: () => [],
  answer: ({ trace }, request) => recordedEvents(trace.hosts, request),
};

export const EVENT_QUERIES = {
  ...{ eventSearch, eventRows, eventRowAt, eventDensity },
  eventDetails: details,
  eventNames: names,
  recorded,
};

function countOf({ problem, matches, isWhole }: EventTable): EventCount {
  return { problem, total: matches.length, isWhole };
}
