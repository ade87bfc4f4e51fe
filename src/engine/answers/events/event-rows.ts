/** Rows of single events: what they say, and in which threads they happened. */
import { groupBy } from '../../base/group-by.ts';
import type { MatchPlace } from '../../events/match-table.ts';
import { eventReader } from '../context/event-readers.ts';
import type { EventSource } from '../context/event-source.ts';
import { isKernelHost, type HostHistory } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { processesOf } from '../rows/process-threads.ts';
import { readPacket } from '../context/packets-by-time.ts';
import { threadOf } from '../context/thread-rows.ts';
import { NOBODY, tellerOf, threadsOfEvents } from './event-threads.ts';
import type { EventRow, EventThreadInfo } from '../../protocol/events.ts';

/** Rows of events in the order of their places. */
export async function rowsOf(
  source: EventSource,
  trace: Pick<OpenTrace, 'hosts' | 'isNested'>,
  places: readonly MatchPlace[],
): Promise<EventRow[]> {
  const lines = new Map<MatchPlace, EventRow>();
  for (const group of groupBy(
    places,
    ({ stream, packet }) => `${stream.trace} ${stream.stream} ${packet}`,
  ).values())
    for (const [place, row] of await rowsOfPacket(source, group)) lines.set(place, row);
  const found = places.flatMap((place) => lines.get(place) ?? []);
  const threads = await threadsOfEvents(source, trace, {
    length: found.length,
    host: found.map(({ host }) => host),
    cpu: found.map(({ cpu }) => cpu),
    timeNs: found.map(({ timeNs }) => timeNs),
    told: found.map((row) => {
      if (source.experiment.traces[row.place.trace].domain !== 'ust') return tellerOf(row.name);
      const vtid = /"vtid":(\d+)/.exec(`${row.fields.common} ${row.fields.context}`)?.[1];
      return Number(vtid ?? NOBODY);
    }),
  });
  return found.map((row, i) => ({ ...row, thread: threadInfo(trace.hosts, row.host, threads[i]) }));
}

function threadInfo(
  hosts: readonly HostHistory[],
  index: number,
  thread: number,
): EventThreadInfo | undefined {
  const host = hosts.find((one) => one.index === index);
  if (thread < 0 || host === undefined || !isKernelHost(host)) return undefined;
  const { row, name, tid, pid } = threadOf(host, thread);
  const { threads } = host.tables;
  return { row, name, tid, pid, process: threads.name[processesOf(threads)[thread]] };
}

async function rowsOfPacket(
  { experiment, open }: EventSource,
  places: readonly MatchPlace[],
): Promise<[MatchPlace, EventRow][]> {
  const [{ stream: matches, packet }] = places;
  const trace = experiment.traces[matches.trace];
  const stream = trace.streams[matches.stream];
  const at = matches.placeOf(packet);
  const input = await readPacket(open, stream, at);
  if (input === undefined) return [];
  const { source: ref, packets } = stream.files[at.file];
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const texts = eventReader(trace, stream.streamClass).of(
    input,
    places.map(({ event }) => event),
  );
  return texts.map((text, i): [MatchPlace, EventRow] => {
    const place = places[i];
    const { timeNs, event } = place;
    const where = { trace: matches.trace, stream: matches.stream, ...at, event };
    const line = { ...text, timeNs, host: trace.host, stream: name, cpu: packets.cpu[at.packet] };
    return [place, { ...line, place: where }];
  });
}
