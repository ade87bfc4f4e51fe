/** Laws of trees of executions over simulated kernels: they hold all time of their path, whatever the segments are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EcctReader } from '../../src/engine/layers/executions/ecct/ecct-reader.ts';
import { ROOT, UnionTree } from '../../src/engine/layers/executions/union-tree.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { NETWORK, PREEMPTED } from '../../src/engine/graph/path-codes.ts';
import type { Path } from '../../src/engine/graph/path.ts';
import type { StacksInForce } from '../../src/engine/layers/stacks/kernel-stacks.ts';
import { runGraph, type GraphRun } from '../support/graph-run.ts';
import type { Play } from '../support/simulator/play.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { lifeOf, runPlay } from './played-run.ts';
import { linearClock, networkPlay } from './random-plays.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';
import { sum } from '../support/sum.ts';

/** Each thread has another stack every so many ns. */
const STACKS: StacksInForce = {
  at: (thread, time) => Math.floor(time / periodOf(thread)) % 4,
  insideAt: () => 0,
  nextChange: (thread, time) => (Math.floor(time / periodOf(thread)) + 1) * periodOf(thread),
  textsOf: (stack) => ['main', `f${stack}`],
};

function periodOf(thread: number): number {
  return 10_000 + 7_777 * (thread % 5);
}

interface Question {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

function questionOf({ graph, names, hosts: [{ tables }] }: GraphRun, random: Random): Question {
  const length = tables.end - Math.min(...tables.cpus.map(({ first }) => first));
  const [a, b] = [random.between(0, length), random.between(0, length)];
  const worker = graph.workerOfThread(0, random.between(0, tables.threads.length - 1));
  return { key: names.worker(worker), from: Math.min(a, b), to: Math.max(a, b) };
}

async function pathOf({ graph, workerOf }: GraphRun, { key, from, to }: Question): Promise<Path> {
  const path = await findPath(graph, { worker: workerOf(key), from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('nobody else asked');
  return path;
}

/** ns by frames. */
type Times = ReadonlyMap<string, number>;

/** Answers one question after the other over one tree. */
function treesOf({ graph, hosts }: GraphRun): (path: Path) => Promise<Times> {
  const tree = new UnionTree();
  const named = hosts.map(({ prefix }) => ({ name: prefix, stacks: STACKS }));
  const reader = new EcctReader({ graph, hosts: named }, tree);
  const framesOf = (node: number): string =>
    node === ROOT ? '' : `${framesOf(tree.parent[node])};${tree.frames[tree.frame[node]]}`;
  return async (path) => {
    const { nodes, ns } = await reader.of(path);
    return new Map(Array.from(nodes, (node, i) => [framesOf(node), ns[i]]));
  };
}

/** ns of stacks with a frame. */
function timeIn(times: Times, frame: string): number {
  return sum([...times].map(([stack, ns]) => (`${stack};`.includes(`;${frame};`) ? ns : 0)));
}

function expectTimes(times: Times, { segments: s, from, to }: Path): void {
  expect(sum(times.values())).toBe(to - from);
  for (const ns of times.values()) expect(ns).toBeGreaterThan(0);
  const ofLabel = (wanted: number) =>
    sum(Array.from(s.label, (label, i) => (label === wanted ? s.to[i] - s.from[i] : 0)));
  expect(timeIn(times, 'preempted')).toBe(ofLabel(PREEMPTED));
  expect(timeIn(times, 'network')).toBeGreaterThanOrEqual(ofLabel(NETWORK));
}

async function expectLaws(seed: number, segmentIntervals: number): Promise<void> {
  const random = randomOf(seed);
  const { files, events } = simulate(settingsOf(seed));
  if (events === 0) return;
  const run = await runGraph([{ files }], segmentIntervals);
  const whole = await runGraph([{ files }]);
  const [tell, tellWhole] = [treesOf(run), treesOf(whole)];
  for (let questions = 0; questions < 8; questions++) {
    const question = questionOf(run, random);
    const path = await pathOf(run, question);
    const times = await tell(path);
    expectTimes(times, path);
    expect(await tellWhole(await pathOf(whole, question))).toEqual(times);
  }
}

describe('trees of executions over simulated kernels', () => {
  it('hold all time of their path, whatever the segments', async () => {
    const sizes = fc.constantFrom(50, 400, 5000);
    await forAll(25, [fc.nat(), sizes], expectLaws);
  });

  it('do so over several machines', async () => {
    let withNetwork = 0;
    const once = async (story: Play): Promise<void> => {
      const run = await runPlay(story);
      const { thread } = run.played;
      const [from, to] = lifeOf(run, thread);
      const path = await pathOf(run.graph, { key: run.keyOf(thread), from, to });
      const times = await treesOf(run.graph)(path);
      expectTimes(times, path);
      if (timeIn(times, 'network') > 0) withNetwork++;
    };
    await forAll(10, [networkPlay(linearClock)], once);
    if (DEEP) expect(withNetwork).toBeGreaterThan(0);
  });
});
