/** Workers and causes of a path in words, as the command line prints them. */
import type { StateTables } from '../linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../linux/states/reduce/thread-table.ts';
import { softirqName } from '../linux/events/interrupt-names.ts';
import * as values from '../linux/events/values.ts';
import type { GraphWorker } from './execution-graph.ts';
import type { HistoryGraph } from './history-graph.ts';
import { BLOCKED, isDeadlock, NETWORK, REASONS, RUNNING, UNKNOWN } from './path-codes.ts';

export interface NamedGraphHost {
  readonly tables: StateTables;
  /** Prefix of its workers: `HOST:` if there are several hosts. */
  readonly prefix: string;
  /** Name of the lock that a cause names. */
  readonly lockName?: (cause: number) => string;
}

export interface PathNames {
  /** `1234`, `1234#2`, `irq/cpu3`, with the host's prefix. */
  worker(worker: GraphWorker): string;
  /** Cause of a segment of a worker: `direct(216)`, `disk`, `lock mutex:9:0x1`, `deadlock …`; '' while running. */
  cause(worker: GraphWorker, label: number, cause: number): string;
  /** Kind of the cause: `direct`, `disk`, `lock mutex`, `unknown`. */
  kind(worker: GraphWorker, label: number, cause: number): string;
}

/** @param hosts in the graph's order */
export function pathNames(graph: HistoryGraph, hosts: readonly NamedGraphHost[]): PathNames {
  const workerName = (worker: GraphWorker): string => {
    const { host, thread, cpu } = graph.place(worker);
    const { tables, prefix } = hosts[host];
    return prefix + (thread < 0 ? `irq/cpu${cpu}` : threadKey(tables.threads, thread));
  };
  const causeName = (worker: GraphWorker, label: number, cause: number): string => {
    if (label === UNKNOWN) return REASONS[cause];
    if (label === NETWORK) return 'network';
    if (label === RUNNING) return graph.place(worker).thread < 0 ? 'interrupt' : '';
    if (values.causeOf(cause) === values.CAUSE_SOFTIRQ)
      return `softirq ${softirqName(values.detailOf(cause))}`;
    return label === BLOCKED ? causeOfWait(worker, cause) : '';
  };
  const causeOfWait = (worker: GraphWorker, cause: number): string => {
    const detail = values.detailOf(cause);
    switch (values.causeOf(cause)) {
      case values.CAUSE_NONE:
        return 'not ended in the trace';
      case values.CAUSE_THREAD:
        return `direct(${workerName(graph.workerOfThread(graph.place(worker).host, detail))})`;
      case values.CAUSE_LOCK:
        return `${isDeadlock(cause) ? 'deadlock' : 'lock'} ${hosts[graph.place(worker).host].lockName?.(cause) ?? ''}`;
      case values.CAUSE_OTHER:
        return graph.text(worker, detail);
      case values.CAUSE_UNKNOWN:
        return `unknown: ${graph.text(worker, detail)}`;
      default:
        return values.CAUSES[values.causeOf(cause)];
    }
  };
  return {
    worker: workerName,
    cause: causeName,
    kind(worker, label, cause) {
      const kind = label === BLOCKED ? values.causeOf(cause) : values.CAUSE_NONE;
      if (kind === values.CAUSE_THREAD) return 'direct';
      if (kind === values.CAUSE_UNKNOWN) return 'unknown';
      const name = causeName(worker, label, cause);
      return kind === values.CAUSE_LOCK ? name.split(':')[0] : name;
    },
  };
}
