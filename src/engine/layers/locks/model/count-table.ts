/** Counts of each lock beside its waits. */
import { LOCK_COUNTS, type LockCount } from './lock-model.ts';

export class CountTable {
  /** Counts by row of the lock. */
  readonly columns: Readonly<Record<LockCount, Int32Array>>;

  constructor(locks: number) {
    const columns = LOCK_COUNTS.map((name) => [name, new Int32Array(locks)]);
    this.columns = Object.fromEntries(columns) as Record<LockCount, Int32Array>;
  }

  add(name: LockCount, lock: number): void {
    this.columns[name][lock]++;
  }
}
