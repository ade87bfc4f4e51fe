/**
 * Grouping of traces by host: one host is one machine's clock and threads. In this order: the uuid of the clock; of other
 * recorders than LTTng, which give none, the host name and the system's clock; else the session folder; else the host
 * name, but never against two different clocks, nor for two kernel traces that overlap in time.
 */
import { groupBy } from '../base/group-by.ts';
import type { Domain } from './types.ts';

export interface HostEvidence {
  /** Lower-case uuid of the trace's clock with its frequency; '' when it has no uuid. */
  readonly clock: string;
  /** Folder of the recording session, see `sessionFolder`. */
  readonly session: string;
  readonly hostname: string;
  readonly domain: Domain;
  /** ns since the clock's origin, first and last packet; undefined where packets have no times. */
  readonly span?: { readonly from: bigint; readonly to: bigint };
  /** The system's clock that it has; undefined: it is not known, or no other recorder has it. */
  readonly system?: SystemClock;
  /** Name of a clock that counts from a time which is not known; undefined: it is. */
  readonly undated?: string;
}

/** A clock that all programs of a machine can read (clock_gettime(2)), and which recorders call by its name. */
interface SystemClock {
  readonly name: string;
  /** Release of the kernel, '' not known. */
  readonly release: string;
  /** ns from the Unix epoch to its begin; 0: not known. */
  readonly offsetNs: bigint;
}

/** Differences of that time in two recordings of one boot, at most: both read two clocks one after the other (ns). */
const OFFSETS_APART = 1_000_000_000n;

/** Whether two recordings have one clock of one machine: its name and host are the same, and both have times of one boot. */
export function isSameClock(a: HostEvidence, b: HostEvidence): boolean {
  if (a.system === undefined || b.system === undefined || a.span === undefined || b.span === undefined)
    return false;
  if (a.hostname === '' || a.hostname !== b.hostname || a.system.name !== b.system.name) return false;
  const releases = [a.system.release, b.system.release];
  if (!releases.includes('') && releases[0] !== releases[1]) return false;
  const [one, other] = [a.system.offsetNs, b.system.offsetNs];
  // One boot began at one time. Where that is not known, recordings are of one boot that overlap.
  if (one !== 0n && other !== 0n) return (one > other ? one - other : other - one) < OFFSETS_APART;
  return a.span.from - one < b.span.to - other && b.span.from - other < a.span.to - one;
}

/** Indices of the traces of each host, in order of their first trace. */
export function groupHosts(traces: readonly HostEvidence[]): number[][] {
  const indices = [...traces.keys()];
  const loose = indices.filter((index) => traces[index].clock === '');
  const timed = indices.filter((index) => traces[index].clock !== '');
  const groups = [...groupBy(timed, (index) => traces[index].clock).values()];
  for (const index of loose) {
    const home = homeByClock(traces, groups, index) ?? findHome(traces, groups, index);
    if (home !== undefined) home.push(index);
    else groups.push([index]);
  }
  for (const group of groups) group.sort((a, b) => a - b);
  return groups.sort((a, b) => a[0] - b[0]);
}

/** The one host with the same clock of the system. */
function homeByClock(
  traces: readonly HostEvidence[],
  groups: readonly number[][],
  index: number,
): number[] | undefined {
  const homes = groups.filter((group) => group.some((other) => isSameClock(traces[index], traces[other])));
  return homes.length === 1 ? homes[0] : undefined;
}

/** The one host that a trace without clock uuid belongs to; several candidates are as good as none. */
function findHome(
  traces: readonly HostEvidence[],
  groups: readonly number[][],
  index: number,
): number[] | undefined {
  const trace = traces[index];
  const inSession = groups.filter((group) => group.some((other) => traces[other].session === trace.session));
  const candidates =
    inSession.length > 0 || trace.hostname === ''
      ? inSession
      : groups.filter((group) => group.some((other) => traces[other].hostname === trace.hostname));
  if (candidates.length !== 1) return undefined;
  const clash = candidates[0].some((other) => recordedTogether(trace, traces[other]));
  return clash ? undefined : candidates[0];
}

/** One kernel cannot write two traces of the same moment into two sessions that know no common clock. */
function recordedTogether(a: HostEvidence, b: HostEvidence): boolean {
  if (a.domain !== 'kernel' || b.domain !== 'kernel' || a.span === undefined || b.span === undefined)
    return false;
  // Nor is it known when a recording was made whose clock does not count from a known time.
  if (a.undated !== b.undated) return true;
  return a.span.from < b.span.to && b.span.from < a.span.to;
}
