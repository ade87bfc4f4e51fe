/** Interrupts of a recorded trace; what they come to was computed from the events as babeltrace2 prints them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import { createQuery } from '../../history/query.ts';
import type { LayerChunk } from '../contract/event-mapper.ts';
import { hasEnd, spanScheme, textOf } from '../contract/span-values.ts';
import { unpackRows } from '../../answers/rows/row-columns.ts';
import { interruptLayer, InterruptReducer } from './layer.ts';
import { I_IRQ_BEGIN, I_IRQ_END, I_LOSS, I_SOFTIRQ_BEGIN, I_SOFTIRQ_END } from './interrupt-map.ts';

it('has the number of intervals and the time of each interrupt of a recorded trace', async () => {
  const session = localSession({ layers: { interrupt: interruptLayer } });
  const { info } = await session.open(
    memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io'))),
  );
  const rows = await until(() => {
    const columns = session.updates.findLast((update) => update.rows !== undefined)?.rows;
    const all = columns === undefined ? [] : unpackRows(columns);
    return all.some(({ id }) => id.startsWith('interrupt:')) ? all : undefined;
  });
  const shown: string[] = [];
  for (const { id, name, host, attribute, parent } of rows) {
    if (!id.startsWith('interrupt:')) continue;
    expect([rows[parent].name, rows[parent].kind]).toEqual(['Interrupts', 'resources']);
    const request = { host, attributes: [attribute], layer: 'interrupt' };
    const { begin, end } = await session.api.ask('tile', {
      ...request,
      ...{ from: 0, to: info.lengthNs + 1, bucketNs: 1 },
    });
    const ns = begin.reduce((sum, from, i) => sum + end[i] - from, 0);
    shown.push(`${name}: ${begin.length}, ${ns} ns`);
  }
  expect(shown.filter((text) => !text.startsWith('softirq'))).toEqual([
    'virtio1-req.0 (25): 2, 118216 ns',
    'virtio1-req.1 (26): 6, 580949 ns',
    'virtio1-req.2 (27): 5, 279407 ns',
    'virtio1-req.3 (28): 4, 113890 ns',
    'virtio2-req.0 (30): 78, 5475874 ns',
    'virtio2-req.1 (31): 43, 3712827 ns',
    'virtio2-req.2 (32): 54, 3377197 ns',
    'virtio2-req.3 (33): 12, 2453613 ns',
  ]);
  const ofSoftirqs = shown.flatMap((text) => {
    const [, name, level = '', count, ns] = /^softirq (\w+)(, level 2)?: (\d+), (\d+) ns$/.exec(text) ?? [];
    return name === undefined ? [] : [{ name, level, count: Number(count), ns: Number(ns) }];
  });
  expect(ofSoftirqs.map(({ name, level }) => name + level)).toEqual([
    'TIMER',
    'SCHED',
    'SCHED, level 2',
    'RCU',
    'RCU, level 2',
  ]);
  const sumOf = (wanted: string) => {
    const own = ofSoftirqs.filter(({ name }) => name === wanted);
    return [own.reduce((sum, { count }) => sum + count, 0), own.reduce((sum, { ns }) => sum + ns, 0)];
  };
  expect(['TIMER', 'SCHED', 'RCU'].map(sumOf)).toEqual([
    [132, 12_170_431],
    [424, 5_188_658],
    [360, 39_153_573],
  ]);
});

/** What a history is told of each row, by its path: `CPU 0 10-20`, with ? where no end was recorded. */
function spansOf(steps: readonly (readonly [time: number, kind: number, cpu: number, number?: number])[]) {
  const chunk: LayerChunk = {
    length: steps.length,
    time: Float64Array.from(steps, ([time]) => time),
    kind: Uint8Array.from(steps, ([, kind]) => kind),
    cpu: Int32Array.from(steps, ([, , cpu]) => cpu),
    place: Uint32Array.from(steps, (_, i) => 2 * i),
    args: Int32Array.from(steps.flatMap(([, , , number = 0]) => [number, -1])),
    texts: [],
  };
  const builder = new HistoryBuilder({ schemeOf: () => spanScheme });
  const reducer = new InterruptReducer(builder);
  reducer.run(chunk, 0, chunk.length);
  const { sources } = reducer.finish();
  builder.finish(100);
  const query = createQuery(builder);
  return Promise.all(
    sources.flatMap(({ number, attributes }) =>
      attributes.map(async (attribute, level) => {
        const found = await query.intervals(attribute, 0, 100);
        const texts = found.map(
          ({ from, to, value }) => `${query.text(textOf(value))} ${from}-${to}${hasEnd(value) ? '' : '?'}`,
        );
        return `${number}.${level}: ${texts.join(', ')}`;
      }),
    ),
  );
}

it('puts what runs on two CPUs at once on two levels, and what interrupts another beside it', async () => {
  const spans = await spansOf([
    [10, I_SOFTIRQ_BEGIN, 0, 3],
    [20, I_SOFTIRQ_BEGIN, 1, 3],
    [25, I_IRQ_BEGIN, 0, 40],
    [30, I_IRQ_END, 0, 40],
    [35, I_SOFTIRQ_END, 0, 3],
    [40, I_SOFTIRQ_END, 1, 3],
    [45, I_SOFTIRQ_END, 1, 3],
  ]);
  expect(spans).toEqual(['3.0: CPU 0 10-35', '3.1: CPU 1 20-40', '40.0: CPU 0 25-30']);
});

it('has no end where events of the CPU were lost, or another one ends first', async () => {
  const spans = await spansOf([
    [10, I_SOFTIRQ_BEGIN, 0, 3],
    [12, I_SOFTIRQ_BEGIN, 1, 3],
    [20, I_LOSS, 0],
    [22, I_SOFTIRQ_END, 1, 3],
    [30, I_SOFTIRQ_BEGIN, 0, 3],
    [35, I_IRQ_BEGIN, 0, 40],
    [50, I_SOFTIRQ_END, 0, 3],
    [60, I_IRQ_BEGIN, 0, 40],
  ]);
  expect(spans).toEqual([
    '3.0: CPU 0 10-20?, CPU 0 30-50',
    '3.1: CPU 1 12-22',
    '40.0: CPU 0 35-50?, CPU 0 60-100?',
  ]);
});
