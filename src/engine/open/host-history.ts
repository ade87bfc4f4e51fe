/** The state history of one host, as the session keeps it: being built, or opened from the store. */
import type { Fault, Result } from '../base/fault.ts';
import type { BuilderOptions } from '../history/builder.ts';
import { keepHistory, type KeptHistory, openHistory, type StoredHistory } from '../history/stored-history.ts';
import type { HistoryRecords } from '../history/persist.ts';
import { createQuery, type Resolve } from '../history/query.ts';
import type { ReducedTables, StateTables } from '../linux/states/reduce/kernel-tables.ts';
import type { KernelLogs, LogName } from '../linux/states/reduce/kernel-model.ts';
import { NO_PACKETS } from '../linux/states/reduce/packet-rows.ts';
import { NO_SIGNALS } from '../linux/states/reduce/signal-rows.ts';
import { NO_SOFTIRQS } from '../linux/states/reduce/softirq-rows.ts';
import { resolveKinds, lateIntervals } from '../linux/states/read/late-intervals.ts';
import { kernelSchemeOf } from '../linux/events/schemes.ts';
import { schemeById } from '../maps.ts';
import type { HostHistory } from '../answers/context/host.ts';
import { type OnDamage, unreadableRecord } from './damage.ts';
import type { DisplayTime } from '../answers/context/display-time.ts';
import { StoredLogs } from './stored-logs.ts';

export interface LiveHistory extends HostHistory, KeptHistory {
  readonly tables: ReducedTables | undefined;
  /** Logs in the store, which are not in the tables. */
  readonly kept: StoredLogs;
  /** Replaces the tables by current ones. */
  updateTables(tables: ReducedTables): void;
}

const NO_LOGS: KernelLogs = { signals: NO_SIGNALS, packets: NO_PACKETS, softirqs: NO_SOFTIRQS };

/** Prefix of the names of one host's history records. */
export function historyPrefix(host: number): string {
  return `host/${host}/`;
}

export interface LiveOptions extends Pick<HostHistory, 'index' | 'eventNames' | 'recorder'> {
  readonly time: DisplayTime;
  /** Length of the host's trace, see `hostLength`, ns. */
  readonly lengthNs: number;
  readonly records: HistoryRecords;
  readonly seal: BuilderOptions['seal'];
  /** Called with the fault because of which something was not written. */
  readonly onFault: (fault: Fault) => void;
  /** Called with the fault of what was written and cannot be read back. */
  readonly onDamage: OnDamage;
}

export function liveHistory(options: LiveOptions): LiveHistory {
  const { index, eventNames, recorder, time, lengthNs, records, seal, onFault, onDamage } = options;
  const prefix = historyPrefix(index);
  const kept = new StoredLogs(records, prefix);
  let tables: ReducedTables | undefined;
  let logs: Promise<KernelLogs> | undefined;
  let resolve: Resolve = (_, value) => value;
  let late: ReturnType<typeof lateIntervals> = { apart: () => undefined, overrules: () => undefined };
  const history = keepHistory({
    records,
    prefix,
    lengthNs,
    schemeOf: kernelSchemeOf,
    seal,
    keepRows: (log, rows) => kept.add(log as LogName, rows),
    resolve: (attribute, value) => resolve(attribute, value),
    apart: (attribute) => late.apart(attribute),
    overrules: (attribute) => late.overrules(attribute),
    onFault,
    onDamage: (fault) => onDamage('states', fault),
  });
  const readLogs = async () => {
    const read = tables && (await kept.read(tables));
    if (tables !== undefined && read === undefined) onDamage('signals', unreadableRecord(`${prefix}logs`));
    return read ?? NO_LOGS;
  };
  return {
    index,
    eventNames,
    recorder,
    get clock() {
      return time.of(index);
    },
    ...history,
    kept,
    get tables() {
      return tables;
    },
    logs: () => (logs ??= readLogs()),
    updateTables(next) {
      tables = next;
      logs = undefined;
      resolve = resolveKinds(history.builder, next);
      late = lateIntervals(next);
    },
  };
}

/** Reads the stored history of a host. */
export function readHistory(
  index: number,
  records: HistoryRecords,
  onFault: (fault: Fault) => void,
): Promise<Result<StoredHistory>> {
  return openHistory(records, { prefix: historyPrefix(index), schemeOf: schemeById, onFault });
}

export function reopenedHistory(
  { index, eventNames, recorder }: Pick<HostHistory, 'index' | 'eventNames' | 'recorder'>,
  time: DisplayTime,
  tables: StateTables | undefined,
  history: StoredHistory,
  readLogs: () => Promise<KernelLogs | undefined>,
  onFault: (fault: Fault) => void,
): HostHistory {
  const resolve = tables && resolveKinds(history, tables);
  let logs: Promise<KernelLogs> | undefined;
  const late = tables && lateIntervals(tables);
  const query = createQuery(history, { resolve, ...late, load: history.load, onFault });
  return {
    index,
    eventNames,
    recorder,
    get clock() {
      return time.of(index);
    },
    tables,
    logs: () => (logs ??= readLogs().then((read) => read ?? NO_LOGS)),
    query,
  };
}
