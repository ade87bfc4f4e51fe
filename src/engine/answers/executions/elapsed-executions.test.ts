/** Executions of programs whose kernel was not recorded: threads by their events, and numbers of 64 bits as they are. */
import { expect, it } from 'vitest';
import { integer } from '../../../../test/support/ctf-writer/model-builder.ts';
import { openLocal } from '../../../../test/support/local-session.ts';
import { memoryRefs } from '../../../../test/support/memory-files.ts';
import { overlayTrace, type SpanEvent } from '../../../../test/support/overlay-trace.ts';
import { until } from '../../../../test/support/until.ts';

const NAMES = ['job:begin', 'job:end'] as const;
const DEFINITION = { begin: NAMES[0], end: NAMES[1], key: ['id'], acrossThreads: false, where: [], minNs: 0 };

/** Jobs of a thread each, 10 ns long, one after the other. */
function jobs(ids: readonly bigint[], vtid = 7): SpanEvent[] {
  return ids.flatMap((id, i) =>
    NAMES.map((name, isEnd) => ({ time: 100 * i + 10 * isEnd, cpu: 0, name, vtid, id, path: '' })),
  );
}

async function executionsOf(events: readonly SpanEvent[]) {
  const session = await openLocal(memoryRefs(overlayTrace(NAMES, [[{ events }]], () => integer(64))));
  await until(async () => (await session.api.ask('overlays', {})) !== undefined);
  const answer = await session.api.ask('executions', { definition: DEFINITION });
  if (answer === undefined) throw new Error('no executions');
  return answer;
}

it('are elapsed time of their threads, which have the names that contexts tell', async () => {
  const answer = await executionsOf(jobs([1n, 2n, 3n]));
  expect(answer).toMatchObject({ isElapsed: true, length: 3, withoutThread: 0 });
  expect(answer.threads).toEqual([{ row: 'thread:0:1.7', name: 'app', tid: 7, host: 0 }]);
  expect(answer.tree.frames).toEqual(['app']);
  expect([...answer.ns]).toEqual([10, 10, 10]);
  expect(answer.metrics.map(({ name }) => name)).toEqual(['begin', 'duration', 'begin.id', 'end.id']);
});

it('have identifiers that a double cannot hold as digits, each its own', async () => {
  const ids = [9_960_943_093_313_290_001n, 9_960_943_093_313_290_002n, 2n ** 64n - 1n, 5n];
  const { metrics, counts } = await executionsOf(jobs(ids));
  expect(counts.executions).toBe(4);
  const id = metrics.find(({ name }) => name === 'begin.id');
  expect([...(id?.texts ?? [])]).toEqual(ids.slice(0, 3).map((each, i) => [i, String(each)]));
  expect(id?.values[3]).toBe(5);
});
