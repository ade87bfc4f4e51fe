/** Faults of the recording: losses, missing events, clocks that do not fit together. */
import type { DisplayNs } from '../../base/units.ts';
import type { ExecutionsAnswer } from '../../layers/executions/answer.ts';
import { isKernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { syncInfo } from '../sync/host-sync.ts';
import { HIDES_CALLS, HIDES_SWITCHES } from '../../trace/loss-subjects.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';

export interface Lost extends Measured {
  readonly lost: number;
  readonly all: number;
  /** Consequence of losses: which thread ran is unknown meanwhile, or only its mode, or neither. */
  readonly hidden: 'states' | 'modes' | 'counts';
}

export function lostEvents({ trace, lostShare: share, lengthNs }: Facts): Measures<Lost> {
  const { events, discardedEvents: lost } = trace.recorded();
  if (lost === 0) return { found: [] };
  const ns = Math.round(share * lengthNs);
  return { found: [{ share, ns, lost, all: events + lost, hidden: hiddenIn(trace) }] };
}

function hiddenIn({ hosts }: Facts['trace']): Lost['hidden'] {
  const pieces = hosts.filter(isKernelHost).flatMap(({ tables }) => tables.losses);
  const hides = (bits: number) => pieces.some(({ hidden }) => (hidden & bits) !== 0);
  if (hides(HIDES_SWITCHES)) return 'states';
  return hides(HIDES_CALLS) ? 'modes' : 'counts';
}

export interface LostPackets extends Measured {
  readonly packets: number;
}

/** Number of lost packets; how many events they held is not known. */
export function lostPackets({ trace }: Facts): Measures<LostPackets> {
  const { discardedPackets: packets } = trace.recorded();
  return { found: packets === 0 ? [] : [{ share: 1, ns: 0, packets }] };
}

export interface Gaps extends Measured {
  readonly host: string;
}

/** Times between the recordings of a host. */
export function gaps({ trace: { hosts, time }, lengthNs }: Facts): Measures<Gaps> {
  const found = hosts.filter(isKernelHost).map(({ index, tables }) => {
    const ns = tables.gaps.reduce((sum, { from, to }) => sum + to - from, 0);
    return { share: ns / Math.max(1, lengthNs), ns, host: time.hosts[index].name };
  });
  return { found };
}

export interface Misplaced extends Measured {
  /** Packets and hosts, as the fault names them. */
  readonly packets: string;
}

/** Packets that seem to arrive before they were sent because of an offset that the user gave. */
export async function misplaced({ trace: { time, hosts, sync } }: Facts): Promise<Measures<Misplaced>> {
  const known = sync();
  const isGiven = time.clock.hosts.some(({ source }) => source === 'offset');
  if (known === undefined || !isGiven) return { found: [] };
  const { faults } = await syncInfo(time.hosts, hosts, known, time.clock);
  const wrong = faults.filter(({ code }) => code === 'sync-offset-wrong');
  return { found: wrong.map(({ found = '' }) => ({ share: 1, ns: 0, packets: found })) };
}

export interface Unsynchronised extends Measured {
  readonly hosts: readonly string[];
}

/** Hosts whose clocks are not related to the others'; recordings shown side by side need not be. */
export function unsynchronised({ trace }: Facts): Measures<Unsynchronised> {
  const { hosts, clock } = trace.time;
  const isKnown = trace.sync() !== undefined && !trace.recorded().sideBySide;
  const alone = hosts.filter((_, i) => clock.hosts[i].source === 'start').map(({ name }) => name);
  const isSaid = isKnown && alone.length > 0;
  return { found: isSaid ? [{ share: alone.length / hosts.length, ns: 0, hosts: alone }] : [] };
}

/** One recording: a host where recordings are shown side by side, else a part of the only host's time. */
export interface RecordingSpan {
  readonly name: string;
  readonly host: number;
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/** Recordings of a machine in order of time; none where several machines were recorded. */
export function recordingSpans({ hosts, time, recorded }: OpenTrace): readonly RecordingSpan[] {
  if (!recorded().sideBySide && hosts.length !== 1) return [];
  return hosts.filter(isKernelHost).flatMap(({ index, query, tables: { gaps }, clock }) => {
    const { from, to } = query.extent();
    const { name, recordings = [] } = time.hosts[index];
    const begins = [from, ...gaps.map((gap) => gap.to)];
    const ends = [...gaps.map((gap) => gap.from), to];
    return begins.map((begin, i): RecordingSpan => ({
      name: begins.length === 1 ? name : (recordings[i] ?? `recording ${i + 1}`),
      host: index,
      from: clock.toExperiment(begin),
      to: clock.toExperiment(ends[i]),
    }));
  });
}

/** Index of the recording of each execution; -1: none. */
export function recordingOfExecutions(
  { length, threads, thread, from }: ExecutionsAnswer,
  spans: readonly RecordingSpan[],
): Int32Array {
  return Int32Array.from({ length }, (_, i) =>
    spans.findIndex(
      (span) => span.host === threads[thread[i]].host && from[i] >= span.from && from[i] <= span.to,
    ),
  );
}
