/** Requests for the kernel events read for locks. Only these are decoded, as other calls are many. */
import type { KindRequest } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { EventClass } from '../../ctf/model.ts';
import { callEntries, callExits, EVENT_KINDS } from '../../trace/event-kinds.ts';
import { KERNEL_THREAD } from '../contract/event-mapper.ts';
import type { Switches } from '../contract/switches.ts';
import { kernelKind, subjectsOf } from '../../linux/events/kernel-events.ts';

/** Parts of the kernel's events that are read. */
export interface KernelReads {
  readonly files: boolean;
  readonly futexes: boolean;
  readonly contention: boolean;
  readonly switches: Switches;
}

/** Calls that lock files. */
export const LOCK_CALLS: readonly string[] = ['flock', 'fcntl', 'fcntl64'];
/** Calls that change descriptors, and those that lock. */
export const FILE_CALLS: readonly string[] = [
  ...LOCK_CALLS,
  'open',
  'openat',
  'openat2',
  'creat',
  'close',
  'close_range',
  'dup',
  'dup2',
  'dup3',
  'execve',
  'execveat',
];
/** Operations of the futex calls by name; NaN: it is in an argument. */
const FUTEX_OPERATIONS: Readonly<Record<string, number>> = {
  futex: NaN,
  futex_time64: NaN,
  futex_wait: 9,
  futex_wake: 10,
};
export const FUTEX_CALLS: readonly string[] = Object.keys(FUTEX_OPERATIONS);
/** FUTEX_PRIVATE_FLAG of operations, and of the flags of calls without operation: no other process shares the memory. */
export const FUTEX_PRIVATE = 128;
/** Values in place of an index of `FILE_CALLS`: a futex call, or whichever call the thread is in. */
export const FUTEX_CALL = -1;
export const ANY_CALL = -2;

const int = (...names: string[]) => ({ names, kind: 'int' }) as const;
const wide = (...names: string[]) => ({ names, kind: 'wide' }) as const;

/** Kinds by what is read; their names are unique among analyses. */
export function kernelKinds({ files, futexes, contention, switches }: KernelReads): KindRequest[] {
  const kinds: KindRequest[] = [];
  const calls = [...(files ? FILE_CALLS : []), ...(futexes ? FUTEX_CALLS : [])];
  if (switches !== 'none') kinds.push(kernelKind('switch', 'next_tid'));
  if (calls.length > 0) {
    kinds.push({
      kind: 'lock-call-return',
      events: callExits(calls),
      fields: { ...KERNEL_THREAD, ret: int('ret') },
    });
  }
  if (files || futexes) kinds.push(kernelKind('exit', 'tid'));
  if (files) {
    kinds.push(
      {
        kind: 'lock-file-call',
        events: callEntries(FILE_CALLS),
        fields: {
          ...KERNEL_THREAD,
          fd: int('fd', 'oldfd', 'fildes'),
          newfd: int('newfd', 'max_fd', 'arg'),
          cmd: int('cmd', 'flags'),
          path: { names: ['filename', 'pathname'], kind: 'string', only: 'payload' },
        },
      },
      kernelKind('fork', 'child_tid', 'child_pid', 'parent_pid'),
      kernelKind('exec', 'tid'),
      kernelKind('process-dump', 'tid', 'pid', 'files'),
      kernelKind('file-dump', 'pid', 'fd', 'filename', 'files'),
    );
  }
  if (futexes) {
    kinds.push({
      kind: 'lock-futex-call',
      events: callEntries(FUTEX_CALLS),
      fields: {
        ...KERNEL_THREAD,
        op: int('op'),
        flags: int('flags'),
        uaddr: wide('uaddr'),
        uaddr2: wide('uaddr2'),
      },
    });
  }
  if (contention) {
    kinds.push(
      {
        kind: 'lock-contention-begin',
        events: EVENT_KINDS['contention-begin'].events,
        fields: { ...KERNEL_THREAD, ...EVENT_KINDS['contention-begin'].fields },
      },
      {
        kind: 'lock-contention-end',
        events: EVENT_KINDS['contention-end'].events,
        fields: { ...KERNEL_THREAD, ...EVENT_KINDS['contention-end'].fields },
      },
    );
  }
  return kinds;
}

/** Index in `FILE_CALLS`, FUTEX_CALL or ANY_CALL by event class. */
export const callsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Int32Array.from(subjectsOf(eventClasses), (call) => {
    if (call === '') return ANY_CALL;
    return FUTEX_CALLS.includes(call) ? FUTEX_CALL : FILE_CALLS.indexOf(call);
  }),
);

/** Operation of futex calls by event class; NaN: it is in an argument. */
export const futexOperationsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Float64Array.from(subjectsOf(eventClasses), (call) => FUTEX_OPERATIONS[call] ?? NaN),
);
