/** Perfetto traces: made here by the published schema, and the one of `foreign/systing-perfetto`. */
import { existsSync, writeFileSync } from 'node:fs';
import { zlibSync } from 'fflate';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import { projectDir, WITHOUT_SHARED, sharedPath } from '../support/shared.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { type Message, perfettoTrace } from '../support/perfetto-writer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSound, type ProfileAnswer, type StatesAnswer } from '../support/inspect-answers.ts';

const folder = temporaryFolder();

let files = 0;
/** A file of these packets. */
function written(...packets: readonly Message[]): string {
  const path = join(folder, `trace-${files++}.pb`);
  writeFileSync(path, perfettoTrace(packets));
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

interface Spans {
  readonly spans: readonly {
    readonly tid: number;
    readonly name: string;
    readonly level: number;
    readonly from: number;
    readonly to: number;
    readonly text: string;
  }[];
}

/** Above 2^53: no double has these times. */
const BOOT = 2n ** 60n + 1n;
/** The clock of the boot alone. */
const BOOTED: Message = { 6: { 1: [{ 1: 6, 2: BOOT }] } };
const bundle = (cpu: number, fields: Message): Message => ({ 1: { 1: cpu, ...fields } });
const clocks: Message = {
  6: {
    1: [
      { 1: 6, 2: BOOT },
      { 1: 1, 2: BOOT + 1_000_000_000_000_000_000n },
    ],
  },
};

describe('switches in compact form', () => {
  // Thread 7 runs from 100 on, thread 8 from 300 to 600; 7 sleeps in between and is woken by 8 at 500.
  const compact: Message = {
    5: ['main', 'worker'],
    1: { packed: [BOOT + 100n, 200, 300] },
    2: { packed: [0, 1, 2] },
    3: { packed: [7, 8, 7] },
    4: { packed: [120, 120, 120] },
    6: { packed: [0, 1, 0] },
    7: { packed: [BOOT + 500n] },
    8: { packed: [7] },
    9: { packed: [0] },
    10: { packed: [120] },
    11: { packed: [0] },
    12: { packed: [1] },
  };
  const exit: Message = { 1: BOOT + 650n, 2: 7, 238: { 1: 'main', 2: 7, 3: 7, 4: 120 } };

  test('say of each but the first who leaves, and at which nanosecond', async () => {
    const path = written(clocks, bundle(0, { 4: compact, 2: exit }));
    const at = (ns: number) => String(BOOT + 1_000_000_000_000_000_000n + BigInt(ns));
    const main = '"next_comm":"main","next_pid":7,"next_prio":120';
    expect(await events(path)).toEqual([
      `${at(100)} "sched:sched_switch" - - {"prev_state":0,${main}}`,
      `${at(300)} "sched:sched_switch" - - {"prev_comm":"main","prev_pid":7,"prev_state":1,"next_comm":"worker","next_pid":8,"next_prio":120}`,
      `${at(500)} "sched:sched_waking" - - {"comm":"main","pid":7,"prio":120,"target_cpu":0}`,
      `${at(600)} "sched:sched_switch" - - {"prev_comm":"worker","prev_pid":8,"prev_state":2,${main}}`,
      `${at(650)} "sched:sched_process_exit" - - {"common_pid":7,"comm":"main","pid":7,"tgid":7,"prio":120}`,
    ]);
    const { threads } = await inspectJson<StatesAnswer>('states', path);
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

test('events of any name, marks, lost events and clocks of ftrace', async () => {
  const descriptor: Message = {
    1: 900,
    2: {
      1: 'contention_begin',
      2: [
        { 1: 'lock_addr', 3: 3, 5: 4 },
        { 1: 'flags', 3: 4, 5: 13 },
      ],
    },
  };
  const generic: Message = {
    1: 'foo',
    2: [
      { 1: 'a', 4: -3n },
      { 1: 'b', 3: 'text' },
    ],
  };
  const first = bundle(1, {
    11: descriptor,
    2: [
      { 1: BOOT + 10n, 2: 5, 900: { 3: 0x10, 4: 2 } },
      { 1: BOOT + 20n, 2: 5, 327: generic },
      { 1: BOOT + 30n, 2: 5, 3: { 1: 1, 2: 'B|4|load\n' } },
      { 1: BOOT + 40n, 2: 5, 3: { 1: 1, 2: 'C|4|free|12\n' } },
      { 1: BOOT + 50n, 2: 5, 3: { 1: 1, 2: 'E|4\n' } },
    ],
  });
  // ftrace's global clock was 1000 behind when this was read.
  const second = bundle(1, { 3: 1, 5: 2, 6: BOOT - 1000n, 7: BOOT, 2: { 1: BOOT - 900n, 24: { 1: 3 } } });
  const path = written(clocks, first, second);
  const lines = (await events(path)).map((line) =>
    line.replace(/^\d{10}/, '').replace(String(BOOT).slice(0, 10), ''),
  );
  expect(lines.map((line) => line.replace(/^\d+ /, ''))).toEqual([
    '"contention_begin" - - {"common_pid":5,"lock_addr":16,"flags":2}',
    '"foo" - - {"common_pid":5,"a":-3,"b":"text"}',
    '"mark:begin" - - {"perf_tid":5,"perf_pid":4,"name":"load"}',
    '"mark:counter" - - {"perf_tid":5,"perf_pid":4,"value":12,"name":"free"}',
    '"mark:end" - - {"perf_tid":5,"perf_pid":4}',
    '"irq:softirq_entry" - - {"vec":3}',
  ]);
  const { stdout } = await inspect('info', path);
  expect(stdout).toContain('from 0 to 90 ns');
  expect(stdout).toContain('lost: 1 events, 0 packets');
  const { spans } = await inspectJson<Spans>('overlays', path);
  expect(spans.map(({ tid, from, to, text }) => [tid, from, to, text])).toEqual([[5, 20, 40, 'load']]);
});

describe('events of programs', () => {
  /** Packets of sequence 1, with names by number. */
  const own = (ns: bigint, fields: Message): Message => ({ 8: BOOT + ns, 10: 1, 13: 2, ...fields });
  const names: Message = {
    10: 1,
    13: 1,
    12: {
      1: { 1: 1, 2: 'net' },
      2: { 1: 1, 2: 'request' },
      5: [
        { 1: 1, 2: 'main' },
        { 1: 2, 2: 'work;' },
      ],
      6: [
        { 1: 10, 2: 1 },
        { 1: 11, 2: 2 },
        { 1: 12, 3: 1, 4: 0x1234 },
      ],
      17: { 1: 1, 2: 'libc.so' },
      19: { 1: 1, 7: 1 },
      7: { 1: 5, 2: { packed: [10, 11, 12] } },
    },
    59: { 11: { 11: 100 } },
  };
  const tracks: readonly Message[] = [
    { 60: { 1: 100, 4: { 1: 70, 2: 71, 5: 'render' } } },
    { 60: { 1: 200, 2: 'frames', 5: 201 } },
    { 60: { 1: 201, 3: { 1: 70, 6: 'game' } } },
    { 60: { 1: 300, 2: 'bytes', 8: { 4: 1024 } } },
  ];
  const packets: readonly Message[] = [
    clocks,
    names,
    ...tracks,
    own(10n, { 11: { 9: 1, 10: 1, 3: 1, 47: new Uint8Array(8).fill(1) } }),
    own(20n, { 11: { 9: 1, 23: 'parse', 4: { 10: 'bytes', 4: 7 } } }),
    own(30n, { 11: { 9: 2 } }),
    own(40n, { 11: { 9: 2 } }),
    own(15n, { 11: { 9: 1, 11: 200, 23: 'frame 1' } }),
    own(35n, { 11: { 9: 2, 11: 200 } }),
    own(50n, { 11: { 9: 4, 11: 300, 30: 3 } }),
    own(60n, { 11: { 6: { 2: 88, 3: 1, 1: 1 } } }),
    own(70n, { 66: { 2: 70, 3: 71, 4: 5 } }),
  ];

  test('are spans of their threads, values of counters and samples of stacks', async () => {
    const path = written(...packets);
    const { spans } = await inspectJson<Spans>('overlays', path);
    expect(spans.map(({ tid, name, level, from, to, text }) => [tid, name, level, from, to, text])).toEqual([
      [71, 'perfetto:slice', 0, 0, 30, 'request, category net'],
      [70, 'perfetto:async', 0, 5, 25, 'frame 1, track frames'],
      [71, 'perfetto:slice', 1, 10, 20, 'parse, arguments bytes=7'],
      [71, 'perfetto:slice', 0, 50, 1050, 'request'],
    ]);
    expect((await events(path)).map((line) => line.replace(/^\d+ /, ''))).toMatchInlineSnapshot(`
      [
        ""perfetto:slice_begin" - {"vtid":71,"vpid":70,"procname":"render"} {"name":"request","category":"net","arguments":"","track_id":100,"flows":"0x101010101010101"}",
        ""perfetto:async_begin" - {"vtid":70,"vpid":70,"procname":"game"} {"name":"frame 1","category":"","track":"frames","arguments":"","async_id":"200","flows":""}",
        ""perfetto:slice_begin" - {"vtid":71,"vpid":70,"procname":"render"} {"name":"parse","category":"","arguments":"bytes=7","track_id":100,"flows":""}",
        ""perfetto:slice_end" - {"vtid":71,"vpid":70,"procname":"render"} {"arguments":"","track_id":100,"flows":""}",
        ""perfetto:async_end" - {"vtid":70,"vpid":70,"procname":"game"} {"arguments":"","async_id":"200","flows":""}",
        ""perfetto:slice_end" - {"vtid":71,"vpid":70,"procname":"render"} {"arguments":"","track_id":100,"flows":""}",
        ""perfetto:counter" - - {"name":"bytes","value":3072}",
        ""perfetto:slice_begin" - {"vtid":71,"vpid":70,"procname":"render"} {"name":"request","category":"","arguments":"","track_id":100,"flows":""}",
        ""perfetto:sample" - {"vtid":71,"vpid":70} {"functions":"libc.so+0x1234;work,;main"}",
        ""perfetto:slice_end" - {"vtid":71,"vpid":70,"procname":"render"} {"arguments":"","track_id":100,"flows":""}",
      ]
    `);
    const { samples, functions } = await inspectJson<ProfileAnswer>('profile', path, '--thread', '71');
    expect(samples).toBe(1);
    expect(functions.map(({ name }) => name).sort()).toEqual(['libc.so+0x1234', 'main', 'render', 'work,']);
  });

  test('are the same out of packed packets, and in clocks of their own', async () => {
    const [first, ...more] = packets;
    const packed = written(first, { 50: zlibSync(perfettoTrace(more)) });
    const plain = await events(written(...packets));
    expect(await events(packed)).toEqual(plain);
  });
});

const snapshot = (...clocksOf: readonly Message[]): Message => ({ 6: { 1: clocksOf, 2: 6 } });
/** Events as `NS TEXT`, from the boot on. */
const sinceBoot = async (path: string) =>
  (await events(path)).map((line) => {
    const at = line.indexOf(' ');
    return `${BigInt(line.slice(0, at)) - BOOT}${line.slice(at)}`;
  });

describe('clocks', () => {
  /** An instant of a sequence at a time of its clock. */
  const instant = (sequence: number, time: bigint, clock: number, name: string): Message => ({
    ...{ 8: time, 10: sequence, 58: clock },
    11: { 9: 3, 11: 5, 23: name },
  });
  const boot: Message = { 1: 6, 2: BOOT };

  test('of sequences are theirs alone, count in their unit, and from the packet before where they say so', async () => {
    const path = written(
      { 10: 1, ...snapshot(boot, { 1: 64, 2: 1000n }, { 1: 65, 2: 7n, 3: 1, 4: 1000n }) },
      { 10: 2, ...snapshot(boot, { 1: 64, 2: 500n }) },
      instant(1, 1010n, 64, 'a'),
      instant(2, 520n, 64, 'b'),
      instant(1, 3n, 65, 'c'),
      instant(1, 2n, 65, 'd'),
      // No snapshot of this sequence has this clock.
      instant(2, 1n, 65, 'e'),
    );
    expect((await sinceBoot(path)).map((line) => line.replace(/ .*"name":"(\w)".*/, ' $1'))).toEqual([
      '10 a',
      '20 b',
      '3000 c',
      '5000 d',
    ]);
    expect((await inspect('info', path)).stderr).toContain('1 record whose clock no snapshot explains');
  });

  test('that a name stands for are those of all sequences; a later snapshot corrects them', async () => {
    const path = written(
      { 10: 1, ...snapshot(boot, { 1: 200, 2: 0n }) },
      { 10: 1, ...snapshot({ 1: 6, 2: BOOT + 1000n }, { 1: 200, 2: 990n }) },
      instant(2, 980n, 200, 'before'),
      instant(3, 995n, 200, 'behind'),
    );
    const times = (await sinceBoot(path)).map((line) => line.split(' ')[0]);
    expect(times).toEqual(['980', '1005']);
  });

  test('of two instances of ftrace become one: the events of a CPU are in order of time', async () => {
    const softirq = (time: bigint, vec: number): Message => ({ 1: time, 2: 7, 24: { 1: vec } });
    const path = written(
      snapshot(boot),
      { 10: 1, 1: { 1: 0, 2: [softirq(BOOT + 10n, 1), softirq(BOOT + 30n, 3)] } },
      // Its clock (2: "global") showed 5 when the clock of the trace showed 15.
      { 10: 2, 1: { 1: 0, 5: 2, 6: 5n, 7: BOOT + 15n, 2: [softirq(10n, 2), softirq(30n, 4)] } },
    );
    expect((await sinceBoot(path)).map((line) => line.replace(/ .*"vec":(\d).*/, ' $1'))).toEqual([
      '10 1',
      '20 2',
      '30 3',
      '40 4',
    ]);
  });
});

test('events of ftrace that the schema did not have are counted by number, others are kept', async () => {
  const event = (time: bigint, number: number): Message => ({ 1: BOOT + time, 2: 7, [number]: { 1: 3 } });
  const path = written(BOOTED, {
    1: { 1: 0, 2: [event(1n, 24), event(2n, 777), event(3n, 778), event(4n, 777), event(5n, 25)] },
  });
  const { stderr } = await inspect('info', path);
  expect(stderr).toContain('2 records of ftrace (type 777)');
  expect(stderr).toContain('1 record of ftrace (type 778)');
  expect(counts(await events(path))).toEqual({ 'irq:softirq_entry': 1, 'irq:softirq_exit': 1 });
});

test('flows of all forms are fields of their events', async () => {
  const id = (low: number) => new Uint8Array([low, 0, 0, 0, 0, 0, 0, 1]);
  const path = written(
    BOOTED,
    { 8: BOOT + 1n, 10: 1, 11: { 9: 1, 11: 5, 23: 'sends', 47: id(2), 36: 7 } },
    { 8: BOOT + 2n, 10: 1, 11: { 9: 1, 11: 6, 23: 'receives', 48: id(2), 42: { packed: [7, 8] } } },
  );
  expect((await events(path)).map((line) => /"flows":"([^"]*)"/.exec(line)?.[1])).toEqual([
    '0x100000000000002, 0x7',
    '0x100000000000002, 0x7, 0x8',
  ]);
});

test('an export to Perfetto, opened again, has the states that it was made of', async () => {
  const recording = join(projectDir(), 'test/fixtures/recorders/perf-zstd.data');
  const path = join(folder, 'export.pftrace');
  await inspect('export', recording, '--format', 'perfetto', '--output', path);
  const { threads } = await inspectJson<StatesAnswer>('states', recording);
  const states = threads
    .filter(({ worker }) => /^[1-9]\d*$/.test(worker))
    .map(({ worker, intervals }) => [
      Number(worker),
      intervals
        .map(([state, from, to]) => [THREAD_STATES[state], from, to])
        .filter(([state]) => state !== 'unknown' && state !== 'dead'),
    ]);
  const { spans } = await inspectJson<Spans>('overlays', path);
  const found = new Map<number, unknown[]>();
  for (const { tid, level, from, to, text } of spans) {
    if (!found.has(tid)) found.set(tid, []);
    found.get(tid)?.push([text, from, to, ...(level === 0 ? [] : [level])]);
  }
  const known = states.filter(([, own]) => (own as unknown[]).length > 0);
  expect(known.length).toBeGreaterThan(10);
  expect(Object.fromEntries(found)).toMatchObject(Object.fromEntries(known));
});

const systing = sharedPath('foreign/systing-perfetto/trace.pb');

describe.skipIf(!existsSync(systing))(`a trace of systing (else: ${WITHOUT_SHARED})`, () => {
  test('has the events that the published schema finds in it', async () => {
    expect(counts(await events(systing))).toEqual({
      // 118 processes, and of 100 described threads those that are not their process's first.
      'perfetto:thread': 217,
      'perfetto:sample': 355,
      'irq:irq_handler_entry': 3,
      'irq:irq_handler_exit': 3,
      'irq:softirq_entry': 4284,
      'irq:softirq_exit': 4284,
      'sched:sched_process_exit': 1,
      'sched:sched_switch': 5053,
      'sched:sched_waking': 3678,
    });
    await expectSound(systing);
  });

  test('does not say that a thread leaves a CPU which has come to another one before', async () => {
    const switches = (await events(systing)).filter((line) => line.includes('sched_switch'));
    const unknown = switches.filter((line) => !line.includes('prev_pid')).length;
    // The first one of each of 22 CPUs, and 99 behind which the thread was on another CPU, counted in the packets by themselves.
    expect(unknown).toBe(22 + 99);
  });

  test('has a path that leads over wake-ups', async () => {
    const { stdout } = await inspect('critical-path', systing, '--thread', '1121817');
    expect(stdout).toContain('claude');
  });
});
