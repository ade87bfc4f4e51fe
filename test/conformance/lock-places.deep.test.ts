/** Locks by place add up, to the ns, to the tables of locks, and the places are those that ABOUT.md tells of. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';

interface Place {
  readonly lock: string;
  readonly name: string;
  readonly place: string;
  readonly requests: number;
  readonly waits: number;
  readonly waitNs: number;
  readonly maxNs: number;
  readonly holds: number;
  readonly holdNs: number;
  readonly blameNs: number;
}

interface Sums {
  readonly totalNs: number;
  readonly maxNs: number;
  readonly count: number;
}

interface Locks {
  readonly locks: readonly {
    readonly lock: string;
    readonly requests: number;
    readonly contended: number;
    readonly wait: Sums;
    readonly hold: Sums;
  }[];
  readonly futexes: readonly {
    readonly process: number;
    readonly address: string;
    readonly waits: number;
    readonly blockedNs: number;
  }[];
  readonly kernelLocks: readonly {
    readonly address: string;
    readonly place: string;
    readonly waits: number;
    readonly wait: Sums;
  }[];
  readonly places: readonly Place[];
  readonly placeStacks: readonly (readonly [string, number])[];
}

type Key = 'requests' | 'waits' | 'waitNs' | 'holds' | 'holdNs' | 'blameNs';

async function checkedPlaces(trace: string): Promise<Locks> {
  const found = await inspectJson<Locks>('locks', trace, '--places', '--debug-dir', '');
  const { locks, futexes, kernelLocks, places } = found;
  const of = (id: string, key: Key) =>
    places.filter(({ lock }) => lock === `0:${id}`).reduce((sum, place) => sum + place[key], 0);
  const compare = (id: string, expected: Partial<Record<Key, number>>) => {
    const sums = Object.keys(expected).map((key) => [key, of(id, key as Key)]);
    expect([id, Object.fromEntries(sums)]).toEqual([id, expected]);
  };
  for (const { lock, requests, contended, wait, hold } of locks)
    compare(lock, {
      ...{ requests, waits: contended, waitNs: wait.totalNs, blameNs: wait.totalNs },
      ...{ holds: hold.count, holdNs: hold.totalNs },
    });
  for (const { process, address, waits, blockedNs } of futexes) {
    const id = `futex:${process}:${address}`;
    // Of a futex that is in a lock its lock tells.
    if (places.some(({ lock }) => lock === `0:${id}`))
      compare(id, { requests: waits, waitNs: blockedNs, blameNs: blockedNs });
  }
  for (const { address, waits, wait } of kernelLocks)
    compare(`kernel:${address}`, { requests: waits, waitNs: wait.totalNs, blameNs: wait.totalNs });
  const ofName = new Map<string, number>();
  for (const { name, waitNs } of places) addNumber(ofName, name, waitNs);
  for (const [name, ns] of ofName) {
    const stacks = found.placeStacks.filter(([stack]) => stack.startsWith(`waits for ${name};`));
    expect([name, stacks.reduce((sum, [, own]) => sum + own, 0)]).toEqual([name, ns]);
  }
  return found;
}

it('the cache lock of executions-lock is waited for in cache_lookup', async () => {
  const { places } = await checkedPlaces(join(projectDir(), 'public/examples/executions-lock'));
  const ofCache = places.filter(({ name }) => name === 'futex cache_lock of wk-server');
  const asked = ofCache.find(({ place }) => place === 'cache_lookup › futex');
  expect(asked?.requests).toBeGreaterThan(40);
  // The C library has no frame pointers: what calls it is missing, and the caller of that is told.
  expect(ofCache.find(({ place }) => place === 'handle_request › futex')?.blameNs).toBeGreaterThan(1e8);
});

describe.skipIf(sharedDir() === undefined)('locks of recorded traces by place', () => {
  const traceOf = (name: string) => sharedPath('traces', name);

  it('of the kernel: each phase asks in its own call', async () => {
    const { kernelLocks } = await checkedPlaces(traceOf('kernel-contention'));
    const placeOf = (digits: string) => kernelLocks.find(({ address }) => address.endsWith(digits))?.place;
    // Renames in one directory and across two, writes into one file, page faults beside mmap, a pipe.
    expect(['4c48', 'd400', '39a8', 'd5f0', '5540'].map(placeOf)).toEqual([
      'in rename',
      'in rename',
      'in pwrite64',
      'mostly outside of system calls',
      'mostly in write',
    ]);
  });

  it.each(['sampled-cxx', 'lockfight-mutex', 'spinlock-sem', 'filelock-pool'])('%s', async (name) => {
    const { places } = await checkedPlaces(traceOf(name));
    expect(places.length).toBeGreaterThan(0);
    // A lock of a program is asked for in a futex call or, of files, in one for these: nowhere else is it seen.
    const ofPrograms = places.filter(({ lock }) => /^0:(mutex|rwlock|spin)/.test(lock));
    for (const { place, blameNs } of ofPrograms)
      if (blameNs === 0) expect(place).toMatch(/not recorded|futex/);
  });
});
