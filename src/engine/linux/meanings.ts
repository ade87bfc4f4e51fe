/**
 * Event names → meanings: the one place that knows how tracers and their versions call an event. Analyses ask for a
 * meaning and some of its fields; they never see a name.
 *
 * Generations: LTTng before 2.6 (`sys_NAME`, `exit_syscall`, `softirq_*`), LTTng 2.6 and later, and perf, which keeps
 * the subsystem in front (`sched:sched_switch`) and calls thread ids `pid`.
 */
import type { MeaningRequest } from '../analysis/contract.ts';
import { cachedByKey } from '../base/cached-by-key.ts';
import type { FieldKind, FieldWant } from '../ctf/decode/rows/rows.ts';
import type { EventClass } from '../ctf/model.ts';

interface Meaning {
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

/** What a thread is called in one of its pid namespaces. Level 0 is the host's own, where it is called what it is. */
const NAMESPACE_FIELDS = {
  vtid: ownField('int', 'vtid'),
  ns_level: ownField('int', 'ns_level'),
  ns_inum: ownField('int', 'ns_inum'),
} as const;

const CONTEXT_PID = field('int', 'pid');
const CALL_ENTRY_PREFIXES = ['syscall_entry_', 'compat_syscall_entry_', 'sys_', 'compat_sys_'] as const;
const CALL_EXIT_PREFIXES = ['syscall_exit_', 'compat_syscall_exit_'] as const;

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
  return [`x86_exceptions_${name}`, name, `exceptions:${name}`];
}

/** What every event of a network interface gives: its name, and the bytes of the packet. */
const INTERFACE_FIELDS = {
  interface: ownField('string', 'name'),
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
  ...INTERFACE_FIELDS,
} as const;

/** What gives a packet to the queue of an interface; the driver takes it from there. */
const SEND_EVENT = 'net_dev_queue';
const TRANSMIT_EVENT = 'net_dev_xmit';
/** What takes a packet from the driver: the protocols will see it. */
const RECEIVE_EVENTS = ['net_if_receive_skb', 'netif_receive_skb'] as const;
/** What puts it on a queue, in the sender's context for packets to oneself; the events above follow. */
const QUEUE_EVENTS = ['net_if_rx', 'netif_rx'] as const;

/** Numbers of `rt_sigreturn` on x86-64 and arm64; `sigreturn` and `rt_sigreturn` of 32-bit programs on x86. */
const SIGNAL_RETURNS = [15, 139];
const COMPAT_SIGNAL_RETURNS = [119, 173];

export const MEANINGS = {
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
  waking: { events: ['sched_waking', 'sched:sched_waking', 'sched_ttwu', 'sched_ttww'], fields: WAKE_FIELDS },
  wakeup: { events: ['sched_wakeup', 'sched:sched_wakeup'], fields: WAKE_FIELDS },
  'wakeup-new': { events: ['sched_wakeup_new', 'sched:sched_wakeup_new'], fields: WAKE_FIELDS },
  migrate: {
    events: ['sched_migrate_task', 'sched:sched_migrate_task'],
    fields: { tid: field('int', 'tid', 'pid'), dest_cpu: field('int', 'dest_cpu') },
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
  exit: {
    events: ['sched_process_exit', 'sched:sched_process_exit'],
    fields: { tid: field('int', 'tid', 'pid') },
  },
  free: {
    events: ['sched_process_free', 'sched:sched_process_free'],
    fields: { tid: field('int', 'tid', 'pid') },
  },
  'irq-entry': {
    events: ['irq_handler_entry', 'irq:irq_handler_entry'],
    fields: { irq: field('int', 'irq'), name: field('string', 'name') },
  },
  'irq-exit': {
    events: ['irq_handler_exit', 'irq:irq_handler_exit'],
    fields: { irq: field('int', 'irq'), ret: field('int', 'ret') },
  },
  'softirq-raise': {
    events: ['irq_softirq_raise', 'softirq_raise', 'irq:softirq_raise'],
    fields: { vec: field('int', 'vec') },
  },
  'softirq-entry': {
    events: ['irq_softirq_entry', 'softirq_entry', 'irq:softirq_entry'],
    fields: { vec: field('int', 'vec') },
  },
  'softirq-exit': {
    events: ['irq_softirq_exit', 'softirq_exit', 'irq:softirq_exit'],
    fields: { vec: field('int', 'vec') },
  },
  'hrtimer-entry': {
    events: ['timer_hrtimer_expire_entry', 'hrtimer_expire_entry', 'timer:hrtimer_expire_entry'],
    fields: { hrtimer: field('wide', 'hrtimer'), function: field('wide', 'function') },
  },
  'hrtimer-exit': {
    events: ['timer_hrtimer_expire_exit', 'hrtimer_expire_exit', 'timer:hrtimer_expire_exit'],
    fields: { hrtimer: field('wide', 'hrtimer') },
  },
  /** Entry or exit by the end of the name, see `vectorOf`. */
  vector: { events: ['x86_irq_vectors_*', 'irq_vectors:*', 'ipi_entry', 'ipi_exit'], fields: {} },
  /** The call by the event's name, see `callOf`. */
  'syscall-entry': {
    events: [...CALL_ENTRY_PREFIXES.map((prefix) => `${prefix}*`), 'raw_syscalls:sys_enter'],
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
  'syscall-exit': {
    events: [...CALL_EXIT_PREFIXES.map((prefix) => `${prefix}*`), 'exit_syscall', 'raw_syscalls:sys_exit'],
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
  'packet-sent': { events: [SEND_EVENT, 'inet_sock_local_out'], fields: PACKET_FIELDS },
  /** The driver has taken the packet, or refused it: `rc` other than 0. */
  'packet-transmitted': {
    events: [TRANSMIT_EVENT],
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
} as const satisfies Record<string, Meaning>;

/** All that decides which events have which meaning, and which calls are ways back from signal handlers. */
export const MEANING_TABLES: readonly unknown[] = [
  ...[MEANINGS, CALL_ENTRY_PREFIXES, CALL_EXIT_PREFIXES],
  ...[SEND_EVENT, TRANSMIT_EVENT, RECEIVE_EVENTS, QUEUE_EVENTS],
  ...[SIGNAL_RETURNS, COMPAT_SIGNAL_RETURNS],
];

export type MeaningName = keyof typeof MEANINGS;

/** The request for one meaning with some of its fields. */
export function kernelMeaning<M extends MeaningName>(
  meaning: M,
  ...fields: (keyof (typeof MEANINGS)[M]['fields'] & string)[]
): MeaningRequest {
  const all: Readonly<Record<string, FieldWant>> = MEANINGS[meaning].fields;
  return {
    meaning,
    table: 'linux',
    events: MEANINGS[meaning].events,
    fields: Object.fromEntries(fields.map((name) => [name, all[name]])),
  };
}

/** Whether the events of a meaning are called so. Meanings of one table share names: see `MeaningWant.table`. */
export function isCalled(meaning: MeaningName, eventName: string): boolean {
  const { events }: Meaning = MEANINGS[meaning];
  return events.some((name) =>
    name.endsWith('*') ? eventName.startsWith(name.slice(0, -1)) : eventName === name,
  );
}

/** Name of the system call that an entry or exit event is about; '' for exits that do not name it (`exit_syscall`). */
function callOf(eventName: string): string {
  for (const prefix of [...CALL_EXIT_PREFIXES, ...CALL_ENTRY_PREFIXES]) {
    if (eventName.startsWith(prefix)) return eventName.slice(prefix.length);
  }
  return '';
}

/** Interrupt vector of an event of meaning `vector`; undefined: it is neither its entry nor its exit. */
function vectorOf(eventName: string): { readonly vector: string; readonly entry: boolean } | undefined {
  const entry = eventName.endsWith('_entry');
  if (!entry && !eventName.endsWith('_exit')) return undefined;
  const vector = eventName.slice(0, entry ? -6 : -5).replace(/^(x86_irq_vectors_|irq_vectors:)/, '');
  return { vector, entry };
}

/** Whether a call is the way back from a signal handler: it has no exit event, its entry is the return to user mode. */
export function isSignalReturn(number: number, isCompat: boolean): boolean {
  return (isCompat ? COMPAT_SIGNAL_RETURNS : SIGNAL_RETURNS).includes(number);
}

/** By event class: the call or the vector that its events are about, '' none. No event is about both. */
export const subjectsOf = cachedByKey((eventClasses: readonly EventClass[]): readonly string[] =>
  eventClasses.map(({ name = '' }) => callOf(name) || (vectorOf(name)?.vector ?? '')),
);

/** What the events of a stream show. */
export const toldBy = cachedByKey((eventClasses: readonly EventClass[]) => {
  const has = (meaning: keyof typeof MEANINGS) => {
    const names: readonly string[] = MEANINGS[meaning].events;
    return eventClasses.some(({ name = '' }) => names.includes(name));
  };
  return {
    /** Who runs on its CPU. Where channels part the events of a CPU, another one may give it. */
    switches: has('switch'),
    /** Calls return in events that do not say which (`exit_syscall`). */
    unnamedExits: has('syscall-exit'),
  };
});

/** By event class: 1 the entry of an interrupt vector, -1 its exit, 0 neither. */
export const vectorStepsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Int8Array.from(eventClasses, ({ name = '' }) => {
    const vector = vectorOf(name);
    return vector === undefined ? 0 : vector.entry ? 1 : -1;
  }),
);

/** By event class: 1 for events that only queue packets which other recorded events show as received. */
export const isReceivedLater = cachedByKey((eventClasses: readonly EventClass[]) => {
  const names = (list: readonly string[]) => eventClasses.map(({ name = '' }) => list.includes(name));
  const received = names(RECEIVE_EVENTS).includes(true);
  return Uint8Array.from(names(QUEUE_EVENTS), (queued) => (queued && received ? 1 : 0));
});

/** By event class: 1 a packet that an interface sends, -1 one that it receives, 0 neither, or one that another event shows. */
export const packetStepsOf = cachedByKey((eventClasses: readonly EventClass[]) => {
  const later = isReceivedLater(eventClasses);
  const isQueued = eventClasses.some(({ name }) => name === SEND_EVENT);
  const receives: readonly string[] = [...RECEIVE_EVENTS, ...QUEUE_EVENTS];
  return Int8Array.from(eventClasses, ({ name = '' }, index) => {
    if (name === SEND_EVENT || (name === TRANSMIT_EVENT && !isQueued)) return 1;
    return receives.includes(name) && later[index] === 0 ? -1 : 0;
  });
});
