/** Twenty recordings of four machines in one dataset: DuckDB answers the queries of the documents as the recordings were written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parquetReadObjects } from 'hyparquet';
import { compare } from '../../src/engine/base/compare.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { queried } from '../duckdb/query.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { REQUEST_NS, STEPS, TURN_NS, writtenRecording } from '../support/written-recordings.ts';
import { exported, bufferOf, filesIn } from '../support/exported-dataset.ts';
import { sum } from '../support/sum.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const dataset = join(folder, 'dataset');

const HOSTS = ['alpha', 'beta-2', '../..', 'a/b=c'];
const DAY_S = 86_400;
const FIRST_DAY = Date.UTC(2026, 10, 1) / 1000;
/** Executions are calls of futex. */
const CALLS = ['--begin', 'syscall_entry_futex', '--end', 'syscall_exit_futex'];
const TURNS = 12;

/** Recordings in order of time: every second one is of version 1.1, which waits longer. */
const recordings = Array.from({ length: 20 }, (_, i) => ({
  path: join(folder, `recording-${i}`),
  hostname: HOSTS[i % HOSTS.length],
  version: i % 2 === 0 ? '1.0' : '1.1',
  second: FIRST_DAY + Math.floor(i / 10) * DAY_S + i * 60,
  waitNs: Array.from({ length: TURNS }, (_, turn) => 10_000 + 100 * i + 1000 * turn + (i % 2) * 20_000),
}));

/** Numbers of queries by their titles. */
const queries = new Map(
  [
    ...readFileSync(join(projectDir(), 'docs/dataset.md'), 'utf8').matchAll(
      /### (\d+)\. .*\n+```sql\n([^`]+)```/g,
    ),
  ].map(([, number, sql]) => [Number(number), sql]),
);

/** Rows of a query of the documents, with whole numbers as such. */
async function answerOf(number: number): Promise<Record<string, unknown>[]> {
  const tables = ['recordings', 'states', 'waits', 'locks', 'lock_waits', 'executions', 'findings'];
  const views = tables.map(
    (table) => `create view ${table} as from read_parquet('${dataset}/${table}/**/*.parquet',
      hive_partitioning = true, hive_types = {'host': varchar, 'recording': varchar, 'day': date});`,
  );
  const rows = await queried(`${views.join('\n')}\n${queries.get(number)}`);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : typeof value === 'object' ? String(value) : value,
      ]),
    ),
  );
}

/** Value number ⌈q · n⌉ of the sorted values, from 1 on. */
function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(q * values.length) - 1];
}

const waitsOf = (isWanted: (recording: (typeof recordings)[number]) => boolean) =>
  recordings.filter(isWanted).flatMap(({ waitNs }) => waitNs);
/** From leaving the CPU to the wake-up; from entry to return of the call; from the wake-up to the CPU. */
const blockedNs = (waitNs: number) => waitNs - STEPS.out - STEPS.waking;
const callNs = (waitNs: number) => waitNs - STEPS.call - STEPS.back;

describe('twenty recordings', () => {
  beforeAll(async () => {
    for (const { path, version, ...written } of recordings) {
      writtenRecording(path, written);
      await exported(path, dataset, '--label', `version=${version}`, ...CALLS);
    }
  }, 120_000);

  it('are asked by ten queries', () => {
    expect([...queries.keys()]).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
  });

  it('1: percentiles of waits for a lock by version', async () => {
    expect(await answerOf(1)).toEqual(
      ['1.0', '1.1'].map((version) => {
        const waits = waitsOf((recording) => recording.version === version);
        return {
          version,
          lock: 'mutex 0x1000 of process 1',
          waits: waits.length,
          p99_ns: quantile(waits, 0.99),
        };
      }),
    );
  });

  it('2: causes by host, whatever it is called', async () => {
    const rows = (await answerOf(2)).filter(({ cause }) => cause === 'thread');
    expect(rows).toEqual(
      [...HOSTS].sort().map((host) => {
        const waits = waitsOf(({ hostname }) => hostname === host).map(blockedNs);
        return { host, cause: 'thread', waits: waits.length, ns: sum(waits) };
      }),
    );
  });

  it('3: the longest waits', async () => {
    const longest = recordings
      .flatMap(({ waitNs }) => waitNs.map((ns, turn) => ({ ns: blockedNs(ns), turn })))
      .sort((a, b) => b.ns - a.ns)
      .slice(0, 5);
    const rows = await answerOf(3);
    expect(
      rows.map(({ duration_ns: ns, call, since_begin_ns: since, lock }) => ({ ns, call, since, lock })),
    ).toEqual(
      longest.map(({ ns, turn }) => ({
        ns,
        call: 'futex',
        since: turn * TURN_NS + REQUEST_NS + STEPS.out,
        lock: 'mutex 0x1000 of process 1',
      })),
    );
  });

  it('4: time without a CPU by day', async () => {
    const days = await Promise.all(
      recordings.map(async ({ path, second }) => {
        const { threads } = await inspectJson<{ threads: { intervals: number[][] }[] }>('states', path);
        const ready = threads
          .flatMap(({ intervals }) => intervals)
          .filter(([state]) => state === 4 || state === 5);
        const day = new Date(1000 * second).toISOString().slice(0, 10);
        return { day, ns: sum(ready.map(([, from, to]) => to - from)) };
      }),
    );
    const byDay = ['2026-11-01', '2026-11-02'].map((day) => {
      return { day, ns: sum(days.filter((one) => one.day === day).map(({ ns }) => ns)) };
    });
    // Thread 12 after each wake-up at least.
    expect(byDay.every(({ ns }) => ns >= 10 * TURNS * (STEPS.waking - STEPS.in))).toBe(true);
    expect(await answerOf(4)).toEqual(byDay);
  });

  it('5: who keeps whom waiting', async () => {
    const all = waitsOf(() => true);
    expect((await answerOf(5)).map(({ waits, ns }) => [waits, ns])).toEqual([[all.length, sum(all)]]);
  });

  it('6: executions recording by recording', async () => {
    const rows = await answerOf(6);
    expect(new Set(rows.map(({ recording }) => recording)).size).toBe(20);
    expect(rows.map(({ executions, median_ns: median, p95_ns: p95 }) => [executions, median, p95])).toEqual(
      recordings.map(({ waitNs }) => {
        const calls = waitNs.map(callNs);
        return [TURNS, quantile(calls, 0.5), quantile(calls, 0.95)];
      }),
    );
  });

  it('7: executions far above the median of their version', async () => {
    expect(await answerOf(7)).toEqual(
      ['1.0', '1.1'].map((version) => {
        const calls = waitsOf((recording) => recording.version === version).map(callNs);
        const median = quantile(calls, 0.5);
        return { version, slow: calls.filter((ns) => ns > 1.2 * median).length };
      }),
    );
  });

  it('8: the share for which a lock was held', async () => {
    const shares = await Promise.all(
      recordings.map(async ({ path }) => {
        const { locks } = await inspectJson<{ locks: { hold: { totalNs: number } }[] }>('locks', path);
        const { traces } = await inspectJson<{ traces: { firstNs: number; lastNs: number }[] }>('info', path);
        return locks[0].hold.totalNs / Math.max(...traces.map(({ lastNs }) => lastNs));
      }),
    );
    expect(await answerOf(8)).toEqual([{ lock: 'mutex 0x1000 of process 1', share: Math.max(...shares) }]);
  });

  it('9: rules that found something', async () => {
    const counts = new Map<string, number>();
    for (const { path } of recordings) {
      const { findings } = await inspectJson<{ findings: { rule: string }[] }>('summary', path);
      for (const rule of new Set(findings.map((finding) => finding.rule))) addNumber(counts, rule, 1);
    }
    expect(counts.size).toBeGreaterThan(0);
    expect(await answerOf(9)).toEqual(
      Array.from(counts, ([rule, found]) => ({ rule, recordings: found })).sort(
        (a, b) => b.recordings - a.recordings || compare(a.rule, b.rule),
      ),
    );
  });

  it('10: recordings by host', async () => {
    expect(await answerOf(10)).toEqual([...HOSTS].sort().map((host) => ({ host, recordings: 5, lossy: 0 })));
  });
});

describe('a recorded trace', () => {
  const own = join(folder, 'of-one');
  const trace = join(projectDir(), 'public/examples/lockfight-mutex');
  const rowsOf = async (name: string) => {
    const [file] = filesIn(join(own, name));
    return parquetReadObjects({ file: bufferOf(join(own, name, file)) });
  };
  beforeAll(() => exported(trace, own, '--label', 'version=1.4', '--label', 'note=a=b'));

  it('has the states, waits and locks that inspect prints', async () => {
    const { threads } = await inspectJson<{ threads: { intervals: number[][] }[] }>('states', trace);
    const [states, waits] = [await rowsOf('states'), await rowsOf('waits')];
    const sum = (rows: readonly Record<string, unknown>[], column: string) =>
      rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
    const lengthOf = (isWanted: (state: number) => boolean) =>
      threads
        .flatMap(({ intervals }) => intervals)
        .reduce((total, [state, from, to]) => {
          return isWanted(state) ? total + to - from : total;
        }, 0);
    expect(sum(states, 'duration_ns')).toBe(lengthOf(() => true));
    expect(sum(waits, 'duration_ns')).toBe(lengthOf((state) => state === 6 || state === 7));
    const { locks } = await inspectJson<{
      locks: { lock: string; contended: number; wait: { totalNs: number }; hold: { totalNs: number } }[];
    }>('locks', trace);
    const held = (await rowsOf('locks')).filter(({ kind }) => kind !== 'futex');
    expect(
      held.map(({ contended, wait_ns, hold_ns }) => [contended, wait_ns, hold_ns].map(Number)).sort(),
    ).toEqual(locks.map(({ contended, wait, hold }) => [contended, wait.totalNs, hold.totalNs]).sort());
    const lockWaits = await rowsOf('lock_waits');
    expect(sum(lockWaits, 'duration_ns')).toBe(sum(await rowsOf('locks'), 'wait_ns'));
    // What the kernel shows of a wait for a mutex is named by it.
    expect(waits.filter(({ lock }) => lock === 'mutex 0x…f260 of wk-lockfight').length).toBeGreaterThan(20);
  });

  it('says about the recording what the trace and the user say', async () => {
    const [row, ...others] = await rowsOf('recordings');
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      name: 'lockfight-mutex',
      hostname: 'wake',
      tracer: 'lttng-modules',
      events: 28091n,
    });
    expect(JSON.parse(String(row.labels))).toEqual({ version: '1.4', note: 'a=b' });
    const { findings } = await inspectJson<{ findings: { rule: string; text: string; ns: number }[] }>(
      'summary',
      trace,
    );
    expect(
      (await rowsOf('findings')).map(({ rule, sentence, ns }) => ({ rule, text: sentence, ns: Number(ns) })),
    ).toEqual(findings.map(({ rule, text, ns }) => ({ rule, text, ns })));
  });
});
