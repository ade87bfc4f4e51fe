/** Threads of what perf samples, by the fields that it adds to events, as `perf data convert --to-ctf` writes them. */
import { expect, it } from 'vitest';
import {
  integer,
  lttngModel,
  monotonicClock,
  signed,
  struct,
  text,
} from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../test/support/ctf-writer/trace-writer.ts';
import { localSession } from '../../../test/support/local-session.ts';
import { folderRefs } from '../../../test/support/memory-files.ts';
import { unpackRows } from '../answers/rows/row-columns.ts';

it('are rows with their samples and the name of their process', async () => {
  const model = lttngModel({
    uuid: '5151c0de-0000-4000-8000-000000000033',
    clock: monotonicClock('5151c0de-0000-4000-8000-000000000034'),
    environment: { domain: 'kernel', hostname: 'simulated', tracer_name: 'perf' },
    header: 'large',
    eventContext: struct({ flags: integer(8) }),
    events: {
      'cpu-clock': struct({ perf_ip: integer(64), perf_tid: signed(32), perf_pid: signed(32) }),
      perf_comm: struct({ pid: integer(32), tid: integer(32), comm: text }),
    },
  });
  const sample = (time: number, tid: number) => ({
    ...{ eventClass: 0, time: BigInt(time), common: { flags: 0 } },
    payload: { perf_ip: 1, perf_tid: tid, perf_pid: 7 },
  });
  const named = {
    eventClass: 1,
    time: 1000n,
    common: { flags: 0 },
    payload: { pid: 7, tid: 7, comm: 'app' },
  };
  const events = [named, sample(1010, 7), sample(1020, 8), sample(1030, 8)];
  const packet = { begin: 1000n, end: 1030n, sequence: 0n, streamId: 0n, discarded: 0n, cpu: 0, events };
  const session = localSession();
  const files = writeTrace(model, [{ file: 'perf_stream_0', streamClass: 0, packets: [packet] }]);
  const { info } = await session.open(folderRefs(files));
  expect(info.hasKernel).toBe(false);
  const columns = session.updates.findLast(({ rows }) => rows !== undefined)?.rows;
  const threads = columns === undefined ? [] : unpackRows(columns).filter(({ kind }) => kind === 'thread');
  expect(threads.map(({ name, tid, events: count }) => [name, tid, count])).toEqual([
    ['app', 8, 2],
    ['app', 7, 1],
  ]);
});
