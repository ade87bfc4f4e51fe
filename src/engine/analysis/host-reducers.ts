/**
 * The histories of one host during a run: its streams' transition leaves on one side, in any order; on the other the
 * reducers, called in the total order. Several analyses are merged as one: at equal places those come first that
 * others need.
 */
import type { HistorySink } from '../history/types.ts';
import type { Chunk, Experiment, Host } from '../trace/types.ts';
import { beginOf, clockOf } from '../trace/trace-clocks.ts';
import type { AnalysisSet } from './analysis-set.ts';
import type { LookAhead, Reducer, StreamAhead, TransitionLeaf } from './contract.ts';
import { createRunMerger } from './merge-runs.ts';
import type { RunMerger, RunSource, TakeSpent } from './merge-runs.ts';
import { packetsAhead } from './packets-ahead.ts';
import { recordingsOf, reducedHost } from './reduced-host.ts';

export interface HostReducers {
  /** `leaves`: one per history analysis, in their order; `floor`: the greatest `earliestTime` of the chunk's packets (TimeNs). */
  put(chunk: Chunk, leaves: readonly TransitionLeaf[], floor: number): void;
  /** Reduces what is certain by now; TimeNs before which everything is final. */
  advance(): number;
  /** Results as they are now, by analysis id. */
  soFar(): ReadonlyMap<string, unknown>;
  /** Ends the histories at `end` (TimeNs), or where all is known if that is earlier; results by analysis id. */
  finish(end: number): ReadonlyMap<string, unknown>;
}

export function createHostReducers(
  experiment: Experiment,
  host: Host,
  chunks: readonly Chunk[],
  set: AnalysisSet,
  sink: HistorySink,
  spent?: TakeSpent,
): HostReducers {
  const { histories } = set;
  const knowledge = reducedHost(experiment, host, set.plan);
  const reducers: Reducer<TransitionLeaf>[] = histories.map((analysis) => analysis.reducer(sink, knowledge));
  const { streams, numberOf } = streamsAhead(experiment, host, chunks);
  const sources = new Sources(histories.length);
  for (const { order, bounds } of streams)
    for (const index of histories.keys()) sources.add(order, bounds, index);
  const packets = packetsAhead(experiment, host);
  const conclusions = histories.flatMap((analysis, index) => {
    const ahead = analysis.lookAhead?.(streams, packets);
    return ahead === undefined ? [] : [new Conclusions(ahead, index, sources)];
  });
  const merger = createRunMerger(
    sources.list,
    (source, leaf, from, to) => reducers[sources.analysis[source]].run(leaf, from, to),
    histories.length === 1 ? reducers[0].merge : undefined,
    spent,
  );
  let known = -Infinity;

  return {
    put({ trace, stream, sequence }, leaves, floor) {
      const number = numberOf(trace, stream);
      // What looks ahead reads a leaf before the merger changes it.
      for (const ahead of conclusions) ahead.put(merger, number, sequence, leaves[ahead.analysis], floor);
      leaves.forEach((leaf, index) => merger.put(number * histories.length + index, sequence, leaf, floor));
    },
    advance() {
      known = merger.drain();
      for (const reducer of reducers) reducer.advance(known);
      return known;
    },
    soFar() {
      const end = Number.isFinite(known) ? known : knowledge.begin;
      return new Map(histories.map(({ id }, index) => [id, reducers[index].soFar(end)]));
    },
    finish(end) {
      const last = Math.max(Math.min(end, known), knowledge.begin);
      return new Map(histories.map(({ id }, index) => [id, reducers[index].finish(last)]));
    },
  };
}

/** The sources of a host's merge: the leaves of each stream and analysis, and what is concluded from those ahead. */
class Sources {
  readonly list: RunSource[] = [];
  /** By source: the analysis whose transitions it gives. */
  readonly analysis: number[] = [];
  readonly #analyses: number;

  constructor(analyses: number) {
    this.#analyses = analyses;
  }

  /** Adds the leaves of an analysis for the stream at `order`, or, with no bounds, what comes before them; its number. */
  add(order: number, bounds: readonly number[] | undefined, analysis: number): number {
    const place = 2 * (order * this.#analyses + analysis);
    this.analysis.push(analysis);
    return this.list.push({ order: bounds === undefined ? place : place + 1, bounds }) - 1;
  }
}

/** What an analysis concludes from leaves ahead, as sources of the merge. */
class Conclusions {
  readonly analysis: number;
  readonly #ahead: LookAhead<TransitionLeaf>;
  /** By group. */
  readonly #source: readonly number[];
  readonly #sequence: number[];

  constructor(ahead: LookAhead<TransitionLeaf>, analysis: number, sources: Sources) {
    this.analysis = analysis;
    this.#ahead = ahead;
    this.#source = ahead.groups.map((order) => sources.add(order, undefined, analysis));
    this.#sequence = ahead.groups.map(() => 0);
  }

  put(merger: RunMerger, stream: number, sequence: number, leaf: TransitionLeaf, floor: number): void {
    const group = this.#ahead.groupOf(stream);
    if (group < 0) return;
    this.#ahead.put(stream, sequence, leaf, floor);
    const concluded = this.#ahead.conclude(group);
    if (concluded !== undefined)
      merger.put(this.#source[group], this.#sequence[group]++, concluded.leaf, concluded.until);
  }
}

interface StreamsAhead {
  readonly streams: readonly StreamAhead[];
  /** Index of a stream of a trace there. */
  numberOf(trace: number, stream: number): number;
}

/** The streams of a host that have chunks. */
function streamsAhead(experiment: Experiment, host: Host, chunks: readonly Chunk[]): StreamsAhead {
  const bounds = new Map<string, number[]>();
  for (const { host: index, trace, stream, sequence, from } of chunks) {
    if (index !== host.index) continue;
    const key = `${trace}:${stream}`;
    const known = bounds.get(key) ?? [];
    bounds.set(key, known);
    known[sequence] = from;
  }
  const recordings = recordingsOf(experiment, host);
  const numbers = new Map([...bounds.keys()].map((key, number) => [key, number]));
  const streams = [...bounds].map(([key, times]): StreamAhead => {
    const [index, number] = key.split(':').map(Number);
    const trace = experiment.traces[index];
    const { cpu, rank, streamClass, files } = trace.streams[number];
    return {
      domain: trace.domain,
      cpu,
      order: rank,
      begin: beginOf(files[0].packets, 0, clockOf(trace, streamClass)),
      recording: recordings[host.traces.indexOf(index)],
      bounds: times,
    };
  });
  return { streams, numberOf: (trace, stream) => numbers.get(`${trace}:${stream}`) ?? -1 };
}
