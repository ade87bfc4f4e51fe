/** `events PATH… [--filter EXPR] [--limit N]`: events that a filter accepts, of all streams in order of time. */
import type { EventRow } from '../../engine/protocol/events.ts';
import type { EventTable } from '../../engine/answers/events/event-tables.ts';
import { reportFaults } from '../messages.ts';
import { type Options, UsageError } from '../options.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';

/** Rows asked for at once. */
const PAGE = 1000;

export const events: Command = async (paths, options) => {
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const table = await countedEvents(session, options);
  const { originNs } = session;
  const rows = eventRows(session, options.filter ?? '', table, options);
  if (options.json) {
    await writeJson({
      originNs: String(originNs),
      total: table.matches.length,
      events: new JsonList(jsonRows(rows, session)),
    });
  } else {
    for await (const row of rows) print(lineOf(row, session));
    print(`${table.matches.length} events`);
  }
  return reportFaults(faults, options.strict);
};

/**
 * The table of events that `--filter` accepts, all of which were counted.
 * @throws UsageError for a filter that means nothing
 */
export async function countedEvents({ trace }: TraceSession, { filter = '' }: Options): Promise<EventTable> {
  const table = await trace.eventTables?.of({ filter });
  if (table === undefined) throw new UsageError('events: the files of the trace are needed');
  if (table.problem !== undefined) throw new UsageError(problemText(filter, table.problem));
  await table.counted;
  return table;
}

function problemText(filter: string, { at, length, message }: NonNullable<EventTable['problem']>): string {
  const place = length === 0 ? 'at its end' : `at "${filter.slice(at, at + length)}", character ${at + 1}`;
  return `--filter, ${place}: ${message}`;
}

async function* eventRows(
  { ask, range }: TraceSession,
  filter: string,
  { matches }: EventTable,
  { limit = Infinity }: Options,
): AsyncGenerator<EventRow> {
  let first = range === undefined ? 0 : await matches.rowAt(range.from);
  for (let left = limit; left > 0 && first < matches.length;) {
    const { rows } = await ask('eventRows', { filter, first, count: Math.min(left, PAGE) });
    if (rows.length === 0) return;
    for (const row of rows) {
      if (range !== undefined && row.timeNs >= range.to) return;
      yield row;
    }
    first += rows.length;
    left -= rows.length;
  }
}

async function* jsonRows(rows: AsyncIterable<EventRow>, { experiment, firstNs }: TraceSession) {
  for await (const { timeNs, name, host, cpu, thread, fields } of rows) {
    yield {
      time: timeNs - firstNs,
      ...(experiment.hosts.length > 1 && { host: experiment.hosts[host].name }),
      ...(cpu >= 0 && { cpu }),
      ...(thread !== undefined && { tid: thread.tid, thread: thread.name }),
      name,
      ...fields,
    };
  }
}

function lineOf(
  { timeNs, name, host, cpu, thread, fields }: EventRow,
  { experiment, firstNs }: TraceSession,
): string {
  const parts = [
    String(timeNs - firstNs),
    ...(experiment.hosts.length > 1 ? [experiment.hosts[host].name] : []),
    cpu < 0 ? '-' : `CPU ${cpu}`,
    thread === undefined ? '-' : `${thread.name} ${thread.tid}`,
    name,
    ...[fields.payload, fields.context, fields.common].filter((text) => text !== '-'),
  ];
  return parts.join('  ');
}
