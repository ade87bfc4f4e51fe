/** Perfetto traces: made here by the published schema, and the one of `foreign/systing-perfetto`. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import { sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { type Fields, perfettoTrace } from '../support/perfetto-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'perfetto-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function written(bytes: Uint8Array): string {
  const path = join(folder, `trace-${files++}.pb`);
  writeFileSync(path, bytes);
  return path;
}

/** Events as `TIME NAME FIELDS`, of one stream after the other. */
async function events(...args: readonly string[]): Promise<string[]> {
  const { stdout } = await inspect('canonical', ...args);
  return stdout.split('\n').filter((line) => line !== '');
}

function counts(lines: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of lines) {
    const name = /^\d+ "([^"]*)"/.exec(line)?.[1] ?? '';
    sums[name] = (sums[name] ?? 0) + 1;
  }
  return sums;
}

interface States {
  readonly threads: readonly {
    readonly worker: string;
    readonly intervals: readonly (readonly [state: number, from: number, to: number])[];
  }[];
}

/** Above 2^53: no double has these times. */
const BOOT = 2n ** 60n + 1n;
const bundle = (cpu: number, fields: Fields): Fields => [[1, [[1, cpu], ...fields]]];
const clocks: Fields = [
  [
    6,
    [
      [
        1,
        [
          [1, 6],
          [2, BOOT],
        ],
      ],
      [
        1,
        [
          [1, 1],
          [2, BOOT + 1_000_000_000_000_000_000n],
        ],
      ],
    ],
  ],
];

describe('switches in compact form', () => {
  // Thread 7 runs from 100 on, thread 8 from 300 to 600; 7 sleeps in between and is woken by 8 at 500.
  const compact: Fields = [
    [5, 'main'],
    [5, 'worker'],
    [1, { packed: [BOOT + 100n, 200, 300] }],
    [2, { packed: [0, 1, 2] }],
    [3, { packed: [7, 8, 7] }],
    [4, { packed: [120, 120, 120] }],
    [6, { packed: [0, 1, 0] }],
    [7, { packed: [BOOT + 500n] }],
    [8, { packed: [7] }],
    [9, { packed: [0] }],
    [10, { packed: [120] }],
    [11, { packed: [0] }],
    [12, { packed: [1] }],
  ];
  const exit: Fields = [
    [1, BOOT + 650n],
    [2, 7],
    [
      238,
      [
        [1, 'main'],
        [2, 7],
        [3, 7],
        [4, 120],
      ],
    ],
  ];

  test('say of each but the first who leaves, and at which nanosecond', async () => {
    const path = written(
      perfettoTrace([
        clocks,
        bundle(0, [
          [4, compact],
          [2, exit],
        ]),
      ]),
    );
    const at = (ns: number) => String(BOOT + 1_000_000_000_000_000_000n + BigInt(ns));
    const main = '"next_comm":"main","next_pid":7,"next_prio":120';
    expect(await events(path)).toEqual([
      `${at(100)} "sched:sched_switch" - - {"prev_state":0,${main}}`,
      `${at(300)} "sched:sched_switch" - - {"prev_comm":"main","prev_pid":7,"prev_state":1,"next_comm":"worker","next_pid":8,"next_prio":120}`,
      `${at(500)} "sched:sched_waking" - - {"comm":"main","pid":7,"prio":120,"target_cpu":0}`,
      `${at(600)} "sched:sched_switch" - - {"prev_comm":"worker","prev_pid":8,"prev_state":2,${main}}`,
      `${at(650)} "sched:sched_process_exit" - - {"common_pid":7,"comm":"main","pid":7,"tgid":7,"prio":120}`,
    ]);
    const { threads } = await inspectJson<States>('states', path);
    const named = threads.map(({ worker, intervals }) => ({
      worker,
      intervals: intervals.map(([state, from, to]) => [THREAD_STATES[state], from, to]),
    }));
    expect(named).toEqual([
      {
        worker: '7',
        intervals: [
          ['running in user mode', 0, 200],
          ['blocked, interruptible', 200, 400],
          ['runnable, woken', 400, 500],
          ['running in user mode', 500, 550],
        ],
      },
      {
        worker: '8',
        intervals: [
          ['running in user mode', 200, 500],
          ['blocked, uninterruptible', 500, 550],
        ],
      },
    ]);
  });
});

const systing = join(sharedDir() ?? '', 'foreign/systing-perfetto/trace.pb');

describe.skipIf(!existsSync(systing))(`a trace of systing (else: ${WITHOUT_SHARED})`, () => {
  test('has the events that the published schema finds in it', async () => {
    expect(counts(await events(systing))).toEqual({
      'irq:irq_handler_entry': 3,
      'irq:irq_handler_exit': 3,
      'irq:softirq_entry': 4284,
      'irq:softirq_exit': 4284,
      'sched:sched_process_exit': 1,
      'sched:sched_switch': 5053,
      'sched:sched_waking': 3678,
    });
    const { violations } = await inspectJson<{ violations: unknown[] }>('states', '--check', systing);
    expect(violations).toEqual([]);
  });

  test('has a path that leads over wake-ups', async () => {
    const { stdout } = await inspect('critical-path', systing, '--thread', '1121817');
    expect(stdout).toContain('claude');
  });
});
