/** Answers about events as a table; loaded with the first such question. */
import { eventNames as namesOf } from '../../events/event-names.ts';
import { eventsOf } from '../../events/match-counts.ts';
import type { QueryOf } from '../context/query.ts';
import { recordedEvents } from '../context/recorded.ts';
import type { MatchTable } from '../../events/match-table.ts';
import { addEvenly, bucketAt, type Grid } from '../rows/resample.ts';
import { gridOf } from '../rows/tiles.ts';
import { eventDetails as detailsOf, rowsOf } from './event-rows.ts';
import type { EventTable } from './event-tables.ts';
import type { EventCount, EventSearchAnswer, HostMatches } from '../../protocol/events.ts';

/** Maximum number of rows in an answer. */
const MOST_ROWS = 1000;
/** Maximum number of packets read for a density; matches of others count as even between the first and the last. */
const MOST_READ = 32;
const NO_EVENTS: EventSearchAnswer = { total: 0, isWhole: false, faults: 0 };

export const eventSearch: QueryOf<'eventSearch'> = {
  nothing: () => NO_EVENTS,
  async answer({ trace, signal, onProgress }, request) {
    const table = await trace.eventTables?.counted(request, signal, onProgress);
    if (table === undefined) return NO_EVENTS;
    return { ...countOf(table), faults: table.faults };
  },
};

export const eventRows: QueryOf<'eventRows'> = {
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

export const eventRowAt: QueryOf<'eventRowAt'> = {
  nothing: () => 0,
  async answer({ trace }, { timeNs, untilNs, ...set }) {
    const table = await trace.eventTables?.of(set);
    if (table === undefined) return 0;
    const row = await table.matches.rowAt(timeNs);
    if (untilNs !== undefined && row >= (await table.matches.rowAt(untilNs))) return 0;
    return Math.max(0, Math.min(row, table.matches.length - 1));
  },
};

/**
 * Density of the events of a set over time, host by host.
 * @param hostOf the host of a trace, by index
 */
async function matchDensity(
  matches: MatchTable,
  hostOf: (trace: number) => number,
  grid: Grid,
): Promise<HostMatches[]> {
  const byHost = new Map<number, Float32Array>();
  const packets = matches.packets();
  for (const packet of packets) {
    const host = hostOf(packet.stream.trace);
    const counts = byHost.get(host) ?? new Float32Array(grid.length);
    byHost.set(host, counts);
    if (packets.length > MOST_READ) {
      addEvenly(counts, grid, packet.from, packet.to, packet.count);
      continue;
    }
    for (const time of await matches.times(packet)) {
      const bucket = bucketAt(grid, time);
      if (bucket >= 0) counts[bucket]++;
    }
  }
  return [...byHost].map(([host, counts]) => ({ host, counts }));
}

export const eventDensity: QueryOf<'eventDensity'> = {
  nothing: () => [],
  async answer({ trace, signal }, { from, to, bucketNs, ...set }) {
    const table = await trace.eventTables?.counted(set, signal);
    const { traces = [] } = trace.events?.experiment ?? {};
    if (table === undefined || table.problem !== undefined) return [];
    return matchDensity(table.matches, (of) => traces[of].host, gridOf({ from, to, bucketNs }));
  },
};

export const eventDetails: QueryOf<'eventDetails'> = {
  answer: ({ trace }, place) => trace.events && detailsOf(trace.events, place),
};

export const eventNames: QueryOf<'eventNames'> = {
  nothing: () => ({ events: [], fields: [] }),
  answer: ({ trace }) => namesOf(eventsOf(trace.events?.experiment.traces ?? [])),
};

export const recorded: QueryOf<'recorded'> = {
  nothing: () => [],
  answer: ({ trace }, request) => recordedEvents(trace.hosts, request),
};

function countOf({ problem, matches, isWhole }: EventTable): EventCount {
  return { problem, total: matches.length, isWhole };
}
