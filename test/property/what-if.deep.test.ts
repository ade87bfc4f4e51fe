/**
 * Savings that a replay tells beside those of the same program with the change really made (`support/simulator/play.ts`):
 * the disk twice as fast, sleeps half as long, no locks.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Closure, readClosure } from '../../src/engine/graph/closure.ts';
import { BLOCKED } from '../../src/engine/graph/path-codes.ts';
import { type PieceDetails, pieceDetails } from '../../src/engine/graph/piece-details.ts';
import { type Change, Replayer } from '../../src/engine/graph/replay.ts';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';
import { runPlay, type PlayedRun } from './played-run.ts';
import { localPlay } from './random-plays.ts';

const KINDS = ['disk', 'timer', 'lock'] as const;
type Kind = (typeof KINDS)[number];

/** The step with the change made. */
function changed(step: Step, kind: Kind): Step {
  const all = (steps: readonly Step[]): Step[] => steps.map((each) => changed(each, kind));
  switch (step.does) {
    case 'read':
    case 'sync':
      return kind === 'disk' ? { ...step, ns: Math.round(step.ns / 2) } : step;
    case 'sleep':
      return kind === 'timer' ? { ...step, ns: Math.round(step.ns / 2) } : step;
    case 'lock':
      return kind === 'lock' ? { does: 'compute', ns: step.ns } : step;
    case 'spawn':
      return { ...step, teams: step.teams.map(all) };
    case 'ask':
      return { ...step, server: all(step.server) };
    default:
      return step;
  }
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
function changeOf(
  kind: Kind,
  { graph }: PlayedRun,
  { pieces, workers }: Closure,
  details: PieceDetails,
): Change {
  const removed = new Float64Array(pieces.length);
  const isOwn = new Uint8Array(pieces.length);
  for (let row = 0; row < pieces.length; row++) {
    const length = pieces.end[row] - pieces.begin[row];
    if (kind === 'disk') removed[row] = details.atDisk[row] / 2;
    else if (pieces.label[row] !== BLOCKED) continue;
    else if (kind === 'timer' ? details.timers[row] > 0 : isFutexWait(row)) {
      removed[row] = kind === 'timer' ? length / 2 : length;
      isOwn[row] = 1;
    }
  }
  return { removed, isOwn, removedMeanwhile: new Float64Array(pieces.length) };

  function isFutexWait(row: number): boolean {
    return graph.graph.waitingCall(workers.worker[pieces.owner[row]], pieces.begin[row]) === FUTEX;
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
}

async function outcomeOf(story: Play, kind: Kind): Promise<Outcome> {
  const run = await runPlay(story);
  const life = await lengthOf(run);
  const other = await lengthOf(
    await runPlay({ ...story, steps: story.steps.map((step) => changed(step, kind)) }),
  );
  const closure = await readClosure(run.graph.graph, life);
  const details = closure && (await pieceDetails(run.graph.graph, closure));
  if (closure === undefined || details === undefined) throw new Error('nobody else asked');
  const replayer = new Replayer(closure, details.timers);
  const change = changeOf(kind, run, closure, details);
  const last = closure.workers.first[1] - 1;
  const [careful, hopeful] = (['careful', 'hopeful'] as const).map(
    (mode) => replayer.replay(change, mode).end[last] - life.from,
  );
  return { before: life.to - life.from, after: other.to - other.from, careful, hopeful };
}

/** Share of the programs whose real time lies in the range: the rest queues otherwise for disks and locks than it did. */
const FEWEST: Readonly<Record<Kind, number>> = { disk: 0.8, timer: 0.9, lock: 0.9 };
const PLAYS = 40;
/** Steps so much longer than those that are drawn that what the scheduler does by chance is little. */
const TIMES = 20;
/** Share of a program's time by which its real time may lie beside the range, and ns for its scheduling. */
const MARGIN = { share: 0.02, ns: 5_000 };

/** Whether the replay can be asked: an alarm is no sleep, and a meeting at a futex no lock. */
function fits(steps: string, kind: Kind): boolean {
  return (
    !(kind === 'timer' && steps.includes('"alarm"')) && !(kind === 'lock' && steps.includes('"meets":true'))
  );
}

describe('savings', () => {
  it.each(KINDS)('of a changed %s are real where queues stay in their order', async (kind) => {
    const plays = fc.sample(localPlay, { numRuns: PLAYS, seed: 5 });
    const outcomes: Outcome[] = [];
    for (const play of plays) {
      // No thread waits for a CPU, which would come otherwise in another run.
      const hosts = play.hosts.map((host) => ({ ...host, cpus: 4, others: 0 }));
      const story = { ...play, hosts, steps: play.steps.map((step) => longer(step, TIMES)) };
      if (fits(JSON.stringify(story.steps), kind)) outcomes.push(await outcomeOf(story, kind));
    }
    const told = outcomes.filter(({ before, after, careful, hopeful }) => {
      const margin = MARGIN.share * before + MARGIN.ns;
      return after >= hopeful - margin && after <= careful + margin;
    });
    expect(outcomes.length).toBeGreaterThan(PLAYS / 2);
    expect(told.length / outcomes.length).toBeGreaterThanOrEqual(FEWEST[kind]);
  });
});
