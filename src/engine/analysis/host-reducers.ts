/**
 * The histories of one host during a run. Each is merged by itself: chunk results of streams come in any order, and its
 * reducer is called in the total order. Histories do not affect each other.
 */
import type { HistoryId, HistorySink } from '../history/types.ts';
import { recordingsOf } from '../trace/recordings.ts';
import type { Chunk, Experiment, Host } from '../trace/types.ts';
import type { AnalysisSet, AnyHistory } from './analysis-set.ts';
import type { PacketsAhead, ReducedHost, StreamAhead, TransitionChunk } from './contract.ts';
import { createRunMerger, type RunSource, type TakeSpent } from './merge-runs.ts';
import { reducedHost } from './reduced-host.ts';
import { lowerBound } from '../base/lower-bound.ts';
import { beginOf, clockOf } from '../trace/trace-clocks.ts';

export type HostReducers = ReturnType<typeof createHostReducers>;

/** @param sinkOf where each history is written */
export function createHostReducers(
  experiment: Experiment,
  host: Host,
  chunks: readonly Chunk[],
  { histories, plan }: AnalysisSet,
  sinkOf: (history: HistoryId) => HistorySink,
  spent?: TakeSpent,
) {
  const knowledge = reducedHost(experiment, host, plan);
  const { streams, numberOf } = streamsAhead(experiment, host, chunks);
  const packets = packetsAhead(experiment, host);
  const merged = histories.map((analysis) =>
    mergeHistory(analysis, sinkOf(analysis.id), knowledge, streams, packets, spent),
  );
  const results = (resultOf: (history: MergedHistory) => unknown): ReadonlyMap<HistoryId, unknown> =>
    new Map(merged.map((history) => [history.id, resultOf(history)]));
  return {
    /** @param chunkResults one per history analysis, in their order @param floor greatest `earliestTime` of its packets (HostNs) */
    put({ trace, stream, sequence }: Chunk, chunkResults: readonly TransitionChunk[], floor: number): void {
      const number = numberOf(trace, stream);
      merged.forEach((history, index) => history.put(number, sequence, chunkResults[index], floor));
    },
    /** Reduces what is certain so far; HostNs before which all histories are final. */
    advance: () => merged.reduce((known, history) => Math.min(known, history.advance()), Infinity),
    soFar: () => results((history) => history.soFar()),
    /** Ends each history at `end` (HostNs), or earlier where it is complete by then. */
    finish: (end: number) => results((history) => history.finish(end)),
  };
}

type MergedHistory = ReturnType<typeof mergeHistory>;

/** Merges the chunk results of one history of a host, with the conclusions of its look-ahead, into its reducer. */
function mergeHistory(
  analysis: AnyHistory,
  sink: HistorySink,
  host: ReducedHost,
  streams: readonly StreamAhead[],
  packets: PacketsAhead,
  spent: TakeSpent | undefined,
) {
  const reducer = analysis.reducer(sink, host);
  const ahead = analysis.lookAhead?.(streams, packets, host);
  const groups = ahead?.groups ?? [];
  /** Sequence number of the next chunk result of each group; sources of groups follow those of streams. */
  const next = groups.map(() => 0);
  const merger = createRunMerger(
    sourcesOf(streams, groups),
    (_, chunkResult, from, to) => reducer.run(chunkResult, from, to),
    reducer.merge?.bind(reducer),
    spent,
  );
  /** HostNs before which all is known. */
  let known = -Infinity;
  return {
    id: analysis.id,
    /** @param stream number in the list of streams */
    put(stream: number, sequence: number, chunkResult: TransitionChunk, floor: number): void {
      const group = ahead?.groupOf(stream) ?? -1;
      if (ahead !== undefined && group >= 0) {
        // First, as the merger changes the chunk result.
        ahead.put(stream, sequence, chunkResult, floor);
        const concluded = ahead.conclude(group);
        if (concluded !== undefined)
          merger.put(streams.length + group, next[group]++, concluded.chunkResult, concluded.until);
      }
      merger.put(stream, sequence, chunkResult, floor);
    },
    /** Reduces what is certain so far; HostNs before which the history is final. */
    advance(): number {
      known = merger.drain();
      reducer.advance(known);
      return known;
    },
    soFar: (): unknown => reducer.soFar(Number.isFinite(known) ? known : host.begin),
    finish: (end: number): unknown => reducer.finish(Math.max(Math.min(end, known), host.begin)),
  };
}

/** Sources: the streams, then each group's conclusions, which come before the group's first stream at the same time. */
function sourcesOf(streams: readonly StreamAhead[], groups: readonly number[]): RunSource[] {
  return [
    ...streams.map(({ order, bounds }) => ({ order: 2 * order + 1, bounds })),
    ...groups.map((order) => ({ order: 2 * order, bounds: undefined })),
  ];
}

/** The streams of a host that have chunks, and the index there of a stream of a trace. */
function streamsAhead(experiment: Experiment, host: Host, chunks: readonly Chunk[]) {
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
  return { streams, numberOf: (trace: number, stream: number) => numbers.get(`${trace}:${stream}`) ?? -1 };
}

/** Beginnings and sizes of the packets of a host's kernel traces, as far as packets give their begin. */
function packetsAhead(experiment: Experiment, host: Host): PacketsAhead {
  // Made on first use: usually all CPUs switch before it is needed.
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
  /** Bytes of all packets before each packet; one entry more than there are packets. */
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
