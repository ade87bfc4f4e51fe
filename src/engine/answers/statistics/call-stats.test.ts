import { expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { life, read, to, type TracedEvent, oneCpuTrace } from '../../../../test/support/one-cpu-trace.ts';

it('counts failed calls by the life of a thread, whose tid is used again', async () => {
  const { api, open } = localSession();
  const traced = [to(0n, 1n), ...life(-11n, -11n, 5n), ...life(-2n, 9n), ...read(-4n), to(1n, 0n)];
  await open(oneCpuTrace(traced));
  const { pairs, calls } = await api.ask('syscalls', { withPairs: true });
  expect(pairs?.map(({ row, durations, errors }) => [row, durations.count, errors])).toEqual([
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
  const traced = [to(0n, 1n), ...read(-11n), ...read(-2n), to(1n, 2n), ...read(-4n), to(2n, 0n)];
  await open(oneCpuTrace(traced));
  const errorsIn = async (from: number, until: number) => {
    const { threads } = await api.ask('syscalls', { range: { from, to: until } });
    return threads.map(({ tid, errors }) => [tid, errors.map(({ errno }) => errno)]);
  };
  // The switches are at 0, 5 and 8 µs.
  expect(await errorsIn(3000, 5000)).toEqual([[1, [2]]]);
  expect(await errorsIn(4000, 8000)).toEqual([
    [1, [2]],
    [2, [4]],
  ]);
});

it('counts a failed call of which only the return is told', async () => {
  const { api, open } = localSession();
  const [, failed] = read(-11n);
  await open(oneCpuTrace([to(0n, 1n), failed, to(1n, 2n), ...read(5n), to(2n, 0n)]));
  const { pairs } = await api.ask('syscalls', { withPairs: true });
  const rows = pairs?.map(({ tid, call, durations, errors }) => [tid, call, durations.count, errors]);
  expect(rows?.sort()).toEqual([
    [1, 'read', 0, [{ errno: 11, count: 1 }]],
    [2, 'read', 1, []],
  ]);
  // In a range where nothing tells who runs.
  const { calls } = await api.ask('syscalls', { range: { from: 500, to: 1500 } });
  expect(calls.map(({ call, durations, errors }) => [call, durations.count, errors])).toEqual([
    ['read', 0, [{ errno: 11, count: 1 }]],
  ]);
});

it('counts a failed call that an old tracer names at its entry alone, before the range', async () => {
  const { api, open } = localSession();
  const traced: TracedEvent[] = [
    to(0n, 1n),
    ['sys_open', { flags: 0n }],
    ['exit_syscall', { ret: -2n }],
    to(1n, 0n),
  ];
  await open(oneCpuTrace(traced));
  const { calls } = await api.ask('syscalls', { range: { from: 1500, to: 3000 } });
  expect(calls.map(({ call, errors }) => [call, errors])).toEqual([['open', [{ errno: 2, count: 1 }]]]);
});
