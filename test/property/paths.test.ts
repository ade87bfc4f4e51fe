/** Laws of active paths over simulated kernels: they tile their range, tell what histories tell, and nothing else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITERIA, type Criterion, type Path } from '../../src/engine/graph/path.ts';
import { type Edge, NOBODY } from '../../src/engine/graph/execution-graph.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { LockGraph } from '../../src/engine/graph/lock-graph.ts';
import { FAILED, HANDED_OVER, UNENDED } from '../../src/engine/graph/lock-waits.ts';
import { BLOCKED, PREEMPTED, RUNNING, UNKNOWN } from '../../src/engine/graph/path-codes.ts';
import { meantThreadValue } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { blockedValue, CAUSE_LOCK, causeOf, stateOf } from '../../src/engine/linux/events/values.ts';
import { graphOfHosts, runGraph, segmentLines, type GraphRun, type RunHost } from '../support/graph-run.ts';
import { toldLockWaits, type ToldLockWait } from '../support/told-lock-waits.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

/** Labels of states 0 to 11. */
const LABEL_OF_STATE = [
  UNKNOWN,
  RUNNING,
  RUNNING,
  RUNNING,
  PREEMPTED,
  PREEMPTED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  PREEMPTED,
];

/** A wait of a thread for a lock, handed over by another or not. */
interface LockWait {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly outcome: number;
  readonly by: string;
  /** Who held the lock up to a share of the wait, and when it had asked for it. */
  readonly pieces: readonly {
    readonly share: number;
    readonly holder: string;
    readonly isHeld: boolean;
    readonly askedAt: number;
  }[];
}

interface Question {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly criterion: Criterion;
  readonly marked: readonly string[];
  readonly foldLoops: boolean;
  /** For `lock holder`. */
  readonly locks: readonly LockWait[];
}

async function ask(run: GraphRun, question: Question, shift = 0): Promise<Path> {
  const { key, from, to, criterion, marked, foldLoops } = question;
  const graph = criterion === 'lock holder' ? lockGraph(run, question.locks, shift) : run.graph;
  const path = await findPath(graph, {
    worker: run.workerOf(key),
    from: from + shift,
    to: to + shift,
    criterion,
    marked: new Set(marked.map(run.workerOf)),
    foldLoops,
  });
  if (path === undefined) throw new Error('nobody else asked');
  return path;
}

/** Cause of the waits for locks of a question. */
const LOCK = blockedValue(0, CAUSE_LOCK, 0);

function lockGraph({ graph, workerOf }: GraphRun, locks: readonly LockWait[], shift: number): LockGraph {
  const waits = locks.flatMap(({ key, from, to, outcome, pieces, ...described }): ToldLockWait[] => {
    const worker = workerOf(key);
    const [begin, end] = [
      Math.max(from + shift, graph.firstOf(worker)),
      Math.min(to + shift, graph.endOf(worker)),
    ];
    if (!(begin < end)) return [];
    const ofWait = pieces.map((piece, i) => ({
      ...piece,
      holder: piece.isHeld ? workerOf(piece.holder) : NOBODY,
      to: i === pieces.length - 1 ? end : begin + Math.floor(piece.share * (end - begin)),
      asked: begin + Math.floor(piece.askedAt * (end - begin)),
    }));
    return [
      { worker, begin, end, until: end, outcome, by: workerOf(described.by), cause: LOCK, pieces: ofWait },
    ];
  });
  const maybe = locks.map(({ key, from, to }) => ({
    worker: workerOf(key),
    begin: from + shift,
    end: to + shift,
  }));
  return new LockGraph(graph, toldLockWaits(waits, maybe));
}

function questionOf(run: GraphRun, random: Random): Question {
  const { threads, end, cpus } = run.hosts[0].tables;
  const keyAt = (row: number): string => run.names.worker(run.graph.workerOfThread(0, row));
  const length = end - Math.min(...cpus.map(({ first }) => first));
  const [a, b] = [random.between(-1000, length + 1000), random.between(-1000, length + 1000)];
  return {
    key: keyAt(random.between(0, threads.length - 1)),
    from: Math.min(a, b),
    to: Math.max(a, b),
    criterion: random.pick(CRITERIA),
    marked: [keyAt(random.between(0, threads.length - 1)), keyAt(random.between(0, threads.length - 1))],
    foldLoops: random.chance(0.3),
    locks: Array.from({ length: random.between(0, 40) }, () => {
      const [c, d] = [random.between(0, length), random.between(0, length)];
      return {
        key: keyAt(random.between(0, threads.length - 1)),
        from: Math.min(c, d),
        // Long ones as well as short ones, which overlap more or less.
        to: random.chance(0.5) ? Math.max(c, d) : Math.min(c, d) + random.between(1, 1 + length / 50),
        outcome: random.pick([HANDED_OVER, HANDED_OVER, UNENDED, FAILED]),
        by: keyAt(random.between(0, threads.length - 1)),
        pieces: Array.from({ length: random.between(1, 4) }, (_, i) => ({
          share: (i + random.between(0, 9) / 10) / 4,
          holder: keyAt(random.between(0, threads.length - 1)),
          isHeld: random.chance(0.7),
          askedAt: random.between(-5, 12) / 10,
        })),
      };
    }),
  };
}

function expectTiling({ segments: s, from, to }: Path): void {
  let at = from;
  for (let i = 0; i < s.length; i++) {
    expect(s.from[i]).toBe(at);
    expect(s.to[i]).toBeGreaterThan(at);
    at = s.to[i];
  }
  expect(at).toBe(to);
}

/** Each segment of a thread but waits for locks lies within intervals of its state history that have its label. */
async function expectStates({ graph, hosts }: GraphRun, { segments: s }: Path): Promise<void> {
  for (let i = 0; i < s.length; i++) {
    const { host, thread } = graph.place(s.worker[i]);
    if (thread < 0 || s.label[i] >= UNKNOWN || causeOf(s.cause[i]) === CAUSE_LOCK) continue;
    const { query, tables, toGraph } = hosts[host];
    const zero = toGraph(0);
    const from = s.from[i] - zero;
    const to = s.to[i] - zero;
    const attribute = tables.threads.stateAttribute[thread];
    let at = from;
    for (const interval of await query.intervals(attribute, from, to)) {
      expect(interval.from).toBeLessThanOrEqual(at);
      expect(LABEL_OF_STATE[stateOf(meantThreadValue(tables, thread, interval.value))]).toBe(s.label[i]);
      at = interval.to;
    }
    expect(at).toBeGreaterThanOrEqual(to);
  }
}

/** The same hosts with other times and numbers of workers: strangers are put before them. */
async function moved(run: GraphRun, strangers: RunHost, shift: number): Promise<GraphRun> {
  const hosts = run.hosts.map((host) => ({ ...host, toGraph: (time: number) => host.toGraph(time) + shift }));
  return graphOfHosts([{ ...strangers, prefix: 'stranger:' }, ...hosts]);
}

async function expectLaws(seed: number, segmentIntervals: number): Promise<void> {
  const random = randomOf(seed);
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return;
  const run = await runGraph([{ files: simulation.files }], segmentIntervals);
  const whole = await runGraph([{ files: simulation.files }]);
  const shift = random.between(-1_000_000, 1_000_000_000);
  const other = await moved(whole, whole.hosts[0], shift);
  for (let questions = 0; questions < 8; questions++) {
    const question = questionOf(run, random);
    const path = await ask(run, question);
    expectTiling(path);
    await expectStates(run, path);
    const lines = segmentLines(path, run.names);
    expect(segmentLines(await ask(whole, question), whole.names)).toEqual(lines);
    const shifted = segmentLines(await ask(other, question, shift), other.names).map((line) => {
      const [worker, from, to, ...rest] = line.split(' ');
      return [worker, Number(from) - shift, Number(to) - shift, ...rest].join(' ');
    });
    expect(shifted).toEqual(lines);
  }
}

/** Every wait is one for a lock. */
class OnlyLocks extends LockGraph {
  constructor(run: GraphRun) {
    super(run.graph, toldLockWaits([]));
  }

  override find(worker: number, time: number, edge: Edge): number {
    const found = super.find(worker, time, edge);
    edge.isBounded = edge.label === BLOCKED;
    return found;
  }
}

/** `lock holder` between `exact` and `main task`; @returns whether the latter could be compared */
async function expectBetween(seed: number): Promise<boolean> {
  const random = randomOf(seed);
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return false;
  const run = await runGraph([{ files: simulation.files }], 400);
  const question = { ...questionOf(run, random), locks: [], marked: [] };
  const linesOf = async (criterion: Criterion) =>
    segmentLines(await ask(run, { ...question, criterion }), run.names);
  expect(await linesOf('lock holder')).toEqual(await linesOf('exact'));
  const worker = run.workerOf(question.key);
  const request = { ...question, ...(await run.graph.lifeOf(worker)), worker, marked: new Set<number>() };
  const main = await findPath(run.graph, { ...request, criterion: 'main task' });
  const bounded = await findPath(new OnlyLocks(run), { ...request, criterion: 'lock holder' });
  if (main === undefined || bounded === undefined) throw new Error('nobody else asked');
  // Of its own time a thread is asked for, neither what is not known of it nor packets that it got lead away by main task.
  const { label, wait } = bounded.segments;
  if (label.some((each, i) => each >= UNKNOWN && wait[i] < 0)) return false;
  expect(segmentLines(bounded, run.names)).toEqual(segmentLines(main, run.names));
  return main.waits.length > 0;
}

describe('paths over simulated kernels', () => {
  it('by lock holder are exact without lock waits, and main task where all waits are for locks', async () => {
    let compared = 0;
    const once = async (seed: number) => {
      if (await expectBetween(seed)) compared++;
    };
    await forAll(20, [fc.nat()], once);
    if (DEEP) expect(compared).toBeGreaterThan(0);
  });

  it('tile their range with states of the histories, whatever the segments, workers and times', async () => {
    const sizes = fc.constantFrom(50, 400, 5000);
    await forAll(25, [fc.nat(), sizes], expectLaws);
  });
});
