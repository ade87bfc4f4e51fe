/** A trace for Perfetto: tracks of threads, states and overlays, and the active path. ns since the first event. */
import type { FilePieces } from '../../export/tables/table.ts';
import { PerfettoWriter } from '../../export/perfetto.ts';
import { LABELS } from '../../graph/path-codes.ts';
import { inThreadOrder, threadKey } from '../../linux/states/reduce/thread-table.ts';
import { STATE_DEAD, STATE_UNKNOWN, THREAD_STATES } from '../../linux/events/values.ts';
import { type HostHistory, type KernelHost, isKernelHost } from '../context/host.ts';
import { spanTracks } from './layer-spans.ts';
import type { PathAnswer } from '../../protocol/paths.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { stateSpans } from './state-spans.ts';
import { type ExportSource, hostName } from './export-source.ts';

/** Bytes that are collected before they are passed on. */
const PIECE = 2 ** 20;

/** @param path undefined: no path is written */
export async function* perfettoFile(source: ExportSource, path?: PathAnswer): FilePieces {
  const { trace, firstNs } = source;
  const writer = new PerfettoWriter(trace.time.originNs + BigInt(firstNs), THREAD_STATES);
  // Times in Perfetto are not negative.
  const from = Math.max(firstNs, source.range?.from ?? firstNs);
  const range = { from, to: source.range?.to ?? Infinity };
  if (path !== undefined) addPath(writer, path, source);
  for (const host of trace.hosts) {
    if (!source.hosts.includes(host.index)) continue;
    const threads = new Map<number, number>();
    if (isKernelHost(host)) yield* addThreads(writer, host, threads, source, range);
    yield* addSpans(writer, host, threads, source, range);
  }
  yield writer.take();
}

function addPath(
  writer: PerfettoWriter,
  { row, workers, segments: s }: PathAnswer,
  source: ExportSource,
): void {
  const name = workers.find((worker) => worker.row === row)?.name ?? '';
  const track = writer.track({ name: `Active path of ${name}` });
  for (let i = 0; i < s.length; i++) {
    const from = Math.max(0, s.from[i] - source.firstNs);
    const to = s.to[i] - source.firstNs;
    if (to > from) writer.slice(track, from, to, `${workers[s.worker[i]].name}: ${LABELS[s.label[i]]}`);
  }
}

/** @param tracks filled here with the tracks of threads, by tid */
async function* addThreads(
  writer: PerfettoWriter,
  host: KernelHost,
  tracks: Map<number, number>,
  source: ExportSource,
  range: TimeRange,
): FilePieces {
  const { threads } = host.tables;
  const trackOf = threadTracks(writer, host, source);
  const order = inThreadOrder(threads, threads.length);
  for (const [done, i] of order.entries()) {
    source.signal?.throwIfAborted();
    source.onProgress?.(done / order.length);
    const spans = await stateSpans(host, i, range);
    const isKnown = spans.some(({ state }) => isShown(state));
    if (!isKnown) continue;
    const track = trackOf(i);
    tracks.set(threads.tid[i], track);
    for (const { state, from, to } of spans)
      if (isShown(state)) writer.slice(track, from - source.firstNs, to - source.firstNs, state);
    if (writer.length > PIECE) yield writer.take();
  }
}

function isShown(state: number): boolean {
  return state !== STATE_UNKNOWN && state !== STATE_DEAD;
}

/**
 * Makes tracks of threads; of idle ones and of several hosts by name alone, as Perfetto knows one machine's processes.
 */
function threadTracks(
  writer: PerfettoWriter,
  { index, tables: { threads } }: KernelHost,
  source: ExportSource,
): (thread: number) => number {
  const isAlone = source.trace.hosts.length === 1;
  const root = isAlone ? undefined : writer.track({ name: hostName(source, index) });
  const processes = new Map<number, number>();
  const nameOf = new Map<number, string>();
  for (let i = 0; i < threads.length; i++)
    if (threads.tid[i] === threads.pid[i]) nameOf.set(threads.pid[i], threads.name[i]);
  const processOf = (pid: number): number => {
    const known = processes.get(pid);
    if (known !== undefined) return known;
    const name = nameOf.get(pid) ?? '';
    const made = writer.track(isAlone ? { name, pid } : { name: `${name} ${pid}`.trim(), parent: root });
    processes.set(pid, made);
    return made;
  };
  return (i) => {
    const [pid, tid] = [threads.pid[i], threads.tid[i]];
    const named = `${threads.name[i]} ${threadKey(threads, i)}`.trim();
    if (pid <= 0) return writer.track({ name: named, parent: root });
    const parent = processOf(pid);
    return writer.track(isAlone ? { name: threads.name[i], parent, pid, tid } : { name: named, parent });
  };
}

/** @param threads tracks by tid */
async function* addSpans(
  writer: PerfettoWriter,
  host: HostHistory,
  threads: ReadonlyMap<number, number>,
  source: ExportSource,
  range: TimeRange,
): FilePieces {
  if (source.layers === undefined) return;
  for await (const { name, tid, level, spans } of spanTracks(source.layers, host, range)) {
    const title = level === 0 ? name : `${name}, level ${level + 1}`;
    const track = writer.track({ name: title, parent: threads.get(tid) });
    for (const { from, to, text } of spans) {
      const begin = Math.max(from, range.from) - source.firstNs;
      writer.slice(track, begin, Math.min(to, range.to) - source.firstNs, text === '' ? name : text);
    }
    if (writer.length > PIECE) yield writer.take();
  }
}
