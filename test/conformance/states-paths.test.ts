/** Active paths against the goldens: an independent computation by the same rules. */
import { describe, expect } from 'vitest';
import { criterionOf, type Criterion } from '../../src/engine/graph/path.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { runGraph, segmentLines, type GraphRun } from '../support/graph-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir } from '../support/shared.ts';
import { expectNone, memberDifferences, rowDifference, sha256 } from '../support/states-difference.ts';
import {
  CASE,
  crossCaseNames,
  readStates,
  statesFiles,
  statesNames,
  type GoldenPath,
  type CrossGolden,
} from '../support/states-goldens.ts';

/** So small that paths of most traces cross several. */
const SEGMENT_INTERVALS = 20_000;

describe('paths in the engine', () => {
  testEach('states-paths', statesNames(), async (name) => {
    const golden = readStates(name);
    const run = await runGraph([{ files: statesFiles(name) }], SEGMENT_INTERVALS);
    for (const path of golden.paths) await expectPath(run, path);
    for (const [worker, [from, to, mainCount, main, exactCount, exact]] of Object.entries(golden.all_paths)) {
      const counted: string[] = [];
      for (const criterion of ['main task', 'exact']) {
        const lines = await linesOf(run, worker, from, to, criterion);
        counted.push(`${lines.length} segments, ${sha256(lines).slice(0, 16)}`);
      }
      const expected = [`${mainCount} segments, ${main}`, `${exactCount} segments, ${exact}`];
      expectNone(memberDifferences(`paths of ${worker} ${from}..${to}`, expected, counted));
    }
  });
});

/** Both hosts of one exchange; the golden has one constant offset between their clocks. */
describe('paths over two hosts', () => {
  const names = crossCaseNames().map((name) => CASE + name);
  if (sharedDir() !== undefined) names.push('two-hosts-http-cross');
  testEach('states-paths', names, async (name) => {
    const golden: CrossGolden = readStates(name);
    const traced = golden.hosts.map((host) => {
      const files = statesFiles(name.replace(/cross$/, host));
      return { prefix: `${host}:`, files, firstEvent: golden.first[host] };
    });
    const run = await runGraph(traced, SEGMENT_INTERVALS);
    for (const path of golden.paths) await expectPath(run, path);
  });
});

async function expectPath(run: GraphRun, path: GoldenPath): Promise<void> {
  for (const criterion of path.criterion) {
    const lines = await linesOf(run, path.worker, path.from, path.to, criterion);
    const what = `${path.worker} ${path.from}-${path.to} ${criterion}`;
    const expected = { count: path.count, rows: path.segments.map((segment) => [segment.join(' ')]) };
    const found = lines.map((line) => [line]);
    expectNone(rowDifference(what, expected, found, ([line]) => String(line)));
    expect([what, lines.length, sha256(lines)]).toEqual([what, path.count, path.sha256]);
  }
}

async function linesOf(
  { graph, names, workerOf }: GraphRun,
  worker: string,
  from: number,
  to: number,
  criterion: string,
): Promise<string[]> {
  const path = await findPath(graph, {
    worker: workerOf(worker),
    from,
    to,
    criterion: criterionOf(criterion) as Criterion,
  });
  return path === undefined ? [] : segmentLines(path, names);
}
