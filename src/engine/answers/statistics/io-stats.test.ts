import { expect, it } from 'vitest';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { life, read, to, type TracedEvent, oneCpuTrace } from '../../../../test/support/one-cpu-trace.ts';

it('tells what each life of a thread moved, whose tid is used again', async () => {
  const { api } = await openLocal(
    oneCpuTrace([to(0n, 1n), ...life(5n, -11n), ...life(9n), ...read(2n), to(1n, 0n)]),
  );
  const { threads, errors, missing } = await api.ask('io', {});
  expect(threads.map(({ row, read: { bytes, ops } }) => [row, bytes, ops])).toEqual([
    ['thread:0:7#2', 9, 1],
    ['thread:0:7', 5, 2],
    ['thread:0:1', 2, 1],
  ]);
  expect(errors).toEqual([{ errno: 11, count: 1 }]);
  expect(missing).toEqual(['lttng_statedump_file_descriptor', 'block_rq_issue', 'block_rq_complete']);
});

it('names the files of each life of a thread by what that was called', async () => {
  const { api, open } = localSession();
  const called = (name: string, traced: readonly TracedEvent[]): TracedEvent[] =>
    traced.map(([event, fields]) => [
      event,
      fields.prev_tid === 7n ? { ...fields, prev_comm: name } : fields,
    ]);
  await open(oneCpuTrace([to(0n, 1n), ...called('one', life(5n)), ...called('two', life(9n)), to(1n, 0n)]));
  const { files } = await api.ask('io', {});
  expect(files.map(({ path, read: { bytes } }) => [path, bytes])).toEqual([
    ['unknown (two)', 9],
    ['unknown (one)', 5],
  ]);
});

it('finds the threads of calls that a channel without switches has', async () => {
  const [entry, exit] = read(5n);
  const [, failed] = read(-11n);
  // Two threads read at once; the second begins and ends its call while the first is in it.
  const atOnce = [entry, to(1n, 2n), entry, failed, to(2n, 1n), exit, ...read(-2n), to(1n, 0n)];
  const traced = [...read(3n), to(1n, 2n), ...read(7n), to(2n, 1n), ...atOnce];
  const one = await openLocal(oneCpuTrace(traced));
  const io = await one.api.ask('io', {});
  expect(io.threads.map(({ tid, read: { bytes, ops } }) => [tid, bytes, ops])).toEqual([
    [1, 8, 3],
    [2, 7, 2],
  ]);
  const calls = await one.api.ask('syscalls', {});
  for (const chunkBytes of [1, 4096, undefined]) {
    const { api } = await openLocal(oneCpuTrace(traced, true), { chunkBytes });
    expect(await api.ask('io', {})).toEqual(io);
    expect(await api.ask('syscalls', {})).toEqual(calls);
  }
});
