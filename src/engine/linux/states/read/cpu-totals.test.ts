import { describe, expect, test } from 'vitest';
import { streamsOf } from '../../../../../test/support/batches.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { createQuery } from '../../../history/query.ts';
import { cpuTotals, threadTotals } from './cpu-totals.ts';
import { meantCpuValue, meantThreadValue } from '../reduce/kernel-tables.ts';
import * as values from '../../events/values.ts';
import { storedStates } from '../../../../../test/support/stored-states.ts';

const A = 1001;
const K = 77;

/** K runs on CPU 0 from 10 to 30 and on CPU 1 from 40; that it is a kernel thread is told at 50. */
const story = scenario()
  .switch(0, 0, 0, 0, A)
  .switch(10, 0, A, 0, K)
  .switch(30, 0, K, 1, A)
  .waking(35, 0, K)
  .switch(40, 1, 0, 0, K)
  .add(50, 0, 'lttng_statedump_process_state', { tid: K, type: 1, name: 'kworker' })
  .add(51, 0, 'lttng_statedump_process_state', { tid: A, type: 0, name: 'app' })
  .add(60, 0, 'x')
  .add(60, 1, 'x');

/** The run's history behind a query as the session has it, or as stored. */
function setUp(resolved: boolean) {
  const { builder, tables } = storedStates(streamsOf(story.events), 60);
  const { threads } = tables;
  const resolve = (attribute: number, value: number) => {
    const thread = threads.stateAttribute.indexOf(attribute);
    if (thread >= 0) return meantThreadValue(tables, thread, value);
    const isCpu = tables.cpus.some((cpu) => cpu.stateAttribute === attribute);
    return isCpu ? meantCpuValue(tables, value) : value;
  };
  return { tables, query: createQuery(builder, resolved ? { resolve } : {}) };
}

describe.each([true, false])('totals (values resolved by the query: %s)', (resolved) => {
  test('of CPUs: what turned out to be a kernel thread ran in the kernel', async () => {
    const { tables, query } = setUp(resolved);
    const [zero, one] = await cpuTotals(query, tables, { from: -Infinity, to: Infinity });
    expect([zero[values.CPU_USER], zero[values.CPU_KERNEL], zero[values.CPU_RUNNING]]).toEqual([40, 20, 0]);
    expect([one[values.CPU_USER], one[values.CPU_KERNEL]]).toEqual([0, 20]);
    const [part] = await cpuTotals(query, tables, { from: 20, to: 45 });
    expect([part[values.CPU_USER], part[values.CPU_KERNEL]]).toEqual([15, 10]);
  });

  test('of threads', async () => {
    const { tables, query } = setUp(resolved);
    const { ns, states } = await threadTotals(query, tables, { from: 0, to: 60 });
    const at = tables.threads.tid.indexOf(K) * states;
    expect([ns[at + values.STATE_USER], ns[at + values.STATE_KERNEL]]).toEqual([0, 40]);
  });
});
