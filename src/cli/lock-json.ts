/** The JSON of `inspect locks` (docs/inspect-json.md): what the model of one host's locks comes to. */
import {
  CONTENDED,
  LATE,
  LOCK_COUNTS,
  type LockModel,
  OPEN,
  OUTCOMES,
  WAYS,
  WOKEN,
} from '../engine/layers/locks/model/lock-model.ts';
import { rowsBy } from '../engine/base/rows-by.ts';
import { episodesOf, mostAtOnce } from '../engine/layers/locks/results/episodes.ts';
import { bargingOf, jainPpm } from '../engine/layers/locks/results/fairness.ts';
import { lockKey } from '../engine/layers/locks/lock-names.ts';
import { compareAddresses, compareLocks } from '../engine/layers/locks/results/lock-place.ts';
import { type HoldParts, holdPartsOf } from '../engine/layers/locks/results/hold-parts.ts';
import type { LockResults, MatrixCell, ThreadSums } from '../engine/layers/locks/results/lock-results.ts';
import { durationsOf, sumsOf } from '../engine/layers/locks/results/lock-sums.ts';
import { lockCycles } from '../engine/layers/locks/results/searches.ts';
import { WaitsFor } from '../engine/layers/locks/results/waits-for.ts';

/** What is before names where there are several hosts; ns since the first event for a TimeNs of the host. */
export interface LockJsonHost {
  readonly results: LockResults;
  readonly prefix: string;
  readonly shown: (time: number) => number;
}

type KernelLockRow = [
  waiter: string,
  from: number,
  to: number,
  flags: number,
  result: number | null,
  waker: string | null,
  at: number | null,
];

const MODES = ['X', 'S', ''];

export class LockJson {
  readonly #host: LockJsonHost;
  readonly #model: LockModel;
  /** Rows of the locks of which anything is known, in order. */
  readonly #locks: number[];

  constructor(host: LockJsonHost) {
    this.#host = host;
    this.#model = host.results.model;
    const { locks } = this.#model;
    this.#locks = host.results.known().sort((a, b) => compareLocks(locks[a], locks[b]));
  }

  /** What holders did while they held each lock that was held, ns by HOLD_PARTS; none without a kernel's trace. */
  *holdParts(): Generator<{ readonly lock: string; readonly parts: HoldParts }> {
    for (const lock of this.#locks) {
      const parts = holdPartsOf(this.#model, lock);
      if (parts !== undefined && Object.values(parts).some((ns) => ns > 0))
        yield { lock: this.#name(lock), parts };
    }
  }

  get problems(): LockModel['problems'] {
    return lockCycles(this.#host.results).problems;
  }

  *locks(): Generator<ReturnType<LockJson['lock']>> {
    for (const lock of this.#locks) yield this.lock(lock);
  }

  threads(): unknown[] {
    return this.#threadSums(this.#host.results.threadSums());
  }

  /** [waiter, holder, ns, waits] */
  matrix() {
    return this.#matrix(this.#host.results.matrix());
  }

  *chains(): Generator<unknown> {
    const { thread, lock } = this.#model.waits;
    for (const { from, to, wait, next, hold } of new WaitsFor(this.#host.results).chains())
      yield [
        this.#host.shown(from),
        this.#host.shown(to),
        this.#worker(thread[wait]),
        this.#name(lock[wait]),
        this.#worker(thread[next]),
        this.#name(lock[next]),
        this.#worker(thread[hold]),
      ];
  }

  convoys(): unknown[] {
    const { results, shown } = this.#host;
    return this.#locks.flatMap((lock) =>
      results
        .convoysOf(lock)
        .map(({ from, to, maxWaiters, handOvers }) => [
          this.#name(lock),
          shown(from),
          shown(to),
          maxWaiters,
          handOvers,
        ]),
    );
  }

  deadlocks() {
    const { thread, lock } = this.#model.waits;
    const { results, shown } = this.#host;
    return lockCycles(results).deadlocks.map(({ from, to, outcome, waits }) => ({
      from: shown(from),
      to: shown(to),
      ended: OUTCOMES[outcome],
      threads: waits.map((row) => this.#worker(thread[row])),
      locks: waits.map((row) => this.#name(lock[row])),
    }));
  }

  inversions() {
    const { results, shown } = this.#host;
    return lockCycles(results).inversions.map(({ locks, orders }) => ({
      locks: locks.map((lock) => this.#name(lock)),
      orders: orders.map(({ first, second, by }) => [
        this.#name(first),
        this.#name(second),
        by.map(({ thread, times, first: time }) => [this.#worker(thread), times, shown(time)]),
      ]),
    }));
  }

  futexes() {
    const { futexes, futexWaits } = this.#model;
    const { thread, from, to, result, blocked, waker, at } = futexWaits;
    const { shown } = this.#host;
    return inGroups(futexWaits.futex, futexes.length)
      .sort((a, b) => compareAddresses(futexes[a.group], futexes[b.group]))
      .map(({ group, rows }) => ({
        process: futexes[group].process,
        address: futexes[group].address,
        waits: rows.length,
        blocked: rows.filter((row) => blocked[row] > 0).length,
        woken: rows.filter((row) => waker[row] >= 0).length,
        blockedNs: rows.reduce((sum, row) => sum + blocked[row], 0),
        rows: rows.map((row) => [
          this.#worker(thread[row]),
          shown(from[row]),
          shown(to[row]),
          numberOrNull(result[row]),
          blocked[row],
          this.#workerOrNull(waker[row]),
          this.#timeOrNull(at[row]),
        ]),
      }));
  }

  kernelLocks() {
    const { kernelLocks, kernelWaits } = this.#model;
    const { thread, from, to, flags, result, waker, at } = kernelWaits;
    const { shown } = this.#host;
    return inGroups(kernelWaits.lock, kernelLocks.length)
      .sort((a, b) => compareAddresses(kernelLocks[a.group], kernelLocks[b.group]))
      .map(({ group, rows }) => ({
        address: kernelLocks[group].address,
        waits: rows.length,
        wait: durationsOf(Float64Array.from(rows, (row) => to[row] - from[row])),
        maxWaiters: mostAtOnce(
          Float64Array.from(rows, (row) => from[row]),
          Float64Array.from(rows, (row) => to[row]),
        ),
        rows: rows.map((row): KernelLockRow => [
          this.#worker(thread[row]),
          shown(from[row]),
          shown(to[row]),
          flags[row],
          numberOrNull(result[row]),
          this.#workerOrNull(waker[row]),
          this.#timeOrNull(at[row]),
        ]),
      }));
  }

  /** By row of the lock. */
  lock(lock: number) {
    const { results, shown } = this.#host;
    const { locks, counts } = this.#model;
    const { kind, process, address } = locks[lock];
    const rows = results.rowsOf(lock);
    const episodes = episodesOf(this.#model, rows);
    return {
      lock: this.#name(lock),
      kind,
      process: process < 0 ? null : process,
      address,
      ...sumsOf(this.#model, rows),
      maxWaiters: episodes.reduce((most, { maxWaiters }) => Math.max(most, maxWaiters), 0),
      jainPpm: jainPpm(this.#model, rows) ?? null,
      barging: bargingOf(this.#model, rows),
      counts: Object.fromEntries(LOCK_COUNTS.map((name) => [name, counts[name][lock]])),
      threads: this.#threadSums(results.threadSumsOf(lock)),
      matrix: this.#matrix(results.matrixOf(lock)),
      episodes: episodes.map(({ from, to, maxWaiters, handOvers }) => [
        shown(from),
        shown(to),
        maxWaiters,
        handOvers,
      ]),
      rows: Array.from(rows, (row) => this.#row(row)),
    };
  }

  #row(row: number): unknown[] {
    const { thread, request, end, to, outcome, mode, way, flags, by, link } = this.#model.waits;
    const { shown } = this.#host;
    const has = (flag: number) => ((flags[row] & flag) !== 0 ? 1 : 0);
    const via = has(WOKEN) === 1 ? 'wake-up' : 'release';
    return [
      this.#worker(thread[row]),
      shown(request[row]),
      shown(end[row]),
      this.#timeOrNull(to[row]),
      OUTCOMES[outcome[row]],
      MODES[mode[row]],
      WAYS[way[row]],
      has(CONTENDED),
      this.#workerOrNull(by[row]),
      this.#timeOrNull(link[row]),
      Number.isNaN(link[row]) ? null : via,
      has(LATE),
      has(OPEN),
    ];
  }

  #threadSums(sums: readonly ThreadSums[]): unknown[] {
    return sums.map(({ thread, sums: own }) => ({ worker: this.#worker(thread), ...own }));
  }

  #matrix(cells: readonly MatrixCell[]): [string, string | null, number, number][] {
    return cells.map(({ waiter, holder, ns, waits }) => [
      this.#worker(waiter),
      this.#workerOrNull(holder),
      ns,
      waits,
    ]);
  }

  #name(lock: number): string {
    return this.#host.prefix + lockKey(this.#model.locks[lock]);
  }

  #worker(thread: number): string {
    return this.#host.prefix + this.#model.threads[thread].key;
  }

  #workerOrNull(thread: number): string | null {
    return thread < 0 ? null : this.#worker(thread);
  }

  #timeOrNull(time: number): number | null {
    return Number.isNaN(time) ? null : this.#host.shown(time);
  }
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Rows by their group, without groups that have none. */
function inGroups(column: Int32Array, groups: number): { readonly group: number; readonly rows: number[] }[] {
  const { start, order } = rowsBy(column, groups);
  return Array.from({ length: groups }, (_, group) => ({
    group,
    rows: Array.from(order.subarray(start[group], start[group + 1])),
  })).filter(({ rows }) => rows.length > 0);
}
