/** Events in order of time as columns: their fields as tapes, and the threads in which they happened. */
import { ByteText } from '../../base/byte-text.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { TAPE_HEADER } from '../../ctf/decode/program/stream-programs.ts';
import type { Tape } from '../../ctf/decode/rows/values.ts';
import type { MatchBatch } from '../../events/match-table.ts';
import { ValueWriter } from '../../export/canonical.ts';
import { JSON_TEXTS } from '../../export/event-list.ts';
import type { Trace } from '../../trace/types.ts';
import type { TimeRange } from '../../protocol/range.ts';
import type { EventTable } from './event-tables.ts';
import type { PacketTapes } from './packet-events.ts';
import { groupBy } from '../../base/group-by.ts';
import type { HostNs } from '../../base/units.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { EventSource } from '../context/packets-by-time.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { runningThreads } from '../statistics/running-threads.ts';

/** Value in place of a tid: not known. Lower values: the thread on the CPU, at the event or (of a switch) before it. */
export const NOBODY = -1;

const BY_CPU = -2;

const BEFORE_SWITCH = -3;

/** Events as columns. */
interface ThreadQuestion {
  readonly length: number;
  readonly host: ArrayLike<number>;
  /** -1: it is not known. */
  readonly cpu: ArrayLike<number>;
  readonly timeNs: ArrayLike<number>;
  /** The tid that a program's event gives; below NOBODY: where to find the thread of a kernel's event. */
  readonly tidOrSource: ArrayLike<number>;
}

/** Where to find the thread of a kernel's event: the one on its CPU, of a switch the one before it. */
export function threadSourceOf(name: string | undefined): number {
  return name !== undefined && isKind('switch', name) ? BEFORE_SWITCH : BY_CPU;
}

/** Rows of the hosts' tables of threads; -1: it is not known. */
export async function threadsOfEvents(
  { time }: EventSource,
  trace: Pick<OpenTrace, 'hosts' | 'isNested'>,
  { length, host: hostOf, cpu: cpuOf, timeNs, tidOrSource: threadIds }: ThreadQuestion,
): Promise<Int32Array> {
  const found = new Int32Array(length).fill(-1);
  for (const host of trace.hosts.filter(isKernelHost)) {
    const clock = time.of(host.index);
    const cpus = new Set<number>();
    const tids = new Set<number>();
    let [from, to] = [Infinity, -Infinity];
    for (let i = 0; i < length; i++) {
      if (hostOf[i] !== host.index) continue;
      from = Math.min(from, timeNs[i]);
      to = Math.max(to, timeNs[i]);
      if (threadIds[i] < NOBODY) cpus.add(cpuOf[i]);
      else tids.add(threadIds[i]);
    }
    if (from > to) continue;
    const running = await runningThreads(host, cpus, clock.toHost(from) - 1, clock.toHost(to) + 1);
    const isNested = await trace.isNested(host.index);
    const named = isNested ? () => -1 : threadsByTid(host, tids);
    for (let i = 0; i < length; i++) {
      if (hostOf[i] !== host.index) continue;
      const at = clock.toHost(timeNs[i]);
      if (threadIds[i] >= NOBODY) found[i] = named(threadIds[i], at);
      else found[i] = running.at(cpuOf[i], threadIds[i] === BEFORE_SWITCH ? at - 1 : at);
    }
  }
  return found;
}

/** Row of a program's thread by tid: events may be written on another CPU than they happened on. */
function threadsByTid({ tables: { threads } }: KernelHost, tids: ReadonlySet<number>) {
  if (tids.size === 0) return () => NOBODY;
  const rows = Array.from({ length: threads.length }, (_, row) => row).filter((row) =>
    tids.has(threads.tid[row]),
  );
  const byTid = groupBy(rows, (row) => threads.tid[row]);
  // The life of the tid that began last.
  return (tid: number, at: HostNs): number =>
    byTid.get(tid)?.findLast((row) => threads.first[row] <= at) ?? NOBODY;
}

/** Number of events read at once. */
const MOST = 16_384;

export interface EventColumns extends MatchBatch<PacketTapes> {
  /** Rows of the hosts' tables of threads; -1: it is not known. */
  readonly thread: Int32Array;
}

/** @param hosts indices of the hosts whose events are wanted; default: all */
export async function* eventBatches(
  trace: OpenTrace,
  { matches, packets }: EventTable,
  range: TimeRange | undefined,
  hosts?: readonly number[],
): AsyncGenerator<EventColumns> {
  if (trace.events === undefined) return;
  const { traces } = trace.events.experiment;
  const isWanted = (of: { readonly trace: number }) => hosts?.includes(traces[of.trace].host) ?? true;
  const read = (...place: Parameters<typeof packets.tapes>) => packets.tapes(...place);
  for await (const batch of matches.batches(read, MOST, { ...range, isWanted })) {
    const thread = await threadsOfEvents(trace.events, trace, {
      length: batch.length,
      host: columnOf(batch, ({ trace: of }) => of.host),
      cpu: columnOf(batch, ({ cpu }) => cpu),
      timeNs: batch.timeNs,
      tidOrSource: threadSourcesOf(batch),
    });
    yield { ...batch, thread };
  }
}

/** Column with a property of the packet of each event. */
function columnOf(
  { packets, packet, length }: MatchBatch<PacketTapes>,
  of: (matches: PacketTapes) => number,
) {
  const values = packets.map(({ matches }) => of(matches));
  const column = new Int32Array(length);
  for (let i = 0; i < length; i++) column[i] = values[packet[i]];
  return column;
}

/** Tid or source of the thread of each event, see `ThreadQuestion`. */
function threadSourcesOf({ packets, packet, at, length }: MatchBatch<PacketTapes>): Float64Array {
  const threadIds = new Float64Array(length);
  const sources = packets.map(({ matches }) => threadSourcesOfTrace(matches.trace)[matches.streamClass]);
  const scratch = new ByteText();
  const writer = new ValueWriter(JSON_TEXTS, scratch, 'vtid');
  for (let i = 0; i < length; i++) {
    const { matches } = packets[packet[i]];
    const eventClass = matches.classes[at[i]];
    threadIds[i] = sources[packet[i]][eventClass];
    if (threadIds[i] !== NOBODY) continue;
    const { eventContext, events } = matches.trace.model.streams[matches.streamClass];
    const tape = tapeAt(matches, at[i]);
    writer.seen = NOBODY;
    writer.write(tape, eventContext);
    writer.write(tape, events[eventClass].context);
    scratch.length = 0;
    threadIds[i] = writer.seen;
  }
  return threadIds;
}

/** Source of the thread, by stream class and event class; NOBODY: the event of a program gives it itself. */
const threadSourcesOfTrace = cachedByKey(({ domain, model }: Trace) =>
  model.streams.map(({ events }) =>
    events.map(({ name }) => (domain === 'ust' ? NOBODY : threadSourceOf(name))),
  ),
);

/** The tape of a match, at its first field; valid until the next tape of its packet is asked for. */
export function tapeAt({ rows, events, tape }: PacketTapes, at: number): Tape {
  tape.at = rows.at[events[at]] + TAPE_HEADER;
  return tape;
}
