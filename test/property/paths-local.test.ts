/** Synchronous programs on one machine: why each thread waited, and the active path, are what the simulation knows. */
import { expect, it } from 'vitest';
import type { Thread } from '../support/simulator/machine.ts';
import { INIT_TID, type Play } from '../support/simulator/play.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { foundPath, foundWaits, runPlay, truePath, trueWaits, lifeOf, type PlayedRun } from './played-run.ts';
import { localPlay } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

/** Paths of other threads and ranges that are looked at in each play. */
const MORE_PATHS = 8;

async function expectTruth(story: Play): Promise<void> {
  const run = await runPlay(story);
  const { thread } = run.played;
  expect(withoutSoftirqThreads(await foundWaits(run), run)).toEqual(
    withoutSoftirqThreads(trueWaits(run), run),
  );
  const [from, to] = lifeOf(run, thread);
  expect(await foundPath(run, thread, from, to)).toEqual(truePath(run, thread, from, to));
  const random = randomOf(story.seed);
  for (let n = 0; n < MORE_PATHS; n++) {
    const other = random.pick(membersOf(run));
    const range = rangeIn(lifeOf(run, other), random);
    expect(await foundPath(run, other, ...range)).toEqual(truePath(run, other, ...range));
  }
}

/** Threads of the program: what init created, and so on. */
function membersOf({ played }: PlayedRun): Thread[] {
  const isMember = ({ parent }: Thread): boolean =>
    parent !== undefined && (parent.tid === INIT_TID || isMember(parent));
  return played.hosts[0].machine.threads.filter(isMember);
}

function rangeIn([from, to]: readonly [number, number], random: Random): [number, number] {
  const a = random.between(from, to);
  const b = random.between(from, to);
  return [Math.min(a, b), Math.max(a, b)];
}

/** `ksoftirqd` is woken behind the end of the interrupt that needs it, so the trace names who was interrupted. */
function withoutSoftirqThreads(lines: readonly string[], { played, keyOf }: PlayedRun): string[] {
  const keys = played.hosts.flatMap(({ machine }) =>
    machine.cpus.flatMap(({ ksoftirqd: t }) => (t ? [keyOf(t)] : [])),
  );
  return lines.filter((line) => !keys.includes(line.split(' ')[0]));
}

it('synchronous programs wait for their true reasons and have their true paths', () =>
  forAll(80, [localPlay], expectTruth));
