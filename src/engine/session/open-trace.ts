/** A trace that questions can be asked of, while it is read and after, with its files or from the store. */
import type { CallStats, CountStats, EventLine, IoStats, IrqStats, RangeRequest, SchedStats } from './api.ts';
import type { HostHistory } from './host-history.ts';
import type { Grid } from './resample.ts';

export interface OpenTrace {
  readonly hosts: readonly HostHistory[];
  /** Display times. */
  extent(): RangeRequest;
  /** Events per bucket of a stream's row; undefined: no such row. */
  density(row: string, grid: Grid): Promise<Float32Array | undefined>;
  counts(range: RangeRequest | undefined): Promise<CountStats>;
  io(range: RangeRequest | undefined): Promise<IoStats>;
  /** Of some hosts by index, or of all; as the next two. */
  sched(range: RangeRequest | undefined, only?: readonly number[]): Promise<SchedStats>;
  irq(range: RangeRequest | undefined, only?: readonly number[]): Promise<IrqStats>;
  calls(range: RangeRequest | undefined, only?: readonly number[]): Promise<CallStats>;
  /** Needs the files; none without them. */
  eventsAround(timeNs: number, limit: number): Promise<readonly EventLine[]>;
}
