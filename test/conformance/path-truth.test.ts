/** Active paths against the truth files: an independent computation by the same rules. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { criterionOf, type Criterion } from '../../src/engine/graph/criterion.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { runGraph, segmentLines, type GraphRun } from '../support/graph-run.ts';
import { sharedDir } from '../support/shared.ts';
import { readTruth, truthFiles, truthNames } from '../support/truth-files.ts';

interface TruthPath {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly criterion: readonly string[];
  readonly count: number;
  readonly sha256: string;
  readonly segments: readonly (readonly [string, number, number, string, string])[];
}

interface Truth {
  readonly paths: readonly TruthPath[];
  /** [from, to, segments of main task, 16 digits of their digest, the same of exact] */
  readonly all_paths: Readonly<Record<string, readonly [number, number, number, string, number, string]>>;
}

interface CrossTruth {
  readonly hosts: readonly string[];
  readonly first: Readonly<Record<string, number>>;
  readonly paths: readonly TruthPath[];
}

/** So small that paths of most traces cross several. */
const SEGMENT_TILES = 20_000;

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('paths of truth files', () => {
  test.each(truthNames())('%s', async (name) => {
    const truth: Truth = readTruth(name);
    const run = await runGraph([{ files: truthFiles(name) }], SEGMENT_TILES);
    for (const path of truth.paths) await expectPath(run, path);
    for (const [worker, [from, to, mainCount, main, exactCount, exact]] of Object.entries(truth.all_paths)) {
      const mainLines = await linesOf(run, worker, from, to, 'main task');
      const exactLines = await linesOf(run, worker, from, to, 'exact');
      const found = [mainLines.length, sha256(mainLines), exactLines.length, sha256(exactLines)];
      expect([worker, ...found.map((value) => String(value).slice(0, 16))]).toEqual(
        [worker, mainCount, main, exactCount, exact].map(String),
      );
    }
  });
});

/** Both hosts of one exchange; the truth file has one constant offset between their clocks. */
describe.skipIf(sharedDir() === undefined)('paths over two hosts', () => {
  test('two-hosts-http', async () => {
    const truth: CrossTruth = readTruth('two-hosts-http-cross');
    const traced = truth.hosts.map((name) => {
      const files = truthFiles(`two-hosts-http-${name}`);
      return { prefix: `${name}:`, files, firstEvent: truth.first[name] };
    });
    const run = await runGraph(traced, SEGMENT_TILES);
    for (const path of truth.paths) await expectPath(run, path);
  });
});

async function expectPath(run: GraphRun, path: TruthPath): Promise<void> {
  for (const criterion of path.criterion) {
    const lines = await linesOf(run, path.worker, path.from, path.to, criterion);
    const what = `${path.worker} ${path.from}-${path.to} ${criterion}`;
    const shown = path.segments.map((segment) => segment.join(' '));
    expect(lines.slice(0, shown.length), what).toEqual(shown);
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

function sha256(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex');
}
