/** States of threads as a table of a file, thread by thread. */
import { type ExportRow, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { inThreadOrder, threadKey } from '../../linux/states/reduce/thread-table.ts';
import { THREAD_STATES } from '../../linux/events/values.ts';
import { isKernelHost } from '../context/host.ts';
import { stateSpans } from './state-spans.ts';
import { type ExportSource, hostName, timeCells, timeColumns } from './export-source.ts';

export function stateTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      { name: 'duration_ns', kind: 'integer' },
      { name: 'host', kind: 'text' },
      { name: 'worker', kind: 'text' },
      { name: 'tid', kind: 'integer' },
      { name: 'pid', kind: 'integer' },
      { name: 'thread', kind: 'text' },
      { name: 'state', kind: 'text' },
      { name: 'state_number', kind: 'integer' },
    ],
    pieces(source),
  );
}

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  const { trace, hosts, range, signal, onProgress } = source;
  for (const host of trace.hosts) {
    if (!isKernelHost(host) || !hosts.includes(host.index)) continue;
    const { threads } = host.tables;
    const name = hostName(source, host.index);
    const order = inThreadOrder(threads, threads.length);
    for (const [done, i] of order.entries()) {
      signal?.throwIfAborted();
      onProgress?.(done / order.length);
      const thread = [
        name,
        threadKey(threads, i),
        threads.tid[i],
        threads.pid[i] < 0 ? null : threads.pid[i],
        threads.name[i],
      ];
      const spans = await stateSpans(host, i, range);
      yield spans.map(({ state, from, to }) => {
        const times = timeCells(source, from);
        return [...times, to - from, ...thread, THREAD_STATES[state], state];
      });
    }
  }
}
