/**
 * One run that LTTng, perf and trace-cmd recorded at one time (`tracers/twin-NAME`): over the time that two of them saw,
 * they give the same states of each thread in the same order, the same causes of waits, the same counts, and paths over
 * the same threads.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PathAnswer } from '../support/inspect-answers.ts';
import { inspectJson } from '../support/inspect-run.ts';
import {
  commonTime,
  quietTime,
  readRecorded,
  type Recorded,
  twinDifferences,
} from '../support/recorder-twins.ts';
import { sharedPath } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Numbers of threads and changes of states, the time between the changes of both (us, median), and how many were held up
 * above 100 us: the recorders write an event one after the other, and the emulated CPU may stop in between.
 */
const TWINS: [
  name: string,
  recorder: string,
  threads: number,
  same: number,
  median: number,
  heldUp: number,
][] = [
  ['twin-disk', 'perf.data', 29, 875, 9, 6],
  ['twin-disk', 'trace.dat', 33, 5777, 4, 2],
  ['twin-rpc', 'perf.data', 32, 1208, 8, 2],
  ['twin-rpc', 'trace.dat', 37, 5465, 4, 8],
  ['twin-lockfight', 'perf.data', 33, 1211, 9, 10],
  ['twin-lockfight', 'trace.dat', 35, 6145, 4, 18],
];
const OF_PERF = TWINS.filter(([, recorder]) => recorder === 'perf.data');

const shared = sharedPath('tracers');
const stores = temporaryFolder();

const storeOf = (path: string) => ['--store', join(stores, path.replaceAll('/', '-'))];
const known = new Map<string, Promise<Recorded>>();
function recorded(name: string, recorder: string): Promise<Recorded> {
  const path = join(shared, name, recorder);
  const read = known.get(path) ?? readRecorded([path], ...storeOf(path));
  known.set(path, read);
  return read;
}

describe.skipIf(!existsSync(shared))('recorders of one run agree with LTTng', () => {
  test.each(TWINS)('states of threads: %s, %s', async (name, recorder, threads, same, median, heldUp) => {
    const found = twinDifferences(await recorded(name, 'kernel'), await recorded(name, recorder));
    expect({ ...found, median: Math.floor(found.median / 1000), goOn: 0 }).toEqual({
      ...{ threads, same, median, heldUp, goOn: 0 },
      differ: [],
    });
    // The last wait of a thread ends behind the time that both saw.
    expect(found.goOn).toBeLessThanOrEqual(threads);
  });

  test.each(OF_PERF)('processes and their parents: %s, %s', async (name, recorder) => {
    const [lttng, perf] = [await recorded(name, 'kernel'), await recorded(name, recorder)];
    const own = [...perf.threads].filter(
      ([key, { changes }]) => changes.length > 0 && lttng.threads.has(key),
    );
    expect(own.length).toBeGreaterThan(25);
    const pids = ({ threads }: Recorded) =>
      own.map(([key, thread]) => [key, thread.name, threads.get(key)?.pid]);
    expect(pids(perf)).toEqual(pids(lttng));
    const parents = ({ threads }: Recorded) =>
      own.filter(([, { ppid }]) => ppid >= 0).map(([key]) => [key, threads.get(key)?.ppid]);
    expect(parents(perf)).toEqual(parents(lttng));
    expect(parents(perf).length).toBeGreaterThan(15);
  });

  test.each(TWINS)('statistics: %s, %s', async (name, recorder) => {
    const [lttng, other] = await askBoth(name, recorder);
    type Delays = { threads: { worker: string; woken: Counted; preempted: Counted }[] };
    const delays = ({ threads }: Delays) =>
      threads.map(({ worker, woken, preempted }) => [worker, woken.count, preempted.count]).sort();
    expect(delays(await other('stats', 'sched'))).toEqual(delays(await lttng('stats', 'sched')));
    type Interrupts = { cpus: { cpu: number; kind: string; id: number; run: Counted }[] };
    const runs = ({ cpus }: Interrupts) =>
      cpus.map(({ cpu, kind, id, run }) => [cpu, kind, id, run.count]).sort();
    expect(runs(await other('stats', 'irq'))).toEqual(runs(await lttng('stats', 'irq')));
    // Only LTTng says how disks are called.
    type Io = {
      disks: { requests: number; sectors: number }[];
      threads: { worker: string; name: string; read: unknown; write: unknown; sync: unknown }[];
    };
    const [otherIo, lttngIo] = [await other<Io>('stats', 'io'), await lttng<Io>('stats', 'io')];
    const requests = ({ disks }: Io) => disks.map((disk) => [disk.requests, disk.sectors]).sort();
    expect(requests(otherIo)).toEqual(requests(lttngIo));
    const transfers = ({ threads }: Io) =>
      threads
        .filter((thread) => /^(wk-|fight)/.test(thread.name))
        .map(({ worker, read, write, sync }) => ({ worker, read, write, sync }));
    expect(transfers(otherIo)).toEqual(transfers(lttngIo));
    // LTTng saw the call begin that a thread is in when the other recorder begins.
    type Calls = { threads: { worker: string; count: number }[]; calls: { call: string; count: number }[] };
    const [otherCalls, lttngCalls] = [
      await other<Calls>('stats', 'syscalls'),
      await lttng<Calls>('stats', 'syscalls'),
    ];
    const others = new Map(otherCalls.threads.map(({ worker, count }) => [worker, count]));
    const fewer = lttngCalls.threads.map(({ worker, count }) => count - (others.get(worker) ?? 0));
    expect(fewer.length).toBeGreaterThanOrEqual(others.size);
    expect(fewer.every((count) => count === 0 || count === 1)).toBe(true);
    // perf and trace-cmd record them by number, LTTng by name; those that it has no name for are `unknown`.
    const left = new Map(lttngCalls.calls.map(({ call, count }) => [call, count]));
    for (const { call, count } of otherCalls.calls) {
      const name = left.has(call) ? call : 'unknown';
      left.set(name, (left.get(name) ?? 0) - count);
    }
    expect([...left].filter(([, count]) => count < 0)).toEqual([]);
    expect([...left.values()].reduce((sum, count) => sum + count, 0)).toBe(
      fewer.reduce((sum, count) => sum + count, 0),
    );
  });

  test.each(TWINS)('critical paths of the program: %s, %s', async (name, recorder) => {
    const [lttng, other] = await askBoth(name, recorder);
    const { threads } = await recorded(name, recorder);
    const own = [...threads].filter(([, thread]) => /^(wk-|fight)/.test(thread.name));
    expect(own.length).toBeGreaterThan(1);
    for (const [key, thread] of own)
      expect([thread.name, ...(await stepsOf(other, key))]).toEqual([
        thread.name,
        ...(await stepsOf(lttng, key)),
      ]);
  });
});

/** Which of several recordings tells the states. */
const TOGETHER = [
  ['kernel', 'perf.data'],
  ['kernel', 'trace.dat', 'perf.data'],
  ['trace.dat', 'perf.data'],
];

describe.skipIf(!existsSync(shared))('recordings of one run opened together', () => {
  test.each(OF_PERF.flatMap(([name]) => TOGETHER.map((files) => [name, files] as const)))(
    'are one machine, whose states and counts are those of the first: %s, %s',
    async (name, files) => {
      const paths = files.map((file) => join(shared, name, file));
      const store = storeOf(paths.join());
      const together = await readRecorded(paths.toReversed(), ...store);
      const alone = await recorded(name, files[0]);
      expect(together.origin).toBe(alone.origin);
      const changes = ({ threads }: Recorded) =>
        Object.fromEntries([...alone.threads.keys()].map((key) => [key, threads.get(key)?.changes]));
      expect(changes(together)).toEqual(changes(alone));
      for (const statistic of ['sched', 'syscalls', 'irq', 'io']) {
        const [one, other] = await Promise.all([
          inspectJson('stats', statistic, paths[0], ...storeOf(paths[0])),
          inspectJson('stats', statistic, ...paths, ...store),
        ]);
        expect(withoutNames(other)).toEqual(withoutNames(one));
      }
    },
  );
});

/** perf calls some threads of the kernel by longer names than others, and knows more processes; one recorder has nobody beside it. */
function withoutNames(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      key === 'counted' ? undefined : key === 'name' || key === 'pid' ? '' : value,
    ),
  );
}

interface Counted {
  readonly count: number;
}

type Ask = <T>(...command: readonly string[]) => Promise<T>;

/** Asks both recordings about nearly all of the time that both saw, between moments without events. */
async function askBoth(name: string, recorder: string): Promise<readonly [lttng: Ask, other: Ask]> {
  const both = [await recorded(name, 'kernel'), await recorded(name, recorder)];
  const { from, to } = commonTime(both[0], both[1]);
  const edge = (to - from) / 10;
  const [begin, end] = [quietTime(both, from, from + edge), quietTime(both, to - edge, to)];
  const asks = ['kernel', recorder].map((kind, i): Ask => {
    const path = join(shared, name, kind);
    const range = `${begin - both[i].origin}..${end - both[i].origin}`;
    return (...command) => inspectJson(...command, path, ...storeOf(path), '--range', range);
  });
  return [asks[0], asks[1]];
}

/** Threads of a path, what they do, and why they wait; each once in a row. */
async function stepsOf(ask: Ask, thread: string): Promise<string[]> {
  const { segments } = await ask<PathAnswer>('critical-path', '--thread', thread);
  const steps = segments.map(({ worker, label, cause }) => `${worker} ${label} ${cause}`);
  return steps.filter((step, i) => step !== steps.at(i - 1) || i === 0);
}
