/** A trace that questions can be asked of, while it is read and after, with its files or from the store. */
import type { GuestChoice } from '../graph/guests.ts';
import type { EventLine } from './api.ts';
import type { NamespaceThreads } from '../kernel/namespaces/namespace-threads.ts';
import type { DisplayTime } from './display-time.ts';
import type { HostHistory } from './host-history.ts';
import type { PackedPathParts, PathAnswer, PathRequest } from './paths/path-api.ts';
import type { PathFinder } from './paths/path-finder.ts';
import type { RangeRequest } from './range.ts';
import type { Grid } from './rows/resample.ts';
import type {
  CallStats,
  CountStats,
  CpuStats,
  IoStats,
  IrqStats,
  SchedStats,
} from './statistics/statistics-api.ts';
import type { SyncInfo } from './sync-api.ts';

export interface OpenTrace {
  readonly hosts: readonly HostHistory[];
  readonly paths: PathFinder;
  readonly time: DisplayTime;
  /** Which packets belong together, and what they tell of clocks; undefined while they are being read. */
  syncInfo(guests?: readonly GuestChoice[]): Promise<SyncInfo | undefined>;
  /** What nested pid namespaces of a host call its threads. */
  namespaces(host: number): Promise<NamespaceThreads>;
  /** Display times. */
  extent(): RangeRequest;
  /** Events per bucket of rows of event density, row by row. */
  density(rows: readonly string[], grid: Grid): Promise<Float32Array>;
  cpu(range: RangeRequest | undefined): Promise<CpuStats>;
  /** Of some hosts by index, or of all; as the statistics below. */
  counts(range: RangeRequest | undefined, only?: readonly number[]): Promise<CountStats>;
  /** Undefined: the row is no thread that anything is known of, or a later request came in between. */
  path(request: PathRequest): Promise<PathAnswer | undefined>;
  /** Of the path that was asked for last; undefined: it is another one. */
  pathParts(request: PathRequest): Promise<PackedPathParts | undefined>;
  io(range: RangeRequest | undefined, only?: readonly number[]): Promise<IoStats>;
  sched(range: RangeRequest | undefined, only?: readonly number[]): Promise<SchedStats>;
  irq(range: RangeRequest | undefined, only?: readonly number[]): Promise<IrqStats>;
  calls(range: RangeRequest | undefined, only?: readonly number[]): Promise<CallStats>;
  /** Needs the files; none without them. */
  eventsAround(timeNs: number, limit: number, row?: string): Promise<readonly EventLine[]>;
}
