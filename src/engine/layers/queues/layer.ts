/** Queues as a layer: how many threads and requests wait, if there is a kernel trace. */
import type { Layer, LayerRow, Nothing } from '../contract/layer.ts';
import { EVENT_KINDS } from '../../trace/event-kinds.ts';
import { plotInterval, plotScheme } from '../plots/plot-values.ts';
import { diskNames, type DiskNames, QUEUES } from './disk-names.ts';
import { type QueueRow, writeQueueDepths } from './queue-depths.ts';

/** Most switches and requests that are counted unasked: each makes up to two intervals of the history. */
const FEW_EVENTS = 500_000;

interface FoundQueues {
  /** Number of switches of CPUs, and of requests issued to disks. */
  readonly events: number;
}

interface QueueTables {
  readonly rows: readonly QueueRow[];
  readonly names: DiskNames;
}

export const queueLayer: Layer<FoundQueues, Nothing, Nothing, QueueTables, DiskNames> = {
  id: QUEUES,
  title: 'Plot',
  schemes: { [QUEUES]: plotScheme },
  tables: [diskNames({}).reads],
  isOfStates: true,
  find({ countOf }) {
    const names = [...EVENT_KINDS.switch.events, ...EVENT_KINDS['request-issue'].events];
    return { events: names.reduce((sum, name) => sum + countOf(name), 0) };
  },
  first: ({ events }) => (events > 0 && events <= FEW_EVENTS ? {} : undefined),
  settings: () => ({}),
  analysis: diskNames,
  async complete(names, sink, { kernel }) {
    return { names, rows: kernel === undefined ? [] : await writeQueueDepths(kernel, sink) };
  },
  rows: (_, { rows, names }) => rows.map((row) => layerRow(row, names)),
  interval: plotInterval,
};

function layerRow({ of, which, attribute, first }: QueueRow, names: DiskNames): LayerRow {
  const subject = of === 'disk' ? 'requests in flight' : 'runnable threads';
  return {
    key: `${of}:${which}`,
    name: nameOf(of, which, names),
    attribute,
    subject,
    below: 'Resources',
    first,
    isPlot: true,
    isOfMachine: true,
  };
}

function nameOf(of: QueueRow['of'], which: string, names: DiskNames): string {
  if (of === 'host') return 'Runnable threads';
  return of === 'cpu' ? `CPU ${which} runnable threads` : `Disk ${names[which] ?? which} requests in flight`;
}
