/** Plots of a recorded trace, and of small ones written for the purpose. Numbers of the recorded one are babeltrace2's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runEngine } from '../../../../test/support/engine-run.ts';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { overlayTrace, type PacketOfEvents, type SpanEvent } from '../../../../test/support/overlay-trace.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import { createQuery } from '../../history/query.ts';
import { unpackRows } from '../../answers/rows/row-columns.ts';
import type { RowInfo } from '../../protocol/rows.ts';
import { BY_CPU, fieldPlot, type PlotDefinition } from './definition.ts';
import { type PlotTables, plotLayer } from './layer.ts';
import { plotNumber, plotScheme } from './plot-values.ts';
import { rowsWith } from '../../../../test/support/until.ts';

describe('a recorded trace', () => {
  const session = localSession();
  const opened = session.open(memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io'))));
  /** Numbers of queues are another layer's, in the same group. */
  const isPlotted = ({ id }: RowInfo) => id.startsWith('resource:');
  const rowsWhenRead = async () => {
    await opened;
    return rowsWith(session, isPlotted);
  };

  it('has a row for each CPU and disk, named, in a group of the host', async () => {
    const rows = await rowsWhenRead();
    const plotted = rows.filter(isPlotted);
    expect(plotted.map(({ name }) => name)).toEqual([
      'CPU 0 idle state',
      'CPU 1 idle state',
      'CPU 2 idle state',
      'CPU 3 idle state',
      'Disk vda',
      'Disk vdb',
    ]);
    expect(new Set(plotted.map(({ parent }) => rows[parent].name))).toEqual(new Set(['Resources']));
  });

  it('has an interval for each stay in an idle state', async () => {
    const rows = await rowsWhenRead();
    const { lengthNs } = (await opened).info;
    const counts: number[] = [];
    for (const { host, attribute } of rows.filter(({ name }) => name.endsWith('idle state'))) {
      const request = {
        host,
        attributes: [attribute],
        layer: 'resource',
        from: 0,
        to: lengthNs,
        bucketNs: 1,
      };
      counts.push((await session.api.ask('tile', request)).begin.length);
    }
    expect(counts).toEqual([342, 263, 252, 150]);
  });

  it('sums what disks transferred', async () => {
    const rows = await rowsWhenRead();
    const { lengthNs } = (await opened).info;
    const texts: (string | undefined)[] = [];
    for (const { id } of rows.filter((row) => isPlotted(row) && row.name.startsWith('Disk')))
      texts.push((await session.api.ask('interval', { row: id, timeNs: lengthNs - 1 }))?.stateText);
    expect(texts).toEqual([
      '303\u2009104 bytes recorded so far',
      '15\u2009722\u2009496 bytes recorded so far',
    ]);
  });

  it('offers what it shows, and plots a field that is asked for', async () => {
    await rowsWhenRead();
    const info = await session.api.ask('plots', {});
    const suggestions = info?.suggestions ?? [];
    expect(suggestions.slice(0, 2).map(({ events, isAsked }) => [events, isAsked])).toEqual([
      [2015, false],
      [235, false],
    ]);
    expect(suggestions[2]).toMatchObject({ isAsked: true, definition: { name: 'Priority' } });
    expect(info?.definitions).toEqual(suggestions.slice(0, 2).map(({ definition }) => definition));
    const wanted = [fieldPlot('block_rq_complete', 'nr_sector', 'dev', false)];
    expect(await session.api.changeLayer('resource', wanted)).toBe(true);
    const names = (await rowsWhenRead()).filter(isPlotted).map(({ name }) => name);
    expect(names).toEqual(['block_rq_complete.nr_sector, 254:0', 'block_rq_complete.nr_sector, 254:16']);
  });
});

/** `work 5 @ 100`: an event with this id at this time. */
function event(text: string, cpu = 0, vtid = 7): SpanEvent {
  const [name, id, , time] = text.split(' ');
  return { name, id: Number(id), time: 1e9 + Number(time), cpu, vtid, path: '' };
}

/** By key: numbers with their begins and ends. */
async function numbersOf(definition: PlotDefinition, packets: readonly PacketOfEvents[]) {
  const builder = new HistoryBuilder({ schemeOf: () => plotScheme });
  const analysis = plotLayer.analysis({ definitions: [definition] }) as AnyAnalysis;
  const run = await runEngine(overlayTrace(['work', 'other'], [packets]), [analysis], builder);
  const { tracks } = run.outcome.histories[0].get(analysis.id) as PlotTables;
  builder.finish(run.outcome.spans[0].last + 1);
  const query = createQuery(builder);
  const { from, to } = query.extent();
  return Promise.all(
    tracks.map(async ({ key, attribute }) => {
      const found = await query.intervals(attribute, from, to);
      const text = found.map(({ from: begin, value }) => `${plotNumber(value)} @ ${begin - found[0].from}`);
      return [key, ...text].join(' ');
    }),
  );
}

it('counters that a program writes into the text of ftrace are a row each, by name', async () => {
  const session = localSession();
  const path = join(projectDir(), 'test/fixtures/recorders/function-graph.txt');
  await session.open(memoryRefs(new Map([['trace.txt', readFileSync(path)]])));
  const named = () => {
    const columns = session.updates.findLast(({ rows }) => rows !== undefined)?.rows;
    return columns === undefined ? [] : unpackRows(columns).map(({ name }) => name);
  };
  await expect.poll(named, { timeout: 30_000 }).toContain('queue');
});

describe('fields of events', () => {
  const events = [
    event('work 5 @ 100'),
    event('work 3 @ 110', 0, 8),
    event('work 5 @ 130'),
    event('work 9 @ 140'),
  ];

  it('are numbers from their event to the next', async () => {
    const packets = [{ events }];
    expect(await numbersOf(fieldPlot('work', 'id', '', false), packets)).toEqual([
      ' 5 @ 0 3 @ 10 5 @ 30 9 @ 40',
    ]);
    expect(await numbersOf(fieldPlot('work', 'id', BY_CPU, false), packets)).toEqual([
      '0 5 @ 0 3 @ 10 5 @ 30 9 @ 40',
    ]);
    expect(await numbersOf(fieldPlot('work', 'id', 'vtid', false), packets)).toEqual([
      '7 5 @ 0 9 @ 40',
      '8 3 @ 0',
    ]);
  });

  it('are summed where that is asked for', async () => {
    const sums = await numbersOf(fieldPlot('work', 'id', '', true), [{ events }]);
    expect(sums).toEqual([' 5 @ 0 8 @ 10 13 @ 30 22 @ 40']);
  });

  it('are not known around a loss', async () => {
    const packets = [{ events: events.slice(0, 2) }, { lost: 1, events: events.slice(2) }];
    const numbers = await numbersOf(fieldPlot('work', 'id', '', false), packets);
    expect(numbers).toEqual([expect.stringMatching(/^ 5 @ 0 NaN @ 10 5 @ \d+/)]);
  });
});
