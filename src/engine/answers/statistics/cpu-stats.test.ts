import { expect, it } from 'vitest';
import { openLocal } from '../../../../test/support/local-session.ts';
import { to, oneCpuTrace } from '../../../../test/support/one-cpu-trace.ts';

it('says what user time was not told from: what metadata do not name, whether it happened or not', async () => {
  const { api } = await openLocal(oneCpuTrace([to(0n, 1n), to(1n, 0n)]));
  expect((await api.ask('cpu', {})).missing).toEqual(['irq_handler_entry']);
});
