/**
 * Savings that a replay tells beside those of the same program with the change really made (`support/simulator/play.ts`):
 * the disk twice as fast, sleeps half as long, no locks, work half as long, a CPU for each thread.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { type Closure, firstPieceEndingAfter, readClosure } from '../../src/engine/graph/closure.ts';
import { BLOCKED, PREEMPTED, RUNNING } from '../../src/engine/graph/path-codes.ts';
import { type PieceDetails, pieceDetails } from '../../src/engine/graph/piece-details.ts';
import { type Change, Replayer } from '../../src/engine/graph/replay.ts';
import { STATE_USER, stateOf } from '../../src/engine/linux/events/values.ts';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';
import { DEEP } from '../support/tier.ts';
import { runPlay, type PlayedRun } from './played-run.ts';
import { localPlay } from './random-plays.ts';

const KINDS = ['disk', 'timer', 'lock', 'work', 'cpu'] as const;
type Kind = (typeof KINDS)[number];

/** CPUs of a machine on which no thread of the program has to wait for one. */
const ENOUGH_CPUS = 12;

/** The play with the change made. */
function changedPlay(story: Play, kind: Kind): Play {
  if (kind === 'cpu') return withCpus(story, ENOUGH_CPUS);
  return { ...story, steps: story.steps.map((step) => changed(step, kind)) };
}

function changed(step: Step, kind: Kind): Step {
  const all = (steps: readonly Step[]): Step[] => steps.map((each) => changed(each, kind));
  const half = (ns: number): number => Math.round(ns / 2);
  switch (step.does) {
    case 'read':
    case 'sync':
      return kind === 'disk' ? { ...step, ns: half(step.ns) } : step;
    case 'sleep':
      return kind === 'timer' ? { ...step, ns: half(step.ns) } : step;
    case 'compute':
      return kind === 'work' ? { ...step, ns: half(step.ns) } : step;
    case 'lock':
      if (kind === 'work') return { ...step, ns: half(step.ns) };
      return kind === 'lock' ? { does: 'compute', ns: step.ns } : step;
    case 'spawn':
      return { ...step, teams: step.teams.map(all) };
    case 'ask':
      return { ...step, server: all(step.server) };
    default:
      return step;
  }
}

function withCpus(story: Play, cpus: number): Play {
  return { ...story, hosts: story.hosts.map((host) => ({ ...host, cpus, others: 0, spreads: true })) };
}

/** The step takes so many times as long. */
function longer(step: Step, times: number): Step {
  const all = (steps: readonly Step[]): Step[] => steps.map((each) => longer(each, times));
  switch (step.does) {
    case 'spawn':
      return { ...step, teams: step.teams.map(all) };
    case 'ask':
      return { ...step, server: all(step.server) };
    default:
      return 'ns' in step ? { ...step, ns: step.ns * times } : step;
  }
}

/** The same change of the recorded run. */
async function changeOf(
  kind: Kind,
  run: PlayedRun,
  closure: Closure,
  details: PieceDetails,
): Promise<Change> {
  const { graph } = run.graph;
  const { pieces, workers } = closure;
  const { begin, end, label, owner } = pieces;
  const removed = new Float64Array(pieces.length);
  const isOwn = new Uint8Array(pieces.length);
  const ofRequests = kind === 'disk' ? new Float64Array(details.disks.length).fill(1 / 2) : undefined;
  const isFutexWait = (row: number): boolean =>
    graph.waitingCall(workers.worker[owner[row]], begin[row]) === FUTEX;
  for (let row = 0; row < pieces.length; row++) {
    const length = end[row] - begin[row];
    if (kind === 'cpu' && label[row] === PREEMPTED) removed[row] = length;
    else if (kind === 'timer' && details.timers[row] > 0) removed[row] = length / 2;
    else if (kind === 'lock' && label[row] === BLOCKED && isFutexWait(row)) removed[row] = length;
    if (kind === 'timer' || kind === 'lock') isOwn[row] = removed[row] > 0 ? 1 : 0;
  }
  if (kind === 'work') for (let number = 0; number < workers.length; number++) await removeHalf(number);
  return { removed, isOwn, removedMeanwhile: new Float64Array(pieces.length), ofRequests };

  /** Half of the time in user mode: system calls take as long as they did. */
  async function removeHalf(number: number): Promise<void> {
    const { host, thread } = graph.place(workers.worker[number]);
    if (thread < 0) return;
    const { query, tables } = run.graph.hosts[host];
    const last = workers.first[number + 1];
    for (const { from, to, value } of await query.intervals(
      tables.threads.stateAttribute[thread],
      0,
      Infinity,
    )) {
      if (stateOf(value) !== STATE_USER) continue;
      for (let row = firstPieceEndingAfter(closure, number, from); row < last && begin[row] < to; row++)
        if (label[row] === RUNNING) removed[row] += (Math.min(to, end[row]) - Math.max(from, begin[row])) / 2;
    }
  }
}

/** Number of the family of futex calls (`folding.ts`). */
const FUTEX = 4;

/** Time of the program's main thread, ns. */
async function lengthOf(
  run: PlayedRun,
): Promise<{ readonly from: number; readonly to: number; readonly worker: number }> {
  const worker = run.graph.workerOf(run.keyOf(run.played.thread));
  return { worker, ...(await run.graph.graph.lifeOf(worker)) };
}

/** Time of the program before and after the change, and what the replay tells of it, ns. */
interface Outcome {
  readonly before: number;
  readonly after: number;
  readonly careful: number;
  readonly hopeful: number;
  /** Whether each lock had the same holders in the same order, which is what the replay keeps. */
  readonly isSameOrder: boolean;
}

const holdersOf = ({ played }: PlayedRun): string =>
  JSON.stringify(played.hosts.map(({ locks }) => locks.map(({ holders }) => holders)));

async function outcomeOf(story: Play, kind: Kind): Promise<Outcome> {
  const run = await runPlay(story);
  const life = await lengthOf(run);
  const otherRun = await runPlay(changedPlay(story, kind));
  const other = await lengthOf(otherRun);
  const closure = await readClosure(run.graph.graph, life);
  const details = closure && (await pieceDetails(run.graph.graph, closure));
  if (closure === undefined || details === undefined) throw new Error('nobody else asked');
  const replayer = new Replayer(closure, details.timers, details.disks);
  const change = await changeOf(kind, run, closure, details);
  const last = closure.workers.first[1] - 1;
  const [careful, hopeful] = (['careful', 'hopeful'] as const).map(
    (mode) => replayer.replay(change, mode).end[last] - life.from,
  );
  const isSameOrder = kind === 'lock' || holdersOf(run) === holdersOf(otherRun);
  return { before: life.to - life.from, after: other.to - other.from, careful, hopeful, isSameOrder };
}

/** Changed runs of each kind. */
const RUNS = DEEP ? 200 : 5;
/** Programs that are shorter tell of the machine rather than of their steps. */
const SHORTEST_NS = 1_000_000;
/** Steps so much longer than those that are drawn that what the scheduler does by chance is little. */
const TIMES = 20;
/** Share of a program's time by which its real time may lie beside the range. */
const MARGIN = 0.02;

/** Whether the replay can be asked: an alarm is no sleep, and a meeting at a futex no lock. */
function fits(steps: string, kind: Kind): boolean {
  return (
    !(kind === 'timer' && steps.includes('"alarm"')) && !(kind === 'lock' && steps.includes('"meets":true'))
  );
}

function isTold({ before, after, careful, hopeful }: Outcome): boolean {
  return after >= hopeful - MARGIN * before && after <= careful + MARGIN * before;
}

/** Reason why the replay does not tell what really happens, as far as the programs show one. */
function reasonOf({ isSameOrder }: Outcome, steps: string): string {
  if (!isSameOrder) return 'locks were got in another order';
  if (steps.includes('"alarm"')) return 'a timer woke a thread amid another wait';
  return steps.includes('"read"') || steps.includes('"sync"') ? 'requests queued otherwise' : 'other';
}

/** Least share of the real times of a kind that lie in the range. */
const FEWEST: Readonly<Record<Kind, number>> = { disk: 0.93, timer: 0.97, lock: 0.97, work: 0.9, cpu: 0.9 };
/** The same of all. */
const FEWEST_OF_ALL = 0.95;

describe('savings', () => {
  const hits: boolean[] = [];

  it.each(KINDS)(
    'of a changed %s are real',
    async (kind) => {
      const outcomes: Outcome[] = [];
      const misses = new Map<string, number>();
      for (const play of fc.sample(localPlay, { numRuns: 4 * RUNS, seed: 5 })) {
        if (outcomes.length === RUNS) break;
        const long = { ...play, steps: play.steps.map((step) => longer(step, TIMES)) };
        const steps = JSON.stringify(long.steps);
        if (!fits(steps, kind)) continue;
        const cpus = kind === 'cpu' ? play.hosts[0].cpus : ENOUGH_CPUS;
        const outcome = await outcomeOf(withCpus(long, cpus), kind);
        if (outcome.before < SHORTEST_NS) continue;
        outcomes.push(outcome);
        if (isTold(outcome)) continue;
        const reason = reasonOf(outcome, steps);
        addNumber(misses, reason, 1);
      }
      expect(outcomes.length).toBe(RUNS);
      hits.push(...outcomes.map(isTold));
      const share = outcomes.filter(isTold).length / RUNS;
      if (DEEP) console.info(kind, share, JSON.stringify([...misses]));
      expect(share, JSON.stringify([...misses])).toBeGreaterThanOrEqual(DEEP ? FEWEST[kind] : 0.6);
    },
    1_200_000,
  );

  it('of all of them are', () => {
    expect(hits.filter(Boolean).length / hits.length).toBeGreaterThanOrEqual(DEEP ? FEWEST_OF_ALL : 0.9);
  });
});
