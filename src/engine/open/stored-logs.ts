/** The signals, packets and softirqs of a host: most of them in the store (`stored-rows.ts`), the last ones in the tables. */
import { type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import type { LogRows, TableColumn } from '../base/tables.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { LastLogs } from '../linux/states/reduce/kernel-tables.ts';
import type { KernelLogs, LogName } from '../linux/states/reduce/kernel-model.ts';
import { unreadableRecord } from './damage.ts';
import { StoredRows } from './stored-rows.ts';

/** The record `logs`. */
interface LogsRecord extends LastLogs {
  readonly batches: Readonly<Record<LogName, number>>;
}

export class StoredLogs {
  readonly #name: string;
  readonly #rows: Readonly<Record<LogName, StoredRows>>;

  /**
   * @param prefix of the records
   * @param batches in the store already
   */
  constructor(records: HistoryRecords, prefix: string, batches?: LogsRecord['batches']) {
    this.#name = nameOf(prefix);
    const rowsOf = (log: LogName) => new StoredRows(records, `${this.#name}/${log}`, batches?.[log]);
    this.#rows = {
      signals: rowsOf('signals'),
      packets: rowsOf('packets'),
      softirqs: rowsOf('softirqs'),
    };
  }

  add(log: LogName, rows: LogRows): void {
    this.#rows[log].add(rows);
  }

  /** All rows up to those of the tables; undefined when the store does not give them back. */
  async with({ signals, packets, softirqs, before }: LastLogs): Promise<KernelLogs | undefined> {
    const { addresses, ...packetColumns } = packets;
    const [allSignals, allPackets, allSoftirqs] = await Promise.all([
      this.#rowsOf('signals', signals, before.signals),
      this.#rowsOf('packets', packetColumns, before.packets),
      this.#rowsOf('softirqs', softirqs, before.softirqs),
    ]);
    if (allSignals === undefined || allPackets === undefined || allSoftirqs === undefined) return undefined;
    return { signals: allSignals, packets: { ...allPackets, addresses }, softirqs: allSoftirqs };
  }

  /** Writes all rows that were taken. */
  async finish(): Promise<Result<void>> {
    const written = await Promise.all(Object.values(this.#rows).map((rows) => rows.finish()));
    return written.find(({ ok }) => !ok) ?? ok(undefined);
  }

  /** Records left to write: the one that makes all rows complete, for `readLogs`. */
  async rest({ signals, packets, softirqs, before }: LastLogs): Promise<Result<readonly NamedValue[]>> {
    const written = await this.finish();
    if (!written.ok) return written;
    const { signals: ofSignals, packets: ofPackets, softirqs: ofSoftirqs } = this.#rows;
    const batches = {
      signals: ofSignals.batches,
      packets: ofPackets.batches,
      softirqs: ofSoftirqs.batches,
    };
    const value: LogsRecord = { signals, packets, softirqs, before, batches };
    return ok([{ name: this.#name, value }]);
  }

  async #rowsOf<T extends { readonly length: number }>(
    log: LogName,
    last: T,
    before: number,
  ): Promise<T | undefined> {
    if (before === 0) return last;
    const { length, ...columns } = last;
    const rest = { length, columns: columns as Record<string, TableColumn> };
    const all = await this.#rows[log].read(before, rest);
    return all && ({ length: all.length, ...all.columns } as unknown as T);
  }
}

/** The logs of a stored trace; undefined, with a fault, when they are not all there. */
export async function readLogs(
  records: HistoryRecords,
  prefix: string,
  onFault: (fault: Fault) => void,
): Promise<KernelLogs | undefined> {
  const stored = (await records.read(nameOf(prefix))) as LogsRecord | undefined;
  const logs = stored && (await new StoredLogs(records, prefix, stored.batches).with(stored));
  if (logs === undefined) onFault(unreadableRecord(nameOf(prefix)));
  return logs;
}

function nameOf(prefix: string): string {
  return `${prefix}logs`;
}
