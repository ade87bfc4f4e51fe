/** Paths by `lock holder` against the goldens: an independent computation by the same rules. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/options.ts';
import { readLocks } from '../../src/cli/read-layers.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import { LABELS } from '../../src/engine/graph/path-codes.ts';
import { pathNames } from '../../src/engine/graph/path-names.ts';
import type { Path } from '../../src/engine/graph/path.ts';
import { locksOf } from '../../src/engine/answers/locks/lock-hosts.ts';
import { pathLocks, vainWaitsOn } from '../../src/engine/answers/paths/path-locks.ts';
import { testEach } from '../support/known-gaps.ts';
import { lockGoldenNames, lockGoldenTrace, readLockGolden } from '../support/lock-goldens.ts';
import { sharedDir, sharedPath } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';

interface PathsGolden {
  readonly paths: readonly GoldenPath[];
}

interface GoldenPath {
  readonly worker: string;
  readonly range: string;
  readonly from: number;
  readonly to: number;
  /** ns by worker and label, of blocked ones with the kind of cause. */
  readonly totals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly rows: {
    readonly count: number;
    readonly sha256: string;
    readonly rows: readonly (readonly [string, number, number, string, string])[];
  };
}

type Row = readonly [worker: string, from: number, to: number, label: string, cause: string];

describe('paths by lock holder', () => {
  testEach('lock-paths', lockGoldenNames(), async (name) => {
    const golden = readLockGolden<PathsGolden>(name);
    // Without a kernel trace, or without waits, there are none.
    if (golden.paths.length === 0) return;
    const { find, rowsOf } = await opened(lockGoldenTrace(name));
    for (const path of golden.paths) {
      const rows = rowsOf(await find(path));
      const what = `${path.worker} ${path.range}`;
      expect([what, rows.slice(0, path.rows.rows.length)]).toEqual([what, path.rows.rows]);
      expect([what, rows.length, sha256(rows)]).toEqual([what, path.rows.count, path.rows.sha256]);
      expect(totalsOf(rows)).toEqual(path.totals);
    }
  });

  test.skipIf(sharedDir() === undefined)('explain a deadlock as one', async () => {
    const { find, locks, names } = await opened(sharedPath('traces/deadlock-ust'));
    const vain = await Promise.all(
      ['236', '237'].map(async (worker) => {
        const [wait, ...others] = vainWaitsOn(await find({ worker, range: 'life', from: 0, to: 0 }), locks);
        expect(others).toEqual([]);
        return [wait.isCircle, ...wait.chain.map(({ lock, holder }) => `${lock} ${names.worker(holder)}`)];
      }),
    );
    const [first, second] = ['mutex 0x…80e0 of wk-deadlock', 'mutex 0x…8120 of wk-deadlock'];
    expect(vain).toEqual([
      [true, `${first} 237`, `${second} 236`],
      [true, `${second} 236`, `${first} 237`],
    ]);
  });

  if (DEEP)
    test('are those that the goldens have', () => {
      const counts = lockGoldenNames().map((name) => readLockGolden<PathsGolden>(name).paths.length);
      expect([counts.length, counts.reduce((sum, count) => sum + count, 0)]).toEqual([21, 134]);
    });
});

/** A trace with its locks, to find paths in. */
async function opened(folder: string) {
  const { options } = parseCommandLine(['critical-path', folder, '--workers', '0'], 0);
  const { session } = await openTraceSession([folder], options);
  if (session === undefined) throw new Error(`${folder} cannot be opened`);
  const { trace, firstNs } = session;
  const known = await trace.paths.graph();
  const locks = pathLocks(known, locksOf(await readLocks(session)) ?? []);
  const { graph } = known;
  const [{ tables }] = known.hosts;
  const lockName = (cause: number) => locks.keyOf(graph.workerOfThread(0, 0), cause);
  const names = pathNames(graph, [{ tables, prefix: '', lockName }]);
  const workers = Array.from({ length: tables.threads.length }, (_, row) => graph.workerOfThread(0, row));
  const find = async ({ worker, range, from, to }: Pick<GoldenPath, 'worker' | 'range' | 'from' | 'to'>) => {
    const question = {
      worker: workers.find((each) => names.worker(each) === worker) ?? -1,
      range: range === 'life' ? undefined : { from: from + firstNs, to: to + firstNs },
      criterion: 'lock holder',
      marked: new Set<number>(),
      foldLoops: false,
      locks,
    } as const;
    const found = await trace.paths.find(known, question, () => true);
    if (found === undefined) throw new Error('nobody else asked');
    return found;
  };
  /** In ns since the first event. */
  const rowsOf = ({ segments: s }: Path) => {
    const rows: Row[] = [];
    for (let i = 0; i < s.length; i++) {
      const cause = names.cause(s.worker[i], s.label[i], s.cause[i]);
      const [worker, label] = [names.worker(s.worker[i]), LABELS[s.label[i]]];
      const before = rows.at(-1);
      // The goldens do not tell which wait a segment explains.
      const isSame = before?.[0] === worker && before[3] === label && before[4] === cause;
      const from = isSame ? before[1] : s.from[i] - firstNs;
      if (isSame) rows.pop();
      rows.push([worker, from, s.to[i] - firstNs, label, cause]);
    }
    return rows;
  };
  return { find, rowsOf, locks, names };
}

/** Each row as compact JSON and a line end. */
function sha256(rows: readonly Row[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${JSON.stringify(row)}\n`);
  return hash.digest('hex');
}

function totalsOf(rows: readonly Row[]) {
  const totals: Record<string, Record<string, number>> = {};
  for (const [worker, from, to, label, cause] of rows) {
    const kind = cause.startsWith('direct(') ? 'direct' : cause.split(':')[0];
    const key = label === 'blocked' ? `blocked ${kind}` : label;
    const own = (totals[worker] ??= {});
    own[key] = (own[key] ?? 0) + to - from;
  }
  return totals;
}
