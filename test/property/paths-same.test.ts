/**
 * What means nothing changes nothing of waits and paths: when a trace was recorded, how threads and CPUs are numbered, where
 * packets and stored segments end. A clock that runs too fast changes lengths by as much, and nothing else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RIGHT_CLOCK, shownAt, type HostClock } from '../support/simulator/clocks.ts';
import type { Disguise } from '../support/simulator/machine.ts';
import type { Play } from '../support/simulator/play.ts';
import { foundPath, foundWaits, lifeOf, runPlay, type RunForm } from './played-run.ts';
import { localPlay } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

/** Waits and the path of the program. */
async function linesOf(story: Play, form: RunForm = {}): Promise<string[]> {
  const run = await runPlay(story, form);
  const { thread } = run.played;
  const path = await foundPath(run, thread, ...lifeOf(run, thread));
  return [...(await foundWaits(run)), ...path];
}

function withHost(story: Play, more: Partial<Play['hosts'][number]>): Play {
  return { ...story, hosts: story.hosts.map((host) => ({ ...host, ...more })) };
}

/** Greater than any tid here. */
const PRIME = 32_749;

/** Threads 1 and 2 are what they are by their numbers. */
function disguiseOf(story: Play): Disguise {
  const { cpus } = story.hosts[0];
  return { tid: (tid) => (tid <= 2 ? tid : 3 + ((tid * 7919) % PRIME)), cpu: (cpu) => 2 * (cpus - cpu) };
}

function disguised(line: string, { tid, cpu }: Disguise): string {
  return line
    .replace(/^\d+/, (text) => `${tid(Number(text))}`)
    .replace(/(?<=\bdirect\()\d+/, (text) => `${tid(Number(text))}`)
    .replace(/(?<=\bcpu)\d+/, (text) => `${cpu(Number(text))}`);
}

async function expectSame(story: Play, offset: number, perPacket: number): Promise<void> {
  const lines = await linesOf(story);
  expect(await linesOf(withHost(story, { clock: { ...RIGHT_CLOCK, offset } }))).toEqual(lines);
  expect(await linesOf(story, { perPacket, segmentIntervals: 40 })).toEqual(lines);
  const disguise = disguiseOf(story);
  const others = await linesOf(withHost(story, { disguise }));
  expect([...others].sort()).toEqual(lines.map((line) => disguised(line, disguise)).sort());
}

async function expectSameButLength(story: Play, clock: HostClock): Promise<void> {
  const before = await runPlay(story);
  const after = await runPlay(withHost(story, { clock }), { ownTime: true });
  const { thread } = after.played;
  const [from, to] = lifeOf(before, before.played.thread);
  const shown = (time: number): number => shownAt(clock, time) - shownAt(clock, 0);
  const expected = (await foundPath(before, before.played.thread, from, to)).map(partsOf);
  const found = (await foundPath(after, thread, shown(from), shown(to))).map(partsOf);
  expect(found.map(({ what }) => what)).toEqual(expected.map(({ what }) => what));
  found.forEach(({ ns }, i) => {
    expect(Math.abs(ns - expected[i].ns)).toBeLessThanOrEqual(Math.abs(clock.drift) * expected[i].ns + 2);
  });
}

function partsOf(line: string): { readonly what: string; readonly ns: number } {
  const [worker, from, to, ...rest] = line.split(' ');
  return { what: [worker, ...rest].join(' '), ns: Number(to) - Number(from) };
}

describe('waits and paths', () => {
  it('are the same for any begin, numbers, packets and segments', async () => {
    const offset = fc.integer({ min: -5_000_000_000, max: 5_000_000_000 });
    const perPacket = fc.integer({ min: 1, max: 20 });
    await forAll(20, [localPlay, offset, perPacket], expectSame);
  });

  it('have the same workers and states when a clock is fast or slow', async () => {
    const clock = fc
      .integer({ min: -5000, max: 5000 })
      .map((ppm): HostClock => ({ ...RIGHT_CLOCK, drift: ppm / 1e6 }));
    await forAll(30, [localPlay, clock], expectSameButLength);
  });
});
