/**
 * The histories of one host during a run. Each is merged by itself: its streams' transition leaves on one side, in any
 * order; on the other its reducer, called in the total order. What one history does changes nothing of another.
 */
import type { HistoryId, HistorySink } from '../history/types.ts';
import { recordingsOf } from '../trace/recordings.ts';
import type { Chunk, Experiment, Host } from '../trace/types.ts';
import type { AnalysisSet, AnyHistory } from './analysis-set.ts';
import type {
  LookAhead,
  PacketsAhead,
  ReducedHost,
  Reducer,
  StreamAhead,
  TransitionChunk,
} from './contract.ts';
import { createRunMerger, type RunMerger, type RunSource, type TakeSpent } from './merge-runs.ts';
import { reducedHost } from './reduced-host.ts';
import { lowerBound } from '../base/lower-bound.ts';
import { beginOf, clockOf } from '../trace/trace-clocks.ts';

export interface HostReducers {
  /** `leaves`: one per history analysis, in their order; `floor`: the greatest `earliestTime` of the chunk's packets (HostNs). */
  put(chunk: Chunk, leaves: readonly TransitionChunk[], floor: number): void;
  /** Reduces what is certain by now; HostNs before which all histories are final. */
  advance(): number;
  /** Results as they are now. */
  soFar(): ReadonlyMap<HistoryId, unknown>;
  /** Ends each history at `end` (HostNs), or where all of it is known if that is earlier; results. */
  finish(end: number): ReadonlyMap<HistoryId, unknown>;
}

/** @param sinkOf where each history is written */
export function createHostReducers(
  experiment: Experiment,
  host: Host,
  chunks: readonly Chunk[],
  { histories, plan }: AnalysisSet,
  sinkOf: (history: HistoryId) => HistorySink,
  spent?: TakeSpent,
): HostReducers {
  const knowledge = reducedHost(experiment, host, plan);
  const { streams, numberOf } = streamsAhead(experiment, host, chunks);
  const packets = packetsAhead(experiment, host);
  const merged = histories.map(
    (analysis) => new MergedHistory(analysis, sinkOf(analysis.id), knowledge, streams, packets, spent),
  );
  const results = (resultOf: (history: MergedHistory) => unknown) =>
    new Map(merged.map((history) => [history.id, resultOf(history)]));
  return {
    put({ trace, stream, sequence }, leaves, floor) {
      const number = numberOf(trace, stream);
      merged.forEach((history, index) => history.put(number, sequence, leaves[index], floor));
    },
    advance: () => merged.reduce((known, history) => Math.min(known, history.advance()), Infinity),
    soFar: () => results((history) => history.soFar()),
    finish: (end) => results((history) => history.finish(end)),
  };
}

/** One history of a host: the merge of its leaves, and what is concluded from leaves ahead, into its reducer. */
class MergedHistory {
  readonly id: HistoryId;
  readonly #reducer: Reducer<TransitionChunk>;
  readonly #ahead: LookAhead<TransitionChunk> | undefined;
  readonly #merger: RunMerger;
  /** Source of each group of streams, and the sequence number of its next leaf. */
  readonly #source: readonly number[];
  readonly #sequence: number[];
  readonly #begin: number;
  /** HostNs before which all is known. */
  #known = -Infinity;

  constructor(
    analysis: AnyHistory,
    sink: HistorySink,
    host: ReducedHost,
    streams: readonly StreamAhead[],
    packets: PacketsAhead,
    spent: TakeSpent | undefined,
  ) {
    this.id = analysis.id;
    this.#begin = host.begin;
    const reducer = (this.#reducer = analysis.reducer(sink, host));
    this.#ahead = analysis.lookAhead?.(streams, packets, host);
    const groups = this.#ahead?.groups ?? [];
    this.#source = groups.map((_, group) => streams.length + group);
    this.#sequence = groups.map(() => 0);
    this.#merger = createRunMerger(
      sourcesOf(streams, groups),
      (_, leaf, from, to) => reducer.run(leaf, from, to),
      reducer.merge?.bind(reducer),
      spent,
    );
  }

  /** @param stream number in the list of streams */
  put(stream: number, sequence: number, leaf: TransitionChunk, floor: number): void {
    // What looks ahead reads a leaf before the merger changes it.
    if (this.#ahead !== undefined) this.#conclude(this.#ahead, stream, sequence, leaf, floor);
    this.#merger.put(stream, sequence, leaf, floor);
  }

  #conclude(
    ahead: LookAhead<TransitionChunk>,
    stream: number,
    sequence: number,
    leaf: TransitionChunk,
    floor: number,
  ): void {
    const group = ahead.groupOf(stream);
    if (group < 0) return;
    ahead.put(stream, sequence, leaf, floor);
    const concluded = ahead.conclude(group);
    if (concluded !== undefined)
      this.#merger.put(this.#source[group], this.#sequence[group]++, concluded.leaf, concluded.until);
  }

  /** Reduces what is certain by now; HostNs before which the history is final. */
  advance(): number {
    this.#known = this.#merger.drain();
    this.#reducer.advance(this.#known);
    return this.#known;
  }

  soFar(): unknown {
    return this.#reducer.soFar(Number.isFinite(this.#known) ? this.#known : this.#begin);
  }

  finish(end: number): unknown {
    return this.#reducer.finish(Math.max(Math.min(end, this.#known), this.#begin));
  }
}

/** The streams; behind them what is concluded of each group, which comes before its first stream at the same time. */
function sourcesOf(streams: readonly StreamAhead[], groups: readonly number[]): RunSource[] {
  return [
    ...streams.map(({ order, bounds }) => ({ order: 2 * order + 1, bounds })),
    ...groups.map((order) => ({ order: 2 * order, bounds: undefined })),
  ];
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

/** Knowledge about the packets of a host's kernel traces that give their begin. */
function packetsAhead(experiment: Experiment, host: Host): PacketsAhead {
  // Made when it is first asked for: mostly CPUs switch before anybody needs it.
  let known: PacketSums | undefined;
  return {
    reach(from, bytes) {
      known ??= sumPackets(experiment, host);
      const { begin, before } = known;
      const first = lowerBound(begin, from);
      const last = lowerBound(before, before[first] + bytes + 1) - 1;
      return last < begin.length ? begin[last] : Infinity;
    },
  };
}

interface PacketSums {
  /** HostNs, ascending. */
  readonly begin: Float64Array;
  /** Bytes of the packets before; one more than there are packets. */
  readonly before: Float64Array;
}

function sumPackets(experiment: Experiment, host: Host): PacketSums {
  const found: { readonly begin: number; readonly bytes: number }[] = [];
  for (const trace of host.traces.map((index) => experiment.traces[index])) {
    if (trace.domain !== 'kernel') continue;
    for (const { streamClass, files } of trace.streams) {
      const map = clockOf(trace, streamClass);
      for (const { packets } of files)
        for (let i = 0; i < packets.length; i++) {
          const begin = beginOf(packets, i, map);
          if (!Number.isNaN(begin)) found.push({ begin, bytes: packets.size[i] });
        }
    }
  }
  found.sort((a, b) => a.begin - b.begin);
  const before = new Float64Array(found.length + 1);
  found.forEach(({ bytes }, i) => (before[i + 1] = before[i] + bytes));
  return { begin: Float64Array.from(found, ({ begin }) => begin), before };
}
