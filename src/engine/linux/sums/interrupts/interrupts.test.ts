import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PlainEvent, batchesOf } from '../../../../../test/support/batches.ts';
import {
  cuttings,
  isSameHoweverCut,
  resultOf,
  chunkResultsOf,
  mergeInOrder,
} from '../../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { InterruptSums } from './interrupt-chunk.ts';
import { singleInterrupts } from './single-interrupts.ts';
import { interrupts, type CpuInterrupts } from './interrupts.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

const raise = 'irq_softirq_raise';

/** CPU KIND ID NAME: COUNT TOTAL MAX, with the begins of the longest; and those that were switched out. */
function lines(cpus: readonly CpuInterrupts[]): string[] {
  return cpus.flatMap(({ cpu, keys, sums, cutRuns }) => [
    ...keys.map(({ kind, id, name }, i) => {
      const begins = [...sums.longestBegin.subarray(sums.longestStart[i], sums.longestStart[i + 1])];
      return `${cpu} ${kind} ${id} ${name}: ${sums.count[i]} ${sums.total[i]} ${sums.max[i]} ${begins}`;
    }),
    ...cutRuns.map(({ key, begin, end }) => `${cpu} ${key.kind} ${key.id} switched out: ${begin} ${end}`),
  ]);
}

/** Entries, exits and raises in any order, and losses as no analysis would like them. */
const stories: fc.Arbitrary<PlainEvent[]> = fc
  .array(
    fc.record({ cpu: fc.nat(1), what: fc.nat(10), id: fc.nat(2), wait: fc.integer({ min: 0, max: 300 }) }),
    { maxLength: 60 },
  )
  .map((steps) => {
    const story = scenario();
    let time = 0;
    for (const { cpu, what, id, wait } of steps) {
      time += wait;
      if (what < 2) story.enter(time, cpu, 'irq', id, `dev${what}`);
      else if (what < 4) story.leave(time, cpu, 'irq', id);
      else if (what === 4) story.add(time, cpu, raise, { vec: id });
      else if (what === 5) story.enter(time, cpu, 'softirq', id);
      else if (what === 6) story.leave(time, cpu, 'softirq', id);
      else if (what === 7) story.add(time, cpu, 'x86_irq_vectors_reschedule_entry');
      else if (what === 8) story.add(time, cpu, 'x86_irq_vectors_reschedule_exit');
      else if (what === 9) story.switch(time, cpu, id, 0, id + 1);
      else story.add(time, cpu, 'x');
    }
    return story.events;
  });

describe('interrupts', () => {
  test('by device, softirq, function and vector', () => {
    const story = scenario()
      .enter(10, 0, 'irq', 41, 'ahci')
      .add(12, 0, raise, { vec: 4 })
      .add(13, 0, raise, { vec: 4 })
      .leave(15, 0, 'irq', 41)
      .enter(20, 0, 'softirq', 4)
      .leave(29, 0, 'softirq', 4)
      .enter(40, 0, 'irq', 41, 'usb')
      .leave(41, 0, 'irq', 41)
      .add(50, 1, 'timer_hrtimer_expire_entry', { hrtimer: 7n, function: -2128831035n })
      .add(53, 1, 'timer_hrtimer_expire_exit', { hrtimer: 7n })
      .add(60, 1, 'x86_irq_vectors_local_timer_entry')
      .add(64, 1, 'x86_irq_vectors_local_timer_exit');
    expect(lines(resultOf(interrupts, story.events))).toEqual([
      '0 0 41 ahci: 1 5 5 10',
      '0 0 41 usb: 1 1 1 40',
      '0 1 4 : 1 9 9 20',
      '0 4 4 : 1 8 8 12',
      `1 2 ${-2128831035 | 0} : 1 3 3 50`,
      '1 3 -1 local_timer: 1 4 4 60',
    ]);
  });

  test('what has no entry or no exit does not count', () => {
    const story = scenario()
      .leave(1, 0, 'irq', 3)
      .enter(5, 0, 'irq', 3, 'a')
      .enter(7, 0, 'irq', 3, 'a')
      .leave(9, 0, 'irq', 3)
      .enter(11, 0, 'irq', 3, 'a')
      .leave(12, 0, 'irq', 4)
      .leave(13, 0, 'irq', 3)
      .enter(20, 0, 'softirq', 1);
    expect(lines(resultOf(interrupts, story.events))).toEqual(['0 0 3 a: 1 2 2 7']);
  });

  test('softirqs that were switched out are told apart; of handlers nothing is left behind a switch', () => {
    const story = scenario()
      .enter(10, 0, 'softirq', 4)
      .switch(12, 0, 1, 0, 2)
      .switch(20, 0, 2, 0, 1)
      .leave(25, 0, 'softirq', 4)
      .enter(30, 0, 'softirq', 4)
      .leave(33, 0, 'softirq', 4)
      .enter(40, 0, 'irq', 3, 'a')
      .switch(41, 0, 1, 0, 2)
      .leave(42, 0, 'irq', 3);
    const expected = ['0 1 4 : 1 3 3 30', '0 1 4 switched out: 10 25'];
    expect(lines(resultOf(interrupts, story.events))).toEqual(expected);
  });

  test('a loss ends what was pending, in whichever chunk it is', () => {
    const packets = (events: readonly PlainEvent[], discarded = 0, damaged = false) => {
      return { events, discarded, damaged };
    };
    const before = scenario().enter(5, 0, 'irq', 3, 'a').add(6, 0, raise, { vec: 1 }).events;
    const after = scenario()
      .leave(20, 0, 'irq', 3)
      .enter(21, 0, 'softirq', 1)
      .leave(23, 0, 'softirq', 1).events;
    const result = (chunks: ReturnType<typeof packets>[][]) => {
      const batches = batchesOf([{ cpu: 0, chunks }], interrupts.reads.kinds);
      return lines(interrupts.finish(mergeInOrder(interrupts, chunkResultsOf(interrupts, batches))));
    };
    expect(result([[packets(before)], [packets(after)]])).toEqual([
      '0 0 3 a: 1 15 15 5',
      '0 1 1 : 1 2 2 21',
      '0 4 1 : 1 15 15 6',
    ]);
    for (const chunks of [
      [[packets(before, 1), packets(after)]],
      [[packets(before, 0, true)], [packets(after)]],
      [[packets(before)], [packets(after, 1)]],
      [[packets(before)], [packets([], 1)], [packets(after)]],
    ]) {
      expect(result(chunks)).toEqual(['0 1 1 : 1 2 2 21']);
    }
  });

  test('by themselves are those that are summed up', () =>
    forAll(100, [stories, cuttings], (events, cutting) => {
      const sums = new Map<string, InterruptSums>();
      const cuts: string[] = [];
      for (const { cpu, keys, length, runs } of resultOf(singleInterrupts, events, cutting)) {
        const own = sums.get(String(cpu)) ?? new InterruptSums();
        sums.set(String(cpu), own);
        for (let i = 0; i < length; i++) {
          const [key, begin, end] = [keys[runs.key[i]], runs.begin[i], runs.end[i]];
          if (runs.isCut[i] === 0) own.add(key, begin, end - begin, cpu);
          else cuts.push(`${cpu} ${key.kind} ${key.id} switched out: ${begin} ${end}`);
        }
      }
      const finished = Array.from(sums, ([cpu, own]) => ({ cpu: Number(cpu), ...own.finish() }));
      finished.sort((a, b) => a.cpu - b.cpu);
      const expected = resultOf(interrupts, events);
      expect(lines(finished.map((one) => ({ host: 0, ...one, cutRuns: [] })))).toEqual(
        lines(expected.map((one) => ({ ...one, cutRuns: [] }))),
      );
      expect(cuts.sort()).toEqual(
        lines(expected.map((one) => ({ ...one, ...new InterruptSums().finish() }))).sort(),
      );
    }));

  test('do not depend on chunks, arrival or merge tree', () => isSameHoweverCut(interrupts, stories));
});
