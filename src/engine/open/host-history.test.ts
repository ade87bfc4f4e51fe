import { expect, it } from 'vitest';
import { openLocal } from '../../../test/support/local-session.ts';
import { to, type TracedEvent, oneCpuTrace } from '../../../test/support/one-cpu-trace.ts';

const dump = (tid: bigint, type: bigint): TracedEvent => [
  'lttng_statedump_process_state',
  { tid, pid: tid, ppid: 1n, name: 'n', type },
];

it('a CPU is in the kernel while it runs what turns out to be a kernel thread', async () => {
  const { api } = await openLocal(
    oneCpuTrace([to(0n, 7n, 1n), to(7n, 8n, 1n), to(8n, 0n, 1n), dump(7n, 1n), dump(8n, 0n)]),
  );
  const texts = [500, 1500].map(async (time) => [
    (await api.ask('interval', { row: 'cpu:0:0', timeNs: time }))?.stateText,
    (await api.ask('interval', { row: time === 500 ? 'thread:0:7' : 'thread:0:8', timeNs: time }))?.stateText,
  ]);
  expect(await Promise.all(texts)).toEqual([
    ['Running, kernel', 'Running, kernel'],
    ['Running, user', 'Running, user'],
  ]);
});
