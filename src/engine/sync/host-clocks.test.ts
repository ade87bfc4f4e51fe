import { describe, expect, it } from 'vitest';
import { shiftedBy } from './clock-transform.ts';
import { areSynchronised, experimentClock, type OwnClock } from './host-clocks.ts';
import type { PairSync } from './pair-sync.ts';

function own(name: string, baseNs = 0n): OwnClock {
  return { name, baseNs, offsetNs: 0n, firstEvent: 0 };
}

/** Host b is `ahead` ns ahead of host a. */
function pair(a: number, b: number, ahead: number): PairSync {
  return {
    a,
    b,
    state: 'accurate',
    lines: shiftedBy(ahead),
    matched: 9,
    ambiguous: 0,
    weak: 0,
    oneWay: 0,
    uncertaintyNs: 10,
    driftUncertainty: 0,
    from: 0,
    to: 100,
  };
}

describe('an offset that is given', () => {
  const hosts = [own('guest', 5_000n), own('host', 2_000n)];
  const settings = { offsets: new Map([[0, -2_900n]]) };

  it('is to the clock of another host, whichever comes first by name', () => {
    const clock = experimentClock(hosts, [], settings);
    expect(clock.reference).toBe(1);
    expect(clock.hosts.map(({ source }) => source)).toEqual(['offset', 'reference']);
    const [guest, host] = clock.hosts.map(({ transform }) => transform.toExperiment(0));
    expect(guest - host).toBe(100);
  });

  it('counts instead of what packets tell', () => {
    const { hosts: clocks } = experimentClock(hosts, [pair(0, 1, 777)], settings);
    expect(clocks.map(({ source }) => source)).toEqual(['offset', 'reference']);
    expect(clocks[0].transform.toExperiment(0) - clocks[1].transform.toExperiment(0)).toBe(100);
  });
});

it('hosts are synchronised where packets or offsets lead from one to the other', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e'].map((name) => own(name));
  const pairs = [pair(0, 1, 10), pair(3, 4, 20)];
  const clock = experimentClock(hosts, pairs);
  const joined = (of: typeof clock) =>
    hosts.map((_, a) => hosts.map((__, b) => (areSynchronised(of, a, b) ? 1 : 0)).join('')).join(' ');
  expect(joined(clock)).toBe('11000 11000 00100 00011 00011');
  expect(joined(experimentClock(hosts, pairs, { offsets: new Map([[3, 0n]]) }))).toBe(
    '11011 11011 00100 11011 11011',
  );
});
