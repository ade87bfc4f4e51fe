/** Texts and colours for locks. Pure. */
import type { HoldPart } from '../../engine/layers/locks/model/lock-model.ts';
import type { LockLine, LockWaitLine } from '../../engine/protocol/locks.ts';
import { formatShare } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { Part } from '../widgets/table/bars.tsx';
import type { NamedLock } from './locks-state.ts';

export const KIND_WORDS: Readonly<Record<LockLine['kind'], string>> = {
  mutex: 'mutex',
  spin: 'spinlock',
  rwlock: 'read-write lock',
  sem: 'semaphore',
  cond: 'condition',
  barrier: 'barrier',
  file: 'file lock',
};

export const OUTCOME_WORDS: Readonly<Record<LockWaitLine['outcome'], string>> = {
  acquired: 'got it',
  failed: 'gave up',
  unfinished: 'still waits',
};

export const WAY_WORDS: Readonly<Record<LockWaitLine['way'], string>> = {
  lock: 'lock',
  timed: 'with a time limit',
  try: 'attempt',
  cond: 'after a condition',
  kept: 'kept for another process',
};

/** Activities of a holder, in order of the bar. */
const HOLD_PARTS: readonly { readonly id: HoldPart; readonly label: string; readonly token: string }[] = [
  { id: 'running', label: 'Running', token: '--st-user' },
  { id: 'runnable', label: 'Ready, without a CPU', token: '--st-ready' },
  { id: 'lock', label: 'Waiting for another lock', token: '--st-lock' },
  { id: 'disk', label: 'Waiting for the disk', token: '--st-disk' },
  { id: 'network', label: 'Waiting for the network', token: '--st-net' },
  { id: 'timer', label: 'Waiting for a timer', token: '--st-timer' },
  { id: 'thread', label: 'Waiting for a thread', token: '--st-thread' },
  { id: 'accept', label: 'Waiting for work', token: '--c-load' },
  { id: 'other', label: 'Blocked, cause unknown', token: '--st-unknown' },
  { id: 'unknown', label: 'Unknown', token: '--st-unknown' },
];

/** All names of a lock, one each line. */
export function lockTitle({ shownName, name, address }: NamedLock): string {
  return [...new Set([shownName, name, address].map(visibleText))].join('\n');
}

/** Parts of the time that a lock was held; undefined: unknown. */
export function holdParts({ holdParts: parts }: LockLine): readonly Part[] | undefined {
  if (parts === undefined) return undefined;
  return HOLD_PARTS.map(({ id, label, token }) => ({
    label,
    colour: `var(${token})`,
    unknown: id === 'unknown',
    ns: parts[id],
  }));
}

/** Sentences on how threads waited for a lock. */
export function lockSentences(lock: LockLine): readonly string[] {
  const { requests, contended, hold, barging } = lock;
  const sentences: string[] = [];
  if (lock.isIdle === true)
    sentences.push('Whoever holds it waits for work, so that waiting for it is idleness and costs nothing.');
  if (contended === 0) sentences.push(`None of its ${requests} requests had to wait for another thread.`);
  const spinning = spinningShare(lock) ?? 0;
  if (spinning > 0.05) sentences.push(`${formatShare(spinning)} of the waits was spent spinning on a CPU.`);
  if (lock.jainPpm !== undefined && lock.jainPpm < 600_000 && contended > 3)
    sentences.push('Few of its threads bore most of the waits.');
  if (barging > 0) sentences.push(`${barging} of its acquisitions overtook a thread that had asked earlier.`);
  if (hold.count > 0 && lock.holdParts === undefined)
    sentences.push('What its holders did is unknown without a trace of the kernel.');
  return sentences;
}

/** Share of its waits that was spent spinning on a CPU, 0 to 1; undefined: no waits, or no thread spins for such a lock. */
export function spinningShare({ kind, wait, spinningNs }: LockLine): number | undefined {
  return wait.totalNs === 0 || kind === 'file' ? undefined : spinningNs / wait.totalNs;
}
