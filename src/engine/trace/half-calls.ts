/** System calls of which a trace has one half only, their begins or their returns: no mode follows from these. */
import type { Fault } from '../base/fault.ts';
import { cachedByKey } from '../base/cached-by-key.ts';
import type { TraceModel } from '../ctf/model.ts';
import { isKind, isOldExitCall, isOldLttng, type EventKind } from './event-kinds.ts';
import type { Trace } from './types.ts';

const ENTRIES: readonly EventKind[] = [
  ...(['syscall-entry', 'raw-call', 'signal-return', 'numbered-call', 'numbered-compat-call'] as const),
];

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
