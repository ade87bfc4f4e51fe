/** What would help, against what the recorded programs say of themselves in ABOUT.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectJson, expectRefused } from '../support/inspect-run.ts';
import { projectDir, sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { DEEP, everyTenth } from '../support/tier.ts';

interface Saving {
  readonly careful: number;
  readonly hopeful: number;
}

interface Answer {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly label: string;
    readonly saved: Saving;
    readonly gone: Saving;
  }[];
  readonly then: readonly { readonly name: string; readonly time: number }[];
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly tid: number;
  readonly text: string;
}

const examples = join(projectDir(), 'public/examples');
const shared = sharedDir();

const ask = (trace: string, thread: string, ...options: readonly string[]): Promise<Answer> =>
  inspectJson('what-if', trace, '--thread', thread, ...options);

async function spansOf(trace: string): Promise<ReadonlyMap<string, Span>> {
  const delimiters = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'];
  const { spans } = await inspectJson<{ spans: readonly Span[] }>('overlays', trace, ...delimiters);
  return new Map(spans.map((span) => [/id (\d+)/.exec(span.text)?.[1] ?? '', span]));
}

const rangeOf = ({ from, to }: Span): string[] => ['--range', `${from}..${to}`];

/** Requests that met the lock: id, ms in all, ms for the lock, as the program of `executions-lock` says. */
const SLOW_REQUESTS: readonly (readonly [string, number, number])[] = [
  ['31', 12.9, 12.2],
  ['32', 6.5, 5.8],
  ['33', 8.5, 5.6],
  ['89', 10.9, 9.7],
  ['90', 10.2, 9.5],
  ['91', 13.4, 9.4],
  ['120', 18.7, 17],
  ['121', 16.1, 14.9],
  ['122', 15.3, 14.6],
  ['164', 11.5, 9.5],
  ['166', 7.1, 6.4],
  ['167', 7, 6.2],
  ['212', 10.3, 6.4],
  ['213', 9.8, 8.6],
  ['214', 9.9, 8.7],
  ['259', 7.9, 7.1],
  ['260', 8.1, 7.3],
  ['261', 7.9, 7],
];

describe('executions-lock', () => {
  const trace = join(examples, 'executions-lock');

  it('without the lock each slow request takes what it took but for its wait', async () => {
    const spans = await spansOf(trace);
    for (const [id, total, inLock] of everyTenth(SLOW_REQUESTS)) {
      const span = spans.get(id);
      if (span === undefined) throw new Error(`no request ${id}`);
      const change = ['--change', 'futex=0x55651ebc7280', '--factor', '0', ...rangeOf(span)];
      const { from, to, changes } = await ask(trace, String(span.tid), ...change);
      expect((to - from) / 1e6).toBeCloseTo(total, 0);
      const [{ saved, gone }] = changes;
      expect(saved).toEqual(gone);
      // The program measures around the call, to a tenth of a ms.
      expect(Math.abs(saved.careful / 1e6 - inLock)).toBeLessThan(0.25);
      expect(saved.hopeful).toBeGreaterThanOrEqual(saved.careful);
    }
  });

  it('names the lock and its holder for the slowest request, and the thread itself behind them', async () => {
    const span = (await spansOf(trace)).get('120');
    if (span === undefined) throw new Error('no request 120');
    const { changes } = await ask(trace, String(span.tid), ...rangeOf(span));
    const labels = changes.map(({ label }) => label);
    expect(labels.slice(0, 4)).toEqual([
      'program wk-server',
      'futex cache_lock of wk-server, if it is a lock',
      'maintenance',
      'function handle_request',
    ]);
    expect(labels).toContain('worker-0');
  });
});

interface GroupAnswer {
  readonly executions: number;
  readonly replayed: number;
  readonly median: number;
  readonly changes: readonly (Answer['changes'][number] & {
    readonly mean: Saving;
    readonly medianThen: Saving;
    readonly gain: number;
  })[];
}

const REQUESTS = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'] as const;

const askGroup = (trace: string, ...options: readonly string[]): Promise<GroupAnswer> =>
  inspectJson('what-if', trace, ...REQUESTS, ...options);

describe('executions', () => {
  const trace = join(examples, 'executions-lock');

  it.skipIf(!DEEP)('without the lock the slow ones that met it become like the others', async () => {
    const change = ['--change', 'futex=0x55651ebc7280', '--factor', '0'];
    const { executions, replayed, changes, median } = await askGroup(trace, '--slow', 'auto', ...change);
    expect([executions, replayed]).toEqual([26, 26]);
    const [{ gain, medianThen }] = changes;
    expect(gain).toBe(SLOW_REQUESTS.length);
    expect(median).toBeGreaterThan(8_000_000);
    expect(medianThen.careful).toBeLessThan(2_500_000);
  });

  it('one of them is asked for by its key, and bad questions get clear words', async () => {
    const { worker, changes } = await inspectJson<Answer & { worker: string }>(
      ...['what-if', trace, ...REQUESTS, '--execution', '120'],
    );
    expect(worker).toBe('256 in execution 120');
    expect(changes[0].kind).toBe('program');
    for (const [options, words] of [
      [[...REQUESTS, '--execution', '1200'], /there is no execution 1200 among 300/],
      [['--execution', '1'], /--thread TID, or --begin EVENT and --end EVENT of executions, is expected/],
      [['--thread', '256', ...REQUESTS], /is expected/],
      [['--thread', '256', '--execution', '1'], /--execution needs --begin/],
      [[...REQUESTS, '--change', 'disk=none'], /no execution did or waited for one such thing/],
      [['--begin', 'nonsense', '--end', 'nonsense'], /no event of the trace is called/],
    ] as const) {
      await expectRefused(words, 'what-if', trace, ...options);
    }
  });

  it.skipIf(!DEEP)('of a limited number some are replayed, evenly', async () => {
    const { executions, replayed } = await askGroup(trace, '--limit', '7');
    expect([executions, replayed]).toEqual([300, 7]);
  });
});

describe('disk-io', () => {
  const trace = join(examples, 'disk-io');

  it('a disk twice as fast saves half of the time for which its reader waited', async () => {
    const { changes } = await ask(trace, '223', '--change', 'disk', '--factor', '0.5');
    const [{ saved, gone }] = changes;
    // 60.9 ms in pread, as the program says.
    expect(gone.careful).toBeLessThan(60_900_000);
    expect(gone.careful).toBeGreaterThan(0.5 * 60_900_000);
    expect(saved.careful / gone.careful).toBeCloseTo(0.5, 1);
  });

  it('and that of the journal, for which the writer waits in fsync', async () => {
    const { changes, then } = await ask(trace, '222', '--change', 'disk', '--factor', '0.5');
    const [{ saved, gone }] = changes;
    // 153.5 ms in fsync, in which the disk is one of several things.
    expect(gone.hopeful).toBeLessThan(153_500_000);
    expect(gone.careful).toBeGreaterThan(40_000_000);
    expect(saved.careful / gone.careful).toBeCloseTo(0.5, 1);
    expect(then[0].name).toBe('wk-writer runs');
  });
});

describe('two-hosts-http', () => {
  const trace = join(examples, 'two-hosts-http');

  it.skipIf(!DEEP)('without network and waits for CPUs its client gains what the path had', async () => {
    const { segments } = await inspectJson<{
      readonly segments: readonly { readonly from: number; readonly to: number; readonly label: string }[];
    }>('critical-path', trace, '--thread', 'client:221');
    for (const [kind, label] of [
      ['network', 'network'],
      ['cpu', 'preempted'],
    ] as const) {
      const onPath = segments
        .filter((segment) => segment.label === label)
        .reduce((sum, { from, to }) => sum + to - from, 0);
      const { changes } = await ask(trace, 'client:221', '--change', kind, '--factor', '0');
      // Something else is then as long. Whether the server's sleeps would begin earlier is not known.
      const [{ gone }] = changes;
      expect(gone.careful).toBeGreaterThan(0);
      expect(gone.hopeful).toBeGreaterThan(0.3 * onPath);
      expect(gone.hopeful).toBeLessThanOrEqual(onPath);
    }
  });
});

describe('imbalance-4t', () => {
  const trace = join(examples, 'imbalance-4t');

  it('half of the slowest at a barrier helps as far as the next one, which limits then', async () => {
    const { changes, then } = await ask(trace, '216', '--change', 'thread=219', '--factor', '0');
    const [{ saved }] = changes;
    // imb-10 waited 703.601 ms for imb-80, and so long at most gains from it.
    expect(saved.hopeful).toBe(703_601_470);
    expect(saved.careful).toBeLessThan(325_700_000);
    expect(then[0].name).toBe('imb-40 runs');
  });

  it('the slowest at a barrier half as long: the second one is then as slow', async () => {
    const { changes, then } = await ask(trace, '216', '--change', 'thread=219', '--factor', '0.5');
    const [{ saved }] = changes;
    // imb-80 has twice the work of imb-40.
    expect(saved.hopeful).toBeLessThanOrEqual(0.5 * 976_687_938);
    expect(saved.careful).toBeGreaterThan(0.25 * 976_687_938);
    expect(then.slice(0, 2).map(({ name }) => name)).toContain('imb-40 runs');
  });

  it('a part of the life is told by the same signals, also where it ends inside a wait', async () => {
    const range = ['--range', '500000000..900000000'];
    const { changes, then } = await ask(trace, '216', ...range, '--change', 'thread=219', '--factor', '0');
    expect(changes[0].saved.careful).toBeGreaterThan(100_000_000);
    // Nobody waits for a thread that does nothing.
    expect(then.map(({ name }) => name).join()).not.toContain('imb-80');
  });

  it('neither the end of a thread nor a barrier could be gone', async () => {
    // 215 is the main thread, which joins the others.
    for (const thread of ['215', '216']) {
      const { changes } = await ask(trace, thread);
      expect(changes.map(({ kind }) => kind)).not.toContain('futex');
    }
  });
});

it('lockfight-mutex tells what the hot mutex costs a thread', async () => {
  const trace = join(examples, 'lockfight-mutex');
  const { changes } = await ask(trace, '235', '--change', 'lock=mutex 0x…f260 of wk-lockfight');
  // 82.83 ms for all three mutexes, as the program says, in which it would have waited for a CPU, too.
  expect(changes[0].gone.careful).toBeGreaterThan(70_000_000);
  expect(changes[0].gone.careful).toBeLessThanOrEqual(82_830_000);
  expect(changes[0].saved.careful).toBeLessThan(changes[0].gone.careful);
});

describe('bad questions', () => {
  const trace = join(examples, 'imbalance-4t');

  it.each([
    [['--change', 'nonsense'], /KIND or KIND=NAME is expected/],
    [['--change', 'lock=none'], /there is no lock/],
    [['--change', 'thread=none'], /there is no thread none, but thread 219, thread 218,/],
    [['--change', 'thread='], /there is no thread, but/],
    [['--factor=-1'], /from 0 to 1000000 is expected, not "-1"/],
    [['--factor', 'x'], /from 0 to 1000000/],
    [['--thread', '99999'], /no thread 99999/],
    [['--thread', '0/cpu0'], /an idle thread has no profile/],
  ])('%s', async (options, words) => {
    await expectRefused(words, 'what-if', trace, '--thread', '216', ...options);
  });

  it('nothing that happens in a range is nothing to change', async () => {
    const { changes, from, to } = await ask(trace, '216', '--range', '0..1');
    expect(to - from).toBe(1);
    expect(changes).toEqual([]);
  });

  it('where events were lost, nothing saves more than there is', async () => {
    const { from, to, changes } = await ask(join(examples, 'lost-events'), '471', '--factor', '0');
    expect(changes.length).toBeGreaterThan(0);
    for (const { gone } of changes) {
      expect(gone.careful).toBeGreaterThanOrEqual(0);
      expect(gone.hopeful).toBeGreaterThanOrEqual(gone.careful);
      expect(gone.hopeful).toBeLessThanOrEqual(to - from);
    }
  });

  it('a million times longer is answered', async () => {
    const { changes } = await ask(trace, '216', '--change', 'thread=219', '--factor', '1000000');
    expect(changes[0].saved.careful).toBeLessThan(-1e14);
  });
});

describe.skipIf(!DEEP || shared === undefined)(`regression (else: ${WITHOUT_SHARED})`, () => {
  it('with parse_header_v2 as long as parse_header was, messages take what they took before', async () => {
    const traceOf = (version: string): string => join(shared ?? '', 'traces', `regression-${version}`);
    const timeIn = async (version: string, thread: string, name: string): Promise<number> => {
      const { functions } = await inspectJson<{
        functions: readonly { readonly name: string; readonly total: number }[];
      }>('profile', traceOf(version), '--thread', thread);
      return functions.find((each) => each.name === name)?.total ?? NaN;
    };
    const before = await timeIn('a', '246', 'parse_header');
    const after = await timeIn('b', '320', 'parse_header_v2');
    const change = ['--change', 'function=parse_header_v2', '--factor', String(before / after)];
    const { changes } = await askGroup(traceOf('b'), ...change);
    const { median } = await askGroup(traceOf('a'), '--limit', '80');
    expect(Math.abs(changes[0].medianThen.careful / median - 1)).toBeLessThan(0.05);
    expect(Math.abs(changes[0].medianThen.hopeful / median - 1)).toBeLessThan(0.05);
    expect(changes[0].gain).toBe(80);
  });
});

/** Sleeps of `server-sleep`: id and ms, as the program says. */
const SLEEPS = [
  ['66', 174.6],
  ['166', 126.72],
  ['266', 139.9],
  ['366', 105.93],
  ['466', 87.46],
  ['566', 194.14],
] as const;

describe.skipIf(!DEEP || shared === undefined)(`server-sleep (else: ${WITHOUT_SHARED})`, () => {
  it('without the sleep a request takes what it took but for it', async () => {
    const trace = join(shared ?? '', 'traces/server-sleep');
    const about = readFileSync(join(trace, 'ABOUT.md'), 'utf8');
    const spans = await spansOf(trace);
    for (const [id, ms] of SLEEPS) {
      expect(about).toContain(`  ${id}: `);
      const span = spans.get(id);
      if (span === undefined) throw new Error(`no request ${id}`);
      const { changes } = await ask(trace, String(span.tid), ...rangeOf(span));
      const [{ kind, gone }] = changes;
      expect(kind).toBe('timer');
      expect(Math.abs(gone.careful / 1e6 - ms)).toBeLessThan(1);
    }
  });
});
