/** Names of locks. */
import type { EventThread } from '../contract/threads.ts';
import type { LockAddress, LockKind, LockName } from './lock-log.ts';

/** Key that the command line has, one for each lock of a host: `mutex:231:0x55d0c1a0f260`, `file:/tmp/a`. */
export function lockKey({ kind, process, address }: LockName): string {
  return kind === 'file' ? `file:${address}` : `${kind}:${process}:${address}`;
}

/** Distinguishes locks of an experiment. */
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

/** Digits of an address that tell locks of a process apart for a reader. */
const DIGITS = 4;

/**
 * Name for people: `mutex 0x…f260 of wk-lockfight`, `rwlock g_rw of wk-locks`, `/tmp/a`.
 * @param processName '' unknown
 * @param symbol as `lockSymbols` has it
 */
export function lockWords(
  { kind, process, address }: LockName,
  processName: string,
  symbol?: string,
): string {
  return kind === 'file' ? address : wordsOf(KIND_WORDS[kind], { process, address }, processName, symbol);
}

/** The same of a futex: `futex 0x…a060 of postgres`. */
export function futexWords(futex: LockAddress, processName: string): string {
  return wordsOf('futex', futex, processName);
}

function wordsOf(
  kind: string,
  { process, address }: LockAddress,
  processName: string,
  symbol?: string,
): string {
  const short = address.length > '0x'.length + DIGITS ? `0x…${address.slice(-DIGITS)}` : address;
  return `${kind} ${symbol ?? short} of ${processName || `process ${process}`}`;
}

/** Names of processes by number, of which some thread knows one. */
export function processNames(threads: readonly EventThread[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { pid, process } of threads) if (process !== '' && !names.has(pid)) names.set(pid, process);
  return names;
}
