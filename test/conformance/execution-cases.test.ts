/**
 * Traces of a few events from public reports of comparisons that explained nothing (`fixtures/cases`), each with what is right,
 * through the command line. `executions.test.ts` compares all of their executions. Times are ns.
 */
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { casePath } from '../support/states-goldens.ts';

interface ExecutionsJson {
  readonly time?: string;
  readonly stacks: readonly string[];
  readonly executions: readonly { readonly begin: number; readonly end: number }[];
  readonly groups: { readonly A: readonly number[]; readonly B: readonly number[] };
  readonly ranking: {
    readonly difference: number;
    readonly nodes: readonly object[];
    readonly threads: readonly object[];
    readonly unexplained: readonly number[];
  };
}

const CASES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  // lttng-ust alone: times are elapsed times, by entries and exits of functions.
  'executions-without-kernel': async (trace) => {
    // Beside the trace lies the program.
    const path = dirname(trace);
    for (const slow of ['p90', 'auto']) {
      const { time, executions, groups, ranking } = await executionsOf(path, '--slow', slow);
      expect(time).toBe('elapsed');
      expect(executions.map(({ begin, end }) => [begin, end - begin])).toEqual(
        Array.from({ length: 20 }, (_, j) => [
          1_000_000 + 20_000_000 * j,
          (j === 3 || j === 13 ? 3_040_000 : 140_000) + 100 * j,
        ]),
      );
      expect([groups.A.length, groups.B]).toEqual([10, [3, 13]]);
      expect(ranking.nodes).toMatchObject([{ stack: 'handle;parse', share: 1, explains: [3, 13] }]);
    }
    const profile = await inspectJson<object>('profile', path, '--thread', '100');
    expect(profile).toMatchObject({
      ...{ of: 'elapsed', from: 0, to: 381_141_900 },
      stacks: [
        ['100', 372_941_900],
        ['handle', 400_000],
        ['handle;parse', 7_800_000],
      ],
    });
    const text = await inspect('executions', path, ...DEFINITION, '--slow', 'auto');
    expect(text.stdout).toContain('20 executions (no kernel was recorded: elapsed time)');
    const refused = await inspect('profile', path, '--thread', '100', '--path');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--path needs a kernel trace'),
    ]);
  },

  // A change that made executions faster is explained as well, by what takes less.
  'faster-after-change': async (path) => {
    const against = ['--against', `${path}/after`];
    const { ranking } = await executionsOf(`${path}/before`, ...against);
    expect(ranking).toMatchObject({
      difference: -2_000_000,
      nodes: [{ stack: 'syscall nanosleep;timer', difference: -2_000_000, share: 1 }],
      unexplained: [],
    });
    const { stdout } = await inspect('executions', `${path}/before`, ...DEFINITION, ...against);
    expect(stdout).toContain('take 2000000 ns shorter on average than the 10 of the first (A)');
    expect(stdout).toContain('Sleeping (nanosleep): 1005000 ns against 3005000 ns in A. Explains all 10.');
  },

  // Whichever of the pool's threads it was: they are one cause, and their own names elsewhere.
  'pool-of-named-threads': async (path) => {
    for (const slow of ['p80', 'auto']) {
      const { ranking, groups, stacks } = await executionsOf(path, '--slow', slow);
      expect([groups.A.length, groups.B.length]).toEqual([16, 4]);
      expect(ranking).toMatchObject({
        difference: 7_500_000,
        nodes: [
          {
            stack: 'syscall futex;→ thread helper-*',
            ...{ difference: 7_500_000, share: 1, inA: 16, inB: 4, explains: groups.B },
          },
        ],
        threads: [{ thread: '→ thread helper-*', difference: 7_500_000, share: 1, effect: null }],
        unexplained: [],
      });
      for (const number of [0, 1, 2, 3]) expect(stacks.join()).toContain(`→ thread helper-${number}`);
    }
    const { stdout } = await inspect('executions', path, ...DEFINITION, '--slow', 'auto');
    expect(stdout).toContain('→ thread helper-* (4 threads)');
    expect(stdout).toContain(
      'Waiting for thread helper-* (4 threads), in futex: 7989500 ns against 489500 ns in A. Explains all 4.',
    );
  },

  // Three causes of equal size, none of them more than half of the difference.
  'slow-by-three-things': async (path) => {
    for (const slow of ['p90', 'auto']) {
      const { ranking, groups } = await executionsOf(path, '--slow', slow);
      expect(groups.B).toEqual([3, 13]);
      const each = { difference: 2_900_000, share: 0.333, meanA: 100_500, meanB: 3_000_500, inA: 10, inB: 2 };
      expect(ranking).toMatchObject({
        difference: 8_700_280,
        nodes: ['syscall nanosleep;timer', 'syscall read;disk', 'syscall write;disk'].map((stack) => ({
          ...{ stack, ...each, explains: [3, 13] },
        })),
        unexplained: [],
      });
    }
    const { stdout } = await inspect('executions', path, ...DEFINITION, '--slow', 'p90');
    for (const cause of [
      'Sleeping (nanosleep)',
      'Waiting for the disk (read)',
      'Waiting for the disk (write)',
    ])
      expect(stdout).toContain(`${cause}: 3000500 ns against 100500 ns in A. Explains all 2.`);
    expect(stdout).toContain(
      'Several causes at once, 2 executions: sleeping in nanosleep; waiting for the disk in read; waiting for the disk in write',
    );
  },
};

const DEFINITION = ['--begin', 'app:begin', '--end', 'app:end'];

describe('cases of executions', () => {
  testEach('cases', Object.keys(CASES), (name) => CASES[name](casePath(name)));

  // The durations of the first trace of a case are even: no tail is an answer, and the command says what else to ask.
  test('nothing stands out', async () => {
    const path = `${casePath('faster-after-change')}/before`;
    const { groups } = await executionsOf(path, '--slow', 'auto');
    expect(groups).toEqual({ rule: 'slow auto', A: [], B: [] });
    const { stdout } = await inspect('executions', path, ...DEFINITION, '--slow', 'auto');
    expect(stdout).toContain('Nothing stands out');
  });

  // With fewer than ten executions the 90th percentile is the longest: that one is slow.
  test('a percentile of few executions', async () => {
    const path = `${casePath('faster-after-change')}/before`;
    const { groups } = await executionsOf(path, '--slow', 'p99');
    expect(groups.B).toEqual([9]);
  });
});

function executionsOf(path: string, ...more: readonly string[]): Promise<ExecutionsJson> {
  return inspectJson<ExecutionsJson>('executions', path, ...DEFINITION, ...more);
}
