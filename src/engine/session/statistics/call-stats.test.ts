import { expect, it } from 'vitest';
import { fixedText, lttngModel, signed, struct } from '../../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../../test/support/ctf-writer/trace-writer.ts';
import { localSession } from '../../../../test/support/local-session.ts';
import { memoryRefs } from '../../../../test/support/memory-files.ts';

const name = fixedText(16);
const int = signed(32);
const EVENTS = {
  sched_switch: struct({
    prev_comm: name,
    prev_tid: int,
    prev_state: signed(64),
    next_comm: name,
    next_tid: int,
  }),
  sched_process_fork: struct({
    parent_tid: int,
    parent_pid: int,
    child_comm: name,
    child_tid: int,
    child_pid: int,
  }),
  sched_process_free: struct({ comm: name, tid: int }),
  syscall_entry_read: struct({ fd: int }),
  syscall_exit_read: struct({ ret: signed(64) }),
  sys_open: struct({ flags: int }),
  exit_syscall: struct({ ret: signed(64) }),
};
type Name = keyof typeof EVENTS;
type Told = readonly [Name, Readonly<Record<string, string | bigint>>];

const to = (prev: bigint, next: bigint, prevState = 0n): Told => [
  'sched_switch',
  { prev_comm: 'p', prev_tid: prev, prev_state: prevState, next_comm: 'n', next_tid: next },
];
const read = (ret: bigint): readonly Told[] => [
  ['syscall_entry_read', { fd: 3n }],
  ['syscall_exit_read', { ret }],
];
/** Runs on behalf of 1 and dies; `ret`s of its reads. */
const life = (...rets: readonly bigint[]): readonly Told[] => [
  ['sched_process_fork', { parent_tid: 1n, parent_pid: 1n, child_comm: 'c', child_tid: 7n, child_pid: 7n }],
  to(1n, 7n),
  ...rets.flatMap(read),
  to(7n, 1n, 16n),
  ['sched_process_free', { comm: 'c', tid: 7n }],
];

/** One CPU, an event each µs. */
function traceOf(told: readonly Told[]) {
  const model = lttngModel({
    uuid: '5151c0de-0000-4000-8000-000000000005',
    clock: {
      name: 'monotonic',
      uuid: '5151c0de-0000-4000-8000-000000000006',
      frequency: 1_000_000_000n,
      offsetSeconds: 1_700_000_000n,
      offsetCycles: 0n,
      absolute: false,
    },
    environment: { domain: 'kernel', hostname: 'simulated' },
    header: 'large',
    events: EVENTS,
  });
  const names = Object.keys(EVENTS);
  const events = told.map(([event, payload], i) => {
    return { eventClass: names.indexOf(event), time: BigInt(1000 * (i + 1)), payload };
  });
  const packet = { begin: 0n, end: BigInt(1000 * (told.length + 1)), sequence: 0n, streamId: 0n, cpu: 0 };
  const packets = [{ ...packet, discarded: 0n, events }];
  return writeTrace(model, [{ file: 'kernel_0', streamClass: 0, packets }]);
}

it('counts failed calls by the life of a thread, whose tid is used again', async () => {
  const { api, open } = localSession();
  const told = [to(0n, 1n), ...life(-11n, -11n, 5n), ...life(-2n, 9n), ...read(-4n), to(1n, 0n)];
  await open(memoryRefs(traceOf(told)));
  const { pairs, calls } = await api.callStats(undefined);
  expect(pairs.map(({ row, durations, errors }) => [row, durations.count, errors])).toEqual([
    ['thread:0:1', 1, [{ errno: 4, count: 1 }]],
    ['thread:0:7', 3, [{ errno: 11, count: 2 }]],
    ['thread:0:7#2', 2, [{ errno: 2, count: 1 }]],
  ]);
  expect(calls.map(({ errors }) => errors)).toEqual([
    [
      { errno: 11, count: 2 },
      { errno: 2, count: 1 },
      { errno: 4, count: 1 },
    ],
  ]);
});

it('counts failed calls of a range by who ran when it began', async () => {
  const { api, open } = localSession();
  const told = [to(0n, 1n), ...read(-11n), ...read(-2n), to(1n, 2n), ...read(-4n), to(2n, 0n)];
  await open(memoryRefs(traceOf(told)));
  const errorsIn = async (from: number, until: number) => {
    const { threads } = await api.callStats({ from, to: until });
    return threads.map(({ tid, errors }) => [tid, errors.map(({ errno }) => errno)]);
  };
  // The switches are at 0, 5 and 8 µs.
  expect(await errorsIn(3000, 5000)).toEqual([[1, [2]]]);
  expect(await errorsIn(4000, 8000)).toEqual([
    [1, [2]],
    [2, [4]],
  ]);
});

it('counts a failed call that an old tracer names at its entry alone, before the range', async () => {
  const { api, open } = localSession();
  const told: Told[] = [to(0n, 1n), ['sys_open', { flags: 0n }], ['exit_syscall', { ret: -2n }], to(1n, 0n)];
  await open(memoryRefs(traceOf(told)));
  const { calls } = await api.callStats({ from: 1500, to: 3000 });
  expect(calls.map(({ call, errors }) => [call, errors])).toEqual([['open', [{ errno: 2, count: 1 }]]]);
});
