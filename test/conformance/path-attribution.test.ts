/** Who took the time of paths of recorded traces, against what their programs did (ABOUT.md of each). */
import { describe, expect, test } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import type { Blocker } from '../../src/engine/graph/part-columns.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { PREEMPTED, RUNNING } from '../../src/engine/graph/path-codes.ts';
import { segmentParts, type SegmentParts } from '../../src/engine/graph/segment-parts.ts';
import type { Path } from '../../src/engine/graph/path.ts';
import {
  CAUSE_DISK,
  causeOf,
  STATE_INTERRUPTED,
  STATE_KERNEL,
} from '../../src/engine/linux/events/values.ts';
import { runGraph, type GraphRun } from '../support/graph-run.ts';
import { sharedDir } from '../support/shared.ts';
import { statesFiles } from '../support/states-goldens.ts';
import { sum } from '../support/sum.ts';

/** So small that paths cross several. */
const SEGMENT_INTERVALS = 5_000;

interface Attributed {
  readonly run: GraphRun;
  readonly path: Path;
  readonly parts: SegmentParts;
}

async function attribute(run: GraphRun, worker: number): Promise<Attributed> {
  const { from, to } = await run.graph.lifeOf(worker);
  const path = await findPath(run.graph, { worker, from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('a path is expected');
  return { run, path, parts: await segmentParts(run.graph, path) };
}

function workerNamed({ graph, hosts: [{ tables }] }: GraphRun, name: string): number {
  return graph.workerOfThread(0, tables.threads.name.indexOf(name));
}

/** ns by what `told` says of a blocker, over the parts for which `wanted` holds. */
function timeBy(
  { path, parts: { parts, blockers } }: Attributed,
  wanted: (segment: number, part: number) => boolean,
  textOf: (blocker: Blocker | undefined) => string,
): Map<string, number> {
  const time = new Map<string, number>();
  for (let segment = 0; segment < path.segments.length; segment++) {
    for (let part = parts.start[segment]; part < parts.start[segment + 1]; part++) {
      if (!wanted(segment, part)) continue;
      const key = textOf(blockers[parts.blocker[part]]);
      addNumber(time, key, parts.ns[part]);
    }
  }
  return time;
}

describe.skipIf(sharedDir() === undefined)('who took the time of a path', () => {
  test.each([
    ['hog-a', 'hog-b'],
    ['hog-b', 'hog-a'],
  ])('cpu-contention: %s was preempted by %s', async (name, other) => {
    const run = await runGraph([{ files: statesFiles('cpu-contention') }], SEGMENT_INTERVALS);
    const worker = workerNamed(run, name);
    const found = await attribute(run, worker);
    const { threads } = run.hosts[0].tables;
    const { segments } = found.path;
    const time = timeBy(
      found,
      (segment) => segments.label[segment] === PREEMPTED && segments.worker[segment] === worker,
      (blocker) => (blocker?.kind === 'thread' ? threads.name[blocker.worker] : (blocker?.kind ?? '')),
    );
    expect((time.get(other) ?? 0) / sum(time.values())).toBeGreaterThan(0.85);
    expect(time.get('periodic')).toBeGreaterThan(0);
    expect(time.get(name)).toBeUndefined();
    expect((time.get('unknown') ?? 0) / sum(time.values())).toBeLessThan(0.001);
  });

  test('disk-io: each read waited for its own request', async () => {
    const run = await runGraph([{ files: statesFiles('disk-io') }], SEGMENT_INTERVALS);
    const worker = workerNamed(run, 'wk-reader');
    const found = await attribute(run, worker);
    const { label, cause } = found.path.segments;
    const time = timeBy(
      found,
      (segment) => label[segment] !== RUNNING && causeOf(cause[segment]) === CAUSE_DISK,
      (blocker) => (blocker?.kind === 'request' ? run.names.worker(blocker.worker) : 'unknown'),
    );
    expect([...time.keys()]).toEqual([run.names.worker(worker)]);
    // 60 reads, some of which the device answers before the thread leaves its CPU.
    expect(found.parts.served.size).toBeGreaterThan(50);
  });

  test('disk-io: every wait for a disk has its request, the journal’s flushes too', async () => {
    const run = await runGraph([{ files: statesFiles('disk-io') }], SEGMENT_INTERVALS);
    const found = await attribute(run, workerNamed(run, 'wk-writer'));
    const { segments } = found.path;
    const time = timeBy(
      found,
      (segment) => segments.label[segment] !== RUNNING && causeOf(segments.cause[segment]) === CAUSE_DISK,
      (blocker) => (blocker?.kind !== 'request' ? 'unknown' : blocker.isFlush ? 'flush' : 'request'),
    );
    expect([...time.keys()].sort()).toEqual(['flush', 'request']);
  });

  test('imbalance-4t: parts of all paths add up, and interrupts and calls have names', async () => {
    const run = await runGraph([{ files: statesFiles('imbalance-4t') }], SEGMENT_INTERVALS);
    for (const name of ['imb-10', 'imb-20', 'imb-40', 'imb-80']) {
      const found = await attribute(run, workerNamed(run, name));
      const { segments: s } = found.path;
      const { parts } = found.parts;
      for (let i = 0; i < s.length; i++)
        expect(sum(parts.ns.subarray(parts.start[i], parts.start[i + 1]))).toBe(s.to[i] - s.from[i]);
      const interrupts = timeBy(
        found,
        (_, part) => parts.value[part] === STATE_INTERRUPTED,
        (blocker) => (blocker?.kind === 'interrupt' ? blocker.name : 'unknown'),
      );
      expect(interrupts.has('unknown')).toBe(false);
      expect(interrupts.get('hrtimer')).toBeGreaterThan(0);
      const outside = timeBy(
        found,
        (_, part) => parts.value[part] === STATE_KERNEL && parts.call[part] < 0,
        () => 'no call',
      );
      expect(outside.get('no call') ?? 0).toBeLessThan(0.02 * (found.path.to - found.path.from));
    }
  });
});
