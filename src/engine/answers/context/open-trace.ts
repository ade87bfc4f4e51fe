/** A trace that questions can be asked of (`queries.ts`), while it is read and after, with its files or without. */
import type { ChunkResults } from '../../analysis/chunk-results.ts';
import type { ChunkMapper } from '../../analysis/chunk-mapper.ts';
import type { HostEvents } from '../../density/thread-events.ts';
import type { MatchIndex } from '../../events/match-index.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import type { SourceRef } from '../../io/byte-source.ts';
import type { FrameNames } from '../../layers/stacks/frame-names.ts';
import type { StackTables } from '../../layers/stacks/stack-tables.ts';
import type { LockTables } from '../../layers/locks/layer.ts';
import type { KeptModule } from '../../symbols/kept-symbols.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';
import type { Experiment } from '../../trace/types.ts';
import type { ExperimentInfo } from '../../protocol/session.ts';
import type { OnDemand } from './chunk-scan.ts';
import type { DisplayTime } from './display-time.ts';
import type { EventSource } from './packets-by-time.ts';
import type { EventTables } from '../events/event-tables.ts';
import type { HostHistory } from './host.ts';
import type { HostSync } from '../sync/host-sync.ts';
import type { PathAnswers } from '../paths/path-answer.ts';
import type { PathFinder } from '../paths/path-finder.ts';
import type { Grid } from '../rows/resample.ts';
import type { RowDensity } from '../rows/row-density.ts';

/** Part of `ExperimentInfo` about the recording as a whole. */
type Recorded = Pick<
  ExperimentInfo,
  | 'hosts'
  | 'originNs'
  | 'lengthNs'
  | 'events'
  | 'discardedEvents'
  | 'discardedPackets'
  | 'sideBySide'
  | 'faults'
>;

export interface TraceSource {
  readonly hosts: readonly HostHistory[];
  readonly time: DisplayTime;
  /** undefined: packets are still being read. */
  readonly sync: () => HostSync | undefined;
  readonly lengthNs: () => number;
  /** Numbers of events and of losses, how recordings are shown, and damage. */
  readonly recorded: () => Recorded;
  /** Events by thread of a host without a kernel trace; undefined: no event names its thread. */
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  /** Number and time range of the events of each packet, as far as read; undefined: not known. */
  readonly packetEvents: () => Promise<MatchIndex | undefined>;
  /** Events per bucket of a stream's row, by its packets; undefined: no such row. */
  readonly packetDensity: (row: string, grid: Grid) => Float32Array | undefined;
  /** Chunk results in memory, including those of these analyses. */
  readonly chunkResults: (...analyses: readonly string[]) => Promise<ChunkResults>;
  /** undefined: opened from the store without its files. */
  readonly files: { readonly experiment: Experiment; readonly mapper: ChunkMapper } | undefined;
  /** Records that are stored with the trace. */
  readonly records: HistoryRecords;
  /** Whether a part (`DamageInfo.parts`) turned out to be damaged so far. */
  readonly isDamaged: (part: string) => boolean;
}

export interface OpenTrace extends Omit<TraceSource, 'records'> {
  readonly paths: PathFinder;
  readonly pathAnswers: PathAnswers;
  /** Events per bucket of rows of event density. */
  readonly density: RowDensity;
  /** Single events; undefined without the files. */
  readonly events: EventSource | undefined;
  /** Whether a host has threads in pid namespaces. */
  isNested(host: number): Promise<boolean>;
  /** All events, or those of filters, as tables; undefined without the files. */
  readonly eventTables: Pick<EventTables, 'of' | 'counted'> | undefined;
  /** Aggregates that are read on first use; undefined without the files. */
  readonly onDemand: OnDemand | undefined;
  /** Files that give the names of addresses in programs. */
  readonly symbolFiles: SymbolFiles;
  /** Names of the frames of a table, looked up once until more files are added. */
  frameNames(tables: StackTables): Promise<FrameNames>;
  /** Symbols by lock, then by futex (`lockSymbols` of `layers/locks`), looked up likewise. */
  lockSymbols(tables: LockTables): Promise<readonly (string | undefined)[]>;
  /** Symbols that have been looked up. */
  usedSymbols(): Promise<readonly KeptModule[]>;
  /**
   * Adds programs, libraries or lists of functions.
   * @returns how many of them may name anything
   */
  addSymbols(files: readonly SourceRef[]): Promise<number>;
}
