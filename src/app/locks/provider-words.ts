/** Texts about the user's own events of locks, and the events that they match. Pure. */
import { compare } from '../../engine/base/compare.ts';
import { matcherOf } from '../../engine/base/glob.ts';
import {
  type LockRole,
  type ProgramLockKind,
  ROLES_OF_KINDS,
  type LockProvider,
} from '../../engine/layers/locks/providers.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import { formatCount } from '../format/numbers.ts';
import { joined, plural, visibleText } from '../format/text.ts';
import { KIND_WORDS } from './lock-words.ts';

const ROLE_WORDS: Readonly<Record<LockRole, string>> = {
  request: 'A thread asks for the lock',
  'timed request': 'A thread asks for it, with a time limit',
  acquire: 'It got the lock',
  try: 'It tried, without waiting',
  release: 'It releases the lock',
  'wait begin': 'A thread begins to wait',
  'wait end': 'Its wait ends',
  signal: 'One waiting thread is woken',
  broadcast: 'All waiting threads are woken',
  'barrier begin': 'A thread arrives',
  'barrier end': 'It goes on',
  post: 'The semaphore is given',
  destroy: 'The lock ceases to exist',
};

export const KIND_OPTIONS = (Object.keys(ROLES_OF_KINDS) as ProgramLockKind[]).map((id) => {
  return { id, title: KIND_WORDS[id] };
});

export function roleOptions(kind: ProgramLockKind) {
  return ROLES_OF_KINDS[kind].map((id) => ({ id, title: ROLE_WORDS[id] }));
}

/** Whether the mode of a row has a meaning. */
export function hasMode({ kind, role }: Pick<LockProvider, 'kind' | 'role'>): boolean {
  return kind === 'rwlock' && (role === 'request' || role === 'timed request' || role === 'try');
}

/** "It got the lock: mutex by addr, result in ret". */
export function providerText(provider: LockProvider): string {
  const { role, kind, lock, status, mutex, mode, isShared } = provider;
  return joined([
    `${ROLE_WORDS[role]}: ${KIND_WORDS[kind]} by ${visibleText(lock)}`,
    status === '' ? '' : `result in ${visibleText(status)}`,
    mutex === '' ? '' : `mutex in ${visibleText(mutex)}`,
    hasMode(provider) && mode === 'shared' ? 'shared' : '',
    isShared ? 'one for all processes' : '',
  ]);
}

/** An event that a trace declares, and how often it was recorded. */
export interface CountedEvent extends EventShape {
  readonly count: number;
}

/** Recorded events that a row matches, the most frequent first. */
export function matchedEvents(pattern: string, events: readonly CountedEvent[]): readonly CountedEvent[] {
  const matches = matcherOf(pattern);
  return events
    .filter(({ name, count }) => count > 0 && matches(name))
    .sort((a, b) => b.count - a.count || compare(a.name, b.name));
}

/** "3 events of this trace, recorded 1 234 times". */
export function matchText(matched: readonly CountedEvent[]): string {
  if (matched.length === 0) return 'nothing in this trace';
  const times = matched.reduce((sum, { count }) => sum + count, 0);
  return `${plural(matched.length, 'event')}, recorded ${formatCount(times)} ${times === 1 ? 'time' : 'times'}`;
}

/** Fields that all given events have. */
export function commonFields(events: readonly EventShape[]): readonly string[] {
  const [first, ...others] = events;
  return (first?.fields ?? []).filter((field) => others.every(({ fields }) => fields.includes(field)));
}

/** Reason why a row is of no use; undefined: it is valid. */
export function mistakeOf(
  { event, lock, kind, mutex }: LockProvider,
  matched: readonly CountedEvent[],
): string | undefined {
  if (event === '') return 'Name the event.';
  if (matched.length === 0) return `No event that was recorded is called ${event}.`;
  if (lock === '') return 'Choose the field that tells the lock.';
  const without = matched.find(({ fields }) => !fields.includes(lock));
  if (without) return `${without.name} has no field ${lock}.`;
  if (kind === 'cond' && mutex === lock) return 'The mutex is another field than the condition.';
  return undefined;
}
