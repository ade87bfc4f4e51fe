/**
 * Facts that a kernel's trace leaves untold: CPUs, which events may name themselves in a field or context `cpu_id` where no
 * packet does; and one half of its system calls, their begins or their returns, so that no mode follows from the other.
 */
import { cachedByKey } from '../base/cached-by-key.ts';
import type { Fault } from '../base/fault.ts';
import { findMembers } from '../ctf/decode/program/members.ts';
import type { FieldWant } from '../ctf/decode/rows/rows.ts';
import type { TraceModel } from '../ctf/model.ts';
import { isKind, isOldExitCall, isOldLttng } from './event-kinds.ts';
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

const ENTRIES = [
  'syscall-entry',
  'raw-call',
  'signal-return',
  'numbered-call',
  'numbered-compat-call',
] as const;

/** The half of system calls that a trace does not declare; `all`: it declares none. */
export function missingHalf(model: TraceModel): 'none' | 'entries' | 'exits' | 'all' {
  return halfOf(model).missing;
}

const halfOf = cachedByKey((model: TraceModel) => {
  const names = model.streams.flatMap(({ events }) => events.map(({ name = '' }) => name));
  const isOld = isOldLttng(names);
  const isExit = (name: string) => isKind('syscall-exit', name) && !(isOld && isOldExitCall(name));
  const hasExits = names.some(isExit);
  const hasEntries = names.some(
    (name) => ENTRIES.some((kind) => isKind(kind, name)) || (isOld && isOldExitCall(name)),
  );
  if (hasEntries) return { missing: hasExits ? 'none' : 'exits' } as const;
  return { missing: hasExits ? 'entries' : 'all' } as const;
});

/** The fault of a kernel's trace with one half. */
export function halfOfCalls({ domain, model, path, streams }: Trace): Fault[] {
  const missing = missingHalf(model);
  if (domain !== 'kernel' || streams.length === 0 || missing === 'none' || missing === 'all') return [];
  const found = missing === 'exits' ? 'no event at which one returns' : 'no event at which one begins';
  return [
    { code: 'calls-half-recorded', place: { file: path }, expected: 'both ends of system calls', found },
  ];
}
