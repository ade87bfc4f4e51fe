/**
 * Field numbers of Perfetto's ftrace messages (`protos/perfetto/trace/ftrace/ftrace_event_bundle.proto`,
 * `ftrace_event.proto` and the files beside it), and the kernel's names for them.
 */
import type { Form, OutputField } from '../ctf-output.ts';
import { inner, INT, list, type Message, TEXT } from './wire.ts';

export const BUNDLE = {
  cpu: 1,
  event: 2,
  lostEvents: 3,
  compactSched: 4,
  clock: 5,
  ftraceTime: 6,
  bootTime: 7,
  descriptors: 11,
} as const;

/** `CompactSched`: a list for each field of switches and wake-ups; times are differences. */
export const COMPACT = {
  switchTime: 1,
  switchPrevState: 2,
  switchNextPid: 3,
  switchNextPrio: 4,
  names: 5,
  switchNextComm: 6,
  wakingTime: 7,
  wakingPid: 8,
  wakingTargetCpu: 9,
  wakingPrio: 10,
  wakingComm: 11,
} as const;

export const EVENT = { time: 1, pid: 2 } as const;

/** An event that the schema does not have, with its name and names and values of its fields. */
export const GENERIC = { event: 327, name: 1, field: 2 } as const;
const GENERIC_NAME = 1;
const GENERIC_FORMS: Readonly<Record<number, Form | undefined>> = { 3: 'text', 4: 'i64', 5: 'u64' };
/**
 * Description of an event that the schema does not have: its number in `FtraceEvent` and its form (`descriptor.proto`
 * of protobuf).
 */
const DESCRIPTOR = {
  number: [1, INT],
  form: [
    2,
    inner({
      name: [1, TEXT],
      fields: [2, list(inner({ name: [1, TEXT], number: [3, INT], type: [5, INT] }))],
    }),
  ],
  group: [3, TEXT],
} as const;
const FORM_TYPES: Readonly<Record<number, Form>> = {
  3: 'i64',
  4: 'u64',
  5: 'i32',
  8: 'u32',
  9: 'text',
  13: 'u32',
};
/** Fields of an event that are read. */
const MOST_FIELDS = 20;

/** Forms of fields in the table below. */
const LETTERS: Readonly<Record<string, Form>> = {
  i: 'i32',
  u: 'u32',
  l: 'i64',
  q: 'u64',
  h: 'x64',
  s: 'text',
};

export interface EventField extends OutputField {
  readonly number: number;
}

/** An event of the kernel: its name with the subsystem, and its fields by number. */
export interface EventForm {
  readonly name: string;
  readonly fields: readonly EventField[];
  readonly byNumber: readonly (number | undefined)[];
}

export function eventForm(name: string, fields: readonly EventField[]): EventForm {
  const byNumber: (number | undefined)[] = [];
  fields.forEach(({ number }, i) => (byNumber[number] = i));
  return { name, fields, byNumber };
}

const WAKE = 'comm:s pid:i prio:i success:i target_cpu:i';
const REQUEST = 'dev:u sector:q nr_sector:u';
const ISSUE = `${REQUEST} bytes:u rwbs:s comm:s cmd:s`;
const DONE = `${REQUEST} errors:i rwbs:s cmd:s`;
const BIO = `${REQUEST} rwbs:s comm:s`;
const ALLOC = 'bytes_alloc:q bytes_req:q call_site:h gfp_flags:u';
const CLOCK_STATE = 'name:s state:q cpu_id:q';

/** Number in `FtraceEvent`, name, and the fields in order of their numbers, from 1 on. */
const TABLE: readonly (readonly [number: number, name: string, fields: string])[] = [
  [3, 'ftrace:print', 'ip:h buf:s'],
  [
    4,
    'sched:sched_switch',
    'prev_comm:s prev_pid:i prev_prio:i prev_state:l next_comm:s next_pid:i next_prio:i',
  ],
  [11, 'power:cpu_frequency', 'state:u cpu_id:u'],
  [12, 'power:cpu_frequency_limits', 'min_freq:u max_freq:u cpu_id:u'],
  [13, 'power:cpu_idle', 'state:u cpu_id:u'],
  [14, 'power:clock_enable', CLOCK_STATE],
  [15, 'power:clock_disable', CLOCK_STATE],
  [16, 'power:clock_set_rate', CLOCK_STATE],
  [17, 'sched:sched_wakeup', WAKE],
  [18, 'sched:sched_blocked_reason', 'pid:i caller:h io_wait:u'],
  [19, 'sched:sched_cpu_hotplug', 'affected_cpu:i error:i status:i'],
  [20, 'sched:sched_waking', WAKE],
  [21, 'ipi:ipi_entry', 'reason:s'],
  [22, 'ipi:ipi_exit', 'reason:s'],
  [23, 'ipi:ipi_raise', 'target_cpus:u reason:s'],
  [24, 'irq:softirq_entry', 'vec:u'],
  [25, 'irq:softirq_exit', 'vec:u'],
  [26, 'irq:softirq_raise', 'vec:u'],
  [36, 'irq:irq_handler_entry', 'irq:i name:s handler:u'],
  [37, 'irq:irq_handler_exit', 'irq:i ret:i'],
  [45, 'block:block_rq_issue', ISSUE],
  [113, 'power:suspend_resume', 'action:s val:i start:u'],
  [114, 'sched:sched_wakeup_new', WAKE],
  [115, 'block:block_bio_backmerge', BIO],
  [116, 'block:block_bio_bounce', BIO],
  [117, 'block:block_bio_complete', `${REQUEST} error:i rwbs:s`],
  [118, 'block:block_bio_frontmerge', BIO],
  [119, 'block:block_bio_queue', BIO],
  [120, 'block:block_bio_remap', `${REQUEST} old_dev:u old_sector:q rwbs:s`],
  [122, 'block:block_getrq', BIO],
  [123, 'block:block_plug', 'comm:s'],
  [125, 'block:block_rq_complete', DONE],
  [126, 'block:block_rq_insert', ISSUE],
  [128, 'block:block_rq_remap', `${REQUEST} old_dev:u old_sector:q nr_bios:u rwbs:s`],
  [129, 'block:block_rq_requeue', DONE],
  [131, 'block:block_split', 'dev:u sector:q new_sector:q rwbs:s comm:s'],
  [133, 'block:block_unplug', 'nr_rq:i comm:s'],
  [235, 'task:task_newtask', 'pid:i comm:s clone_flags:h oom_score_adj:i'],
  [236, 'task:task_rename', 'pid:i oldcomm:s newcomm:s oom_score_adj:i'],
  [237, 'sched:sched_process_exec', 'filename:s pid:i old_pid:i'],
  [238, 'sched:sched_process_exit', 'comm:s pid:i tgid:i prio:i'],
  [239, 'sched:sched_process_fork', 'parent_comm:s parent_pid:i child_comm:s child_pid:i'],
  [240, 'sched:sched_process_free', 'comm:s pid:i prio:i'],
  [241, 'sched:sched_process_hang', 'comm:s pid:i'],
  [242, 'sched:sched_process_wait', 'comm:s pid:i prio:i'],
  [298, 'kmem:kfree', 'call_site:h ptr:h'],
  [299, 'kmem:kmalloc', `${ALLOC} ptr:h`],
  [300, 'kmem:kmalloc_node', `${ALLOC} node:i ptr:h`],
  [301, 'kmem:kmem_cache_alloc', `${ALLOC} ptr:h`],
  [302, 'kmem:kmem_cache_alloc_node', `${ALLOC} node:i ptr:h`],
  [303, 'kmem:kmem_cache_free', 'call_site:h ptr:h'],
  [307, 'kmem:mm_page_alloc', 'gfp_flags:u migratetype:i order:u page:h pfn:q'],
  [310, 'kmem:mm_page_free', 'order:u page:h pfn:q'],
  [311, 'kmem:mm_page_free_batched', 'cold:i page:h pfn:q'],
  [313, 'kmem:rss_stat', 'member:i size:l curr:u mm_id:u'],
  [324, 'signal:signal_deliver', 'code:i sa_flags:h sig:i'],
  [325, 'signal:signal_generate', 'code:i comm:s group:i pid:i result:i sig:i'],
  [329, 'raw_syscalls:sys_enter', 'id:l'],
  [330, 'raw_syscalls:sys_exit', 'id:l ret:l'],
  [353, 'sched:sched_pi_setprio', 'comm:s newprio:i oldprio:i pid:i'],
  [360, 'net:netif_receive_skb', 'len:u name:s skbaddr:h'],
  [361, 'net:net_dev_xmit', 'len:u name:s rc:i skbaddr:h'],
  [376, 'kvm:kvm_entry', 'vcpu_pc:h'],
  [377, 'kvm:kvm_exit', 'esr_ec:u ret:i vcpu_pc:h'],
];

/** Events of the kernel by their number in `FtraceEvent`. */
export const FTRACE_EVENTS: ReadonlyMap<number, EventForm> = new Map(
  TABLE.map(([number, name, fields]) => [
    number,
    eventForm(
      name,
      fields.split(' ').map((field, i) => {
        const [own, form] = field.split(':');
        return { name: own, form: LETTERS[form], number: i + 1 };
      }),
    ),
  ]),
);

/** Reads the description of an event: its number and form. */
export function describedForm(message: Message): readonly [number: number, form: EventForm] {
  const { number = 0, form: { name = '', fields = [] } = {}, group } = message.read(DESCRIPTOR);
  const own = fields.slice(0, MOST_FIELDS).map((field): EventField => ({
    name: field.name ?? '',
    number: field.number ?? 0,
    form: FORM_TYPES[field.type ?? 0] ?? 'i64',
  }));
  return [number, eventForm(group === undefined ? name : `${group}:${name}`, distinct(own))];
}

/** Reads an event that describes itself. @param take gets a field, whose value is the present one of a message */
export function genericForm(message: Message, take: (place: number, value: Message) => void): EventForm {
  let name = '';
  const fields: EventField[] = [];
  while (message.next()) {
    if (message.field === GENERIC.name) name = message.text;
    if (message.field !== GENERIC.field || fields.length === MOST_FIELDS) continue;
    const field = message.message;
    let own = '';
    let form: Form = 'text';
    while (field.next()) {
      if (field.field === GENERIC_NAME) own = field.text;
      else {
        form = GENERIC_FORMS[field.field] ?? 'text';
        take(fields.length, field);
      }
    }
    fields.push({ name: own, form, number: fields.length });
  }
  return eventForm(name, distinct(fields));
}

function distinct(fields: readonly EventField[]): EventField[] {
  const names = new Set<string>();
  return fields.map((field, i) => {
    const name = field.name === '' || names.has(field.name) ? `${field.name}_${i}` : field.name;
    names.add(name);
    return { ...field, name };
  });
}
