/** Traces of events of locks as the wrapper of LTTng writes them, and of the kernel's beside: whatever order, also hostile. */
import type { TraceFiles } from './ctf-writer/trace-writer.ts';

/** Names of events, by id: the field of the lock, whether there is a status. */
const EVENTS = [
  ['mutex_lock_req', 'mutex', false],
  ['mutex_lock_acq', 'mutex', true],
  ['mutex_unlock', 'mutex', true],
  ['mutex_trylock', 'mutex', true],
  ['rwlock_rdlock_req', 'rwlock', false],
  ['rwlock_rdlock_acq', 'rwlock', true],
  ['rwlock_wrlock_req', 'rwlock', false],
  ['rwlock_wrlock_acq', 'rwlock', true],
  ['rwlock_unlock', 'rwlock', true],
  ['sem_wait_req', 'sem', false],
  ['sem_wait_acq', 'sem', true],
  ['sem_post', 'sem', true],
  ['barrier_wait_begin', 'barrier', false],
  ['barrier_wait_end', 'barrier', true],
  ['cond_wait_begin', 'cond', false],
  ['cond_wait_end', 'cond', true],
  ['cond_signal', 'cond', true],
  // Not of a lock: where a module is; the status is its size.
  ['bin_info', 'baddr', true],
] as const;

export type LockEventName = (typeof EVENTS)[number][0];

const NAMES: readonly LockEventName[] = EVENTS.map(([name]) => name);

/** Names of events of locks with owners. */
export const LOCK_EVENTS: readonly LockEventName[] = NAMES.filter((name) => /^(mutex|rwlock)/.test(name));

export interface WrittenLockEvent {
  /** ns, from 0 on, below 2^32. */
  readonly time: number;
  readonly thread: number;
  readonly event: LockEventName;
  /** The lock is so many times 64 bytes behind the first one. */
  readonly lock: number;
  /** Default 0: it worked. */
  readonly status?: number;
}

const HEAD_BYTES = 52;
const EVENT_BYTES = 14;
const FIRST_ADDRESS = 0x1000;

export function lockTrace(events: readonly WrittenLockEvent[]): TraceFiles {
  const packet = packetOf(events.length, EVENT_BYTES, (view, at, i) => {
    const { time, thread, event, lock, status = 0 } = events[i];
    view.setUint8(at, NAMES.indexOf(event));
    view.setUint32(at + 1, time, true);
    view.setUint16(at + 5, thread, true);
    view.setUint8(at + 7, 1);
    view.setUint32(at + 8, FIRST_ADDRESS + 64 * lock, true);
    view.setInt16(at + 12, status, true);
  });
  return new Map([
    ['metadata', new TextEncoder().encode(METADATA)],
    ['u_0', packet],
  ]);
}

/** Names of events of the kernel, by id, and of their fields: of 16, 32 and 32 bits. */
const KERNEL_EVENTS = {
  switch: ['sched_switch', '_prev_tid', '_next_tid', '_prev_state'],
  waking: ['sched_waking', '_tid', '_prio', '_target_cpu'],
  futex: ['syscall_entry_futex', '_op', '_uaddr', '_uaddr2'],
  return: ['syscall_exit_futex', '_ret', '_unused', '_unused2'],
  dump: ['lttng_statedump_process_state', '_tid', '_pid', '_ppid'],
} as const;

export interface WrittenKernelEvent {
  /** ns, from 0 on, below 2^32. */
  readonly time: number;
  readonly event: keyof typeof KERNEL_EVENTS;
  /** Fields; the rest are 0. */
  readonly fields: readonly [number, number?, number?];
}

const KERNEL_EVENT_BYTES = 15;

/** A trace of one CPU. */
export function kernelTrace(events: readonly WrittenKernelEvent[]): TraceFiles {
  const names = Object.keys(KERNEL_EVENTS);
  const packet = packetOf(events.length, KERNEL_EVENT_BYTES, (view, at, i) => {
    const { time, event, fields } = events[i];
    const [first, second = 0, third = 0] = fields;
    view.setUint8(at, names.indexOf(event));
    view.setUint32(at + 1, time, true);
    view.setUint16(at + 5, first, true);
    view.setUint32(at + 7, second, true);
    view.setUint32(at + 11, third, true);
  });
  return new Map([
    ['metadata', new TextEncoder().encode(KERNEL_METADATA)],
    ['k_0', packet],
  ]);
}

function packetOf(
  count: number,
  eventBytes: number,
  write: (view: DataView, at: number, i: number) => void,
): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + eventBytes * count);
  const view = new DataView(bytes.buffer);
  const bits = BigInt(8 * bytes.length);
  view.setUint32(0, 0xc1fc1fc1, true);
  view.setBigUint64(16, 2n ** 50n, true);
  view.setBigUint64(24, bits, true);
  view.setBigUint64(32, bits, true);
  for (let i = 0; i < count; i++) write(view, HEAD_BYTES + eventBytes * i, i);
  return bytes;
}

const metadataOf = (env: string, context: string, events: string) => `/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 16; align = 8; signed = true; } := int16_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { hostname = "h"; ${env} tracer_major = 2; tracer_minor = 13; };
clock { name = "monotonic"; freq = 1000000000; offset_s = 0; offset = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;
typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := short_time_t;
stream {
  id = 0;
  event.header := struct { uint8_t id; short_time_t timestamp; };
  ${context}
  packet.context := struct {
    time_t timestamp_begin; time_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t events_discarded; uint32_t cpu_id;
  };
};
${events}
`;

function fullName(name: LockEventName): string {
  if (name === 'bin_info') return 'lttng_ust_statedump:bin_info';
  return `lttng_ust_pthread:${name.startsWith('sem') ? '' : 'pthread_'}${name}`;
}

// Requests have a status, too, which nobody reads: so all events are of one length.
const METADATA = metadataOf(
  'domain = "ust"; tracer_name = "lttng-ust"; vpid = 1;',
  'event.context := struct { uint16_t _vtid; uint8_t _vpid; };',
  EVENTS.map(
    ([name, field, hasStatus], id) =>
      `event { name = "${fullName(name)}"; id = ${id}; stream_id = 0; fields := struct { uint32_t _${field}; int16_t _${name === 'bin_info' ? 'memsz' : hasStatus ? 'status' : 'unused'}; }; };`,
  ).join('\n'),
);

const KERNEL_METADATA = metadataOf(
  'domain = "kernel"; sysname = "Linux"; tracer_name = "lttng-modules";',
  '',
  Object.values(KERNEL_EVENTS)
    .map(
      ([name, first, second, third], id) =>
        `event { name = "${name}"; id = ${id}; stream_id = 0; fields := struct { uint16_t ${first}; uint32_t ${second}; uint32_t ${third}; }; };`,
    )
    .join('\n'),
);
