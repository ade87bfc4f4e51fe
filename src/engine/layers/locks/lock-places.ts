/** Places of locks: the program or library that contains a lock or futex, and the lock that contains a futex. */
import { compare } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { ModuleFinder } from '../stacks/module-finder.ts';
import type { LoadedModule } from '../stacks/stack-tables.ts';
import {
  addressNumber,
  COND_BEGIN,
  COND_END,
  DESTROY,
  FUTEX_ENTER,
  type LockAddress,
  type LockLog,
  type LockName,
} from './lock-log.ts';

export interface LockPlaces {
  readonly modules: readonly LoadedModule[];
  /** Row of the module that contains it as long as it is used, by lock, then by futex; -1: none, or not known. */
  readonly module: Int32Array;
}

/** First and last uses, HostNs by lock, then by futex; NaN: never. */
interface Uses {
  readonly first: Float64Array;
  readonly last: Float64Array;
}

/** Looks at modules in addition to some per lock; beyond, locks are in none: only a trace made for it gets there. */
const MOST_LOOKS = 5_000_000;
const LOOKS_OF_EACH = 200;

export function lockPlaces(log: LockLog): LockPlaces {
  const { modules, memories, locks, futexes } = log;
  const finder = new ModuleFinder(modules, memories);
  const neighbours = groupBy(modules, ({ process }) => process);
  const { first, last } = usesOf(log);
  let looks = MOST_LOOKS + LOOKS_OF_EACH * (locks.length + futexes.length);
  const isAlone = modules.map((): boolean | undefined => undefined);
  const moduleOf = (lock: LockAddress & Partial<LockName>, from: number, to: number): number => {
    const address = lock.kind === 'file' || Number.isNaN(from) ? undefined : addressNumber(lock.address);
    if (address === undefined || looks < 0) return -1;
    const covering = finder.covering(lock.process, address);
    looks -= covering.length;
    const there = covering.filter((row) => isThere(modules[row], from, to));
    if (there.length !== 1) return -1;
    const [row] = there;
    const { since, until = Infinity } = modules[row];
    isAlone[row] ??= !(neighbours.get(lock.process) ?? []).some((other) => {
      looks--;
      return isAmong(other, modules[row]);
    });
    return isAlone[row] && since <= from && to < until ? row : -1;
  };
  const all = [...locks, ...futexes];
  return { modules, module: Int32Array.from(all, (lock, row) => moduleOf(lock, first[row], last[row])) };
}

/** Whether a module is in memory at some time of a range. */
function isThere({ since, until = Infinity }: LoadedModule, from: number, to: number): boolean {
  return since <= to && until > from;
}

/** Whether another module overlaps this one in memory and time, so that the rest of the process is not known. */
function isAmong(other: LoadedModule, module: LoadedModule): boolean {
  const [own, its] = [Number(module.base), Number(other.base)];
  return (
    other !== module &&
    its < own + module.size &&
    own < its + other.size &&
    isThere(other, module.since, module.until ?? Infinity)
  );
}

function usesOf({ length, time, op, lock, other, locks, futexes }: LockLog): Uses {
  const first = new Float64Array(locks.length + futexes.length).fill(NaN);
  const last = first.slice();
  const use = (row: number, at: number) => {
    if (row < 0) return;
    if (Number.isNaN(first[row])) first[row] = at;
    last[row] = at;
  };
  for (let row = 0; row < length; row++) {
    if (op[row] <= DESTROY) use(lock[row], time[row]);
    if (op[row] === COND_BEGIN || op[row] === COND_END) use(other[row], time[row]);
    if (op[row] !== FUTEX_ENTER) continue;
    if (lock[row] >= 0) use(locks.length + lock[row], time[row]);
    if (other[row] >= 0) use(locks.length + other[row], time[row]);
  }
  return { first, last };
}

/** Size of the largest lock that contains a futex, a rwlock, bytes. */
const LOCK_BYTES = 56n;

interface Placed {
  readonly process: number;
  readonly row: number;
  readonly address: bigint;
}

/** Finds the lock that contains a futex, the nearest one, and the offset in it. */
export function lockFinder({ locks, futexes }: Pick<LockLog, 'locks' | 'futexes'>) {
  const inMemory = [...locks.keys()].filter((row) => locks[row].kind !== 'file');
  const places = inMemory.flatMap((row) => {
    return [locks[row], ...(locks[row].aliases ?? [])].map((place) => ({ ...place, row }));
  });
  const known = places.flatMap(({ row, process, address: text }): Placed[] => {
    const address = addressNumber(text);
    return address === undefined ? [] : [{ row, process, address }];
  });
  known.sort((a, b) => compare(a.address, b.address) || a.row - b.row);
  const sorted = groupBy(known, ({ process }) => process);
  return (futex: number): { readonly row: number; readonly offset: bigint } | undefined => {
    const { process, address } = futexes[futex] ?? { process: -1, address: '' };
    const at = addressNumber(address);
    const own = sorted.get(process) ?? [];
    if (at === undefined) return undefined;
    const lock = own.at(firstWhere(0, own.length, (i) => own[i].address > at) - 1);
    if (lock === undefined || lock.address > at || at >= lock.address + LOCK_BYTES) return undefined;
    return { row: lock.row, offset: at - lock.address };
  };
}
