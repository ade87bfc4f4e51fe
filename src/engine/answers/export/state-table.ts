/** States of threads as a table of a file, thread by thread. */
import { columnsOf, type ExportRow, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { inThreadOrder } from '../../linux/states/reduce/thread-table.ts';
import { THREAD_STATES } from '../../linux/events/values.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { stateSpans } from './state-spans.ts';
import {
  type ExportSource,
  hostName,
  THREAD_COLUMNS,
  threadCells,
  timeCells,
  timeColumns,
} from './export-source.ts';

export function stateTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...THREAD_COLUMNS,
      ...columnsOf('text', 'state'),
      ...columnsOf('integer', 'state_number'),
    ],
    pieces(source),
  );
}

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  for (const { host, thread } of exportedThreads(source)) {
    const cells = [hostName(source, host.index), ...threadCells(host, thread)];
    const spans = await stateSpans(host, thread, source.range);
    yield spans.map(({ state, from, to }) => {
      const times = timeCells(source, from);
      return [...times, to - from, ...cells, THREAD_STATES[state], state];
    });
  }
}

/** Threads of the wanted hosts, in the order of output. */
export function* exportedThreads({ trace, hosts, signal, onProgress }: ExportSource) {
  for (const host of trace.hosts) {
    if (!isKernelHost(host) || !hosts.includes(host.index)) continue;
    const { threads } = host.tables;
    const order = inThreadOrder(threads, threads.length);
    for (const [done, thread] of order.entries()) {
      signal?.throwIfAborted();
      onProgress?.(done / order.length);
      yield { host: host as KernelHost, thread };
    }
  }
}
