import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchesOf, type PlainEvent } from '../../../../test/support/batches.ts';
import { isSameHoweverCut, leavesOf, mergeInOrder, resultOf } from '../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../test/support/scenario.ts';
import { counts } from './counts.ts';
import { cpuUsage } from '../../../../test/support/cpu-usage/cpu-usage.ts';

/** Threads that move over CPUs: switches of one CPU agree with each other, as in a real trace. */
const stories: fc.Arbitrary<PlainEvent[]> = fc
  .array(fc.record({ cpu: fc.nat(2), next: fc.nat(5), wait: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 40,
  })
  .map((steps) => {
    const story = scenario();
    const current = [0, 0, 0];
    let time = 0;
    for (const { cpu, next, wait } of steps) {
      time += wait;
      story.switch(time, cpu, current[cpu], next % 2, next, `name${next}`);
      current[cpu] = next;
      if (wait === 5) story.add(time, cpu, 'syscall_entry_read', { fd: 1 });
    }
    return story.events;
  });

describe('cpu usage', () => {
  test('executions by thread and CPU; what ran before the first switch is told by it', () => {
    const story = scenario()
      .switch(10, 0, 7, 0, 8, 'eight')
      .switch(30, 0, 8, 1, 0)
      .switch(40, 1, 0, 0, 8, 'eight');
    const usage = resultOf(cpuUsage, [
      { ts: 0, cpu: 0, name: 'x', fields: {} },
      ...story.add(50, 0, 'x').add(60, 1, 'x').events,
    ]);
    expect(usage.cpus).toEqual([
      { host: 0, cpu: 0, first: 0, last: 50, busyNs: 30, idleNs: 20, unknownNs: 0 },
      { host: 0, cpu: 1, first: 40, last: 60, busyNs: 20, idleNs: 0, unknownNs: 0 },
    ]);
    expect(usage.executions).toEqual([
      { host: 0, cpu: 0, tid: 7, name: 'p', ns: 10, longestNs: 10, runs: 0 },
      { host: 0, cpu: 0, tid: 8, name: 'p', ns: 20, longestNs: 20, runs: 1 },
      { host: 0, cpu: 1, tid: 8, name: 'eight', ns: 20, longestNs: 20, runs: 1 },
    ]);
  });

  test('who runs is unknown between the last event of a damaged packet and the next switch', () => {
    const first = scenario().switch(0, 0, 0, 0, 7).add(10, 0, 'x').events;
    const second = scenario().add(40, 0, 'x').switch(50, 0, 7, 1, 0).add(60, 0, 'x').events;
    const chunks = [[{ events: first, damaged: true }], [{ events: second }]];
    const batches = batchesOf([{ cpu: 0, chunks }], cpuUsage.reads.kinds);
    const usage = cpuUsage.finish(mergeInOrder(cpuUsage, leavesOf(cpuUsage, batches)));
    expect(usage.cpus).toEqual([
      { host: 0, cpu: 0, first: 0, last: 60, busyNs: 10, idleNs: 10, unknownNs: 40 },
    ]);
  });

  test('does not depend on chunks either where damage made times up', async () => {
    const story = scenario();
    [0, 1, 2, 3, 4, 2 ** 53 + 4, 2 ** 53 + 8].forEach((time, i) =>
      story.switch(time, 0, i % 2, 0, 1 - (i % 2)),
    );
    await isSameHoweverCut(cpuUsage, fc.constant(story.events));
  });

  test('does not depend on chunks, arrival or merge tree', () => isSameHoweverCut(cpuUsage, stories));
});

describe('counts', () => {
  test('by name', () => {
    const events = scenario().switch(10, 0, 0, 0, 8).switch(30, 1, 8, 1, 0).add(40, 0, 'x').events;
    expect(resultOf(counts, events)).toEqual({
      events: [
        { host: 0, domain: 'kernel', name: 'sched_switch', events: 2, bytes: 16, first: 10, last: 30 },
        { host: 0, domain: 'kernel', name: 'x', events: 1, bytes: 8, first: 40, last: 40 },
      ],
    });
  });

  test('do not depend on chunks, arrival or merge tree', () => isSameHoweverCut(counts, stories));
});
