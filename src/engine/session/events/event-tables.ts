/** Events of an open trace as tables: all of them, or those that a filter accepts. The tables asked for last stay. */
import { runAnalyses } from '../../analysis/driver.ts';
import { createAnalysisSet, type AnyAnalysis } from '../../analysis/analysis-set.ts';
import { chunksRead } from '../../analysis/chunks-read.ts';
import { analysisById } from '../../registry.ts';
import { planChunks } from '../../trace/chunk-plan.ts';
import { parseFilter } from '../../events/filter/parse.ts';
import type { FilterProblem } from '../../events/filter/filter.ts';
import { resolveFilter } from '../../events/filter/resolve.ts';
import {
  eventsOf,
  type MatchLeaf,
  scanId,
  type ScanSettings,
  scanSettings,
} from '../../events/match-counts.ts';
import { MatchIndex } from '../../events/match-index.ts';
import { MatchTable } from '../../events/match-table.ts';
import type { PacketSpans } from '../../ctf/decode/rows.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { EventSource } from '../events-around.ts';
import type { HostHistory } from '../host-history.ts';
import { PacketEvents } from './packet-events.ts';
import type { EventSet } from './events-api.ts';
import { filterThreads } from './filter-threads.ts';

/** Tables kept: all events, the filter in use, the one before. */
const MOST_KEPT = 3;

/** What is known of a trace beside its files. */
export interface FilteredTrace {
  readonly hosts: readonly HostHistory[];
  /** Whether a host has threads in pid namespaces. */
  isNested(host: number): Promise<boolean>;
}

export class EventTables {
  readonly #source: EventSource;
  readonly #trace: FilteredTrace;
  readonly #environment: SessionEnvironment;
  readonly #kept = new Map<string, Promise<EventTable>>();

  constructor(source: EventSource, trace: FilteredTrace, environment: SessionEnvironment) {
    this.#source = source;
    this.#trace = trace;
    this.#environment = environment;
  }

  /** The table of a set, whose events are counted from now on. */
  of(set: EventSet): Promise<EventTable> {
    const key = JSON.stringify([set.filter.trim(), /\bsel\b/.test(set.filter) ? set.selection : undefined]);
    const kept = this.#kept.get(key) ?? this.#open(set);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const [oldest, table] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
      void table.then((one) => one.close());
    }
    return kept;
  }

  async #open(set: EventSet): Promise<EventTable> {
    const { experiment } = this.#source;
    const parsed = parseFilter(set.filter);
    if (!parsed.ok) return new EventTable(this.#source, this.#environment, undefined, parsed.problem);
    if (parsed.filter === undefined) return new EventTable(this.#source, this.#environment, undefined);
    const nested = await Promise.all(experiment.hosts.map(({ index }) => this.#trace.isNested(index)));
    const resolved = await resolveFilter(parsed.filter, {
      events: eventsOf(experiment.traces),
      hosts: experiment.hosts.map(({ name }) => name),
      toHost: (host, timeNs) => this.#source.time.of(host).toHost(timeNs),
      selection: set.selection,
      threads: (wanted) => filterThreads(this.#trace.hosts, wanted, (host) => nested[host]),
    });
    if (!resolved.ok) return new EventTable(this.#source, this.#environment, undefined, resolved.problem);
    return new EventTable(this.#source, this.#environment, scanSettings(resolved.filter, experiment));
  }
}

export class EventTable {
  /** The filter means nothing. */
  readonly problem: FilterProblem | undefined;
  readonly matches: MatchTable;
  readonly index: MatchIndex;
  /** All packets were looked through. */
  isWhole = false;
  /** Packets and chunks that could not be read as a whole. */
  faults = 0;
  /** Of packets, 0 to 1. */
  share = 0;
  /** Resolves when all packets were looked through, or nobody wants that any more. */
  readonly counted: Promise<void>;
  readonly #source: EventSource;
  readonly #environment: SessionEnvironment;
  readonly #settings: ScanSettings | undefined;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();

  /** @param settings undefined: all events */
  constructor(
    source: EventSource,
    environment: SessionEnvironment,
    settings: ScanSettings | undefined,
    problem?: FilterProblem,
  ) {
    this.#source = source;
    this.#environment = environment;
    this.#settings = settings;
    this.problem = problem;
    this.index = new MatchIndex(source.experiment);
    const packets = new PacketEvents(source, settings);
    this.matches = new MatchTable({
      index: this.index,
      toDisplay: ({ trace }, time) => source.time.of(source.experiment.traces[trace].host).toExperiment(time),
      read: (stream, packet) => packets.matches(stream, packet),
    });
    this.counted = problem === undefined ? this.#count() : Promise.resolve();
  }

  close(): void {
    this.#closing.abort();
  }

  /** Calls back whenever more was counted. @returns ends that */
  hear(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Runs over all chunks that may have matches, in workers. */
  async #count(): Promise<void> {
    const { experiment } = this.#source;
    const ids = this.#settings === undefined ? [] : [scanId(this.#settings)];
    const analyses = createAnalysisSet(ids.map((id): AnyAnalysis => analysisById(id)));
    const chunks = ids.length === 0 ? planChunks(experiment) : chunksRead(experiment, analyses);
    if (chunks.length > 0) {
      const workers = Math.min(this.#environment.workers, chunks.length);
      const executor = await this.#environment.startExecutor(experiment, ids, workers);
      try {
        const outcome = await runAnalyses({
          experiment,
          chunks,
          analyses,
          executor,
          sinkOf: () => {
            throw new Error('a scan has no history');
          },
          signal: this.#closing.signal,
          onProgress: ({ bytes, totalBytes }) => {
            this.share = totalBytes === 0 ? 0 : bytes / totalBytes;
            for (const listener of this.#listeners) listener();
          },
          onChunk: ({ chunk, answer, lost }) => {
            if (lost) return;
            const [leaf] = answer.leaves as readonly MatchLeaf[];
            this.index.put(chunk, ids.length === 0 ? allOf(answer.packets) : leaf);
          },
        });
        this.faults = outcome.faultCount;
        if (outcome.state === 'cancelled') return;
      } finally {
        executor.dispose();
      }
    }
    this.isWhole = true;
    this.share = 1;
  }
}

/** Every event is a match. */
function allOf({ events, firstEvent, lastEvent }: PacketSpans): MatchLeaf {
  return { matches: Uint32Array.from(events), first: firstEvent, last: lastEvent };
}
