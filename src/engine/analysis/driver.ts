/**
 * Runs analyses over an experiment: hands chunks to workers in order of their begin, keeps the chunk results of aggregates,
 * and has the transitions of each host reduced in the total order as far as they are certain. What comes out does not
 * depend on the number of workers nor on the order in which they answer.
 */
import { append } from '../base/append.ts';
import { fail, type Fault, type Result } from '../base/fault.ts';
import { runsWebAssembly } from '../base/kernel-module.ts';
import { greater, lesser } from '../base/lesser.ts';
import { earliestTime, NO_ROWS, type DecodedChunk } from '../ctf/decode/rows/rows.ts';
import { packetNumber } from '../ctf/packets/packet-table.ts';
import type { HistoryId, HistorySink } from '../history/types.ts';
import { DisorderLog } from '../trace/stream-disorder.ts';
import { clockOf } from '../trace/trace-clocks.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import { ChunkResults, type ChunkSpan } from './chunk-results.ts';
import { isHistory, type AnalysisSet } from './analysis-set.ts';
import { type ChunkAnswer, type ChunkJob, batchContexts, batchOf, mapBatch } from './chunk-mapper.ts';
import type { TransitionChunk } from './contract.ts';
import { createHostReducers, type HostReducers } from './host-reducers.ts';
import { createCounts } from '../ctf/decode/rows/class-counts.ts';
import { emptySpans } from '../ctf/decode/rows/packet-spans.ts';

/** A mapper of chunks: this thread or a pool of workers. */
export interface ChunkExecutor {
  /** Number of chunks to keep in flight. */
  readonly parallel: number;
  /**
   * Runs a job. Rejects when no worker can do it, which is a fault of the program and not of the input. The fault
   * `workers-unavailable` ends the run, as no chunk can be read.
   */
  run(job: ChunkJob): Promise<Result<ChunkAnswer>>;
  /** Takes the columns of a reduced chunk result as memory for later ones; absent: they are freed. */
  reuse?(chunkResult: TransitionChunk): void;
  /** Called when no further chunk will come: what only chunks need can be released. */
  drained?(): void;
}

export interface RunRequest {
  readonly experiment: Experiment;
  /** Chunks in order of id, as `planChunks` gives them. */
  readonly chunks: readonly Chunk[];
  readonly analyses: AnalysisSet;
  readonly executor: ChunkExecutor;
  /** Sink of a host's history. Not called without history analyses. */
  readonly sinkOf: (host: number, history: HistoryId) => HistorySink;
  /** Collects the chunk results of aggregates; its owner can read results while the run goes on. */
  readonly chunkResults?: ChunkResults;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called when a chunk was read and its chunk results are stored. */
  readonly onChunk?: (report: ChunkReport) => void;
  /** Back-pressure: the next chunk is started only after the returned promise has resolved. */
  readonly ready?: () => Promise<void> | undefined;
}

export interface RunProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly chunks: number;
  readonly events: number;
  readonly seconds: number;
  /** Per host: HostNs before which its histories are final; Infinity at the end. */
  readonly watermarks: readonly number[];
  /** Results of a host's reducers so far. It copies, so call it seldom. */
  soFar(host: number): ReadonlyMap<HistoryId, unknown>;
}

export interface ChunkReport {
  readonly chunk: Chunk;
  readonly answer: ChunkAnswer;
  /** HostNs of its first and last event. */
  readonly span: ChunkSpan;
  /** It could not be read: its time counts as lost. */
  readonly lost: boolean;
}

/** ms per stage; times of workers are added up. */
interface StageTimes {
  readonly read: number;
  readonly decode: number;
  readonly map: number;
  /** Merging and reducing; without workers also sealing. */
  readonly reduce: number;
  /** Sealing segments in workers. */
  readonly seal: number;
}

export interface RunOutcome {
  /** `failed`: nothing could be read; the last fault says why. */
  readonly state: 'done' | 'cancelled' | 'failed';
  readonly events: number;
  /** Faults of packets and chunks, and what is out of order in streams; at most `FAULTS_KEPT` are kept, `faultCount` counts all. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
  readonly chunkResults: ChunkResults;
  /** Results of the reducers, per host. */
  readonly histories: readonly ReadonlyMap<HistoryId, unknown>[];
  /** Per host: HostNs of the first and last event; NaN without timed events. */
  readonly spans: readonly ChunkSpan[];
  readonly seconds: number;
  readonly times: StageTimes;
  /** ms in which no chunk was started because `ready` had not resolved. */
  readonly heldBackMs: number;
}

const FAULTS_KEPT = 1000;

/** Runs the analyses. Rejects with the first error of the program, after which nothing more is delivered. */
export async function runAnalyses(request: RunRequest): Promise<RunOutcome> {
  const state = new RunState(request);
  const stopped = new AbortController();
  const end = AbortSignal.any([stopped.signal, ...(request.signal ? [request.signal] : [])]);
  const coming = new Promise((resolve) => end.addEventListener('abort', resolve, { once: true }));
  /** The first error of the program, and the fault because of which no chunk can be read. */
  const causes: { failure?: { readonly error: unknown }; refusal?: Fault } = {};
  const refuse = (fault: Fault): void => {
    causes.refusal ??= fault;
    stopped.abort();
  };
  if (!runsWebAssembly()) refuse({ code: 'no-webassembly', place: {} });
  const followed = followedChunks(request.chunks);
  const flying = new Map<number, Promise<void>>();
  let next = 0;
  let heldBackMs = 0;
  const fly = async (chunk: Chunk): Promise<void> => {
    try {
      const outcome = await execute(request, chunk, followed.has(chunk.id));
      if (outcome.fault?.code === 'workers-unavailable') refuse(outcome.fault);
      if (!end.aborted) state.deliver(chunk, outcome);
    } catch (error) {
      // Not rejected: while the run is held back nobody awaits the chunk.
      causes.failure ??= { error };
      stopped.abort();
    }
    flying.delete(chunk.id);
  };
  while (!end.aborted) {
    const pressure = request.ready?.();
    if (pressure !== undefined) {
      const since = performance.now();
      await Promise.race([pressure, coming]);
      heldBackMs += performance.now() - since;
    }
    if (end.aborted) break;
    if (flying.size < request.executor.parallel && next < request.chunks.length) {
      const chunk = request.chunks[next++];
      flying.set(chunk.id, fly(chunk));
      continue;
    }
    if (flying.size === 0) break;
    await Promise.race([...flying.values(), coming]);
  }
  request.executor.drained?.();
  if (causes.failure !== undefined) throw causes.failure.error;
  if (causes.refusal === undefined)
    return { ...state.finish(end.aborted ? 'cancelled' : 'done'), heldBackMs };
  state.keepFaults([causes.refusal]);
  return { ...state.finish('failed'), heldBackMs };
}

interface Execution {
  readonly answer: ChunkAnswer;
  /** Why the chunk could not be read; `answer` stands for its loss. */
  readonly fault?: Fault;
}

async function execute(
  { executor, experiment, analyses }: RunRequest,
  chunk: Chunk,
  goesOn: boolean,
): Promise<Execution> {
  const result = await executor
    .run({ chunk, goesOn })
    .catch((error: unknown) => fail(workerFault(experiment, chunk, error)));
  if (result.ok) return { answer: result.value };
  return { answer: lostAnswer(experiment, analyses, chunk), fault: result.fault };
}

/** Ids of the chunks that another chunk of their stream follows. */
function followedChunks(chunks: readonly Chunk[]): Set<number> {
  const all = new Set(chunks.map(({ trace, stream, sequence }) => `${trace}:${stream}:${sequence}`));
  return new Set(
    chunks
      .filter(({ trace, stream, sequence }) => all.has(`${trace}:${stream}:${sequence + 1}`))
      .map(({ id }) => id),
  );
}

function workerFault(experiment: Experiment, chunk: Chunk, error: unknown): Fault {
  const [{ file, first }] = chunk.extents;
  const { source, packets } = experiment.traces[chunk.trace].streams[chunk.stream].files[file];
  return {
    code: 'worker-failed',
    place: { file: source.path, packet: packetNumber(packets, first), byte: packets.offset[first] },
    found: error instanceof Error ? error.message : String(error),
  };
}

/** Knowledge about a run so far: its chunks, hosts and faults. */
class RunState {
  readonly #request: RunRequest;
  readonly #started = performance.now();
  readonly #chunkResults: ChunkResults;
  readonly #hosts: (HostReducers | undefined)[];
  /**
   * Per host: HostNs before which its histories are final, and where its kernel traces end (or all, if it has none).
   */
  readonly #watermarks: number[];
  readonly #ends: number[];
  readonly #spans: { first: number; last: number }[];
  readonly #hasKernel: readonly boolean[];
  readonly #totalBytes: number;
  readonly #faults: Fault[] = [];
  readonly #disorder = new DisorderLog();
  readonly #times = { read: 0, decode: 0, map: 0, reduce: 0, seal: 0 };
  #faultCount = 0;
  #bytes = 0;
  #events = 0;
  #chunks = 0;

  constructor(request: RunRequest) {
    const { experiment, chunks, analyses, executor, sinkOf } = request;
    this.#request = request;
    this.#chunkResults = request.chunkResults ?? new ChunkResults(chunks);
    this.#totalBytes = chunks.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#hosts = experiment.hosts.map((host) =>
      analyses.histories.length === 0
        ? undefined
        : createHostReducers(
            experiment,
            host,
            chunks,
            analyses,
            (history) => sinkOf(host.index, history),
            executor.reuse?.bind(executor),
          ),
    );
    this.#watermarks = this.#hosts.map(() => -Infinity);
    this.#ends = this.#hosts.map(() => -Infinity);
    this.#spans = this.#hosts.map(() => ({ first: Number.NaN, last: Number.NaN }));
    this.#hasKernel = experiment.hosts.map((host) =>
      host.traces.some((trace) => experiment.traces[trace].domain === 'kernel'),
    );
  }

  deliver(chunk: Chunk, { answer, fault }: Execution): void {
    const { experiment, chunks, onChunk } = this.#request;
    const span = spanOf(experiment, chunk, answer);
    this.#widen(chunk, span);
    this.#reduce(chunk, span, answer);
    this.#times.read += answer.times.read;
    this.#times.decode += answer.times.decode;
    this.#times.map += answer.times.map;
    this.keepFaults(answer.faults, answer.faultCount);
    this.#disorder.add(`${chunk.trace}:${chunk.stream}`, chunk.sequence, answer.disorder);
    const readSoFar = `${this.#chunks} of ${chunks.length} chunks, ${this.#events} events`;
    if (fault !== undefined) this.keepFaults([{ ...fault, readSoFar }]);
    this.#bytes += chunk.bytes;
    this.#events += answer.events;
    this.#chunks++;
    onChunk?.({ chunk, answer, span, lost: fault !== undefined });
    this.#tellProgress();
  }

  #widen({ host, trace }: Chunk, span: ChunkSpan): void {
    const known = this.#spans[host];
    known.first = lesser(known.first, span.first);
    known.last = greater(known.last, span.last);
    const counts = this.#request.experiment.traces[trace].domain === 'kernel' || !this.#hasKernel[host];
    if (counts && span.last > this.#ends[host]) this.#ends[host] = span.last;
  }

  /** Keeps the chunk results of aggregates, and has the transitions of histories reduced as far as they are certain. */
  #reduce(chunk: Chunk, span: ChunkSpan, answer: ChunkAnswer): void {
    const aggregates = new Map<string, unknown>();
    const transitions: TransitionChunk[] = [];
    this.#request.analyses.all.forEach((analysis, index) => {
      if (isHistory(analysis)) transitions.push(answer.chunkResults[index] as TransitionChunk);
      else aggregates.set(analysis.id, answer.chunkResults[index]);
    });
    this.#chunkResults.put(chunk.id, span, aggregates);
    const before = performance.now();
    const host = this.#hosts[chunk.host];
    host?.put(chunk, transitions, floorOf(answer));
    this.#watermarks[chunk.host] = host?.advance() ?? -Infinity;
    this.#times.reduce += performance.now() - before;
  }

  #tellProgress(): void {
    this.#request.onProgress?.({
      bytes: this.#bytes,
      totalBytes: this.#totalBytes,
      chunks: this.#chunks,
      events: this.#events,
      seconds: this.#seconds(),
      watermarks: [...this.#watermarks],
      soFar: (host) => this.#hosts[host]?.soFar() ?? new Map<string, unknown>(),
    });
  }

  finish(state: RunOutcome['state']): Omit<RunOutcome, 'heldBackMs'> {
    const histories = this.#hosts.map(
      (host, index) => host?.finish(this.#ends[index]) ?? new Map<string, unknown>(),
    );
    // Reducers hold much memory, and the last progress object would keep the list alive.
    this.#hosts.fill(undefined);
    this.keepFaults(this.#disorder.faults());
    return {
      state,
      events: this.#events,
      faults: this.#faults,
      faultCount: this.#faultCount,
      chunkResults: this.#chunkResults,
      histories,
      spans: this.#spans,
      seconds: this.#seconds(),
      times: this.#times,
    };
  }

  keepFaults(found: readonly Fault[], count = found.length): void {
    this.#faultCount += count;
    append(this.#faults, found.slice(0, FAULTS_KEPT - this.#faults.length));
  }

  #seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }
}

/** HostNs that the merge key has reached after a chunk without transitions; -Infinity where packets do not say. */
function floorOf({ packets }: ChunkAnswer): number {
  let floor = -Infinity;
  for (let packet = 0; packet < packets.length; packet++) {
    const time = earliestTime(packets, packet);
    if (time > floor) floor = time;
  }
  return floor;
}

function spanOf({ traces }: Experiment, chunk: Chunk, { packets }: ChunkAnswer): ChunkSpan {
  let first = Number.NaN;
  let last = Number.NaN;
  const trace = traces[chunk.trace];
  // Packets give 0 then, as rows do.
  if (clockOf(trace, trace.streams[chunk.stream].streamClass) === undefined) return { first, last };
  for (let packet = 0; packet < packets.length; packet++) {
    first = lesser(first, packets.firstEvent[packet]);
    last = greater(last, packets.lastEvent[packet]);
  }
  return { first, last };
}

/**
 * Substitute for a chunk that could not be read: no rows, and one packet that reports all of the chunk's packets as
 * lost in the chunk's time, so that every analysis sees it as it sees a loss of the tracer.
 */
function lostAnswer(experiment: Experiment, set: AnalysisSet, chunk: Chunk): ChunkAnswer {
  const trace = experiment.traces[chunk.trace];
  const stream = trace.streams[chunk.stream];
  const classes = trace.model.streams[stream.streamClass].events.length;
  const decoded = lostPackets(chunk, stream.cpu, classes);
  return {
    chunkResults: mapBatch(batchOf(decoded, trace, chunk, set, batchContexts(experiment)[trace.index]), set),
    packets: decoded.packets,
    events: 0,
    faults: [],
    faultCount: 0,
    disorder: [],
    times: { read: 0, decode: 0, map: 0 },
  };
}

function lostPackets(chunk: Chunk, cpu: number, classes: number): DecodedChunk {
  const count = chunk.extents.reduce((sum, extent) => sum + extent.count, 0);
  // Packets lost before a packet are lost between the end of the one before it and its begin (`rows.ts`).
  const end = Float64Array.of(chunk.to);
  return {
    rows: NO_ROWS,
    counts: createCounts(classes),
    packets: {
      ...emptySpans(1),
      begin: end,
      end,
      previousEnd: Float64Array.of(Number.isFinite(chunk.from) ? chunk.from : Number.NaN),
      lostPackets: Float64Array.of(count),
      cpu: Int32Array.of(cpu),
    },
    faults: [],
    faultCount: 0,
  };
}
