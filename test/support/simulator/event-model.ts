/** The events that the simulated tracer knows, with the names and fields of two generations of LTTng. */
import type { StructClass, TraceModel } from '../../../src/engine/ctf/model.ts';
import { fixedText, integer, lttngModel, signed, struct, text } from '../ctf-writer/model-builder.ts';
import type { Settings } from './machine.ts';
import { PACKET_PAYLOAD } from './packet-event.ts';

const comm = fixedText(16);
const s32 = signed(32);
const s64 = signed(64);
const u32 = integer(32);
const u64 = integer(64);
const pointer = integer(64, { base: 16 });

const WAKE = struct({ comm, tid: s32, prio: s32, target_cpu: s32 });
const LIFE = struct({ comm, tid: s32, prio: s32 });
const VTIDS = {
  kind: 'array' as const,
  length: { scope: 'event-payload' as const, steps: [4], text: 'vtids_length' },
  element: s32,
  align: 8,
};

const COMMON: Readonly<Record<string, StructClass>> = {
  sched_switch: struct({
    prev_comm: comm,
    prev_tid: s32,
    prev_prio: s32,
    prev_state: s64,
    next_comm: comm,
    next_tid: s32,
    next_prio: s32,
  }),
  sched_wakeup: WAKE,
  sched_wakeup_new: WAKE,
  sched_migrate_task: struct({ comm, tid: s32, prio: s32, orig_cpu: s32, dest_cpu: s32 }),
  sched_process_fork: struct({
    parent_comm: comm,
    parent_tid: s32,
    parent_pid: s32,
    child_comm: comm,
    vtids_length: integer(8),
    vtids: VTIDS,
    child_tid: s32,
    child_pid: s32,
  }),
  sched_process_exec: struct({ filename: text, tid: s32, old_tid: s32 }),
  sched_process_exit: LIFE,
  sched_process_free: LIFE,
  irq_handler_entry: struct({ irq: s32, name: text }),
  irq_handler_exit: struct({ irq: s32, ret: s32 }),
  lttng_statedump_start: struct({}),
  lttng_statedump_end: struct({}),
  lttng_statedump_process_state: struct({
    tid: s32,
    vtid: s32,
    pid: s32,
    vpid: s32,
    ppid: s32,
    vppid: s32,
    name: comm,
    type: s32,
    mode: s32,
    submode: s32,
    status: s32,
    ns_level: s32,
    cpu: u32,
  }),
};

const REQUEST = { dev: u32, sector: u64, nr_sector: u32 };
const REQUEST_OF = struct({ ...REQUEST, bytes: u32, tid: s32, rwbs: u32, comm });

/** Disk requests and network packets. */
const DEVICE_EVENTS: Readonly<Record<string, StructClass>> = {
  block_rq_insert: REQUEST_OF,
  block_rq_issue: REQUEST_OF,
  block_rq_complete: struct({ ...REQUEST, error: s32, rwbs: u32 }),
  net_dev_queue: PACKET_PAYLOAD,
  net_if_rx: PACKET_PAYLOAD,
  net_if_receive_skb: PACKET_PAYLOAD,
};

const HYPERVISOR_EVENTS: Readonly<Record<string, StructClass>> = {
  kvm_x86_entry: struct({ vcpu_id: u32 }),
  kvm_x86_exit: struct({ exit_reason: u32, guest_rip: pointer, isa: u32, info1: u64, info2: u64 }),
};

/** Arguments of the system calls that the programs use. */
const CALLS = {
  read: struct({ fd: u32, count: u64 }),
  write: struct({ fd: u32, count: u64 }),
  recvfrom: struct({ fd: u32, size: u64 }),
  sendto: struct({ fd: u32, len: u64 }),
  nanosleep: struct({ rqtp: pointer }),
  futex: struct({ uaddr: pointer, op: s32, val: u32 }),
  clone: struct({ clone_flags: pointer }),
  execve: struct({ filename: text }),
  wait4: struct({ upid: s32 }),
  poll: struct({ nfds: u32, timeout_msecs: s32 }),
  prctl: struct({ option: s32, arg2: pointer }),
  exit_group: struct({ error_code: s32 }),
} as const;

export type CallName = keyof typeof CALLS;

export interface EventNames {
  readonly softirq: string;
  readonly hrtimer: string;
  entryOf(call: string): string;
  exitOf(call: string): string;
}

const NEW_NAMES: EventNames = {
  softirq: 'irq_softirq',
  hrtimer: 'timer_hrtimer_expire',
  entryOf: (call) => `syscall_entry_${call}`,
  exitOf: (call) => `syscall_exit_${call}`,
};

const OLD_NAMES: EventNames = {
  softirq: 'softirq',
  hrtimer: 'hrtimer_expire',
  entryOf: (call) => `sys_${call}`,
  exitOf: () => 'exit_syscall',
};

export function namesOf(settings: Settings): EventNames {
  return settings.generation === 'new' ? NEW_NAMES : OLD_NAMES;
}

export const VECTOR_PREFIX = 'x86_irq_vectors_';

/** The model of a simulated trace: what the settings say is recorded. */
export function modelOf(settings: Settings): TraceModel {
  const names = namesOf(settings);
  const events: Record<string, StructClass> = { ...COMMON };
  if (settings.waking) events.sched_waking = WAKE;
  for (const kind of ['raise', 'entry', 'exit']) events[`${names.softirq}_${kind}`] = struct({ vec: u32 });
  events[`${names.hrtimer}_entry`] = struct({ hrtimer: pointer, now: s64, function: pointer });
  events[`${names.hrtimer}_exit`] = struct({ hrtimer: pointer });
  if (settings.devices === true) Object.assign(events, DEVICE_EVENTS);
  if (settings.hypervisor === true) Object.assign(events, HYPERVISOR_EVENTS);
  if (settings.vectors) {
    for (const vector of ['local_timer', 'reschedule']) {
      for (const kind of ['entry', 'exit'])
        events[`${VECTOR_PREFIX}${vector}_${kind}`] = struct({ vector: s32 });
    }
  }
  for (const [call, args] of Object.entries(CALLS)) {
    events[names.entryOf(call)] = args;
    events[names.exitOf(call)] = struct({ ret: s64 });
  }
  const { hostname = 'simulated', hostNumber = 0 } = settings;
  const number = hostNumber.toString(16);
  const release = settings.generation === 'new' ? '6.1.0-simulated' : '3.16.0-simulated';
  return lttngModel({
    uuid: `5151c0de-0000-4000-8000-0000000000${number}1`,
    clock: {
      name: 'monotonic',
      uuid: `5151c0de-0000-4000-8000-0000000000${number}2`,
      description: 'Monotonic Clock',
      frequency: 1_000_000_000n,
      offsetSeconds: 1_700_000_000n,
      offsetCycles: 123_456_789n,
      absolute: false,
    },
    environment: { domain: 'kernel', sysname: 'Linux', kernel_release: release, hostname },
    header: settings.header,
    events,
  });
}
