/**
 * Opening of an experiment from a list of files: finds the traces, reads their metadata and packet headers, groups them
 * into hosts and puts their streams in their total order (`types.ts`). A fault in one trace keeps the others.
 */
import { append } from '../base/append.ts';
import { compare } from '../base/compare.ts';
import { objectOf } from '../base/json-object.ts';
import { laterCode } from '../base/later-code.ts';
import type { Fault } from '../base/fault.ts';
import { cyclesToNs, splitOffset, type ClockMap } from '../ctf/decode/run/clock-map.ts';
import type { ClockClass } from '../ctf/model.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import { readCache } from '../io/read-cache.ts';
import { explainNoTrace, findTraces, missingMetadata, readFinding, type TraceFiles } from './find-traces.ts';
import { findBase, findFirstEvent, firstCycles, lastCycles, referenceTrace } from './host-base.ts';
import { halfOfCalls, unknownCpus } from './untold.ts';
import { groupHosts, isSameClock, type HostEvidence } from './hosts.ts';
import { withLeftOut } from './left-out.ts';
import {
  environmentText,
  groupFolders,
  readFolder,
  readTrace,
  type ReadTrace,
  type TraceFolder,
} from './read-trace.ts';
import { commonFolder, distinctNames, tracesByRecording, withRecordingNames } from './recordings.ts';
import { withRepeats } from './repeats.ts';
import { compareStreams, type AssembledStream } from './stream-assembly.ts';
import { clockKey, clockMaps, mainClock } from './trace-clocks.ts';
import type { Experiment, Host, Trace } from './types.ts';

export interface OpenOptions {
  /** Shown to people; default: the folder that all traces share, or the first host's name. */
  readonly name?: string;
  /** Whether the recordings of a single machine are hosts of their own, which all begin together. */
  readonly sideBySide?: boolean;
  /** Whether recordings of one machine that no clock joins stay hosts of their own. */
  readonly apart?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

const joining = laterCode(() => import('./join-recordings.ts'));

type PlacedTraces = Omit<Experiment, 'faults' | 'others' | 'metadata'>;

/** Files of a trace that are begun to be read before its metadata are understood. */
const FILES_EXPECTED = 16;

/** The result does not depend on the order of `files`, whose paths are relative to what the user opened. */
export async function openExperiment(
  files: readonly SourceRef[],
  open: SourceOpener,
  options: OpenOptions = {},
): Promise<Experiment> {
  const found = findTraces(files);
  if (found.length === 0) {
    const fault = await explainNoTrace(files, open);
    return { name: options.name ?? '', hosts: [], traces: [], faults: [fault] };
  }
  const faults: Fault[] = missingMetadata(files);
  const folders: TraceFolder[] = [];
  const cache = readCache(open);
  for (const candidate of found) {
    // Whatever the metadata say, these are read next; a browser does that while they are parsed.
    void cache.expect([...candidate.data, ...candidate.indexes.values()].slice(0, FILES_EXPECTED));
    const folder = await readFolder(candidate, folders, cache.open);
    if (folder.ok) folders.push(folder.value);
    else faults.push(folder.fault);
  }
  const groups = groupFolders(folders);
  const known = new Map<string, string>();
  const traces: ReadTrace[] = [];
  for (const [index, group] of groups.entries()) {
    const { trace, copies } = await readTrace(group, known, cache.open);
    if (trace !== undefined) traces.push(trace);
    append(faults, copies);
    options.onProgress?.(index + 1, groups.length);
  }
  const others = otherFiles(files, found);
  const metadata = found.map((candidate) => candidate.metadata);
  const whole = { ...(await arrange(traces, cache.open, options)), faults, others, metadata };
  const says = whole.sideBySide === true ? undefined : await readFinding(others, open);
  return withLeftOut(whole, objectOf(says ?? '')?.leftOut);
}

function otherFiles(files: readonly SourceRef[], traces: readonly TraceFiles[]): SourceRef[] {
  const own = new Set(
    traces.flatMap(({ metadata, data, indexes }) => [metadata, ...data, ...indexes.values()]),
  );
  return files.filter((file) => !own.has(file));
}

async function arrange(
  given: readonly ReadTrace[],
  open: SourceOpener,
  { name, sideBySide = false, apart: isApart = false }: OpenOptions,
): Promise<PlacedTraces> {
  const evidence = given.map(evidenceOf);
  const known = groupHosts(evidence);
  const timed = withCommonClocks(given, evidence, known);
  const canJoin = !isApart && sharesHostname(timed, known);
  const joined = canJoin ? await (await joining()).joinRecordings(timed, evidence, known, open) : undefined;
  const { traces, groups } = joined ?? { traces: timed, groups: known };
  const placed = await placeTraces(traces, groups, open, name);
  const named = withRecordingNames({ ...placed, faults: [] });
  const isNamedByHost = placed.hosts.length > 0 && placed.name === placed.hosts[0].name && name === undefined;
  const whole = { ...placed, hosts: named, name: isNamedByHost ? named[0].name : placed.name };
  if (!sideBySide || whole.hosts.length !== 1) return whole;
  const recordings = tracesByRecording({ ...whole, faults: [] }, whole.hosts[0]);
  if (recordings.length === 1) return whole;
  const apart = await placeTraces(traces, recordings, open, name);
  const [{ baseNs }] = whole.hosts;
  const clock = mainClock(referenceTrace(traces).model);
  const begins: number[] = [];
  for (const recording of recordings) {
    const members = recording.map((index) => traces[index]);
    begins.push((await findFirstEvent(members, clock, baseNs, open)) ?? NaN);
  }
  const hosts = apart.hosts.map((host, i) => ({ ...host, shiftNs: begins[0] - begins[i] }));
  return { ...apart, hosts, sideBySide };
}

function sharesHostname(traces: readonly ReadTrace[], groups: readonly number[][]): boolean {
  const names = groups
    .map((group) => hostnameOf(group.map((index) => traces[index])))
    .filter((text) => text !== '');
  return new Set(names).size < names.length;
}

/** @param groups indices of the traces of each host */
async function placeTraces(
  traces: readonly ReadTrace[],
  groups: readonly number[][],
  open: SourceOpener,
  name: string | undefined,
): Promise<PlacedTraces> {
  const names = distinctNames(
    groups.map((group) => nameOfHost(group.map((index) => traces[index]).filter(({ joined }) => !joined))),
  );
  const ranks = rankStreams(traces);
  const hosts: Host[] = [];
  const clocks: (readonly ClockMap[])[] = [];
  for (const [index, group] of groups.entries()) {
    const reference = mainClock(referenceTrace(group.map((member) => traces[member])).model);
    const members = group.map((member) => traces[member]);
    const baseNs = await findBase(members, reference, open);
    const firstEvent = await findFirstEvent(members, reference, baseNs, open);
    for (const member of group) clocks[member] = clockMaps(traces[member].model.clocks, reference, baseNs);
    hosts.push({
      index,
      name: names[index],
      hostname: hostnameOf(members),
      clockUuid: reference?.uuid ?? '',
      traces: group,
      baseNs,
      firstEvent: firstEvent ?? 0,
      offsetNs: reference === undefined ? 0n : splitOffset(reference).offsetNs,
      ...(members.some(({ joined }) => joined) && { joined: members.flatMap(({ joined }) => joined ?? []) }),
    });
  }
  const placed = traces.map((trace, index): Trace => {
    const made: Trace = {
      index,
      path: trace.folder,
      host: groups.findIndex((group) => group.includes(index)),
      domain: trace.domain,
      model: trace.model,
      fingerprint: trace.fingerprint,
      clocks: clocks[index],
      streams: trace.streams.map(({ streamClass, cpu, files, bytes }, at) => {
        return { rank: ranks[index][at], trace: index, streamClass, cpu, files, bytes };
      }),
      faults: trace.faults,
    };
    return { ...made, faults: [...trace.faults, ...unknownCpus(made), ...halfOfCalls(made)] };
  });
  const top = commonFolder(traces.map(({ folder }) => folder.split('/')[0]));
  return { name: name ?? top ?? names[0] ?? '', hosts, traces: await withRepeats(placed, open) };
}

function evidenceOf(trace: ReadTrace): HostEvidence {
  const clock = mainClock(trace.model);
  return {
    clock: clockKey(clock),
    session: trace.session,
    hostname: trace.hostname,
    domain: trace.domain,
    span: clock === undefined ? undefined : spanOf(trace, clock),
    system: clock === undefined ? undefined : systemClockOf(trace, clock),
    undated: clock !== undefined && splitOffset(clock).offsetNs === 0n ? clock.name : undefined,
  };
}

/** Names of the system's clocks, as importers and LTTng have them. */
const SYSTEM_CLOCKS: ReadonlySet<string> = new Set(['monotonic', 'monotonic_raw', 'boottime', 'realtime']);

/** LTTng's traces without an uuid are of kernels that do not tell one boot from another. */
function systemClockOf({ model }: ReadTrace, clock: ClockClass): HostEvidence['system'] {
  const isLttng = environmentText(model, 'tracer_name').startsWith('lttng');
  if (!SYSTEM_CLOCKS.has(clock.name) || (isLttng && clock.uuid === undefined)) return undefined;
  const release = environmentText(model, 'kernel_release') || environmentText(model, 'release');
  return { name: clock.name, release, offsetNs: splitOffset(clock).offsetNs };
}

/** Recordings of one clock of the system count from one time: that of LTTng's, else that of the first which knows it. */
function withCommonClocks(
  traces: readonly ReadTrace[],
  evidence: readonly HostEvidence[],
  groups: readonly number[][],
): ReadTrace[] {
  const changed = [...traces];
  for (const group of groups) {
    const leaders = [
      group.find((index) => evidence[index].clock !== '' && evidence[index].system !== undefined),
      group.find((index) => (evidence[index].system?.offsetNs ?? 0n) !== 0n),
    ];
    const leader = leaders.find((index) => index !== undefined);
    const clock = leader === undefined ? undefined : mainClock(traces[leader].model);
    if (leader === undefined || clock === undefined) continue;
    for (const index of group) {
      if (evidence[index].clock !== '' || !isSameClock(evidence[index], evidence[leader])) continue;
      const { uuid, offsetSeconds, offsetCycles, absolute } = clock;
      const { model } = traces[index];
      const clocks = model.clocks.map((own) => ({ ...own, uuid, offsetSeconds, offsetCycles, absolute }));
      changed[index] = { ...traces[index], model: { ...model, clocks } };
    }
  }
  return changed;
}

/** ns since the clock's origin of the first and last packet. */
function spanOf(trace: ReadTrace, clock: ClockClass): HostEvidence['span'] {
  const { offsetNs, ticksOffset } = splitOffset(clock);
  const toNs = (cycles: bigint): bigint => cyclesToNs(cycles, clock.frequency, ticksOffset) + offsetNs;
  let from: bigint | undefined;
  let to: bigint | undefined;
  for (const stream of trace.streams) {
    const first = firstCycles(stream);
    const last = lastCycles(stream);
    if (first !== undefined && (from === undefined || first < from)) from = first;
    if (last !== undefined && (to === undefined || last > to)) to = last;
  }
  return from === undefined || to === undefined ? undefined : { from: toNs(from), to: toNs(to) };
}

/** Ranks by (CPU, fingerprint, stream class, instance, file name); `[trace][stream]`. */
function rankStreams(traces: readonly ReadTrace[]): number[][] {
  const all: { readonly trace: number; readonly at: number; readonly stream: AssembledStream }[] = [];
  traces.forEach(({ streams }, trace) => streams.forEach((stream, at) => all.push({ trace, at, stream })));
  all.sort(
    (a, b) =>
      a.stream.cpu - b.stream.cpu ||
      compare(traces[a.trace].fingerprint, traces[b.trace].fingerprint) ||
      compareStreams(a.stream, b.stream),
  );
  const ranks: number[][] = traces.map(() => []);
  all.forEach(({ trace, at }, rank) => (ranks[trace][at] = rank));
  return ranks;
}

/**
 * The folder that all recordings of a host lie in, or that of the first one. Where only LTTng's own folders in it are
 * given, as `64-bit`, which would say nothing: what the trace says of its host, or of itself.
 */
function nameOfHost(traces: readonly ReadTrace[]): string {
  const [{ session, folder, model }] = traces;
  const common = commonFolder(traces.map((trace) => trace.session)) ?? session;
  return common || hostnameOf(traces) || environmentText(model, 'trace_name') || folder;
}

function hostnameOf(traces: readonly ReadTrace[]): string {
  return traces.map(({ hostname }) => hostname).find((text) => text !== '') ?? '';
}
