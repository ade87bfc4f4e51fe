/** Threads of what perf samples, by the fields that it adds to events, as `perf data convert --to-ctf` writes them. */
import { expect, it } from 'vitest';
import { integer, signed, struct, text } from '../../../test/support/ctf-writer/model-builder.ts';
import { localSession } from '../../../test/support/local-session.ts';
import { folderRefs } from '../../../test/support/memory-files.ts';
import { unpackRows } from '../answers/rows/row-columns.ts';
import { lttngTrace } from '../../../test/support/ctf-writer/lttng-trace.ts';

it('are rows with their samples and the name of their process', async () => {
  const sample = (time: number, tid: number) => ({
    ...{ name: 'cpu-clock', time, common: { flags: 0 } },
    payload: { perf_ip: 1, perf_tid: tid, perf_pid: 7 },
  });
  const named = {
    ...{ name: 'perf_comm', time: 1000, common: { flags: 0 } },
    payload: { pid: 7, tid: 7, comm: 'app' },
  };
  const files = lttngTrace(
    {
      domain: 'kernel',
      environment: { tracer_name: 'perf' },
      eventContext: struct({ flags: integer(8) }),
      events: {
        'cpu-clock': struct({ perf_ip: integer(64), perf_tid: signed(32), perf_pid: signed(32) }),
        perf_comm: struct({ pid: integer(32), tid: integer(32), comm: text }),
      },
    },
    [[{ events: [named, sample(1010, 7), sample(1020, 8), sample(1030, 8)] }]],
  );
  const session = localSession();
  const { info } = await session.open(folderRefs(files));
  expect(info.hasKernel).toBe(false);
  const columns = session.updates.findLast(({ rows }) => rows !== undefined)?.rows;
  const threads = columns === undefined ? [] : unpackRows(columns).filter(({ kind }) => kind === 'thread');
  expect(threads.map(({ name, tid, events: count }) => [name, tid, count])).toEqual([
    ['app', 8, 2],
    ['app', 7, 1],
  ]);
});
