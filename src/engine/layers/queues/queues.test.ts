/** Queue depths of small traces and of recorded ones, against a count over the states, interval by interval. */
import { describe, expect, it } from 'vitest';
import { type PlainStream, streamsOf } from '../../../../test/support/batches.ts';
import { runStored, type StoredStates } from '../../../../test/support/engine-run.ts';
import { filesOfFolder } from '../../../../test/support/memory-files.ts';
import { scenario } from '../../../../test/support/scenario.ts';
import { exampleTraces, isKernelTrace, recordedTraces } from '../../../../test/support/shared.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import type { HistoryQuery, Interval } from '../../history/query-types.ts';
import { createQuery } from '../../history/query.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import { REQUEST_ISSUED } from '../../linux/events/values.ts';
import { plotNumber, plotScheme } from '../plots/plot-values.ts';
import { type QueueRow, writeQueueDepths } from './queue-depths.ts';
import { lateIntervals } from '../../linux/states/read/late-intervals.ts';
import { storedStates } from '../../../../test/support/stored-states.ts';

/** Pieces of a segment: so few that waits cross them. */
const SEGMENT_INTERVALS = 2000;

async function depthsOf({ tables, builder }: StoredStates) {
  const query = createQuery(builder, lateIntervals(tables));
  const sink = new HistoryBuilder({ schemeOf: () => plotScheme });
  const logs = () => Promise.resolve(tables);
  const rows = await writeQueueDepths({ tables, query, logs }, sink);
  sink.finish(tables.end);
  const depths = createQuery(sink);
  const numbers = ({ attribute }: QueueRow) => depths.intervals(attribute, -Infinity, Infinity);
  return { rows, numbers, query };
}

/** `cpu 0: 1 @ 10, 0 @ 20`, without the time in which there is no number. */
async function depthTexts(streams: readonly PlainStream[], end: number): Promise<string[]> {
  const { rows, numbers } = await depthsOf(storedStates(streams, end, SEGMENT_INTERVALS));
  return Promise.all(
    rows.map(async (row) => {
      const found = await numbers(row);
      const text = found.map(({ from, value }) => `${plotNumber(value)} @ ${from}`);
      return `${row.of} ${row.which}: ${text.join(', ')}`;
    }),
  );
}

describe('small traces', () => {
  const begin = () => scenario().switch(0, 0, 0, 0, 1001).switch(5, 1, 0, 0, 2001);

  it('count who is woken or preempted on the CPU where it waits, idle threads never', async () => {
    const story = begin()
      .wakeupNew(10, 0, 3001)
      .waking(20, 1, 3002)
      .wakeup(20, 1, 3002)
      // 1001 is preempted by 3001.
      .switch(30, 0, 1001, 0, 3001)
      .switch(40, 1, 2001, 1, 0)
      .switch(50, 0, 3001, 1, 1001);
    expect(await depthTexts(streamsOf(story.events), 100)).toEqual([
      'host : 0 @ 5, 1 @ 10, 2 @ 20, 1 @ 50',
      'cpu 0: 0 @ 0, 1 @ 10, 2 @ 20, 1 @ 50',
      'cpu 1: 0 @ 5',
    ]);
  });

  it('count who waits on a CPU that is not known for the host alone', async () => {
    const story = begin()
      .add(20, 0, 'sched_waking', { tid: 3001 })
      .switch(30, 1, 2001, 1, 3001)
      .add(40, 0, 'sched_waking', { tid: 3002 });
    expect(await depthTexts(streamsOf(story.events), 100)).toEqual([
      'host : 0 @ 5, 1 @ 20, 0 @ 30, 1 @ 40',
      'cpu 0: 0 @ 0',
      'cpu 1: 0 @ 5, 1 @ 20, 0 @ 30',
    ]);
  });

  it('do not know it where events were lost, until the thread of the CPU is known again', async () => {
    const zero = scenario().switch(0, 0, 0, 0, 1001).wakeupNew(20, 0, 3001).add(90, 0, 'sched_process_wait');
    const one = scenario()
      .switch(0, 1, 0, 0, 2001)
      .add(60, 1, 'syscall_entry_read')
      .switch(80, 1, 2001, 1, 0)
      .add(90, 1, 'sched_process_wait').events;
    const chunks = [
      [{ events: one.slice(0, 1), begin: 0, end: 30 }],
      [{ events: one.slice(1, 2), begin: 50, end: 70, discarded: 7 }],
      [{ events: one.slice(2), begin: 70, end: 95 }],
    ];
    const streams = [
      { cpu: 0, chunks: [[{ events: zero.events }]] },
      { cpu: 1, chunks },
    ];
    expect(await depthTexts(streams, 100)).toEqual([
      // 3001 may have run on the other CPU meanwhile.
      'host : 0 @ 0, 1 @ 20, NaN @ 30',
      'cpu 0: 0 @ 0, 1 @ 20, NaN @ 30',
      'cpu 1: 0 @ 0, NaN @ 30, 0 @ 80',
    ]);
  });

  it('count requests that a disk has, not those that wait to be given to it', async () => {
    const request = (sector: number) => ({
      dev: 254 << 20,
      sector,
      nr_sector: 8,
      tid: 1,
      bytes: 4096,
      rwbs: 0,
    });
    const story = begin()
      .add(10, 0, 'block_rq_insert', request(0))
      .add(20, 0, 'block_rq_issue', request(0))
      .add(30, 1, 'block_rq_issue', request(8))
      .add(40, 0, 'block_rq_complete', request(0))
      .add(50, 1, 'block_rq_complete', request(8));
    expect((await depthTexts(streamsOf(story.events), 100)).at(-1)).toBe(
      'disk 254:0: 0 @ 5, 1 @ 20, 2 @ 30, 1 @ 40, 0 @ 50',
    );
  });
});

const kernelExamples = [...exampleTraces(), ...recordedTraces()].filter(isKernelTrace);

describe.each(kernelExamples)('$name', ({ path }) => {
  it('has at each change the number that a count over the states gives', async () => {
    const states = await runStored(new Map(filesOfFolder(path)), {}, SEGMENT_INTERVALS);
    const { rows, numbers, query } = await depthsOf(states);
    const countAt = await counterOf(query, states.tables);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      for (const { from, to, value } of sampled(await numbers(row))) {
        const number = plotNumber(value);
        if (Number.isNaN(number)) continue;
        for (const time of [from, to - 1]) expect([time, countAt(row, time)]).toEqual([time, number]);
      }
    }
  });
});

/** At most so many of each row, evenly. */
const MOST_SAMPLES = 300;

function sampled<T>(all: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(all.length / MOST_SAMPLES));
  return all.filter((_, i) => i % step === 0);
}

/** Counts at one time, of all intervals as they are. */
async function counterOf(query: HistoryQuery, { threads }: StateTables) {
  const all = (attribute: number) =>
    attribute < 0 ? Promise.resolve([]) : query.intervals(attribute, -Infinity, Infinity);
  const ofThreads: (readonly Interval[])[][] = [];
  for (let thread = 0; thread < threads.length; thread++) {
    if (threads.tid[thread] === 0) continue;
    ofThreads.push([await all(threads.stateAttribute[thread]), await all(threads.cpuAttribute[thread])]);
  }
  const slots: { readonly disk: string; readonly requests: readonly Interval[] }[] = [];
  for (const { id, path } of query.attributes())
    if (path[0] === 'disks' && path[3] === 'state') slots.push({ disk: path[1], requests: await all(id) });
  return ({ of, which }: QueueRow, time: number): number => {
    if (of === 'disk')
      return slots.filter(
        ({ disk, requests }) => disk === which && valueAt(requests, time) === REQUEST_ISSUED,
      ).length;
    return ofThreads.filter(([states, cpus]) => {
      return waits(valueAt(states, time)) && (of === 'host' || valueAt(cpus, time) === Number(which));
    }).length;
  };
}

function valueAt(intervals: readonly Interval[], time: number): number {
  const place = firstWhere(0, intervals.length, (i) => intervals[i].to > time);
  return place < intervals.length && intervals[place].from <= time ? intervals[place].value : -1;
}

function waits(value: number): boolean {
  const [state, cause] = [value & 15, (value >>> 4) & 15];
  return value >= 0 && (((state === 4 || state === 5) && cause !== 11) || (state === 6 && cause === 9));
}
