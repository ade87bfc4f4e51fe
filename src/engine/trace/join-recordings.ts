/**
 * Recordings of one machine that no clock joins, as one by perf's own clock: those whose switches tell how their clocks
 * relate become one host, of which the others count time as the one whose clock is known best. A warning says so, or why
 * they stay hosts of their own.
 */
import { append } from '../base/append.ts';
import type { FaultCode } from '../base/fault.ts';
import { splitOffset } from '../ctf/decode/run/clock-map.ts';
import { layoutOf, NO_ROWS } from '../ctf/decode/rows/rows.ts';
import type { ClockClass } from '../ctf/model.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { matchSwitches, type CommonSwitches, type Switches } from './common-switches.ts';
import { EVENT_KINDS, isKind } from './event-kinds.ts';
import { distinctNames } from './recordings.ts';
import { findBase, referenceTrace } from './host-base.ts';
import type { HostEvidence } from './hosts.ts';
import type { ReadTrace } from './read-trace.ts';
import { filledPackets, PacketReader } from './repeats.ts';
import { clockKey, clockMaps, mainClock } from './trace-clocks.ts';
import type { JoinedClock } from './types.ts';

/** Bytes and switches of a recording that are looked at, CPU by CPU. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_SWITCHES = 1 << 20;

/** Pairs of recordings that are compared, and recordings that a warning names. */
const MOST_TRIED = 32;
const MOST_NAMED = 3;

const NS_PER_S = 1_000_000_000n;

/**
 * @param groups indices of the traces of each host by their clocks and names alone
 * @returns the same of those that are joined, with their traces
 */
export async function joinRecordings(
  given: readonly ReadTrace[],
  evidence: readonly HostEvidence[],
  groups: readonly number[][],
  open: SourceOpener,
): Promise<{ readonly traces: ReadTrace[]; readonly groups: number[][] }> {
  const traces = [...given];
  const known = new Map<number, Switches | undefined>();
  const switchesOf = async (index: number): Promise<Switches | undefined> => {
    if (!known.has(index)) known.set(index, await readSwitches(given[index], open));
    return known.get(index);
  };
  const kernelsOf = (group: readonly number[]) => group.filter((i) => evidence[i].domain === 'kernel');
  const rank = (group: readonly number[]) =>
    Math.max(...group.map((i) => (evidence[i].clock !== '' ? 2 : evidence[i].system ? 1 : 0)));
  const hosts: number[][] = [];
  let left = MOST_TRIED;
  for (const group of [...groups].sort((a, b) => rank(b) - rank(a))) {
    const tried = hosts.flatMap((host) =>
      kernelsOf(host)
        .flatMap((first) => kernelsOf(group).map((second) => ({ host, first, second })))
        .filter(({ first, second }) => mayShareSwitches(evidence[first], evidence[second])),
    );
    let home: number[] | undefined;
    for (const { host, first, second } of tried) {
      const [a, b] = left-- > 0 ? [await switchesOf(first), await switchesOf(second)] : [];
      const found = a && b && matchSwitches(a, b);
      const clock = mainClock(traces[second].model);
      const leader = leadingClock(
        traces[first],
        host.map((index) => traces[index]),
      );
      if (found === undefined || clock === undefined || leader === undefined) continue;
      for (const index of group) traces[index] = withClock(traces[index], clock, leader, found);
      const [recording, by] = distinctNames([traces[second].folder, traces[first].folder]);
      const joined = { ...found, recording, by, clocks: [clock.name, leader.name] as const };
      traces[second] = warned({ ...traces[second], joined }, 'clocks-by-switches', wordsOf(joined));
      home = host;
      break;
    }
    if (home === undefined) hosts.push([...group]);
    else append(home, group);
    for (const second of home ? [] : new Set(tried.map((pair) => pair.second))) {
      const others = tried.filter((pair) => pair.second === second).map(({ first }) => traces[first].folder);
      const more =
        others.length > MOST_NAMED || left < 0 ? ' and others, of which not all were compared' : '';
      const found = `${traces[second].folder} beside ${others.slice(0, MOST_NAMED).join(', ')}${more}`;
      traces[second] = warned(traces[second], 'clocks-apart', found);
    }
  }
  for (const host of hosts) host.sort((a, b) => a - b);
  return { traces, groups: hosts.sort((a, b) => a[0] - b[0]) };
}

/** Whether two recordings may be of one time of one machine, by clocks of which nothing says how they relate. */
function mayShareSwitches(a: HostEvidence, b: HostEvidence): boolean {
  if (a.hostname === '' || a.hostname !== b.hostname || (a.clock !== '' && b.clock !== '')) return false;
  // Clocks of LTTng that have no uuid are not known by name, and count from the epoch.
  const isUnknown = (a.undated ?? b.undated) !== undefined || (a.system && b.system) !== undefined;
  return isUnknown && (a.system === undefined || a.system.name !== b.system?.name);
}

/** The clock of a trace, with the offset to the epoch that its host uses. */
function leadingClock({ model }: ReadTrace, host: readonly ReadTrace[]): ClockClass | undefined {
  const own = mainClock(model);
  const reference = mainClock(referenceTrace(host).model);
  return clockKey(own) !== '' && clockKey(own) === clockKey(reference) ? reference : own;
}

/** The trace with the time of another clock. @param clock the one of its host that was compared */
function withClock(
  trace: ReadTrace,
  clock: ClockClass,
  leader: ClockClass,
  { atNs, offsetNs, drift }: CommonSwitches,
): ReadTrace {
  const clocks = trace.model.clocks.map((own) => {
    const { ticksOffset, offsetNs: ownOffset } = splitOffset(own);
    const apart = ownOffset - splitOffset(clock).offsetNs;
    const cycles = ((atNs - apart) * own.frequency) / NS_PER_S - ticksOffset;
    const frequency = BigInt(Math.round(Number(own.frequency) / (1 + drift)));
    const origin = splitOffset(leader).offsetNs + atNs + offsetNs - (cycles * NS_PER_S) / frequency;
    const rest = ((origin % NS_PER_S) * frequency) / NS_PER_S;
    return {
      ...own,
      frequency,
      offsetSeconds: origin / NS_PER_S,
      offsetCycles: rest,
      absolute: leader.absolute,
    };
  });
  return { ...trace, model: { ...trace.model, clocks } };
}

function warned(trace: ReadTrace, code: FaultCode, found: string): ReadTrace {
  return { ...trace, faults: [...trace.faults, { code, place: { file: trace.folder }, found }] };
}

function wordsOf({ clocks, by, offsetNs, switches, deviationNs }: JoinedClock): string {
  const [apart, where] = offsetNs < 0n ? [-offsetNs, 'ahead of'] : [offsetNs, 'behind'];
  return `${clocks[0]} ${apart} ns ${where} ${clocks[1]} of ${by}, by ${switches} common switches that differ by ${Math.round(deviationNs)} ns in the median`;
}

/** Switches of a trace; undefined: it has none. */
async function readSwitches(trace: ReadTrace, open: SourceOpener): Promise<Switches | undefined> {
  const { model, streams } = trace;
  const { events, fields } = EVENT_KINDS.switch;
  const kind = { names: events, fields: [fields.prev_tid, fields.next_tid] };
  const [prevAt, nextAt] = layoutOf(kind).offsets;
  if (!model.streams.some((stream) => stream.events.some(({ name = '' }) => isKind('switch', name))))
    return undefined;
  const clock = mainClock(model);
  const baseNs = await findBase([trace], clock, open);
  const clocks = clockMaps(model.clocks, clock, baseNs);
  const reader = new PacketReader({ model, streams, clocks }, open, [kind]);
  const found = new Map<number, { readonly time: number; readonly prev: number; readonly next: number }[]>();
  let [bytes, switches] = [0, 0];
  for (const place of filledPackets(trace)) {
    const cpu = place.table.cpu[place.packet];
    bytes += place.table.size[place.packet];
    if (cpu < 0 || bytes > MOST_BYTES) continue;
    const { length, time, at, words } = (await reader.read(place))?.rows ?? NO_ROWS;
    const own = found.get(cpu) ?? [];
    found.set(cpu, own);
    for (let row = 0; row < length && switches < MOST_SWITCHES; row++, switches++)
      own.push({ time: time[row], prev: words[at[row] + prevAt], next: words[at[row] + nextAt] });
  }
  const cpus = [...found].map(([cpu, rows]) => {
    const known = rows.filter(({ time }) => Number.isFinite(time)).sort((a, b) => a.time - b.time);
    const [time, prev, next] = (['time', 'prev', 'next'] as const).map((key) => known.map((row) => row[key]));
    return [cpu, { time, prev, next }] as const;
  });
  return { baseNs, cpus: new Map(cpus) };
}
