import { expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { read, type Told, to, toldTrace } from '../../../../test/support/told-trace.ts';

async function missingOf(told: readonly Told[]): Promise<readonly string[]> {
  const { api, open } = localSession();
  await open(toldTrace(told));
  return (await api.cpuStats(undefined)).missing;
}

it('says what user time was not told from', async () => {
  expect(await missingOf([to(0n, 1n), to(1n, 0n)])).toEqual([
    'syscall_entry_*',
    'irq_handler_entry',
    'lttng_statedump_process_state',
  ]);
  expect(await missingOf([to(0n, 1n), ...read(5n), to(1n, 0n)])).not.toContain('syscall_entry_*');
});
