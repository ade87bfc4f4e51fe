/** A host of an open trace, as answers see it: its history, its tables and its clock, whether read or reopened. */
import type { HistoryQuery } from '../../history/query-types.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import type { KernelLogs } from '../../linux/states/reduce/kernel-model.ts';
import type { Recorder } from '../../protocol/session.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';

export interface HostHistory {
  readonly index: number;
  /** Names of the event classes of its traces. */
  readonly eventNames: readonly string[];
  /** Tracer of its kernel's events: commands for recording more are written for this one. */
  readonly recorder: Recorder;
  /** undefined: the host has no kernel trace, or nothing of it was read yet. */
  readonly tables: StateTables | undefined;
  /** Logs that belong to the tables, read from the store on first use. */
  readonly logs: () => Promise<KernelLogs>;
  readonly query: HistoryQuery;
  /** Transform to display time; replaced when more is known of the hosts' clocks. */
  readonly clock: ClockTransform;
}

/** A host with a kernel trace whose tables are known. */
export interface KernelHost extends HostHistory {
  readonly tables: StateTables;
}

export function isKernelHost(host: HostHistory): host is KernelHost {
  return host.tables !== undefined;
}
