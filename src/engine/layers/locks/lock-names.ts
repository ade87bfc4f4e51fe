/** Names of locks, also by symbols of programs, and of kinds of kernel locks; the order of locks in output. */
import type { EventThread } from '../contract/event-threads.ts';
import type { LockAddress, LockKind, LockName } from './lock-log.ts';
import { compare } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import { readableNames } from '../../symbols/readable-names.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';
import type { ObjectAt } from '../../symbols/symbols.ts';
import type { LockPlaces } from './lock-places.ts';

/** Key of a lock on the command line, unique within a host: `mutex:231:0x55d0c1a0f260`, `file:/tmp/a`. */
export function lockKey({ kind, process, address }: LockName): string {
  return kind === 'file' ? `file:${address}` : `${kind}:${process}:${address}`;
}

/** Id that is unique among the locks of an experiment. */
export function lockId(host: number, lock: LockName): string {
  return `${host}:${lockKey(lock)}`;
}

const KIND_WORDS: Readonly<Record<LockKind, string>> = {
  mutex: 'mutex',
  spin: 'spinlock',
  rwlock: 'rwlock',
  sem: 'semaphore',
  cond: 'condition',
  barrier: 'barrier',
  file: 'file',
};

/** Digits shown of an address, enough to distinguish a process's locks for a reader. */
const DIGITS = 4;

/** Name for readers: `mutex 0x…f260 of wk-lockfight`, `/tmp/a`. @param processName '' unknown @param symbol see `lockSymbols` */
export function lockWords(
  { kind, process, address }: LockName,
  processName: string,
  symbol?: string,
): string {
  return kind === 'file' ? address : wordsOf(KIND_WORDS[kind], { process, address }, processName, symbol);
}

/** Name of a futex for readers: `futex 0x…a060 of postgres`, `futex cache_lock of wk-server`. */
export function futexWords(futex: LockAddress, processName: string, symbol?: string): string {
  return wordsOf('futex', futex, processName, symbol);
}

/** Name of a kernel lock for readers: `rwsem 0x…d5f0 of the kernel`. @param flags of waits for it */
export function kernelLockWords({ address }: LockAddress, flags: Iterable<number>): string {
  return `${kernelLockKind(flags)} ${shortAddress(address)} of the kernel`;
}

function wordsOf(
  kind: string,
  { process, address }: LockAddress,
  processName: string,
  symbol?: string,
): string {
  return `${kind} ${symbol ?? shortAddress(address)} of ${processName || `process ${process}`}`;
}

function shortAddress(address: string): string {
  return address.length > '0x'.length + DIGITS ? `0x…${address.slice(-DIGITS)}` : address;
}

/** Names of processes by number, if a thread has one. */
export function processNames(threads: readonly EventThread[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { pid, process } of threads) if (process !== '' && !names.has(pid)) names.set(pid, process);
  return names;
}

/** Order by kind, process and address. */
export function compareLocks(a: LockName, b: LockName): number {
  return compare(a.kind, b.kind) || compareAddresses(a, b);
}

/** Order by process and address; numeric texts as numbers. */
export function compareAddresses(a: LockAddress, b: LockAddress): number {
  const areNumbers = a.address.startsWith('0x') && b.address.startsWith('0x');
  return (
    a.process - b.process ||
    (areNumbers ? a.address.length - b.address.length : 0) ||
    compare(a.address, b.address)
  );
}

/** UTF-16 units of a name that are shown. */
const LONGEST_NAME = 200;

/**
 * Symbol by lock, or by futex: `g_rw`, or `cache+0x28` within a larger object. undefined: it is in no object, or
 * there is no file of the build that the trace names. Unusable files are faults of `files`.
 */
export async function lockSymbols(
  locks: readonly LockAddress[],
  { modules, module }: LockPlaces,
  files: SymbolFiles,
): Promise<readonly (string | undefined)[]> {
  const objects = new Map<number, ObjectAt>();
  const placed = [...locks.keys()].filter((lock) => module[lock] >= 0);
  for (const [row, own] of groupBy(placed, (lock) => module[lock])) {
    const { base, isPic, buildId = '' } = modules[row];
    // A file of the same name may be of another build.
    const symbols = buildId === '' ? undefined : await files.module(modules[row]);
    if (symbols === undefined) continue;
    const begin = isPic ? base : symbols.firstPage;
    const places = Float64Array.from(own, (lock) => Number(BigInt(locks[lock].address) - begin));
    const found = await symbols.objectsAt(places);
    own.forEach((lock, i) => {
      const object = found[i];
      if (object !== undefined) objects.set(lock, object);
    });
  }
  const readable = await readableNames(Array.from(objects.values(), ({ name }) => name));
  return Array.from(locks.keys(), (lock) => {
    const object = objects.get(lock);
    return object && textOf(readable.get(object.name) ?? object.name, object.offset);
  });
}

function textOf(name: string, offset: number): string {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return offset === 0 ? shown : `${shown}+0x${offset.toString(16)}`;
}

/** Flags of `contention_begin` (LCB_F_… in Linux's trace/events/lock.h). */
const SPIN = 1;
const READ = 2;
const WRITE = 4;
const RT = 8;
const PERCPU = 16;
const MUTEX = 32;

/**
 * Kinds and modes by combination of flags in Linux. A mutex spins while its owner runs; in real-time kernels all
 * locks are `RT`.
 */
const FLAG_WORDS: ReadonlyMap<number, readonly [kind: string, mode?: 'read' | 'write']> = new Map([
  [0, ['semaphore']],
  [SPIN, ['spinlock']],
  [SPIN | READ, ['rwlock', 'read']],
  [SPIN | WRITE, ['rwlock', 'write']],
  [READ, ['rwsem', 'read']],
  [WRITE, ['rwsem', 'write']],
  [RT, ['rtmutex']],
  [RT | READ, ['rt rwlock', 'read']],
  [RT | WRITE, ['rt rwlock', 'write']],
  [PERCPU | READ, ['percpu-rwsem', 'read']],
  [PERCPU | WRITE, ['percpu-rwsem', 'write']],
  [MUTEX, ['mutex']],
  [MUTEX | SPIN, ['mutex']],
]);

/** Kind of a kernel lock by the flags of waits for it: `rwsem`; `flags 64` if unknown. */
export function kernelLockKind(flags: Iterable<number>): string {
  const inOrder = [...new Set(flags)].sort((a, b) => a - b);
  return [...new Set(inOrder.map((value) => FLAG_WORDS.get(value)?.[0] ?? `flags ${value}`))].join(' or ');
}

/** Mode of a wait for a kernel lock by its flags; undefined: the kind has none. */
export function kernelLockMode(flags: number): 'read' | 'write' | undefined {
  return FLAG_WORDS.get(flags)?.[1];
}
