/**
 * Whether windows of time could be reduced in workers, from states that are not known, and joined (Reumont-Locke et al.
 * 2019, section 4.2.1): what of a window is open, what reducing it alone costs, what joining takes at least, and what
 * follows for a number of cores.
 */
import type { ChunkSpan } from '../src/engine/analysis/chunk-results.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import { createIntIndex, findInt, putInt } from '../src/engine/analysis/compiled/int-index.ts';
import type { ReducedHost } from '../src/engine/analysis/contract.ts';
import { createRunMerger } from '../src/engine/analysis/merge-runs.ts';
import { reducedHost } from '../src/engine/analysis/reduced-host.ts';
import { lowerBound } from '../src/engine/base/lower-bound.ts';
import { TableMemory } from '../src/engine/base/tables.ts';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import type { SealJob } from '../src/engine/history/seal.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { kernelSchemeOf } from '../src/engine/linux/events/schemes.ts';
import { kernelState } from '../src/engine/linux/states/kernel-state.ts';
import * as t from '../src/engine/linux/states/map/transitions.ts';
import type { ReducedTables, ThreadRows } from '../src/engine/linux/states/reduce/kernel-tables.ts';
import { analysisSet } from '../src/engine/registry.ts';
import type { Chunk } from '../src/engine/trace/types.ts';
import { EMPTY_SEGMENT } from './kernel.ts';
import { median } from './measure.mjs';
import { openInMemory } from './memory-trace.ts';
import { threadMs } from './thread-time.ts';

/** Events of a window. */
const SIZES = [10_000, 100_000, 1_000_000];
/** Windows of each size that are reduced. */
const SAMPLES = 8;
const CORES = [2, 3, 8];
const LAST_TID = 2 ** 22;

interface Mapped {
  readonly host: ReducedHost;
  readonly events: number;
  readonly parts: readonly Part[];
  /** ms of CPU. */
  readonly ms: number;
}

interface Part {
  readonly chunk: Chunk;
  readonly order: number;
  readonly chunkResult: t.StateChunk;
}

/** What all windows of a size have, by window. */
interface Windows {
  /** HostNs at which they begin. */
  readonly begin: number[];
  /** Transitions that meet a thread, a CPU, or a thread's system call first. */
  readonly open: number[];
  readonly threads: number[];
}

interface Reduced {
  readonly ms: number;
  readonly intervals: number;
  readonly tables: ReducedTables;
  readonly jobs: readonly SealJob[];
}

/** Figures by name; `ns` are of one thread's CPU for each event of the trace. */
export async function windowsBench(folder: string): Promise<Record<string, number>> {
  const mapped = await mapAll(folder);
  const { events, ms } = mapped;
  const transitions = mapped.parts.reduce((sum, { chunkResult }) => sum + chunkResult.length, 0);
  const sizes = SIZES.filter((size) => size < events);
  const counted = sizes.map((size) => countWindows(mapped, (size * transitions) / events));
  const ends = mapped.parts.map(({ chunkResult }) => chunkResult.time[chunkResult.length - 1] ?? -Infinity);
  const all = { first: -Infinity, last: Math.max(...ends) + 1 };
  await reduce(mapped, all);
  const serial = await reduce(mapped, all);
  const sealed = await reduce(mapped, all, true);
  const empty: number[] = [];
  for (let i = 0; i < SAMPLES; i++) empty.push((await reduce(mapped, { first: 0, last: 0 })).ms);
  const beginMs = median(empty);
  const ns = {
    work: ((ms + Math.max(0, sealed.ms - serial.ms)) * 1e6) / events,
    reduce: (serial.ms * 1e6) / events,
  };
  const figures: Record<string, number> = {
    'windows.transitionsPerEvent': transitions / events,
    'windows.intervalsPerEvent': serial.intervals / events,
    'windows.decodeMapSealNs': ns.work,
    'windows.reduceNs': ns.reduce,
    // Its tables and memory, which a worker could keep: not in the times of windows.
    'windows.beginMs': beginMs,
  };
  for (const [i, size] of sizes.entries()) {
    const { begin, open, threads } = counted[i];
    const taken = sampleOf(begin);
    const share = (events * taken.length) / begin.length;
    const windows: Reduced[] = [];
    for (const { first, last } of taken) windows.push(await reduce(mapped, { first, last }));
    const unknown = (sumOf(windows, (window) => window.ms - beginMs) * 1e6) / share;
    const rows = (joinRows(windows) * 1e6) / share;
    const join = rows + (sumOf(open) / transitions) * ns.reduce;
    const key = `windows.${size}`;
    Object.assign(figures, {
      [`${key}.openPercent`]: (100 * sumOf(open)) / transitions,
      [`${key}.threads`]: sumOf(threads) / threads.length,
      [`${key}.sameIntervalsPercent`]: 100 * sameIntervals(serial, windows, taken),
      [`${key}.intervalsPerEvent`]: sumOf(windows, ({ intervals }) => intervals) / share,
      [`${key}.reduceNs`]: unknown,
      [`${key}.joinRowsNs`]: rows,
      [`${key}.joinNs`]: join,
    });
    for (const cores of CORES) {
      const today = Math.max(ns.reduce, (ns.work + ns.reduce) / cores);
      figures[`${key}.timesAsFast.${cores}`] = today / Math.max(join, (ns.work + unknown + join) / cores);
    }
  }
  return figures;
}

async function mapAll(folder: string): Promise<Mapped> {
  const { experiment, chunks } = await openInMemory(folder);
  const set = analysisSet([kernelState.id]);
  const mapper = createChunkMapper(experiment, set, openSource);
  const parts: Part[] = [];
  let events = 0;
  const before = threadMs();
  for (const chunk of chunks) {
    const answer = await mapper.run({ chunk });
    if (!answer.ok) throw new Error(JSON.stringify(answer.fault));
    events += answer.value.events;
    const order = experiment.traces[chunk.trace].streams[chunk.stream].rank;
    parts.push({ chunk, order, chunkResult: answer.value.chunkResults[0] as t.StateChunk });
  }
  const ms = threadMs() - before;
  return { host: reducedHost(experiment, experiment.hosts[0], set.plan), events, parts, ms };
}

/** A merger of the streams that have the chunks, and the number of each chunk's stream. */
function mergerOf({ parts }: Mapped, ...[emit, merge]: Emits) {
  const orders = [...new Set(parts.map(({ order }) => order))];
  const sources = orders.map((order) => {
    const own = parts.filter((part) => part.order === order);
    own.sort((a, b) => a.chunk.sequence - b.chunk.sequence);
    return { order, bounds: own.map(({ chunk }) => chunk.from) };
  });
  const merger = createRunMerger(sources, emit, merge, () => undefined);
  return {
    put: ({ order, chunk }: Part, chunkResult: t.StateChunk) =>
      merger.put(orders.indexOf(order), chunk.sequence, chunkResult),
    drain: () => merger.drain(),
  };
}
type Emits = [Parameters<typeof createRunMerger>[1], Parameters<typeof createRunMerger>[2]?];

/** Goes through all transitions in their total order. */
function countWindows(mapped: Mapped, size: number): Windows {
  const found: Windows = { begin: [], open: [], threads: [] };
  let window = -1;
  let left = 0;
  const seen = new Int32Array(LAST_TID).fill(-1);
  const called = new Int32Array(LAST_TID).fill(-1);
  /** Current thread of the CPUs that have switched in the window. */
  const current = new Map<number, number>();
  const touch = (of: Int32Array, tid: number): boolean => {
    if (tid <= 0 || of[tid] === window) return false;
    of[tid] = window;
    if (of === seen) found.threads[window]++;
    return true;
  };
  const isFirst = (chunkResult: t.StateChunk, i: number): boolean => {
    const at = chunkResult.place[i];
    const cpu = chunkResult.cpu[i];
    const thread = current.get(cpu);
    switch (chunkResult.kind[i]) {
      case t.T_SWITCH: {
        current.set(cpu, chunkResult.args[at + 1]);
        const isNew = touch(seen, chunkResult.args[at]);
        return touch(seen, chunkResult.args[at + 1]) || isNew || thread === undefined;
      }
      case t.T_WAKING:
      case t.T_WAKEUP:
      case t.T_WAKEUP_NEW:
      case t.T_MIGRATE:
      case t.T_EXEC:
      case t.T_EXIT:
      case t.T_FREE:
        return touch(seen, chunkResult.args[at]);
      case t.T_CALL:
      case t.T_RETURN:
        return thread === undefined || touch(called, thread);
      default:
        return thread === undefined;
    }
  };
  const merger = mergerOf(mapped, (_, run, from, to) => {
    const chunkResult = run as t.StateChunk;
    for (let i = from; i < to; i++) {
      if (left-- <= 0 && (window < 0 || chunkResult.time[i] > found.begin[window])) {
        window = found.begin.push(chunkResult.time[i]) - 1;
        found.open[window] = found.threads[window] = 0;
        left = size - 1;
        current.clear();
      }
      if (isFirst(chunkResult, i)) found.open[window]++;
    }
  });
  for (const part of mapped.parts) merger.put(part, part.chunkResult);
  merger.drain();
  return found;
}

/** Reduces what lies in a span as a trace of its own. @param seals segments are sealed, and not only gathered */
async function reduce(mapped: Mapped, { first, last }: ChunkSpan, seals = false): Promise<Reduced> {
  const jobs: SealJob[] = [];
  let intervals = 0;
  let copyMs = 0;
  const seal = (job: SealJob) => {
    const { length, attribute, end, value } = job;
    const copied = threadMs();
    intervals += length;
    jobs.push({
      ...job,
      attribute: attribute.slice(0, length),
      end: end.slice(0, length),
      value: value.slice(0, length),
    });
    copyMs += threadMs() - copied;
    return Promise.resolve({ ...EMPTY_SEGMENT, index: job.index });
  };
  const own = mapped.parts.map(({ chunkResult }) => cut(chunkResult, first, last));
  const before = threadMs();
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, ...(!seals && { seal }) });
  const reducer = kernelState.reducer(builder, mapped.host);
  const merger = mergerOf(
    mapped,
    (_, chunkResult, from, to) => reducer.run(chunkResult as t.StateChunk, from, to),
    reducer.merge?.bind(reducer) as Emits[1],
  );
  for (const [i, part] of mapped.parts.entries()) {
    merger.put(part, own[i]);
    merger.drain();
    await builder.ready();
  }
  const tables = reducer.finish(last);
  builder.finish(tables.end);
  await builder.ready();
  return { ms: threadMs() - before - copyMs, intervals, tables, jobs };
}

/** The transitions of a chunk result in [from, to), HostNs. */
function cut(chunkResult: t.StateChunk, from: number, to: number): t.StateChunk {
  const first = lowerBound(chunkResult.time, from);
  const last = lowerBound(chunkResult.time, to);
  if (first === last) return t.EMPTY_CHUNK;
  return {
    ...chunkResult,
    length: last - first,
    time: chunkResult.time.slice(first, last),
    kind: chunkResult.kind.subarray(first, last),
    cpu: chunkResult.cpu.subarray(first, last),
    place: chunkResult.place.subarray(first, last),
    args:
      last < chunkResult.length ? chunkResult.args.subarray(0, chunkResult.place[last]) : chunkResult.args,
    historyText: new Int32Array(chunkResult.historyText.length).fill(-1),
  };
}

function sampleOf(begin: readonly number[]): ChunkSpan[] {
  const step = Math.max(1, Math.floor(begin.length / SAMPLES));
  const spans = begin.slice(0, -1).map((first, i) => ({ first, last: begin[i + 1] }));
  return spans.filter((_, i) => i % step === step >> 1);
}

const COUNTS = ['runs', 'wakeups', 'migrations', 'voluntary', 'preemptions'] as const;
const LATEST = ['pid', 'ppid', 'mode', 'state', 'modeSince', 'ended', 'closedAt', 'vcpu'] as const;
const ATTRIBUTES = ['stateAttribute', 'cpuAttribute', 'callAttribute', 'nameAttribute'] as const;

/** ms of CPU in which the rows of the windows' threads come to those of all: the least that joining does. */
function joinRows(windows: readonly Reduced[]): number {
  const joiner = createJoiner();
  let ms = 0;
  // The second time: the first one compiles, and touches new memory.
  for (let round = 0; round < 2; round++) {
    const before = threadMs();
    for (const { tables } of windows) joiner.join(tables.threads);
    ms = threadMs() - before;
  }
  return ms;
}

/** Joins the rows of threads, and gives each of their attributes its number among those of all. */
function createJoiner() {
  const { byTid, columns } = emptyRows();
  let length = 0;
  let attributes = 0;
  return {
    join(threads: ThreadRows): Int32Array {
      const translated = new Int32Array(ATTRIBUTES.length * threads.length);
      for (let row = 0; row < threads.length; row++) {
        let own = findInt(byTid, threads.tid[row]);
        if (own < 0) putInt(byTid, threads.tid[row], (own = length++));
        for (const name of COUNTS) columns[name][own] += threads[name][row];
        for (const name of LATEST) columns[name][own] = threads[name][row];
        for (const [i, name] of ATTRIBUTES.entries()) {
          if (threads[name][row] < 0) continue;
          if (columns[name][own] === 0) columns[name][own] = ++attributes;
          translated[ATTRIBUTES.length * row + i] = columns[name][own];
        }
      }
      return translated;
    },
  };
}

function emptyRows() {
  const names = [...COUNTS, ...LATEST, ...ATTRIBUTES];
  const columns = Object.fromEntries(names.map((name) => [name, new Float64Array(2 ** 20)]));
  return {
    byTid: createIntIndex(2 ** 20, new TableMemory()),
    columns: columns as Record<(typeof names)[number], Float64Array>,
  };
}

/** Part of the intervals of threads' states in the windows that end when one of the whole trace does, with its state. */
function sameIntervals(whole: Reduced, windows: readonly Reduced[], spans: readonly ChunkSpan[]): number {
  let same = 0;
  let all = 0;
  for (const [i, { first, last }] of spans.entries()) {
    const expected = new Set(stateEnds(whole, first, last));
    for (const end of stateEnds(windows[i], first, last)) {
      all++;
      if (expected.has(end)) same++;
    }
  }
  return same / all;
}

/** `tid:state:end` of the intervals that end in a span; where segments end all do. */
function stateEnds({ jobs, tables }: Reduced, first: number, last: number): string[] {
  const tidOf = new Map(tidsByAttribute(tables.threads));
  return jobs.flatMap(({ attribute, end, value, from, to }) => {
    const found: string[] = [];
    if (to < first || from > last) return found;
    for (let i = 0; i < end.length; i++) {
      if (!(end[i] > first && end[i] < last) || end[i] === to) continue;
      const tid = tidOf.get(attribute[i] < 0 ? ~attribute[i] : attribute[i]);
      if (tid !== undefined) found.push(`${tid}:${value[i] & 15}:${end[i]}`);
    }
    return found;
  });
}

function tidsByAttribute({ stateAttribute, tid, idleCpu }: ThreadRows): [number, string][] {
  return Array.from(stateAttribute, (attribute, row) => [attribute, `${tid[row]}/${idleCpu[row]}`]);
}

function sumOf(numbers: readonly number[]): number;
function sumOf<T>(things: readonly T[], of: (thing: T) => number): number;
function sumOf<T>(things: readonly T[], of: (thing: T) => number = Number): number {
  return things.reduce((sum, thing) => sum + of(thing), 0);
}
