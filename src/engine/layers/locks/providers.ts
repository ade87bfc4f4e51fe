/** Table of program events about locks, by patterns; users' rows come first. System calls: `kernel-calls.ts`. */
import { matcherOf } from '../../base/glob.ts';
import * as lockLog from './lock-log.ts';
import { EXCLUSIVE, type LockKind, SHARED } from './lock-log.ts';

const LOCK_ROLES = {
  request: lockLog.REQUEST,
  'timed request': lockLog.TIMED_REQUEST,
  acquire: lockLog.ACQUIRE,
  try: lockLog.TRY,
  release: lockLog.RELEASE,
  'wait begin': lockLog.COND_BEGIN,
  'wait end': lockLog.COND_END,
  signal: lockLog.SIGNAL,
  broadcast: lockLog.BROADCAST,
  'barrier begin': lockLog.BARRIER_BEGIN,
  'barrier end': lockLog.BARRIER_END,
  post: lockLog.POST,
  destroy: lockLog.DESTROY,
} as const;

export type LockRole = keyof typeof LOCK_ROLES;

/** Kinds of locks that program events may be about. */
export type ProgramLockKind = Exclude<LockKind, 'file'>;

const OF_OWNED = ['request', 'timed request', 'acquire', 'try', 'release', 'destroy'] as const;

/** Roles that events may have for a lock of each kind. */
export const ROLES_OF_KINDS: Readonly<Record<ProgramLockKind, readonly LockRole[]>> = {
  mutex: OF_OWNED,
  spin: OF_OWNED,
  rwlock: OF_OWNED,
  sem: ['request', 'timed request', 'acquire', 'try', 'post', 'destroy'],
  cond: ['wait begin', 'wait end', 'signal', 'broadcast', 'destroy'],
  barrier: ['barrier begin', 'barrier end', 'destroy'],
};

export interface LockProvider {
  /** Name of the events. One `*` stands for any text. */
  readonly event: string;
  readonly role: LockRole;
  readonly kind: ProgramLockKind;
  /** Field that identifies the lock, an integer or a text. */
  readonly lock: string;
  /** Field with the result; 0 or 130 (EOWNERDEAD): acquired; '': none, which means 0. */
  readonly status: string;
  /** Field with the mutex of a condition; '' none. */
  readonly mutex: string;
  readonly mode: 'exclusive' | 'shared';
  /** Whether all processes share a lock of this name. */
  readonly isShared: boolean;
}

/** An event that a trace declares, with its row of the table. */
export interface LockEvent extends Omit<LockProvider, 'event' | 'role' | 'mode'> {
  readonly event: string;
  readonly op: number;
  readonly mode: number;
}

/** Events of one trace that are read as locks at most. */
const MOST_LOCK_EVENTS = 256;

/** Events of any provider. The mode is unused for events that request no lock. */
const PTHREAD: readonly (readonly [event: string, role: LockRole, kind: ProgramLockKind, shared?: true])[] = [
  ['pthread_mutex_lock_req', 'request', 'mutex'],
  ['pthread_mutex_lock_acq', 'acquire', 'mutex'],
  ['pthread_mutex_timedlock_req', 'timed request', 'mutex'],
  ['pthread_mutex_timedlock_acq', 'acquire', 'mutex'],
  ['pthread_mutex_trylock', 'try', 'mutex'],
  ['pthread_mutex_unlock', 'release', 'mutex'],
  ['pthread_mutex_destroy', 'destroy', 'mutex'],
  ['pthread_spin_lock_req', 'request', 'spin'],
  ['pthread_spin_lock_acq', 'acquire', 'spin'],
  ['pthread_spin_trylock', 'try', 'spin'],
  ['pthread_spin_unlock', 'release', 'spin'],
  ['pthread_spin_destroy', 'destroy', 'spin'],
  ['pthread_rwlock_rdlock_req', 'request', 'rwlock', true],
  ['pthread_rwlock_rdlock_acq', 'acquire', 'rwlock', true],
  ['pthread_rwlock_wrlock_req', 'request', 'rwlock'],
  ['pthread_rwlock_wrlock_acq', 'acquire', 'rwlock'],
  ['pthread_rwlock_tryrdlock', 'try', 'rwlock', true],
  ['pthread_rwlock_trywrlock', 'try', 'rwlock'],
  ['pthread_rwlock_unlock', 'release', 'rwlock'],
  ['pthread_rwlock_destroy', 'destroy', 'rwlock'],
  ['sem_wait_req', 'request', 'sem'],
  ['sem_wait_acq', 'acquire', 'sem'],
  ['sem_trywait', 'try', 'sem'],
  ['sem_post', 'post', 'sem'],
  ['sem_destroy', 'destroy', 'sem'],
  ['pthread_cond_wait_begin', 'wait begin', 'cond'],
  ['pthread_cond_wait_end', 'wait end', 'cond'],
  ['pthread_cond_signal', 'signal', 'cond'],
  ['pthread_cond_broadcast', 'broadcast', 'cond'],
  ['pthread_cond_destroy', 'destroy', 'cond'],
  ['pthread_barrier_wait_begin', 'barrier begin', 'barrier'],
  ['pthread_barrier_wait_end', 'barrier end', 'barrier'],
  ['pthread_barrier_destroy', 'destroy', 'barrier'],
];

/** Shipped rows. */
export const LOCK_PROVIDERS: readonly LockProvider[] = PTHREAD.map(([event, role, kind, shared]) => ({
  event: `*:${event}`,
  role,
  kind,
  lock: kind,
  status: 'status',
  mutex: kind === 'cond' ? 'mutex' : '',
  mode: shared ? 'shared' : 'exclusive',
  isShared: false,
}));

/** Events about locks among these names, each by the first row that matches. In order of name. */
export function lockEvents(own: readonly LockProvider[], events: readonly string[]): LockEvent[] {
  const rows = [...own, ...LOCK_PROVIDERS].map((row) => ({ row, matches: matcherOf(row.event) }));
  const found: LockEvent[] = [];
  for (const event of [...new Set(events)].sort()) {
    const known = rows.find(({ matches }) => matches(event));
    if (known !== undefined && found.length < MOST_LOCK_EVENTS) found.push(eventOf(event, known.row));
  }
  return found;
}

function eventOf(event: string, { role, mode, ...rest }: LockProvider): LockEvent {
  return { ...rest, event, op: LOCK_ROLES[role], mode: mode === 'shared' ? SHARED : EXCLUSIVE };
}
