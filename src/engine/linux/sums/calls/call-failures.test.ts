import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlainEvent } from '../../../../../test/support/batches.ts';
import { isSameHoweverCut, resultOf } from '../../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { THREAD_OPEN } from '../../events/values.ts';
import { callFailures } from './call-failures.ts';

/** Calls of old and new tracers on two CPUs, with returns that nobody began. */
const stories: fc.Arbitrary<PlainEvent[]> = fc
  .array(fc.record({ cpu: fc.nat(1), what: fc.nat(5), ret: fc.integer({ min: -3, max: 1 }) }), {
    maxLength: 50,
  })
  .map((steps) => {
    const story = scenario();
    steps.forEach(({ cpu, what, ret }, time) => {
      if (what === 0) story.switch(time, cpu, 9, 0, 7 + ret);
      else if (what === 1) story.add(time, cpu, 'syscall_entry_read');
      else if (what === 2) story.add(time, cpu, 'syscall_exit_read', { ret: BigInt(ret) });
      else if (what === 3) story.add(time, cpu, 'sys_open');
      else if (what === 4) story.add(time, cpu, 'exit_syscall', { ret: BigInt(ret) });
      else story.add(time, cpu, 'x');
    });
    return story.events;
  });

describe('failed calls', () => {
  test('by thread, call and number; old tracers name a call at its entry', () => {
    const { events } = scenario()
      .add(0, 0, 'syscall_exit_read', { ret: -11n })
      .switch(1, 0, 0, 0, 7)
      .call(2, 3, 0, 'read', {}, -11)
      .add(4, 0, 'syscall_exit_read', { ret: 5n })
      .add(5, 0, 'sys_open')
      .add(6, 0, 'exit_syscall', { ret: -2n })
      .add(7, 0, 'syscall_exit_mmap', { ret: -140_000_000_000n })
      .switch(8, 0, 7, 1, 8)
      .add(9, 0, 'syscall_exit_read', { ret: -11n });
    expect(resultOf(callFailures, events)).toEqual([
      { host: 0, tid: THREAD_OPEN, cpu: 0, call: 'read', errno: 11, count: 1 },
      { host: 0, tid: 7, cpu: -1, call: 'open', errno: 2, count: 1 },
      { host: 0, tid: 7, cpu: -1, call: 'read', errno: 11, count: 1 },
      { host: 0, tid: 8, cpu: -1, call: 'read', errno: 11, count: 1 },
    ]);
  });

  test('are not those that begin anew behind a signal', () => {
    const { events } = scenario().switch(0, 0, 0, 0, 7);
    const returns = [-511n, -512n, -513n, -514n, -516n, -517n];
    const returned = returns.map((ret, i) => ({
      ts: 1 + i,
      cpu: 0,
      name: 'syscall_exit_read',
      fields: { ret },
    }));
    const failed = resultOf(callFailures, [...events, ...returned]);
    expect(failed.map(({ errno }) => errno)).toEqual([511, 517]);
  });

  test('do not depend on chunks, arrival or merge tree', () => isSameHoweverCut(callFailures, stories));
});
