/** The kernel's states of events by hand, in the form in which a session stores them, and hosts that have them. */
import type { KernelHost } from '../../src/engine/answers/context/host.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { STATE_KINDS } from '../../src/engine/linux/states/map/state-rules.ts';
import { ClockTransform, shiftedBy } from '../../src/engine/sync/clock-transform.ts';
import { batchesOf, type PlainEvent, type PlainStream, streamsOf } from './batches.ts';
import type { RunHost } from './graph-run.ts';
import { reduceInto } from './state-run.ts';
import { type StoredStates } from './engine-run.ts';

/** Streams of events that are told in any order. */
export function streamsInOrder(events: readonly PlainEvent[]): PlainStream[] {
  return streamsOf([...events].sort((a, b) => a.ts - b.ts));
}

export function storedStates(
  streams: readonly PlainStream[],
  end: number,
  segmentIntervals?: number,
): StoredStates {
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals });
  const tables = reduceInto(builder, batchesOf(streams, STATE_KINDS), {}, end);
  builder.finish(tables.end);
  return { builder, tables };
}

/** A host whose times are those of the graph. */
export function graphHostOf(events: readonly PlainEvent[], end: number, segmentIntervals?: number): RunHost {
  const { builder, tables } = storedStates(streamsInOrder(events), end, segmentIntervals);
  return { tables, query: createQuery(builder), prefix: '', toGraph: (time) => time };
}

/** @param shift display time of the host's time 0 */
export function kernelHostOf(
  streams: readonly PlainStream[],
  end: number,
  { index = 0, shift = 0 } = {},
): KernelHost {
  const { builder, tables } = storedStates(streams, end);
  const clock = new ClockTransform(shiftedBy(shift));
  const logs = () => Promise.resolve(tables);
  return { index, eventNames: [], recorder: 'lttng', tables, logs, query: createQuery(builder), clock };
}
