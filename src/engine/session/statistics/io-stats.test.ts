import { expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { life, read, to, toldTrace } from '../../../../test/support/told-trace.ts';

it('tells what each life of a thread moved, whose tid is used again', async () => {
  const { api, open } = localSession();
  await open(toldTrace([to(0n, 1n), ...life(5n, -11n), ...life(9n), ...read(2n), to(1n, 0n)]));
  const { threads, errors } = await api.ioStats(undefined);
  expect(threads.map(({ row, read: { bytes, ops } }) => [row, bytes, ops])).toEqual([
    ['thread:0:7#2', 9, 1],
    ['thread:0:7', 5, 2],
    ['thread:0:1', 2, 1],
  ]);
  expect(errors).toEqual([{ errno: 11, count: 1 }]);
});
