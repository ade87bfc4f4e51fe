/** Priorities of threads over time: of a small trace, and of a recorded one, whose numbers are babeltrace2's. */
import { expect, it } from 'vitest';
import { integer, signed, struct } from '../../../../test/support/ctf-writer/model-builder.ts';
import { runEngine } from '../../../../test/support/engine-run.ts';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { sharedDir, sharedPath } from '../../../../test/support/shared.ts';
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import { createQuery } from '../../history/query.ts';

import type { RowInfo } from '../../protocol/rows.ts';
import { isPerfName } from '../../trace/event-kinds.ts';
import { ASKED_PLOTS, type PlotDefinition } from './definition.ts';
import { type PlotTables, plotLayer } from './layer.ts';
import { plotNumber, plotScheme } from './plot-values.ts';
import { rowsWith, until } from '../../../../test/support/until.ts';
import { lttngTrace } from '../../../../test/support/ctf-writer/lttng-trace.ts';

const [PRIORITY] = ASKED_PLOTS;
const FIELDS = {
  sched_switch: ['prev_tid', 'prev_prio', 'next_tid', 'next_prio'],
  sched_pi_setprio: ['tid', 'oldprio', 'newprio'],
  sched_wakeup: ['tid', 'prio'],
  sched_process_free: ['tid', 'prio'],
};

interface Event {
  readonly time: number;
  readonly name: keyof typeof FIELDS;
  readonly numbers: readonly number[];
}

const switched = (time: number, ...numbers: number[]): Event => ({ time, name: 'sched_switch', numbers });
const lent = (time: number, ...numbers: number[]): Event => ({ time, name: 'sched_pi_setprio', numbers });
const woken = (time: number, ...numbers: number[]): Event => ({ time, name: 'sched_wakeup', numbers });
const freed = (time: number, ...numbers: number[]): Event => ({ time, name: 'sched_process_free', numbers });

/** By thread: priorities with their begins. @param cpus packets of a stream each, with the events lost before their end */
async function priorities(cpus: readonly (readonly (readonly [lost: number, ...Event[]])[])[]) {
  const classes = Object.entries(FIELDS).map(([name, fields]) => [
    name,
    struct(Object.fromEntries(fields.map((field) => [field, signed(32)]))),
  ]);
  const files = lttngTrace(
    { domain: 'kernel', eventContext: struct({ flags: integer(8) }), events: Object.fromEntries(classes) },
    cpus.map((packets) =>
      packets.map(([lost, ...events]) => ({
        lost,
        events: events.map(({ time, name, numbers }) => {
          const payload = Object.fromEntries(FIELDS[name].map((field, i) => [field, numbers[i]]));
          return { name, time, common: { flags: 0 }, payload };
        }),
      })),
    ),
  );
  const definition: PlotDefinition = {
    ...PRIORITY,
    more: PRIORITY.more?.filter(({ events: [name] }) => !isPerfName(name)),
  };
  const builder = new HistoryBuilder({ schemeOf: () => plotScheme });
  const analysis = plotLayer.analysis({ definitions: [definition] }) as AnyAnalysis;
  const run = await runEngine(files, [analysis], builder);
  const { tracks } = run.outcome.histories[0].get(analysis.id) as PlotTables;
  builder.finish(run.outcome.spans[0].last + 1);
  const query = createQuery(builder);
  const { from, to } = query.extent();
  const found = new Map<string, string>();
  for (const { key, attribute } of tracks) {
    const intervals = await query.intervals(attribute, from, to);
    const texts = intervals.flatMap((one, i) => {
      const text = `${plotNumber(one.value)} @ ${one.from - from}`;
      return one.to < (intervals[i + 1]?.from ?? to) ? [text, `none @ ${one.to - from}`] : [text];
    });
    found.set(key, texts.join(', '));
  }
  return found;
}

it('is that of the last event of any CPU', async () => {
  const found = await priorities([
    [[0, switched(1000, 0, 20, 7, 20), switched(1040, 7, -11, 0, 20)]],
    [[0, lent(1020, 7, 20, -11), woken(1030, 8, 25), lent(1050, 7, -11, 20)]],
  ]);
  expect(found.get('7')).toBe('20 @ 0, -11 @ 20, 20 @ 50');
  expect(found.get('8')).toBe('25 @ 30');
});

it('is of both threads of a switch', async () => {
  const found = await priorities([[[0, switched(1000, 7, 20, 8, 30), switched(1010, 8, 31, 7, 20)]]]);
  expect([found.get('7'), found.get('8')]).toEqual(['20 @ 0', '30 @ 0, 31 @ 10']);
});

it('ends when the thread is freed, and begins anew where its number is used again', async () => {
  const found = await priorities([
    [
      [
        0,
        switched(1000, 7, 20, 8, 20),
        freed(1010, 7, 20),
        freed(1020, 8, 20),
        woken(1030, 8, 25),
        woken(1040, 9, 20),
      ],
    ],
  ]);
  expect(found.get('7')).toBe('20 @ 0, none @ 10');
  expect(found.get('8')).toBe('20 @ 0, none @ 20, 25 @ 30');
});

it('is not known where events were lost', async () => {
  const found = await priorities([
    [
      [0, switched(1000, 0, 20, 7, 20), woken(1010, 8, 20)],
      [2, woken(1030, 8, 20)],
      [2, woken(1050, 8, 20)],
    ],
  ]);
  expect(found.get('7')).toMatch(/NaN @ \d+$/);
  expect(found.get('8')).toMatch(/NaN @ \d+, 20 @ 50$/);
});

it.skipIf(sharedDir() === undefined)('changes once for a thread that becomes one of real time', async () => {
  const session = localSession();
  const rowsOf = async (tid: number): Promise<RowInfo[]> => {
    const rows = await rowsWith(session, ({ name }) => name === 'Priority');
    return rows.filter(({ name, parent }) => name === 'Priority' && rows[parent].tid === tid);
  };
  const files = memoryRefs(filesOfFolder(sharedPath('traces/executions-preempt')));
  const { lengthNs } = (await session.open(files)).info;
  const { definition } = await until(async () => {
    const info = await session.api.ask('plots', {});
    return info?.suggestions.find((suggestion) => suggestion.definition.name === 'Priority');
  });
  expect(await session.api.changeLayer('resource', [definition])).toBe(true);
  const own = await rowsOf(267);
  expect(own).toHaveLength(1);
  const [{ host, attribute }] = own;
  const request = { host, attributes: [attribute], layer: 'resource', from: 0, to: lengthNs, bucketNs: 1 };
  const { begin } = await session.api.ask('tile', request);
  expect(begin).toHaveLength(2);
  const text = async (timeNs: number) =>
    (await session.api.ask('interval', { row: own[0].id, timeNs }))?.stateText;
  expect(await text(begin[1] - 1)).toBe('20');
  expect(await text(begin[1])).toBe('-11');
  // The switch at which it leaves the CPU.
  expect(begin[1]).toBe(2_968_543_934);
});
