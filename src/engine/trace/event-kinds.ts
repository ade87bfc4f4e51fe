/**
 * Kinds of events of the Linux kernel by the names that tracers and their versions have for them, and the names of
 * their fields. No other file spells a name of such an event to decide what it means; whoever has a name asks `isKind`.
 *
 * Generations: LTTng before 2.6 (`sys_NAME`, `exit_syscall`, `softirq_*`), LTTng 2.6 and later, ftrace (`sys_enter_NAME`,
 * `sys_exit_NAME`), and perf, which keeps the subsystem in front (`sched:sched_switch`). The latter two call thread ids `pid`.
 */
import { cachedByKey } from '../base/cached-by-key.ts';
import { createNameFinder } from '../ctf/decode/event-projection.ts';
import type { FieldKind, FieldWant } from '../ctf/decode/rows/rows.ts';

interface Kind {
  readonly events: readonly string[];
  readonly fields: Readonly<Record<string, FieldWant>>;
}

function field(kind: FieldKind, ...names: string[]): FieldWant {
  return { names, kind };
}

/** A field of the event itself, where contexts may have one that is called so too. */
function ownField(kind: FieldKind, ...names: string[]): FieldWant {
  return { names, kind, only: 'payload' };
}

/** Fields that number a thread in one of its pid namespaces. Level 0 is the host's own, with the host's number. */
const NAMESPACE_FIELDS = {
  vtid: ownField('int', 'vtid'),
  ns_level: ownField('int', 'ns_level'),
  ns_inum: ownField('int', 'ns_inum'),
} as const;

const CONTEXT_PID = field('int', 'pid', 'perf_pid');
/** Calls and returns by number alone, of ftrace and perf. */
const RAW_ENTRY = 'raw_syscalls:sys_enter';
const RAW_EXITS = ['sys_exit', 'raw_syscalls:sys_exit'] as const;
/** The last but two: what importers call a raw event whose number has a name. */
const CALL_ENTRY_PREFIXES = [
  ...['syscall_entry_', 'compat_syscall_entry_', 'syscalls:sys_enter_', 'sys_enter_'],
  ...[`${RAW_ENTRY}_`, 'sys_', 'compat_sys_'],
] as const;
const CALL_EXIT_PREFIXES = [
  ...['syscall_exit_', 'compat_syscall_exit_'],
  ...['syscalls:sys_exit_', 'sys_exit_'],
] as const;
/** A return that does not tell of which call. */
const UNNAMED_EXIT = 'exit_syscall';
/** The call that old LTTng names so. No other of its calls begins as returns of ftrace do. */
const EXIT_GROUP = 'sys_exit_group';

/** -1: not recorded. */
const PERF_SWITCH_FIELDS = {
  tid: field('int', 'perf_tid'),
  pid: field('int', 'perf_pid'),
  other_tid: ownField('int', 'next_prev_tid'),
} as const;

const THREAD = { tid: field('int', 'tid', 'pid') } as const;
const SOFTIRQ = { vec: field('int', 'vec') } as const;

/** Wanted of waking, wakeup and wakeup-new alike. */
const WAKE_FIELDS = {
  tid: field('int', 'tid', 'pid'),
  comm: field('string', 'comm'),
  prio: field('int', 'prio'),
  target_cpu: field('int', 'target_cpu'),
} as const;

const REQUEST_FIELDS = {
  dev: field('int', 'dev'),
  sector: field('wide', 'sector'),
  nr_sector: field('int', 'nr_sector'),
  tid: field('int', 'tid'),
  rwbs: field('int', 'rwbs'),
  /** The same of ftrace and perf. */
  letters: field('string', 'rwbs'),
} as const;

/** Events of the kernel's allocators, as LTTng calls them, earlier LTTng, and perf. */
function kmem(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name.startsWith('kmem_') ? name : `kmem_${name}`, name, `kmem:${name}`]);
}

/** Calls of the C library, as LTTng's wrapper of it has them, and as it had before version 2.4. */
function libc(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [`lttng_ust_libc:${name}`, `ust_libc:${name}`]);
}

function pageFault(from: 'user' | 'kernel'): readonly string[] {
  const name = `page_fault_${from}`;
  return [`x86_exceptions_${name}`, `exceptions_${name}`, name, `exceptions:${name}`];
}

/** Fields of every event of a network interface: its name, and the bytes of the packet. By a second name they are not filled. */
const INTERFACE_FIELDS = {
  device: ownField('string', 'name'),
  length: ownField('int', 'len'),
} as const;

/** Headers of a packet, as LTTng 2.9 and later record them, patched tracepoints before, and the socket's own events. */
const PACKET_FIELDS = {
  source: field('bytes', 'network_header.*.saddr'),
  destination: field('bytes', 'network_header.*.daddr'),
  source_port: field('int', 'network_header.*.transport_header.*.source_port'),
  destination_port: field('int', 'network_header.*.transport_header.*.dest_port'),
  total_length: field('int', 'network_header.ipv4.tot_len'),
  header_words: field('int', 'network_header.ipv4.ihl'),
  payload_length: field('int', 'network_header.ipv6.payload_len'),
  seq: field('int', 'network_header.*.transport_header.tcp.seq', 'transport_fields.thtype_tcp.seq', 'seq'),
  ack_seq: field(
    'int',
    'network_header.*.transport_header.tcp.ack_seq',
    'transport_fields.thtype_tcp.ack_seq',
    'ack_seq',
  ),
  data_offset: field('int', 'network_header.*.transport_header.tcp.data_offset'),
  flags: field(
    'int',
    'network_header.*.transport_header.tcp.flags',
    'transport_fields.thtype_tcp.flags',
    'flags',
  ),
  tcp_check: field('int', 'network_header.*.transport_header.tcp.checksum', 'check'),
  udp_length: field('int', 'network_header.*.transport_header.udp.len'),
  udp_check: field('int', 'network_header.*.transport_header.udp.check'),
  identification: field('int', 'network_header.ipv4.id'),
  buffer: ownField('wide', 'skbaddr'),
  ...INTERFACE_FIELDS,
} as const;

/** Names of events of interfaces, and those that perf has for them. */
const network = (...names: readonly string[]) => [...names, ...names.map((name) => `net:${name}`)];

/** Events that give a packet to the queue of an interface; the driver takes it from there. */
const SEND_EVENTS = network('net_dev_queue');
const TRANSMIT_EVENTS = network('net_dev_xmit');
/** Events that take a packet from the driver: the protocols will see it. */
const RECEIVE_EVENTS = ['net_if_receive_skb', ...network('netif_receive_skb')];
/** Events that put it on a queue, in the sender's context for packets to oneself; the events above follow. */
const QUEUE_EVENTS = ['net_if_rx', ...network('netif_rx')];

/** Interrupt vectors as ftrace calls them. */
export const FTRACE_VECTORS = [
  ...['local_timer', 'reschedule', 'call_function', 'call_function_single', 'irq_work', 'thermal_apic'],
  ...['threshold_apic', 'deferred_error_apic', 'error_apic', 'spurious_apic', 'x86_platform_ipi'],
] as const;

const GRAPH_FIELDS = {
  tid: ownField('int', 'common_pid'),
  address: ownField('wide', 'func'),
  name: ownField('string', 'function'),
} as const;

const LOCK_ADDRESS = field('wide', 'lock_addr');

/** Events of locks of the kernel that were wanted by several. */
function contention(step: 'begin' | 'end'): readonly string[] {
  return [`lock_contention_${step}`, `lock:contention_${step}`, `contention_${step}`];
}

/** Numbers of `rt_sigreturn` on x86-64 and arm64; `sigreturn` and `rt_sigreturn` of 32-bit programs on x86. */
const SIGNAL_RETURNS = [15, 139];
const COMPAT_SIGNAL_RETURNS = [119, 173];

export const EVENT_KINDS = {
  switch: {
    events: ['sched_switch', 'sched:sched_switch'],
    fields: {
      prev_comm: field('string', 'prev_comm'),
      prev_tid: field('int', 'prev_tid', 'prev_pid'),
      prev_state: field('int', 'prev_state'),
      next_comm: field('string', 'next_comm'),
      next_tid: field('int', 'next_tid', 'next_pid'),
      next_prio: field('int', 'next_prio'),
      // Only contexts call a field of this event `pid`: that of the thread which leaves.
      pid: CONTEXT_PID,
    },
  },
  // perf's records of switches: of a whole machine both threads are recorded, of one program its own.
  'switched-out': { events: ['perf_switch_out'], fields: PERF_SWITCH_FIELDS },
  /** The thread that leaves is ready to go on. */
  'switched-out-ready': { events: ['perf_switch_preempted'], fields: PERF_SWITCH_FIELDS },
  'switched-in': { events: ['perf_switch_in'], fields: PERF_SWITCH_FIELDS },
  waking: { events: ['sched_waking', 'sched:sched_waking', 'sched_ttwu', 'sched_ttww'], fields: WAKE_FIELDS },
  wakeup: { events: ['sched_wakeup', 'sched:sched_wakeup'], fields: WAKE_FIELDS },
  'wakeup-new': { events: ['sched_wakeup_new', 'sched:sched_wakeup_new'], fields: WAKE_FIELDS },
  migrate: {
    events: ['sched_migrate_task', 'sched:sched_migrate_task'],
    fields: { ...THREAD, dest_cpu: field('int', 'dest_cpu') },
  },
  fork: {
    events: ['sched_process_fork', 'sched:sched_process_fork'],
    fields: {
      // perf has no process ids here: its `parent_pid` and `child_pid` are thread ids.
      parent_tid: field('int', 'parent_tid', 'parent_pid'),
      parent_pid: field('int', 'parent_pid'),
      child_tid: field('int', 'child_tid', 'child_pid'),
      child_pid: field('int', 'child_pid'),
      child_comm: field('string', 'child_comm'),
      // One number for each pid namespace that the child is in, the host's first.
      vtids: field('int', '_vtids_length', 'vtids_length'),
      child_vtid: field('int', 'vtids.*'),
      child_ns: field('int', 'child_ns_inum'),
    },
  },
  exec: {
    events: ['sched_process_exec', 'sched:sched_process_exec'],
    fields: {
      tid: field('int', 'tid', 'pid'),
      old_tid: field('int', 'old_tid', 'old_pid'),
      filename: field('string', 'filename'),
    },
  },
  'signal-generate': {
    events: ['signal_generate', 'signal:signal_generate'],
    fields: {
      pid: field('int', 'pid'),
      group: field('int', 'group', 'grp'),
      result: field('int', 'result', 'res'),
    },
  },
  'signal-deliver': { events: ['signal_deliver', 'signal:signal_deliver'], fields: {} },
  // The last one is perf's own record.
  exit: { events: ['sched_process_exit', 'sched:sched_process_exit', 'perf_exit'], fields: THREAD },
  free: { events: ['sched_process_free', 'sched:sched_process_free'], fields: THREAD },
  'irq-entry': {
    events: ['irq_handler_entry', 'irq:irq_handler_entry'],
    fields: { irq: field('int', 'irq'), name: field('string', 'name') },
  },
  'irq-exit': {
    events: ['irq_handler_exit', 'irq:irq_handler_exit'],
    fields: { irq: field('int', 'irq'), ret: field('int', 'ret') },
  },
  'softirq-raise': { events: ['irq_softirq_raise', 'softirq_raise', 'irq:softirq_raise'], fields: SOFTIRQ },
  'softirq-entry': { events: ['irq_softirq_entry', 'softirq_entry', 'irq:softirq_entry'], fields: SOFTIRQ },
  'softirq-exit': { events: ['irq_softirq_exit', 'softirq_exit', 'irq:softirq_exit'], fields: SOFTIRQ },
  'hrtimer-entry': {
    events: ['timer_hrtimer_expire_entry', 'hrtimer_expire_entry', 'timer:hrtimer_expire_entry'],
    fields: { hrtimer: field('wide', 'hrtimer'), function: field('wide', 'function') },
  },
  'hrtimer-exit': {
    events: ['timer_hrtimer_expire_exit', 'hrtimer_expire_exit', 'timer:hrtimer_expire_exit'],
    fields: { hrtimer: field('wide', 'hrtimer') },
  },
  /** Entry or exit by the end of the name, see `vectorOf`. */
  vector: {
    events: [
      ...['x86_irq_vectors_*', 'irq_vectors:*', 'ipi_entry', 'ipi_exit'],
      ...FTRACE_VECTORS.flatMap((name) => [`${name}_entry`, `${name}_exit`]),
    ],
    fields: {},
  },
  /** The call by the event's name, see `callOf`. */
  'syscall-entry': {
    events: [
      ...CALL_ENTRY_PREFIXES.map((prefix) => `${prefix}*`),
      ...[EXIT_GROUP, '!sys_exit_*', ...RAW_EXITS.map((name) => `!${name}`), '!sys_enter'],
    ],
    fields: {
      id: field('int', 'id'),
      fd: field('int', 'fd', 'oldfd', 'fildes', 'sockfd', 'out_fd', 'fd_out'),
      fd_in: field('int', 'in_fd', 'fd_in', 'fdin', 'max_fd'),
      newfd: field('int', 'newfd'),
      cmd: field('int', 'cmd'),
      flags: field('int', 'flags'),
      count: field('wide', 'count', 'len', 'size'),
      // `creat` calls it a path.
      filename: field('string', 'filename', 'pathname'),
    },
  },
  /** Back to user mode from a signal handler: a call that never has an exit event. */
  'signal-return': {
    events: CALL_ENTRY_PREFIXES.flatMap((prefix) => [`${prefix}rt_sigreturn`, `${prefix}sigreturn`]),
    fields: {},
  },
  /** Calls of which LTTng knows the number alone, `rt_sigreturn` among them; of 64-bit and of 32-bit programs. */
  'numbered-call': { events: ['syscall_entry_unknown'], fields: { id: field('int', 'id') } },
  'numbered-compat-call': { events: ['compat_syscall_entry_unknown'], fields: { id: field('int', 'id') } },
  /** Calls that ftrace and perf record by their number alone, which no importer has given a name. */
  'raw-call': { events: ['sys_enter', RAW_ENTRY], fields: { id: field('int', 'id', 'nr') } },
  'syscall-exit': {
    events: [
      ...CALL_EXIT_PREFIXES.map((prefix) => `${prefix}*`),
      ...[UNNAMED_EXIT, ...RAW_EXITS, `!${EXIT_GROUP}`],
    ],
    // Of pipes and pairs of sockets.
    fields: { ret: field('wide', 'ret'), pair: field('bytes', 'fildes', 'socket') },
  },
  'process-dump': {
    events: ['lttng_statedump_process_state'],
    fields: {
      tid: field('int', 'tid'),
      pid: field('int', 'pid'),
      ppid: field('int', 'ppid'),
      name: field('string', 'name'),
      type: field('int', 'type'),
      files: field('wide', 'file_table_address'),
      // Before LTTng 2.12, which has an event of its own for that: one of these events for each level.
      ...NAMESPACE_FIELDS,
    },
  },
  'pid-namespace-dump': {
    events: ['lttng_statedump_process_pid_ns'],
    fields: { tid: ownField('int', 'tid'), ...NAMESPACE_FIELDS },
  },
  'file-dump': {
    events: ['lttng_statedump_file_descriptor'],
    fields: {
      // A context may call a field `pid` as well: that of the tracer, so `files` counts first.
      files: field('wide', 'file_table_address'),
      pid: field('int', 'pid'),
      fd: field('int', 'fd'),
      filename: field('string', 'filename'),
    },
  },
  'disk-dump': {
    events: ['lttng_statedump_block_device'],
    fields: { dev: field('int', 'dev'), diskname: field('string', 'diskname') },
  },
  'request-insert': { events: ['block_rq_insert', 'block:block_rq_insert'], fields: REQUEST_FIELDS },
  'request-issue': { events: ['block_rq_issue', 'block:block_rq_issue'], fields: REQUEST_FIELDS },
  'request-complete': { events: ['block_rq_complete', 'block:block_rq_complete'], fields: REQUEST_FIELDS },
  'request-requeue': { events: ['block_rq_requeue', 'block:block_rq_requeue'], fields: REQUEST_FIELDS },
  'request-merge': { events: ['block_rq_merge', 'block:block_rq_merge'], fields: REQUEST_FIELDS },
  frequency: {
    events: ['power_cpu_frequency', 'cpu_frequency', 'power:cpu_frequency'],
    fields: { cpu: field('int', 'cpu_id'), khz: field('int', 'state') },
  },
  /** A thread goes on as a virtual CPU: in the context of that thread. */
  'guest-entry': {
    events: ['kvm_entry', 'kvm_x86_entry', 'kvm:kvm_entry'],
    fields: { vcpu: field('int', 'vcpu_id', 'vcpu') },
  },
  /** It is back from the guest. */
  'guest-exit': { events: ['kvm_exit', 'kvm_x86_exit', 'kvm:kvm_exit'], fields: {} },
  'packet-sent': { events: [...SEND_EVENTS, 'inet_sock_local_out'], fields: PACKET_FIELDS },
  /** The driver has taken the packet, or refused it: `rc` other than 0. */
  'packet-transmitted': {
    events: TRANSMIT_EVENTS,
    fields: { rc: ownField('int', 'rc'), ...INTERFACE_FIELDS },
  },
  /** See `isReceivedLater`. */
  'packet-received': {
    events: [...RECEIVE_EVENTS, ...QUEUE_EVENTS, 'inet_sock_local_in'],
    fields: PACKET_FIELDS,
  },
  'page-alloc': {
    events: kmem('mm_page_alloc'),
    // -1 where it failed.
    fields: { order: ownField('int', 'order'), pfn: ownField('wide', 'pfn') },
  },
  /** `mm_page_free_batched` says again of some pages that they are freed. */
  'page-free': { events: kmem('mm_page_free'), fields: { order: ownField('int', 'order') } },
  'object-alloc': {
    events: kmem('kmalloc', 'kmalloc_node', 'kmem_cache_alloc', 'kmem_cache_alloc_node'),
    // 0 where it failed.
    fields: { ptr: ownField('wide', 'ptr'), bytes: ownField('wide', 'bytes_alloc') },
  },
  'object-free': { events: kmem('kfree', 'kmem_cache_free'), fields: { ptr: ownField('wide', 'ptr') } },
  // The allocator of programs, as LTTng's wrapper of the C library records it. `ptr` is 0 where it failed.
  'heap-alloc': {
    events: libc('malloc', 'calloc', 'memalign'),
    fields: {
      ptr: ownField('wide', 'ptr'),
      size: ownField('wide', 'size'),
      count: ownField('wide', 'nmemb'),
    },
  },
  'heap-realloc': {
    events: libc('realloc'),
    fields: { ptr: ownField('wide', 'ptr'), size: ownField('wide', 'size'), old: ownField('wide', 'in_ptr') },
  },
  'heap-aligned': {
    events: libc('posix_memalign'),
    fields: {
      ptr: ownField('wide', 'out_ptr'),
      size: ownField('wide', 'size'),
      result: ownField('int', 'result'),
    },
  },
  'heap-free': { events: libc('free'), fields: { ptr: ownField('wide', 'ptr') } },
  'user-fault': { events: pageFault('user'), fields: {} },
  'kernel-fault': { events: pageFault('kernel'), fields: {} },
  /** Events before and after a thread waits for a lock of the kernel. */
  'contention-begin': {
    events: contention('begin'),
    fields: { address: LOCK_ADDRESS, flags: field('int', 'flags') },
  },
  'contention-end': {
    events: contention('end'),
    fields: { address: LOCK_ADDRESS, ret: field('int', 'ret') },
  },
  'idle-state': {
    events: ['power_cpu_idle', 'cpu_idle', 'power:cpu_idle'],
    fields: { cpu_id: ownField('int', 'cpu_id'), state: ownField('int', 'state') },
  },
  // Of these the names are asked for, by plots and by what is counted in executions.
  'priority-lent': { events: ['sched_pi_setprio', 'sched:sched_pi_setprio'], fields: {} },
  'bytes-queued': { events: SEND_EVENTS, fields: {} },
  'bytes-sent': { events: TRANSMIT_EVENTS, fields: {} },
  'bytes-received': { events: RECEIVE_EVENTS, fields: {} },
  /** Entries and exits of the kernel's functions, with or without their return addresses; texts have names in place of addresses. */
  'graph-entry': {
    events: ['ftrace:funcgraph_entry', 'ftrace:fgraph_retaddr_entry'],
    fields: GRAPH_FIELDS,
  },
  'graph-exit': { events: ['ftrace:funcgraph_exit'], fields: GRAPH_FIELDS },
  /** Texts that programs and the kernel print, and what importers make of those that mark spans and values. */
  print: { events: ['ftrace:print'], fields: {} },
  mark: { events: ['mark:begin', 'mark:end', 'mark:async_begin', 'mark:async_end'], fields: {} },
  'mark-across-threads': { events: ['mark:async_begin'], fields: {} },
  counter: { events: ['mark:counter'], fields: {} },
  /** Facts that files of ftrace tell of a thread beside its events: its name is that at the end of the recording. */
  'thread-saved': {
    events: ['ftrace_thread'],
    fields: { tid: field('int', 'tid'), pid: field('int', 'pid'), name: field('string', 'name') },
  },
  /** perf's record of the name of a thread: of a main thread it is that of the process. */
  'thread-name': {
    events: ['perf_comm'],
    fields: { tid: field('int', 'tid'), pid: field('int', 'pid'), name: field('string', 'comm') },
  },
  /** perf's record of a new thread. Of those that were there before, it makes up one whose `time` is 0. */
  'thread-parent': {
    events: ['perf_fork'],
    fields: {
      tid: field('int', 'tid'),
      pid: field('int', 'pid'),
      ppid: field('int', 'ppid'),
      time: field('wide', 'time'),
    },
  },
} as const satisfies Record<string, Kind>;

/** All that decides which events are of which kind, and which calls are ways back from signal handlers. */
export const KIND_TABLES: readonly unknown[] = [
  ...[EVENT_KINDS, CALL_ENTRY_PREFIXES, CALL_EXIT_PREFIXES, UNNAMED_EXIT, RAW_EXITS, FTRACE_VECTORS],
  ...[SEND_EVENTS, TRANSMIT_EVENTS, RECEIVE_EVENTS, QUEUE_EVENTS],
  ...[SIGNAL_RETURNS, COMPAT_SIGNAL_RETURNS],
];

export type EventKind = keyof typeof EVENT_KINDS;

/** Kinds of which the states of threads and CPUs follow. */
export const STATE_KINDS: readonly EventKind[] = [
  ...(['switch', 'switched-out', 'switched-out-ready', 'switched-in'] as const),
  ...(['waking', 'wakeup', 'wakeup-new', 'migrate', 'fork', 'exec', 'exit', 'free'] as const),
  ...(['signal-generate', 'signal-deliver', 'syscall-entry', 'syscall-exit', 'signal-return'] as const),
  ...(['numbered-call', 'numbered-compat-call', 'raw-call', 'irq-entry', 'irq-exit', 'vector'] as const),
  ...(['softirq-raise', 'softirq-entry', 'softirq-exit', 'hrtimer-entry', 'hrtimer-exit'] as const),
];

const finderOf = cachedByKey((events: readonly string[]) => createNameFinder([events]));

/** Whether events of this name are of a kind; one may be of several. */
export function isKind(kind: EventKind, eventName: string): boolean {
  return finderOf(EVENT_KINDS[kind].events)(eventName) === 0;
}

/** Whether a trace with events of these names is of an LTTng before 2.6: its `sys_exit` is the call of that name. */
export function isOldLttng(eventNames: Iterable<string | undefined>): boolean {
  for (const name of eventNames) if (name === UNNAMED_EXIT) return true;
  return false;
}

/** Whether the event is that call, in a trace of an old LTTng. */
export function isOldExitCall(eventName: string): boolean {
  return eventName === RAW_EXITS[0];
}

/** The name under which LTTng records events of a kind today: what lacks them is told so. */
export function firstName(kind: EventKind): string {
  return EVENT_KINDS[kind].events[0];
}

/** Name under which perf and ftrace record what LTTng calls so; undefined: they do not. */
export function ftraceName(lttngName: string): string | undefined {
  if (isPerfName(lttngName)) return undefined;
  if (lttngName === firstName('syscall-entry')) return RAW_ENTRY;
  if (lttngName === firstName('syscall-exit')) return RAW_EXITS[1];
  const kinds: readonly Kind[] = Object.values(EVENT_KINDS);
  for (const { events } of kinds) {
    const found = events[0] === lttngName ? events.find(isPerfName) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a tracer calls a kernel event so that has the subsystem in front: perf does. */
export function isPerfName(eventName: string): boolean {
  return eventName.includes(':');
}

/** Whether LTTng calls events of a subsystem of the kernel so: each of them means the same by a field of some name. */
export function isOfSubsystem(subsystem: 'sched' | 'block', eventName: string): boolean {
  return eventName.startsWith(`${subsystem}_`);
}

/** Patterns of events that say what was there before a recording: names of threads, open files, loaded libraries. */
export const STATE_DUMPS: readonly string[] = [
  'lttng_statedump_*',
  'lttng_ust_statedump:*',
  'perfetto:thread',
  'ftrace_thread',
];

/** The event with which LTTng 2.6 and later has a system call of a 64-bit program begin; of '' its prefix. */
export function callEntry(call: string): string {
  return CALL_ENTRY_PREFIXES[0] + call;
}

/** The event with which it returns. */
export function callExit(call: string): string {
  return CALL_EXIT_PREFIXES[0] + call;
}

/** Events with which system calls begin, of any generation of LTTng. */
export function callEntries(calls: readonly string[]): string[] {
  return calls.flatMap((call) => CALL_ENTRY_PREFIXES.map((prefix) => prefix + call));
}

/** Events with which they return, that of all calls among them. */
export function callExits(calls: readonly string[]): string[] {
  const named = calls.flatMap((call) => CALL_EXIT_PREFIXES.map((prefix) => prefix + call));
  return [...named, UNNAMED_EXIT, ...RAW_EXITS];
}

/** Name of the system call that begins with an event; '' for events of other kinds. */
export function callBegun(eventName: string): string {
  return isKind('syscall-entry', eventName) ? behindPrefix(eventName, CALL_ENTRY_PREFIXES) : '';
}

/** Name of the system call that an entry or exit event is about; '' for exits that do not name it. */
export function callOf(eventName: string): string {
  return isKind('syscall-exit', eventName)
    ? behindPrefix(eventName, CALL_EXIT_PREFIXES)
    : callBegun(eventName);
}

function behindPrefix(eventName: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((one) => eventName.startsWith(one));
  return prefix === undefined ? '' : eventName.slice(prefix.length);
}

/** Interrupt vector of an event of kind `vector`; undefined: it is neither its entry nor its exit. */
export function vectorOf(
  eventName: string,
): { readonly vector: string; readonly entry: boolean } | undefined {
  const entry = eventName.endsWith('_entry');
  if (!isKind('vector', eventName) || (!entry && !eventName.endsWith('_exit'))) return undefined;
  const vector = eventName.slice(0, entry ? -6 : -5).replace(/^(x86_irq_vectors_|irq_vectors:)/, '');
  return { vector, entry };
}

/** Whether a call is the way back from a signal handler: it has no exit event, its entry is the return to user mode. */
export function isSignalReturn(number: number, isCompat: boolean): boolean {
  return (isCompat ? COMPAT_SIGNAL_RETURNS : SIGNAL_RETURNS).includes(number);
}

/** Statement of an event of packets on an interface; undefined: nothing. */
export function packetStep(
  eventName: string,
): 'queued to send' | 'transmitted' | 'received' | 'queued' | undefined {
  const isAmong = (names: readonly string[]) => names.includes(eventName);
  if (isAmong(SEND_EVENTS)) return 'queued to send';
  if (isAmong(TRANSMIT_EVENTS)) return 'transmitted';
  if (isAmong(RECEIVE_EVENTS)) return 'received';
  return isAmong(QUEUE_EVENTS) ? 'queued' : undefined;
}
