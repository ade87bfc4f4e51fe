/** An experiment while it is read: the source of its pictures and its answers. */
import { ChunkResults } from '../analysis/chunk-results.ts';
import { createChunkMapper } from '../analysis/chunk-mapper.ts';
import type { ChunkReport, RunOutcome, RunProgress } from '../analysis/driver.ts';
import { hostLength } from '../analysis/reduced-host.ts';
import { append } from '../base/append.ts';
import { type HostEvents, threadEvents } from '../density/thread-events.ts';
import { allEvents } from '../events/match-counts.ts';
import { MatchIndex } from '../events/match-index.ts';
import type { BuilderOptions } from '../history/builder.ts';
import type { HistoryRecords } from '../history/persist.ts';
import { kernelState } from '../linux/states/kernel-state.ts';
import type { ReducedTables } from '../linux/states/reduce/kernel-tables.ts';
import type { NamespaceThreads } from '../linux/namespaces/namespace-threads.ts';
import { namespaces } from '../linux/namespaces/namespaces.ts';
import { analysisSet, SESSION_IDS } from '../registry.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import type { DamageInfo } from '../protocol/session.ts';
import { Damage } from './damage.ts';
import { DisplayTime } from '../answers/context/display-time.ts';
import type { SessionEnvironment } from './environment.ts';
import { liveHistory, type LiveHistory } from './host-history.ts';
import { namespacesOfHost } from '../answers/context/host-namespaces.ts';
import type { HostSync } from '../answers/sync/host-sync.ts';
import { StoredChunkResults } from './stored-chunk-results.ts';
import { createOpenTrace } from './open-trace.ts';
import { type OpenTrace, type TraceSource } from '../answers/context/open-trace.ts';
import { experimentInfo, type SnapshotSource } from './overview-snapshot.ts';
import { eventNamesOf, recorderOf } from '../answers/context/recorded.ts';
import { eventsOfHost } from '../answers/rows/row-density.ts';
import { packetDensity, type PacketDensity } from '../answers/rows/packet-density.ts';
import type { Grid } from '../answers/rows/resample.ts';
import type { Fault } from '../base/fault.ts';
import type { HostHistory } from '../answers/context/host.ts';

/** Maximum number of CPUs named in a fault: a damaged trace may lack very many. */
const MOST_NAMED = 8;

/** Fault of CPUs without a stream; undefined: none is missing, or not known, as some file is not of one CPU. */
function missingCpus(
  { hosts, traces }: Experiment,
  { index, tables }: Pick<HostHistory, 'index' | 'tables'>,
): Fault | undefined {
  if (tables === undefined) return undefined;
  // A CPU with a file may have been idle all the time.
  const present = new Set(
    traces
      .filter(({ host, domain }) => host === index && domain === 'kernel')
      .flatMap(({ streams }) => streams.map(({ cpu }) => cpu)),
  );
  if (present.has(-1)) return undefined;
  const missing = tables.silentCpus.filter((cpu) => !present.has(cpu));
  if (missing.length === 0) return undefined;
  const where = hosts.length > 1 ? ` of host ${hosts[index].name}` : '';
  const others = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  const found = `CPU ${missing.slice(0, MOST_NAMED).join(', ')}${others}${where}`;
  return { code: 'cpu-missing', place: {}, found };
}

export interface LiveParts {
  readonly key: string;
  readonly experiment: Experiment;
  readonly chunks: readonly Chunk[];
  readonly records: HistoryRecords;
  readonly seal: BuilderOptions['seal'];
  readonly clocks: ClockSettings | undefined;
  /** Called when something that was written cannot be read back. */
  readonly onDamage: (damage: DamageInfo) => void;
}

export class LiveTrace implements SnapshotSource {
  readonly key: string;
  readonly experiment: Experiment;
  readonly analyses = analysisSet(SESSION_IDS);
  readonly time: DisplayTime;
  readonly hosts: readonly LiveHistory[];
  readonly density: PacketDensity;
  /** Matches of all events, in the packets read so far. */
  readonly packetEvents: MatchIndex;
  readonly chunkResults: StoredChunkResults;
  readonly faults: Fault[] = [];
  /** Set when all is read. */
  sync: HostSync | undefined;
  stopped = false;
  discardedEvents = 0;
  /** Number of packets that are missing by their numbers. */
  #missingPackets = 0;
  #lostChunks = 0;
  readonly #damage: Damage;
  readonly #records: HistoryRecords;

  constructor({ key, experiment, chunks, records, seal, clocks, onDamage }: LiveParts) {
    const damage = (this.#damage = new Damage(onDamage));
    this.key = key;
    this.#records = records;
    this.experiment = experiment;
    this.time = new DisplayTime(experiment.hosts, clocks);
    this.hosts = experiment.hosts.map((host) =>
      liveHistory({
        index: host.index,
        eventNames: eventNamesOf(host.traces.map((trace) => experiment.traces[trace])),
        recorder: recorderOf(host.traces.map((trace) => experiment.traces[trace])),
        time: this.time,
        lengthNs: hostLength(experiment, host),
        records,
        seal,
        onFault: (fault) => this.addFault(fault),
        onDamage: damage.note,
      }),
    );
    this.density = packetDensity(experiment);
    this.packetEvents = MatchIndex.of(experiment);
    const aggregates = this.analyses.aggregates.map(({ id }) => id);
    this.chunkResults = new StoredChunkResults(new ChunkResults(chunks), aggregates, records, damage.note);
  }

  /** Lost while recording. */
  get discardedPackets(): number {
    const leftOut = this.experiment.hosts.flatMap((host) => host.leftOut ?? []);
    return Math.max(0, this.#missingPackets - leftOut.reduce((sum, { packets }) => sum + packets, 0));
  }

  /** The trace for questions, now and later. */
  open(environment: SessionEnvironment): OpenTrace {
    const { openSource, decoder } = environment;
    const { experiment, analyses } = this;
    const source: TraceSource = {
      hosts: this.hosts,
      time: this.time,
      sync: () => this.sync,
      lengthNs: () => experimentInfo(this).lengthNs,
      recorded: () => experimentInfo(this),
      threadEvents: (host) => this.threadEvents(host),
      packetEvents: () => Promise.resolve(this.packetEvents),
      packetDensity: (row, grid) => this.#packetDensity(row, grid),
      chunkResults: (...analyses) => this.chunkResults.load(...analyses),
      files: { experiment, mapper: createChunkMapper(experiment, analyses, openSource, decoder) },
      records: this.#records,
      isDamaged: (part) => this.#damage.has(part),
    };
    return createOpenTrace(source, environment);
  }

  /**
   * Events by thread of a host; none with a kernel trace, so that its first picture waits for no stored chunk results.
   */
  async threadEvents(host: number): Promise<HostEvents | undefined> {
    const { hosts, traces } = this.experiment;
    const own = hosts.find(({ index }) => index === host);
    if (own === undefined || own.traces.some((trace) => traces[trace].domain === 'kernel')) return undefined;
    return eventsOfHost(await this.chunkResults.load(threadEvents.id), host);
  }

  async namespaces(host: number): Promise<NamespaceThreads> {
    return namespacesOfHost(await this.chunkResults.load(namespaces.id), host);
  }

  take(report: ChunkReport): void {
    this.density.addChunk(report);
    this.chunkResults.add(report.chunk.id);
    if (!report.lost) this.packetEvents.put(report.chunk, allEvents(report.answer.packets));
    const { discardedEvents, lostPackets } = report.answer.packets;
    for (const lost of discardedEvents) this.discardedEvents += lost;
    // An unreadable chunk counts as lost, and has a fault of its own.
    if (report.lost) this.#lostChunks++;
    else for (const lost of lostPackets) this.#missingPackets += lost;
  }

  /** Adds a fault once, even if several parts report it. */
  addFault(fault: Fault): void {
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }

  /** Updates the kernel's tables for a picture. */
  updateTables(progress: RunProgress): void {
    for (const host of this.hosts) learnTable(host, progress.soFar(host.index));
  }

  /** Resolves when the last segments are sealed; writes the rest of the histories to the store meanwhile. */
  async finish(outcome: RunOutcome): Promise<void> {
    this.stopped = outcome.state === 'cancelled';
    append(this.faults, outcome.faults);
    for (const host of this.hosts) {
      learnTable(host, outcome.histories[host.index]);
      host.builder.finish(host.tables?.end ?? 0);
      const missing = missingCpus(this.experiment, host);
      if (missing !== undefined) this.addFault(missing);
    }
    await Promise.all(this.hosts.flatMap(({ builder, kept }) => [builder.ready(), kept.finish()]));
  }

  /** Whether every chunk was read. If not, the trace is not stored, as its files may be readable next time. */
  isWhole({ state }: RunOutcome): boolean {
    return state === 'done' && this.#lostChunks === 0;
  }

  #packetDensity(row: string, grid: Grid): Float32Array | undefined {
    const [kind, host, place = ''] = row.split(':');
    if (kind !== 'stream') return undefined;
    const [trace, stream] = place.split('.').map(Number);
    return this.density.buckets(trace, stream, this.time.of(Number(host)), grid);
  }
}

function learnTable(history: LiveHistory, results: ReadonlyMap<string, unknown>): void {
  const tables = results.get(kernelState.id) as ReducedTables | undefined;
  if (tables !== undefined && tables.cpus.length > 0) history.updateTables(tables);
}
