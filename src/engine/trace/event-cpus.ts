/** CPUs that the events name themselves, in a field or context `cpu_id`, where no packet of a trace does. */
import { cachedByKey } from '../base/cached-by-key.ts';
import type { Fault } from '../base/fault.ts';
import { findMembers } from '../ctf/decode/program/members.ts';
import type { FieldWant } from '../ctf/decode/rows/rows.ts';
import type { Trace } from './types.ts';

type KernelTrace = Pick<Trace, 'domain' | 'model' | 'path' | 'streams'>;

/**
 * Field that gives the CPU of an event, where packets give none: beside those a field of this name may be another one,
 * as that of `power_cpu_idle` is.
 */
export const CPU_FIELD: FieldWant = { names: ['cpu_id'], kind: 'int' };

const packetsTellNone = cachedByKey((trace: KernelTrace) => ({
  is:
    trace.domain === 'kernel' &&
    trace.streams.every(({ files }) => files.every(({ packets }) => packets.cpu.every((cpu) => cpu < 0))),
}));

/** Whether CPUs of a trace are given by its events, if at all. */
export function hasEventCpus(trace: KernelTrace): boolean {
  return packetsTellNone(trace).is;
}

/** The fault of a kernel's trace without CPUs. */
export function unknownCpus(trace: KernelTrace): Fault[] {
  if (trace.streams.length === 0 || !hasEventCpus(trace)) return [];
  const isTold = trace.model.streams.some((stream) =>
    stream.events.some((event) => findMembers(CPU_FIELD, stream, event).length > 0),
  );
  const expected = 'a CPU in the context of packets, or in a field or context cpu_id of events';
  return isTold ? [] : [{ code: 'cpu-unknown', place: { file: trace.path }, expected, found: 'neither' }];
}
