/** Events of an open trace as tables: all of them, or those that a filter accepts. The latest tables are cached. */
import type { ChunkResults } from '../../analysis/chunk-results.ts';
import type { Fault } from '../../base/fault.ts';
import { addNumber } from '../../base/group-by.ts';
import { parseFilter } from '../../events/filter/parse.ts';
import type { HostEvents } from '../../density/thread-events.ts';
import type { FilterProblem, HostThreads, ResolvedFilter } from '../../events/filter/filter.ts';
import { type Resolved, resolveFilter, type WantedThreads } from '../../events/filter/resolve.ts';
import {
  allEvents,
  eventsOf,
  type MatchChunk,
  matchesByClass,
  NO_MATCHES,
  scanId,
  type ScanSettings,
  scanSettings,
} from '../../events/match-counts.ts';
import { MatchIndex, mayMatch } from '../../events/match-index.ts';
import { MatchTable } from '../../events/match-table.ts';
import { counts as classCounts, type CountsChunk } from '../../linux/sums/counts.ts';
import type { Chunk } from '../../trace/types.ts';
import { scanChunks, type ScanWorkers } from '../context/chunk-scan.ts';
import type { EventSource } from '../context/packets-by-time.ts';
import { type HostHistory, type KernelHost, isKernelHost } from '../context/host.ts';
import { hostOfRow } from '../context/thread-rows.ts';
import { PacketEvents } from './packet-events.ts';
import type { EventSet } from '../../protocol/events.ts';
import { type RowScope, rowScope } from './row-scope.ts';
import type { HostNs } from '../../base/units.ts';
import { processesOf } from '../rows/process-threads.ts';

/** Tables kept: all events, the filter in use, the one before. */
const MOST_KEPT = 3;

/** Facts about a trace that are known beside its files. */
export interface FilteredTrace {
  readonly hosts: readonly HostHistory[];
  /** Counts of events by packet, as `TraceSource` has them. */
  readonly packetEvents: () => Promise<MatchIndex | undefined>;
  /** Chunk results in memory, including those of these analyses. */
  readonly chunkResults: (...analyses: readonly string[]) => Promise<ChunkResults>;
  readonly recorded: () => { readonly faults: readonly Fault[] };
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  readonly isRead: () => boolean;
  /** Whether a host has threads in pid namespaces. */
  isNested(host: number): Promise<boolean>;
}

export class EventTables {
  readonly #kept = new Map<string, Promise<EventTable>>();
  /** Number of callers that wait until all of a table is counted. */
  readonly #waiting = new Map<EventTable, number>();

  constructor(
    private readonly source: EventSource,
    private readonly trace: FilteredTrace,
    private readonly environment: ScanWorkers,
  ) {}

  /** The table of a set; counting its events begins. */
  of(set: EventSet): Promise<EventTable> {
    const key = this.#keyOf(set);
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

  /** Waits until a set is counted or `signal` aborted. `onShare` is called with the share of packets read, 0 to 1. */
  async counted(set: EventSet, signal?: AbortSignal, onShare?: (share: number) => void): Promise<EventTable> {
    const key = this.#keyOf(set);
    const table = await this.of(set);
    addNumber(this.#waiting, table, 1);
    const silence = table.onUpdate(() => onShare?.(table.share));
    await Promise.race([table.counted, abortOf(signal)]);
    silence();
    const others = (this.#waiting.get(table) ?? 1) - 1;
    this.#waiting.set(table, others);
    if (others > 0) return table;
    this.#waiting.delete(table);
    if (signal?.aborted === true && table.isCounting) {
      table.close();
      this.#kept.delete(key);
    }
    return table;
  }

  /** Threads and clocks of a filter are known only when all is read. */
  #keyOf({ filter, selection, row }: EventSet): string {
    const selected = /\bsel\b/.test(filter) ? selection : undefined;
    return JSON.stringify([filter.trim(), selected, row, this.trace.isRead()]);
  }

  async #open(set: EventSet): Promise<EventTable> {
    const { experiment } = this.source;
    const resolved = await this.#resolve(set);
    if (resolved?.ok === false) return this.#table({ problem: resolved.problem });
    const scope = await this.#scopeOf(set);
    const parts = [scope?.filter, resolved?.filter].filter((part) => part !== undefined);
    const streams =
      scope && ((trace: number, stream: number) => scope.isIn(experiment.traces[trace], stream));
    const counts = await this.trace.packetEvents();
    if (parts.length === 0) return this.#table({ streams, known: counts });
    const filter: ResolvedFilter = parts.length === 1 ? parts[0] : { kind: 'and', parts };
    const settings = scanSettings(filter, experiment);
    return this.#table({ streams, settings, chunkResultOf: await this.#chunkResultOf(settings, counts) });
  }

  /** Matches of a chunk as far as its counts tell. Where it is damaged, any event may match. */
  async #chunkResultOf(
    settings: ScanSettings,
    counts: MatchIndex | undefined,
  ): Promise<(chunk: Chunk) => MatchChunk | undefined> {
    const { experiment } = this.source;
    const isWhole = this.trace.isRead() && this.trace.recorded().faults.length === 0;
    const results = isWhole ? await this.trace.chunkResults(classCounts.id) : undefined;
    const all = this.trace.isRead() ? counts : undefined;
    const names = new Set(settings.kinds.flatMap(({ events }) => events));
    const byClass = matchesByClass(settings, experiment);
    return (chunk) => {
      if (!mayMatch(settings, experiment, chunk, all)) return NO_MATCHES;
      const counted = results && countsOf(results, chunk);
      if (counted === undefined) return undefined;
      if (!counted.some((stream) => stream.names.some((name) => names.has(name)))) return NO_MATCHES;
      // Where events give their own CPUs, a chunk belongs to one stream.
      const [{ packets }] = counted;
      return packets && byClass(chunk, packets);
    };
  }

  #table(parts: TableParts): EventTable {
    return new EventTable(this.source, this.environment, parts, this.trace.isRead);
  }

  async #scopeOf({ row }: EventSet): Promise<RowScope | undefined> {
    if (row === undefined) return undefined;
    return rowScope(this.source.experiment, await this.trace.threadEvents(hostOfRow(row)), row);
  }

  /** undefined: every event is accepted. */
  async #resolve({ filter, selection }: EventSet): Promise<Resolved | undefined> {
    const { experiment, time } = this.source;
    const parsed = parseFilter(filter);
    if (!parsed.ok) return parsed;
    if (parsed.filter === undefined) return undefined;
    const nested = await Promise.all(experiment.hosts.map(({ index }) => this.trace.isNested(index)));
    return resolveFilter(parsed.filter, {
      events: eventsOf(experiment.traces),
      hosts: experiment.hosts.map(({ name }) => name),
      toHost: (host, timeNs) => time.of(host).toHost(timeNs),
      selection,
      threads: (wanted) => filterThreads(this.trace.hosts, wanted, (host) => nested[host]),
    });
  }
}

interface TableParts {
  /** Streams whose events count; default: all. */
  readonly streams?: ((trace: number, stream: number) => boolean) | undefined;
  /** Settings of the filter's scan; default: all events count. */
  readonly settings?: ScanSettings;
  /** Counts of all events that were made elsewhere; default: they are counted here. */
  readonly known?: MatchIndex | undefined;
  /** Matches of a chunk if they follow from its counts; undefined, the default: the chunk has to be read. */
  readonly chunkResultOf?: (chunk: Chunk) => MatchChunk | undefined;
  /** Why the filter is invalid. */
  readonly problem?: FilterProblem;
}

export class EventTable {
  /** Why the filter is invalid; undefined: it is valid. */
  readonly problem: FilterProblem | undefined;
  readonly matches: MatchTable;
  readonly packets: PacketEvents;
  /** Packets and chunks that could not be read as a whole. */
  faults = 0;
  /** Share of the packets that were read, 0 to 1. */
  share = 0;
  /** Resolves when all packets were read, or counting was given up. */
  readonly counted: Promise<void>;
  readonly #index: MatchIndex;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly source: EventSource,
    private readonly environment: ScanWorkers,
    private readonly parts: TableParts,
    private readonly isRead: () => boolean,
  ) {
    const { streams, settings, known, problem } = parts;
    this.problem = problem;
    const all = known ?? MatchIndex.of(source.experiment);
    this.#index = streams === undefined ? all : all.only(streams);
    this.packets = new PacketEvents(source, settings);
    this.matches = new MatchTable({
      index: this.#index,
      toDisplay: ({ trace }, time) => source.time.of(source.experiment.traces[trace].host).toExperiment(time),
      read: (stream, packet) => this.packets.matches(stream, packet),
    });
    if (problem !== undefined || known !== undefined) this.share = 1;
    this.counted = this.isCounting ? this.#count() : Promise.resolve();
  }

  /** Whether some packets have not been read yet. */
  get isCounting(): boolean {
    return this.share < 1;
  }

  /** Whether all packets have been read. */
  get isWhole(): boolean {
    return this.parts.known === undefined ? !this.isCounting : this.isRead();
  }

  close(): void {
    this.#closing.abort();
  }

  /**
   * Calls `listener` whenever more was counted.
   * @returns a function that ends this
   */
  onUpdate(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Adds the matches of a chunk if they are known without reading it. */
  #putKnown(chunk: Chunk): boolean {
    const chunkResult = this.parts.chunkResultOf?.(chunk);
    if (chunkResult !== undefined) this.#index.put(chunk, chunkResult);
    return chunkResult !== undefined;
  }

  /** Counts the chunks whose matches are not known, in workers. */
  async #count(): Promise<void> {
    const { settings, streams } = this.parts;
    const outcome = await scanChunks(this.source.experiment, this.environment, {
      ids: settings === undefined ? [] : [scanId(settings)],
      isWanted: (chunk) => streams?.(chunk.trace, chunk.stream) !== false && !this.#putKnown(chunk),
      signal: this.#closing.signal,
      onShare: (share) => {
        // The share becomes 1 only when the run is over.
        this.share = Math.min(share, ALMOST);
        for (const listener of this.#listeners) listener();
      },
      onChunk: ({ chunk, answer, lost }) => {
        if (lost) return;
        const chunkResult = settings && (answer.chunkResults[0] as MatchChunk);
        this.#index.put(chunk, chunkResult ?? allEvents(answer.packets));
      },
    });
    this.faults = outcome.faultCount;
    if (outcome.state !== 'cancelled') this.share = 1;
  }
}

/** Counts of a chunk from when the trace was read; undefined: it was read in other chunks. */
function countsOf(results: ChunkResults, chunk: Chunk): CountsChunk | undefined {
  const known = results.chunks.at(chunk.id);
  if (known === undefined || textOf(known) !== textOf(chunk)) return undefined;
  return results.chunkResultOf(chunk.id, classCounts.id) as CountsChunk | undefined;
}

function textOf({ trace, stream, extents }: Chunk): string {
  return JSON.stringify([trace, stream, extents]);
}

/** Largest share before the end. */
const ALMOST = 1 - Number.EPSILON;

function abortOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Threads that a filter selects, by host; null: no kernel trace. `isNested`: it has threads in pid namespaces. */
async function filterThreads(
  hosts: readonly HostHistory[],
  wanted: WantedThreads,
  isNested: (host: number) => boolean,
): Promise<(HostThreads | null)[]> {
  const found: (HostThreads | null)[] = [];
  for (const host of hosts)
    found[host.index] = isKernelHost(host) ? await threadsOfHost(host, wanted, isNested(host.index)) : null;
  return found;
}

async function threadsOfHost(
  { tables, query }: KernelHost,
  { by, isWanted }: WantedThreads,
  isNested: boolean,
): Promise<HostThreads> {
  const { threads, cpus, end } = tables;
  const processes = processesOf(threads);
  const valueOf = {
    tid: (row: number) => threads.tid[row],
    pid: (row: number) => threads.pid[row],
    thread: (row: number) => threads.name[row],
    process: (row: number) => threads.name[processes[row]],
  }[by];
  const rows = new Uint8Array(threads.length);
  const lives: [number, HostNs, HostNs][] = [];
  for (let row = 0; row < threads.length; row++) {
    if (!isWanted(valueOf(row))) continue;
    rows[row] = 1;
    lives.push([threads.tid[row], threads.first[row], threads.last[row]]);
  }
  const times = cpus.map((): HostNs[] => []);
  const attributes = cpus.map(({ threadAttribute }) => threadAttribute);
  // Values are rows of threads plus 1; 0: unknown.
  await query.scan(attributes, -Infinity, end + 1, (cpu, { begin, end: until, value }) => {
    if (value === 0 || rows[value - 1] === 0) return;
    const of = times[cpu];
    if (of.length > 0 && of[of.length - 1] === begin) of[of.length - 1] = until;
    else of.push(begin, until);
  });
  return { lives, isNested, cpus: cpus.map(({ cpu }, at) => ({ cpu, times: times[at] })) };
}
