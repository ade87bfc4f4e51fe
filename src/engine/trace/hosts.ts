/**
 * Grouping of traces by host: one host is one machine's clock and threads. In this order: the uuid of the clock; else
 * the session folder; else the host name, but never against two different clocks, nor for two kernel traces that
 * overlap in time.
 */
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
}

/** Indices of the traces of each host, in order of their first trace. */
export function groupHosts(traces: readonly HostEvidence[]): number[][] {
  const groups: number[][] = [];
  const loose: number[] = [];
  const byClock = new Map<string, number[]>();
  traces.forEach(({ clock }, index) => {
    const group = byClock.get(clock);
    if (clock === '') loose.push(index);
    else if (group !== undefined) group.push(index);
    else groups.push(added(byClock, clock, index));
  });
  for (const index of loose) {
    const home = findHome(traces, groups, index);
    if (home !== undefined) home.push(index);
    else groups.push([index]);
  }
  for (const group of groups) group.sort((a, b) => a - b);
  return groups.sort((a, b) => a[0] - b[0]);
}

function added(byClock: Map<string, number[]>, clock: string, index: number): number[] {
  const group = [index];
  byClock.set(clock, group);
  return group;
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
  return a.span.from < b.span.to && b.span.from < a.span.to;
}
