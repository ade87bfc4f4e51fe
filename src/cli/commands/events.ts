/** `events PATH… [--filter EXPR] [--limit N]`: events that a filter accepts, of all streams in order of time. */
import { ByteText } from '../../engine/base/byte-text.ts';
import { isKernelHost } from '../../engine/answers/context/host.ts';
import { type EventColumns, eventBatches, tapeAt } from '../../engine/answers/events/event-batches.ts';
import type { PacketTapes } from '../../engine/answers/events/packet-events.ts';
import { ValueWriter } from '../../engine/export/canonical.ts';
import { READABLE } from '../../engine/export/event-list.ts';
import type { EventTable } from '../../engine/answers/events/event-tables.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import { JsonList, LineWriter, print, writeJson } from '../output.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';

export const events: Command = (paths, options) =>
  onTrace(paths, options, async (session) => {
    const table = await countedEvents(session, options);
    const { originNs } = session;
    const batches = eventsIn(session, table, options);
    if (options.json) {
      await writeJson({
        originNs: String(originNs),
        total: table.matches.length,
        events: new JsonList(jsonRows(batches, session)),
      });
    } else {
      await printLines(batches, session);
      print(`${table.matches.length} events`);
    }
  });

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

/** Events of the range, so many at most, and the columns that say what they are. */
async function* eventsIn(
  { trace, range }: TraceSession,
  table: EventTable,
  { limit = Infinity }: Options,
): AsyncGenerator<EventColumns> {
  let left = limit;
  for await (const batch of eventBatches(trace, table, range)) {
    yield { ...batch, length: Math.min(left, batch.length) };
    left -= batch.length;
    if (left <= 0) return;
  }
}

async function* jsonRows(batches: AsyncIterable<EventColumns>, session: TraceSession) {
  const { experiment, firstNs } = session;
  const writer = new ValueWriter(READABLE, new ByteText());
  for await (const batch of batches)
    for (let i = 0; i < batch.length; i++) {
      const { trace, streamClass, cpu, classes } = matchesAt(batch, i);
      const thread = threadAt(batch, i, session);
      const { events, eventContext } = trace.model.streams[streamClass];
      const { name = '-', context, payload } = events[classes[batch.at[i]]];
      const tape = tapeAt(matchesAt(batch, i), batch.at[i]);
      yield {
        time: batch.timeNs[i] - firstNs,
        ...(experiment.hosts.length > 1 && { host: experiment.hosts[trace.host].name }),
        ...(cpu >= 0 && { cpu }),
        ...(thread !== undefined && { tid: thread.tid, thread: thread.name }),
        name,
        common: writer.text(tape, eventContext),
        context: writer.text(tape, context),
        payload: writer.text(tape, payload),
      };
    }
}

async function printLines(batches: AsyncIterable<EventColumns>, session: TraceSession): Promise<void> {
  const { experiment, firstNs } = session;
  const lines = new LineWriter();
  const { text } = lines;
  const scopes = [0, 1, 2].map(() => new ByteText());
  const writers = scopes.map((scope) => new ValueWriter(READABLE, scope));
  for await (const batch of batches)
    for (let i = 0; i < batch.length; i++) {
      const matches = matchesAt(batch, i);
      const { trace, streamClass, cpu, classes } = matches;
      const thread = threadAt(batch, i, session);
      const { events, eventContext } = trace.model.streams[streamClass];
      const { name = '-', context, payload } = events[classes[batch.at[i]]];
      text.digits(batch.timeNs[i] - firstNs);
      if (experiment.hosts.length > 1) text.text(`  ${experiment.hosts[trace.host].name}`);
      text.text(cpu < 0 ? '  -' : `  CPU ${cpu}`);
      text.text(thread === undefined ? '  -' : `  ${thread.name} ${thread.tid}`);
      text.text(`  ${name}`);
      const tape = tapeAt(matches, batch.at[i]);
      for (const [scope, type] of [eventContext, context, payload].entries())
        if (type !== undefined) writers[scope].write(tape, type);
      for (const scope of scopes.toReversed()) {
        if (scope.length === 0) continue;
        text.text('  ');
        text.copy(scope.bytes, 0, scope.length);
        scope.length = 0;
      }
      const written = lines.end();
      if (written !== undefined) await written;
    }
  await lines.flush();
}

function matchesAt({ packets, packet }: EventColumns, i: number): PacketTapes {
  return packets[packet[i]].matches;
}

/** undefined: it is not known. */
function threadAt(batch: EventColumns, i: number, { trace }: TraceSession) {
  const row = batch.thread[i];
  const host = trace.hosts.find(({ index }) => index === matchesAt(batch, i).trace.host);
  if (row < 0 || host === undefined || !isKernelHost(host)) return undefined;
  const { name, tid } = host.tables.threads;
  return { name: name[row], tid: tid[row] };
}
