/** Rows of single events: what they say, and in which threads they happened. */
import { groupBy } from '../../base/group-by.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import type { MatchPlace } from '../../events/match-table.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { eventReader, type EventTextForm } from '../context/event-readers.ts';
import type { EventSource } from '../context/event-source.ts';
import { isKernelHost, type HostHistory, type KernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { processesOf } from '../rows/process-threads.ts';
import { readPacket } from '../context/packets-by-time.ts';
import { threadOf } from '../context/thread-rows.ts';
import { type RunningThreads, runningThreads } from '../statistics/running-threads.ts';
import type { EventRow, EventThreadInfo } from '../../protocol/events.ts';

/**
 * Rows of events in the order of their places.
 * @param form how their fields are written
 */
export async function rowsOf(
  source: EventSource,
  trace: Pick<OpenTrace, 'hosts' | 'isNested'>,
  places: readonly MatchPlace[],
  form?: EventTextForm,
): Promise<EventRow[]> {
  const lines = new Map<MatchPlace, EventRow>();
  for (const group of groupBy(
    places,
    ({ stream, packet }) => `${stream.trace} ${stream.stream} ${packet}`,
  ).values())
    for (const [place, row] of await rowsOfPacket(source, group, form)) lines.set(place, row);
  const found = places.flatMap((place) => lines.get(place) ?? []);
  const nested = await Promise.all(source.experiment.hosts.map(({ index }) => trace.isNested(index)));
  const threads = await threadsOfRows(trace.hosts, nested, source, found);
  return found.map((row) => ({ ...row, thread: threads(row) }));
}

async function rowsOfPacket(
  { experiment, open }: EventSource,
  places: readonly MatchPlace[],
  form: EventTextForm | undefined,
): Promise<[MatchPlace, EventRow][]> {
  const [{ stream: matches, packet }] = places;
  const trace = experiment.traces[matches.trace];
  const stream = trace.streams[matches.stream];
  const at = matches.placeOf(packet);
  const input = await readPacket(open, stream, at);
  if (input === undefined) return [];
  const { source: ref, packets } = stream.files[at.file];
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const texts = eventReader(trace, stream.streamClass, form).of(
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

/** The threads of events, by who ran on their CPUs. */
async function threadsOfRows(
  hosts: readonly HostHistory[],
  nested: readonly boolean[],
  { experiment, time }: EventSource,
  rows: readonly EventRow[],
): Promise<(row: EventRow) => EventThreadInfo | undefined> {
  const running = new Map<number, RunningThreads>();
  for (const host of hosts.filter(isKernelHost)) {
    const ofHost = rows.filter((row) => row.host === host.index);
    if (ofHost.length === 0) continue;
    const { from, to } = around(ofHost.map(({ timeNs }) => timeNs));
    const clock = time.of(host.index);
    const cpus = new Set(ofHost.map(({ cpu }) => cpu));
    running.set(host.index, await runningThreads(host, cpus, clock.toHost(from) - 1, clock.toHost(to) + 1));
  }
  return (row) => {
    const host = hosts.find(({ index }) => index === row.host);
    if (host === undefined || !isKernelHost(host)) return undefined;
    const at = time.of(row.host).toHost(row.timeNs);
    const isOfProgram = experiment.traces[row.place.trace].domain === 'ust';
    const thread = isOfProgram
      ? namedThread(host, row, at, nested[row.host])
      : (running.get(row.host)?.at(row.cpu, at - (isKind('switch', row.name) ? 1 : 0)) ?? -1);
    if (thread < 0) return undefined;
    const { row: id, name, tid, pid } = threadOf(host, thread);
    const { threads } = host.tables;
    return { row: id, name, tid, pid, process: threads.name[processesOf(threads)[thread]] };
  };
}

/** Programs' events may be written on another CPU than they happened on, but say their thread. -1: it is not known. */
function namedThread(host: KernelHost, { fields }: EventRow, at: HostNs, isNested: boolean): number {
  const vtid = /"vtid":(\d+)/.exec(`${fields.common} ${fields.context}`)?.[1];
  if (vtid === undefined || isNested) return -1;
  const { tid, first, length } = host.tables.threads;
  // Of several lives of a number the one that began last.
  for (let row = length - 1; row >= 0; row--) if (tid[row] === Number(vtid) && first[row] <= at) return row;
  return -1;
}

function around(times: readonly DisplayNs[]): { readonly from: DisplayNs; readonly to: DisplayNs } {
  return times.reduce(({ from, to }, time) => ({ from: Math.min(from, time), to: Math.max(to, time) }), {
    from: Infinity,
    to: -Infinity,
  });
}
