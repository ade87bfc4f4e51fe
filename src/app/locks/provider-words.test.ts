import { expect, it } from 'vitest';
import type { LockProvider } from '../../engine/layers/locks/providers.ts';
import { readProviders, writeProviders } from './provider-link.ts';
import {
  commonFields,
  type CountedEvent,
  matchedEvents,
  matchText,
  mistakeOf,
  providerText,
} from './provider-words.ts';

const event = (name: string, count: number, ...fields: string[]): CountedEvent => {
  return { name, count, fields, domain: 'ust' };
};
const EVENTS = [event('db:in', 3, 'id', 'ret'), event('db:out', 5, 'id'), event('db:never', 0, 'id')];
const OWN: LockProvider = {
  ...{ event: 'db:*', role: 'request', kind: 'rwlock', lock: 'id', status: '' },
  ...{ mutex: '', mode: 'shared', isShared: false },
};

it('a preview has the events that were recorded, most first, and fields of all of them', () => {
  const matched = matchedEvents('db:*', EVENTS);
  expect(matched.map(({ name }) => name)).toEqual(['db:out', 'db:in']);
  expect(matchText(matched)).toBe('2 events, recorded 8 times');
  expect(commonFields(matched)).toEqual(['id']);
  expect(matchText(matchedEvents('x', EVENTS))).toBe('nothing in this trace');
});

it('what tells no lock is not taken', () => {
  const why = (part: Partial<LockProvider>) => {
    const own = { ...OWN, ...part };
    return mistakeOf(own, matchedEvents(own.event, EVENTS));
  };
  expect(why({})).toBeUndefined();
  expect(why({ event: '' })).toBe('Name the event.');
  expect(why({ event: 'db:never' })).toBe('No event that was recorded is called db:never.');
  expect(why({ lock: '' })).toBe('Choose the field that tells the lock.');
  expect(why({ lock: 'ret' })).toBe('db:out has no field ret.');
});

it('is said in words', () => {
  expect(providerText(OWN)).toBe('A thread asks for the lock: read-write lock by id, shared');
  expect(providerText({ ...OWN, role: 'acquire', status: 'ret', isShared: true })).toBe(
    'It got the lock: read-write lock by id, result in ret, one for all processes',
  );
});

const LINKED: LockProvider = { ...OWN, event: 'db:*&lock=1', role: 'acquire', status: 'ret', isShared: true };

const read = (...texts: readonly string[]) =>
  readProviders(new URLSearchParams(texts.map((text) => ['lock-event', text])));

it('a link gives back what was written into it', () => {
  const parts = new URLSearchParams();
  writeProviders(parts, [LINKED, { ...LINKED, event: 'x', mode: 'exclusive' }]);
  const linked = new URLSearchParams(parts.toString());
  expect(readProviders(linked)).toEqual([LINKED, { ...LINKED, event: 'x', mode: 'exclusive' }]);
});

it('what makes no sense in a link is left out', () => {
  const wrong = [
    ...['', 'null', '1', '[]', '{', JSON.stringify({ ...LINKED, event: '' })],
    ...[
      { kind: 'file' },
      { kind: 'toString' },
      { role: 'post' },
      { lock: 7 },
      { event: 'x'.repeat(201) },
    ].map((part) => JSON.stringify({ ...LINKED, ...part })),
  ];
  expect(read(...wrong, JSON.stringify({ event: 'a', lock: 'b', kind: 'sem', role: 'post' }))).toEqual([
    {
      ...{ event: 'a', lock: 'b', kind: 'sem', role: 'post' },
      ...{ status: '', mutex: '', mode: 'exclusive', isShared: false },
    },
  ]);
  expect(read(...Array.from({ length: 100 }, () => JSON.stringify(LINKED)))).toHaveLength(64);
});
