/** A host with a kernel's trace, as answers see it, whose states are reduced from streams. */
import type { KernelHost } from '../../src/engine/answers/context/host.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { STATE_KINDS } from '../../src/engine/linux/states/map/state-rules.ts';
import { ClockTransform, shiftedBy } from '../../src/engine/sync/clock-transform.ts';
import { batchesOf, type PlainStream } from './batches.ts';
import { reduceInto } from './state-run.ts';

/** @param shift display time of the host's time 0 */
export function historyHost(streams: readonly PlainStream[], end: number, shift = 0, index = 0): KernelHost {
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf });
  const tables = reduceInto(builder, batchesOf(streams, STATE_KINDS), {}, end);
  builder.finish(tables.end);
  const logs = () => Promise.resolve(tables);
  const clock = new ClockTransform(shiftedBy(shift));
  return { index, eventNames: [], recorder: 'lttng', tables, logs, query: createQuery(builder), clock };
}
