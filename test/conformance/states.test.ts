/**
 * What `inspect` prints of states and paths against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/states -t pgbench`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  segmentRows,
  type CpuStats,
  type PathAnswer,
  type StatesAnswer,
  type StatesCheck,
} from '../support/inspect-answers.ts';
import { STATE_DEAD, STATE_ZOMBIE } from '../../src/engine/linux/events/values.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { goldenFolder, sharedDir, sharedPath } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';
import {
  expectNone,
  intervalText,
  memberDifferences,
  rowDifference,
  timeDifferences,
  sha256,
} from '../support/states-difference.ts';
import {
  goldenPath,
  readStates,
  crossCaseNames,
  statesCaseNames,
  statesFolders,
  statesNames,
  type GoldenCpu,
  type GoldenPath,
  type GoldenThread,
  type StatesGolden,
  type CrossGolden,
} from '../support/states-goldens.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Two recordings of one boot, opened together (Q38). */
interface TogetherGolden {
  readonly origin_ns: string;
  readonly recordings: readonly (readonly [name: string, from: number, to: number])[];
  readonly cpus: Readonly<Record<string, GoldenCpu>>;
  /** `parts`: from the first mention in each recording to its end, or the thread's. */
  readonly threads: Readonly<
    Record<string, GoldenThread & { readonly parts: readonly (readonly [number, number])[] }>
  >;
}

/** Paths asked for through the command line of each golden; `states-paths.test.ts` has them all. */
const PATHS = 6;
const CPU_MEMBERS = [
  ...['idle', 'user', 'kernel', 'hardirq', 'softirq', 'timer', 'unknown', 'guest', 'running'],
  'switches',
];
const THREAD_MEMBERS = ['name', 'pid', 'first', 'last', 'runs', 'wakeups', 'migrations'] as const;

const stores = temporaryFolder();

describe('states as printed', () => {
  testEach('states', statesNames(), async (name) => {
    const golden = readStates(name);
    // Read once; the other commands take it from the store.
    const paths = [...statesFolders(name), '--store', join(stores, name)];
    const stats = await inspectJson<CpuStats>('stats', 'cpu', ...paths);
    const printed = await inspectJson<StatesAnswer>('states', ...paths);
    const { violations } = await inspectJson<StatesCheck>('states', '--check', ...paths);
    expectNone([
      ...memberDifferences('origin', golden.origin_ns, stats.originNs),
      ...cpuDifferences(golden, stats),
      ...intervalDifferences(golden, printed),
      ...threadDifferences(golden, stats),
      ...memberDifferences('threads', golden.threads_total, stats.threads.length),
      ...memberDifferences('digest of intervals', golden.all_intervals_sha256, intervalsSha256(printed)),
      ...memberDifferences('violations', [], violations),
    ]);
  });
});

describe('paths as printed', () => {
  testEach('paths', statesNames(), async (name) => {
    const golden = readStates(name);
    const paths = [...statesFolders(name), '--store', join(stores, name)];
    const asked = golden.paths.flatMap((path) => path.criterion.map((criterion) => ({ path, criterion })));
    expect(asked.length > 0).toBe(golden.threads_total > 0);
    for (const { path, criterion } of asked.slice(0, PATHS)) await expectPrinted(path, criterion, paths);
  });
});

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('several recordings as printed', () => {
  testEach('together', ['regression-a+b'], async (name) => {
    const golden = readStates<TogetherGolden>(name);
    const folders = ['regression-a', 'regression-b'].flatMap(statesFolders);
    const stats = await inspectJson<CpuStats>('stats', 'cpu', ...folders);
    const members = ['name', 'pid', 'runs', 'wakeups', 'migrations'] as const;
    expectNone([
      ...memberDifferences('origin', golden.origin_ns, stats.originNs),
      ...cpuDifferences(golden, stats),
      ...threadDifferences({ threads: unknownFromBegin(golden) }, stats, members),
    ]);
  });

  testEach('together', ['two-hosts-http-cross'], async (name) => {
    const { hosts, first, paths } = readStates<CrossGolden>(name);
    const [a, b] = hosts.map((host) => ({
      host,
      golden: readStates(`two-hosts-http-${host}`),
      folders: statesFolders(`two-hosts-http-${host}`),
    }));
    const apart = BigInt(b.golden.origin_ns) - BigInt(a.golden.origin_ns);
    const offset = BigInt(first[b.host] - first[a.host]) - apart;
    const asked = ['--offset', `${b.host}=${offset}`, '--offset', `${a.host}=0`];
    const store = ['--store', join(stores, name)];
    const args = [sharedPath('traces/two-hosts-http'), ...asked, ...store];
    const each = paths.flatMap((path) => path.criterion.map((criterion) => ({ path, criterion })));
    for (const { path, criterion } of each.slice(0, DEEP ? Infinity : PATHS))
      await expectPrinted(path, criterion, args);
  });
});

test.skipIf(sharedDir() === undefined)('goldens of the cases are those of the shared folder', () => {
  for (const name of [...statesCaseNames(), ...crossCaseNames()]) {
    const shown = join(goldenFolder('states', sharedDir() ?? ''), `case-${name}.json`);
    expect(readJson(goldenPath(`case-${name}`)), name).toEqual(readJson(shown));
  }
});

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

async function expectPrinted(path: GoldenPath, criterion: string, args: readonly string[]): Promise<void> {
  const what = ['--thread', path.worker, '--range', `${path.from}..${path.to}`, '--criterion', criterion];
  const { code, stdout, stderr } = await inspect('critical-path', ...args, ...what, '--json');
  if (code !== 0) throw new Error(`${what.join(' ')}: exit ${code}\n${stderr}`);
  const rows = segmentRows(JSON.parse(stdout) as PathAnswer);
  const expected = { count: path.count, rows: path.segments };
  const title = `path of ${path.worker} ${path.from}..${path.to} ${criterion}`;
  expectNone(rowDifference(title, expected, rows, (row) => row.join(' ')));
  expect(sha256(rows.map((row) => row.join(' '))), title).toBe(path.sha256);
}

/**
 * The golden counts a thread of the first recording from its first mention in the second one, if there is any; ours is
 * unknown from the begin of that.
 */
function unknownFromBegin({ recordings, threads }: TogetherGolden): TogetherGolden['threads'] {
  const [, begin, end] = recordings[1];
  return Object.fromEntries(
    Object.entries(threads).map(([key, thread]) => {
      const { parts, time } = thread;
      const isGone = time[STATE_ZOMBIE] + time[STATE_DEAD] > 0;
      const livesOn = parts[0][0] < begin && (parts.length > 1 || !isGone);
      const earlier = livesOn ? (parts.at(1)?.[0] ?? end) - begin : 0;
      return [key, { ...thread, time: time.with(0, time[0] + earlier) }];
    }),
  );
}

function cpuDifferences(golden: Pick<TogetherGolden, 'cpus'>, { cpus }: CpuStats): string[] {
  const numbers = cpus.map(({ cpu }) => String(cpu)).sort();
  return [
    ...memberDifferences('CPUs', Object.keys(golden.cpus).sort(), numbers),
    ...Object.entries(golden.cpus).flatMap(([cpu, expected]) => {
      const found = cpus.find((other) => String(other.cpu) === cpu);
      return CPU_MEMBERS.flatMap((key) =>
        memberDifferences(`CPU ${cpu}, ${key}`, expected[key], found?.[key]),
      );
    }),
  ];
}

function threadDifferences(
  golden: { readonly threads: Readonly<Record<string, GoldenThread | undefined>> },
  { threads }: CpuStats,
  members: readonly (typeof THREAD_MEMBERS)[number][] = THREAD_MEMBERS,
): string[] {
  const printed = new Map(threads.map((thread) => [thread.worker, thread]));
  return Object.entries(golden.threads).flatMap(([key, expected]) => {
    const found = printed.get(key) as (CpuStats['threads'][number] & Record<string, unknown>) | undefined;
    if (found === undefined || expected === undefined) return [`thread ${key}: missing`];
    return [
      ...timeDifferences(`thread ${key}`, expected.time, found.states),
      ...members.flatMap((member) =>
        memberDifferences(`thread ${key}, ${member}`, printedAs(member, expected[member]), found[member]),
      ),
    ];
  });
}

/** What is not known is null in a golden. */
function printedAs(member: (typeof THREAD_MEMBERS)[number], value: unknown): unknown {
  if (value !== null) return value;
  return member === 'pid' ? -1 : '';
}

/** Where the intervals of the studied threads begin to differ. */
function intervalDifferences(golden: StatesGolden, { threads }: StatesAnswer): string[] {
  const printed = new Map(threads.map(({ worker, intervals }) => [worker, intervals]));
  return Object.entries(golden.intervals).flatMap(([key, expected]) =>
    expected === undefined
      ? []
      : rowDifference(`thread ${key}`, expected, printed.get(key) ?? [], intervalText),
  );
}

function intervalsSha256({ threads }: StatesAnswer): string {
  return sha256(
    threads.flatMap(({ worker, intervals }) => intervals.map((interval) => [worker, ...interval].join(' '))),
  );
}
