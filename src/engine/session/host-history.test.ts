import { expect, it } from 'vitest';
import { fixedText, lttngModel, signed, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../test/support/ctf-writer/trace-writer.ts';
import { localSession } from '../../../test/support/local-session.ts';
import { memoryRefs } from '../../../test/support/memory-files.ts';

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
  lttng_statedump_process_state: struct({ tid: int, pid: int, ppid: int, name, type: int }),
};

const to = (prev: bigint, next: bigint) => ({
  eventClass: 0,
  payload: { prev_comm: 'p', prev_tid: prev, prev_state: 1n, next_comm: 'n', next_tid: next },
});
const dump = (tid: bigint, type: bigint) => ({
  eventClass: 1,
  payload: { tid, pid: tid, ppid: 1n, name: 'n', type },
});

it('a CPU is in the kernel while it runs what turns out to be a kernel thread', async () => {
  const model = lttngModel({
    uuid: '5151c0de-0000-4000-8000-000000000007',
    clock: {
      name: 'monotonic',
      uuid: '5151c0de-0000-4000-8000-000000000008',
      frequency: 1_000_000_000n,
      offsetSeconds: 1_700_000_000n,
      offsetCycles: 0n,
      absolute: false,
    },
    environment: { domain: 'kernel', hostname: 'simulated' },
    header: 'large',
    events: EVENTS,
  });
  const told = [to(0n, 7n), to(7n, 8n), to(8n, 0n), dump(7n, 1n), dump(8n, 0n)];
  const events = told.map((event, i) => ({ ...event, time: BigInt(1000 * (i + 1)) }));
  const packet = { begin: 0n, end: 7000n, sequence: 0n, streamId: 0n, cpu: 0, discarded: 0n, events };
  const { api, open } = localSession();
  await open(memoryRefs(writeTrace(model, [{ file: 'kernel_0', streamClass: 0, packets: [packet] }])));
  const texts = [500, 1500].map(async (time) => [
    (await api.interval('cpu:0:0', time))?.stateText,
    (await api.interval(time === 500 ? 'thread:0:7' : 'thread:0:8', time))?.stateText,
  ]);
  expect(await Promise.all(texts)).toEqual([
    ['Running, kernel', 'Running, kernel'],
    ['Running, user', 'Running, user'],
  ]);
});
