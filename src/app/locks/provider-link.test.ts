import { expect, it } from 'vitest';
import type { LockProvider } from '../../engine/layers/locks/providers.ts';
import { readProviders, writeProviders } from './provider-link.ts';

const OWN: LockProvider = {
  event: 'db:*&lock=1',
  role: 'acquire',
  kind: 'rwlock',
  lock: 'id',
  status: 'ret',
  mutex: '',
  mode: 'shared',
  isShared: true,
};

const read = (...texts: readonly string[]) =>
  readProviders(new URLSearchParams(texts.map((text) => ['lock-event', text])));

it('a link gives back what was written into it', () => {
  const parts = new URLSearchParams();
  writeProviders(parts, [OWN, { ...OWN, event: 'x', mode: 'exclusive' }]);
  const linked = new URLSearchParams(parts.toString());
  expect(readProviders(linked)).toEqual([OWN, { ...OWN, event: 'x', mode: 'exclusive' }]);
});

it('what makes no sense in a link is left out', () => {
  const wrong = [
    ...['', 'null', '1', '[]', '{', JSON.stringify({ ...OWN, event: '' })],
    ...[
      { kind: 'file' },
      { kind: 'toString' },
      { role: 'post' },
      { lock: 7 },
      { event: 'x'.repeat(201) },
    ].map((part) => JSON.stringify({ ...OWN, ...part })),
  ];
  expect(read(...wrong, JSON.stringify({ event: 'a', lock: 'b', kind: 'sem', role: 'post' }))).toEqual([
    {
      ...{ event: 'a', lock: 'b', kind: 'sem', role: 'post' },
      ...{ status: '', mutex: '', mode: 'exclusive', isShared: false },
    },
  ]);
  expect(read(...Array.from({ length: 100 }, () => JSON.stringify(OWN)))).toHaveLength(64);
});
