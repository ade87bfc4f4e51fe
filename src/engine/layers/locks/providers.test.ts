import { expect, it } from 'vitest';
import * as lockLog from './lock-log.ts';
import { lockEvents, type LockProvider } from './providers.ts';

const OWN: LockProvider = {
  event: 'db:*_begin',
  role: 'request',
  kind: 'rwlock',
  lock: 'id',
  status: '',
  mutex: '',
  mode: 'shared',
  isShared: true,
};

const opsOf = (own: readonly LockProvider[], ...events: string[]) =>
  lockEvents(own, events).map(({ event, op, kind, lock }) => [event, op, kind, lock]);

it('names events of any provider, and no others', () => {
  expect(
    opsOf([], 'a:pthread_mutex_unlock', 'pthread_mutex_unlock', 'b:sem_post', 'b:sem_post2', 'x'),
  ).toEqual([
    ['a:pthread_mutex_unlock', lockLog.RELEASE, 'mutex', 'mutex'],
    ['b:sem_post', lockLog.POST, 'sem', 'sem'],
  ]);
});

it('gives an event of two rows the meaning of the first, and one of the user that of his', () => {
  const first = { ...OWN, event: 'db:write_begin', role: 'try' } as const;
  expect(opsOf([first, OWN], 'db:write_begin', 'db:read_begin', 'db:begin')).toEqual([
    ['db:read_begin', lockLog.REQUEST, 'rwlock', 'id'],
    ['db:write_begin', lockLog.TRY, 'rwlock', 'id'],
  ]);
  expect(opsOf([{ ...OWN, event: '*' }], 'a:sem_post')).toEqual([
    ['a:sem_post', lockLog.REQUEST, 'rwlock', 'id'],
  ]);
});

it('needs what stands before and behind the star apart from each other', () => {
  expect(opsOf([{ ...OWN, event: 'aba*ba' }], 'ababa', 'ababa2', 'aba', 'aba-ba')).toEqual([
    ['aba-ba', lockLog.REQUEST, 'rwlock', 'id'],
    ['ababa', lockLog.REQUEST, 'rwlock', 'id'],
  ]);
});

it('names each event once, and no more than there may be', () => {
  const most = 256;
  const names = Array.from({ length: most + 5 }, (_, i) => `db:${i}_begin`);
  expect(lockEvents([OWN], [...names, ...names]).length).toBe(most);
});
