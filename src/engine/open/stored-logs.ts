/** The signals, packets and softirqs of a host: most of them in the store, the last ones in the tables. */
import { freeBuffers } from '../base/buffers.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import type { LogRows, TableColumn } from '../base/tables.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { LastLogs } from '../linux/states/reduce/kernel-tables.ts';
import type { KernelLogs, LogName } from '../linux/states/reduce/kernel-model.ts';
import { unreadableRecord } from './damage.ts';

/** The record `logs`. */
interface LogsRecord extends LastLogs {
  readonly batches: Readonly<Record<LogName, number>>;
}

export class StoredLogs {
  readonly #name: string;
  readonly #rows: Readonly<Record<LogName, StoredRows>>;

  /**
   * @param prefix prefix of the records' names
   * @param batches number of batches in the store already
   */
  constructor(records: HistoryRecords, prefix: string, batches?: LogsRecord['batches']) {
    this.#name = nameOf(prefix);
    const rowsOf = (log: LogName) => new StoredRows(records, `${this.#name}/${log}`, batches?.[log]);
    this.#rows = { signals: rowsOf('signals'), packets: rowsOf('packets'), softirqs: rowsOf('softirqs') };
  }

  add(log: LogName, rows: LogRows): void {
    this.#rows[log].add(rows);
  }

  /** All rows, up to the last ones in the tables; undefined: the store does not return them. */
  async read({ signals, packets, softirqs, before }: LastLogs): Promise<KernelLogs | undefined> {
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

  /** Records not written yet: the one that completes all rows, for `readLogs`. */
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

/** The logs of a stored trace; undefined, with a fault, if they are incomplete. */
export async function readLogs(
  records: HistoryRecords,
  prefix: string,
  onFault: (fault: Fault) => void,
): Promise<KernelLogs | undefined> {
  const stored = (await records.read(nameOf(prefix))) as LogsRecord | undefined;
  const logs = stored && (await new StoredLogs(records, prefix, stored.batches).read(stored));
  if (logs === undefined) onFault(unreadableRecord(nameOf(prefix)));
  return logs;
}

function nameOf(prefix: string): string {
  return `${prefix}logs`;
}

/** Minimum number of rows in a batch. */
const BATCH_ROWS = 2 ** 16;

/**
 * Rows of a log in the store: written in batches while reading goes on and then dropped from memory, as there are as
 * many as the trace has signals or packets, and only paths and clocks read them.
 */
export class StoredRows {
  /** Rows of the next batch. */
  #gathered: LogRows[] = [];
  #gatheredRows = 0;
  /** Batches that the store does not have, by number. */
  readonly #unwritten = new Map<number, LogRows>();
  /** Writes and reads run one after the other, so that a batch stays while it is read. */
  #last: Promise<unknown> = Promise.resolve();
  #fault: Fault | undefined;

  /**
   * @param name prefix of the records' names, before the batch number
   * @param batches number of batches in the store already
   */
  constructor(
    private readonly records: HistoryRecords,
    private readonly name: string,
    /** Number of batches in the store or being written. */
    public batches = 0,
    private readonly batchRows = BATCH_ROWS,
  ) {}

  add(rows: LogRows): void {
    this.#gathered.push(rows);
    this.#gatheredRows += rows.length;
    if (this.#gatheredRows >= this.batchRows) this.#startWriting();
  }

  /** Writes what is left, so that the store has all rows. */
  async finish(): Promise<Result<void>> {
    this.#startWriting();
    await this.#last;
    return this.#fault === undefined ? ok(undefined) : fail(this.#fault);
  }

  /** The first `count` rows, followed by `rest`, in new columns; undefined: the store does not return them. */
  read(count: number, rest: LogRows): Promise<LogRows | undefined> {
    return this.#inTurn(async () => {
      const { length } = rest;
      // A copy, as gathered rows are freed when the next batch is made.
      const gathered = this.#gatheredRows > 0 ? [joined(this.#gathered, this.#gatheredRows)] : [];
      const read = async (_: unknown, batch: number) =>
        this.#unwritten.get(batch) ?? ((await this.records.read(this.#nameOf(batch))) as LogRows | undefined);
      const batches = await Promise.all(Array.from({ length: this.batches }, read));
      const parts = [...batches, ...gathered].filter((part) => part !== undefined);
      const found = parts.reduce((rows, part) => rows + part.length, 0);
      return found < count ? undefined : joined([...firstOf(parts, count), rest], count + length);
    });
  }

  #startWriting(): void {
    if (this.#gatheredRows === 0) return;
    const batch = this.batches++;
    const rows = joined(this.#gathered, this.#gatheredRows);
    freeBuffers(this.#gathered);
    this.#gathered = [];
    this.#gatheredRows = 0;
    this.#unwritten.set(batch, rows);
    void this.#inTurn(() => this.#write(batch, rows));
  }

  async #write(batch: number, rows: LogRows): Promise<void> {
    const written = await this.records.write([{ name: this.#nameOf(batch), value: rows }]);
    if (!written.ok) {
      this.#fault ??= written.fault;
      return;
    }
    this.#unwritten.delete(batch);
    if (this.records.copies()) freeBuffers(rows);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task);
    this.#last = done;
    return done;
  }

  #nameOf(batch: number): string {
    return `${this.name}/${batch}`;
  }
}

/** The first `count` rows of all parts. */
function firstOf(parts: readonly LogRows[], count: number): LogRows[] {
  const first: LogRows[] = [];
  let left = count;
  for (const { length, columns } of parts) {
    const rows = Math.min(length, left);
    const cut = Object.entries(columns).map(([name, column]) => {
      return [name, column.subarray(0, (column.length / length) * rows)] as const;
    });
    if (rows > 0) first.push({ length: rows, columns: Object.fromEntries(cut) });
    left -= rows;
  }
  return first;
}

/** All parts, `length` rows, in one buffer per column. */
function joined(parts: readonly LogRows[], length: number): LogRows {
  const columns: Record<string, TableColumn> = {};
  for (const [name, { constructor }] of Object.entries(parts[0].columns)) {
    const numbers = parts.reduce((sum, part) => sum + part.columns[name].length, 0);
    const column = new (constructor as new (length: number) => TableColumn)(numbers);
    let at = 0;
    for (const part of parts) {
      column.set(part.columns[name], at);
      at += part.columns[name].length;
    }
    columns[name] = column;
  }
  return { length, columns };
}
