/** What single events say, and in which threads they happened. */
import { groupBy } from '../../base/group-by.ts';
import type { DisplayNs } from '../../base/units.ts';
import { createEventReader, type EventReader } from '../../export/event-list.ts';
import type { MatchPlace } from '../../events/match-table.ts';
import { oncePer } from '../../base/once-per.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';
import type { EventSource } from '../events-around.ts';
import { isKernelHost, type HostHistory } from '../host-history.ts';
import type { OpenTrace } from '../open-trace.ts';
import { readPacket } from '../packet-places.ts';
import { threadOf } from '../statistics/sched-stats.ts';
import { type RunningThreads, runningThreads } from '../statistics/running-threads.ts';
import type { EventRow, EventThreadInfo } from './events-api.ts';

/** By stream class, made when first asked for. */
const readersOf = oncePer((trace: Trace): readonly (() => EventReader)[] =>
  trace.model.streams.map((_, streamClass) => {
    let reader: EventReader | undefined;
    return () => (reader ??= createEventReader(trace.model, streamClass, clockOf(trace, streamClass)));
  }),
);

/** In the order of their places. */
export async function rowsOf(
  source: EventSource,
  trace: Pick<OpenTrace, 'hosts'>,
  places: readonly MatchPlace[],
): Promise<EventRow[]> {
  const lines = new Map<MatchPlace, EventRow>();
  for (const group of groupBy(
    places,
    ({ stream, packet }) => `${stream.trace} ${stream.stream} ${packet}`,
  ).values())
    for (const [place, row] of await rowsOfPacket(source, group)) lines.set(place, row);
  const found = places.flatMap((place) => lines.get(place) ?? []);
  const threads = await threadsOfRows(trace.hosts, source, found);
  return found.map((row) => ({ ...row, thread: threads(row) }));
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
  const texts = readersOf(trace)
    [stream.streamClass]()
    .of(
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

/** A switch happens in the thread that leaves. */
const SWITCHES = new Set(['sched_switch', 'sched:sched_switch']);

/** The threads of events, by who ran on their CPUs. */
async function threadsOfRows(
  hosts: readonly HostHistory[],
  { experiment, time }: EventSource,
  rows: readonly EventRow[],
): Promise<(row: EventRow) => EventThreadInfo | undefined> {
  const running = new Map<number, RunningThreads>();
  for (const host of hosts.filter(isKernelHost)) {
    const times = rows.filter((row) => row.host === host.index).map(({ timeNs }) => timeNs);
    if (times.length === 0) continue;
    const { from, to } = around(times);
    const clock = time.of(host.index);
    const cpus = new Set(host.tables.cpus.map(({ cpu }) => cpu));
    running.set(host.index, await runningThreads(host, cpus, clock.toHost(from) - 1, clock.toHost(to) + 1));
  }
  return (row) => {
    const host = hosts.find(({ index }) => index === row.host);
    const onCpus = running.get(row.host);
    // Programs' events may be written on another CPU than they happened on.
    if (host === undefined || !isKernelHost(host) || experiment.traces[row.place.trace].domain === 'ust')
      return undefined;
    const at = time.of(row.host).toHost(row.timeNs) - (SWITCHES.has(row.name) ? 1 : 0);
    const thread = onCpus?.at(row.cpu, at) ?? -1;
    if (thread < 0) return undefined;
    const { row: id, name, tid } = threadOf(host, thread);
    return { row: id, name, tid };
  };
}

function around(times: readonly DisplayNs[]): { readonly from: DisplayNs; readonly to: DisplayNs } {
  return times.reduce(({ from, to }, time) => ({ from: Math.min(from, time), to: Math.max(to, time) }), {
    from: Infinity,
    to: -Infinity,
  });
}
