/**
 * Rules that say which fields of which kind of event become the arguments of a transition, as a table; and the table
 * compiled for a plan: a flat list of operations that compiled code runs for each row.
 */
import type { KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { append } from '../../../base/append.ts';
import { assert } from '../../../base/assert.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import type { FieldKind } from '../../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { kernelKind, vectorStepsOf } from '../../events/kernel-events.ts';
import {
  EVENT_KINDS,
  type EventKind,
  isKind,
  isOldExitCall,
  isOldLttng,
} from '../../../trace/event-kinds.ts';
import * as transitions from './transitions.ts';
import { u32, u8 } from '../../../base/tables.ts';
import { PACKET_KEY_WORDS } from '../reduce/packet-rows.ts';
import { type FieldPlace, placesOf } from '../../events/row-reader.ts';

/** The fields of rows about packets, of which compiled code makes what packets are recognised by at their other end. */
const PACKET_KINDS = ['packet-sent', 'packet-received'] as const;

export const PACKET_FIELDS = [
  'source',
  'destination',
  'source_port',
  'destination_port',
  'total_length',
  'header_words',
  'payload_length',
  'seq',
  'ack_seq',
  'data_offset',
  'flags',
  'tcp_check',
  'udp_length',
  'udp_check',
  'identification',
  'buffer',
  'device',
] as const;

export type PacketPlaces = Readonly<Record<(typeof PACKET_FIELDS)[number], FieldPlace>>;

/** Columns of `PacketKeys`. */
export const PACKETS = { kind: u8(), key: u32(0, PACKET_KEY_WORDS) };

export const IPV4_BYTES = 4;

/** Places of the fields of packets, by kind; undefined for kinds of other events. */
export function packetPlaces(plan: ProjectionPlan): readonly (PacketPlaces | undefined)[] {
  const places: (PacketPlaces | undefined)[] = plan.request.kinds.map(() => undefined);
  for (const kind of PACKET_KINDS) {
    const number = plan.kind(kind);
    if (number >= 0) places[number] = placesOf(plan, kind, PACKET_FIELDS);
  }
  return places;
}

/**
 * An argument: a field of the kind (wide fields give two), a constant, the subject of the event class, or
 * the index of the packet's key (`state-rules.ts`).
 */
type Argument = string | number | typeof SUBJECT | typeof PACKET;
const SUBJECT = Symbol('subject');
const PACKET = Symbol('packet');

interface Rule {
  readonly event: EventKind;
  readonly kind: number;
  readonly args: readonly Argument[];
  /** Fields that are read beside the arguments. */
  readonly fields?: readonly string[];
}

/** Stands for a kind that the event class gives (`kindsOfClasses`). @internal */
export const KIND_OF_CLASS = -2;

const REQUEST: readonly Argument[] = ['dev', 'sector', 'nr_sector', 'tid', 'rwbs', 'letters'];
const WAKE: readonly Argument[] = ['tid', 'target_cpu', 'comm'];

const RULES: readonly Rule[] = [
  {
    event: 'switch',
    kind: transitions.T_SWITCH,
    args: ['prev_tid', 'next_tid', 'prev_state', 'prev_comm', 'next_comm', 'pid'],
  },
  // The record does not tell how a thread waits: 1 stands for all ways.
  {
    event: 'switched-out',
    kind: transitions.T_SWITCH,
    args: ['tid', 'other_tid', 1, transitions.ABSENT, transitions.ABSENT, 'pid'],
  },
  {
    event: 'switched-out-ready',
    kind: transitions.T_SWITCH,
    args: ['tid', 'other_tid', 0, transitions.ABSENT, transitions.ABSENT, 'pid'],
  },
  {
    event: 'switched-in',
    kind: transitions.T_SWITCH,
    args: [
      transitions.ABSENT,
      'tid',
      transitions.ABSENT,
      transitions.ABSENT,
      transitions.ABSENT,
      transitions.ABSENT,
    ],
  },
  { event: 'waking', kind: transitions.T_WAKING, args: WAKE },
  { event: 'wakeup', kind: transitions.T_WAKEUP, args: WAKE },
  { event: 'wakeup-new', kind: transitions.T_WAKEUP_NEW, args: WAKE },
  { event: 'migrate', kind: transitions.T_MIGRATE, args: ['tid', 'dest_cpu'] },
  {
    event: 'fork',
    kind: transitions.T_FORK,
    args: ['parent_tid', 'child_tid', 'parent_pid', 'child_pid', 'child_comm'],
  },
  { event: 'exec', kind: transitions.T_EXEC, args: ['tid', 'filename', 'old_tid'] },
  { event: 'signal-generate', kind: transitions.T_SIGNAL, args: ['pid', 'group', 'result'] },
  { event: 'signal-deliver', kind: transitions.T_DELIVER, args: [] },
  { event: 'exit', kind: transitions.T_EXIT, args: ['tid'] },
  { event: 'free', kind: transitions.T_FREE, args: ['tid'] },
  { event: 'process-dump', kind: transitions.T_PROCESS, args: ['tid', 'pid', 'ppid', 'type', 'name'] },
  {
    event: 'thread-name',
    kind: transitions.T_PROCESS,
    args: ['tid', 'pid', transitions.ABSENT, transitions.ABSENT, 'name'],
  },
  {
    event: 'thread-saved',
    kind: transitions.T_PROCESS,
    args: ['tid', 'pid', transitions.ABSENT, transitions.SAVED, 'name'],
  },
  { event: 'thread-parent', kind: transitions.T_PARENT, args: ['tid', 'pid', 'ppid', 'time'] },
  { event: 'syscall-entry', kind: transitions.T_CALL, args: [SUBJECT] },
  { event: 'numbered-call', kind: transitions.T_NUMBERED_CALL, args: [SUBJECT, 'id', 0] },
  { event: 'numbered-compat-call', kind: transitions.T_NUMBERED_CALL, args: [SUBJECT, 'id', 1] },
  { event: 'raw-call', kind: transitions.T_NUMBERED_CALL, args: [transitions.ABSENT, 'id', 0] },
  { event: 'syscall-exit', kind: KIND_OF_CLASS, args: [] },
  {
    event: 'signal-return',
    kind: transitions.T_NUMBERED_CALL,
    args: [transitions.ABSENT, transitions.SIGNAL_RETURN, 0],
  },
  { event: 'irq-entry', kind: transitions.T_ENTER, args: [transitions.FRAME_IRQ, 'irq', 0, 'name'] },
  {
    event: 'irq-exit',
    kind: transitions.T_LEAVE,
    args: [transitions.FRAME_IRQ, 'irq', 0, transitions.ABSENT, 'ret'],
  },
  { event: 'softirq-raise', kind: transitions.T_RAISE, args: ['vec'] },
  {
    event: 'softirq-entry',
    kind: transitions.T_ENTER,
    args: [transitions.FRAME_SOFTIRQ, 'vec', 0, transitions.ABSENT],
  },
  {
    event: 'softirq-exit',
    kind: transitions.T_LEAVE,
    args: [transitions.FRAME_SOFTIRQ, 'vec', 0, transitions.ABSENT],
  },
  {
    event: 'hrtimer-entry',
    kind: transitions.T_ENTER,
    args: [transitions.FRAME_HRTIMER, 'hrtimer', transitions.ABSENT],
  },
  {
    event: 'hrtimer-exit',
    kind: transitions.T_LEAVE,
    args: [transitions.FRAME_HRTIMER, 'hrtimer', transitions.ABSENT],
  },
  { event: 'vector', kind: KIND_OF_CLASS, args: [transitions.FRAME_VECTOR, 0, 0, SUBJECT] },
  { event: 'request-insert', kind: transitions.T_INSERT, args: REQUEST },
  { event: 'request-issue', kind: transitions.T_ISSUE, args: REQUEST },
  { event: 'request-requeue', kind: transitions.T_REQUEUE, args: REQUEST },
  { event: 'request-complete', kind: transitions.T_COMPLETE, args: REQUEST },
  { event: 'request-merge', kind: transitions.T_MERGE, args: REQUEST },
  { event: 'frequency', kind: transitions.T_FREQUENCY, args: ['cpu', 'khz'] },
  { event: 'guest-entry', kind: transitions.T_GUEST_ENTRY, args: ['vcpu'] },
  { event: 'guest-exit', kind: transitions.T_GUEST_EXIT, args: [] },
  { event: 'packet-sent', kind: transitions.T_SENT, args: [PACKET], fields: PACKET_FIELDS },
  { event: 'packet-received', kind: transitions.T_RECEIVED, args: [PACKET], fields: PACKET_FIELDS },
];

/** Kinds of events that the kernel state reads. */
export const STATE_KINDS: readonly KindRequest[] = RULES.map(
  ({ event: eventKind, args, fields: more = [] }) => {
    const fields = [...args.filter((arg) => typeof arg === 'string'), ...more];
    return (kernelKind as (eventKind: EventKind, ...fields: string[]) => KindRequest)(eventKind, ...fields);
  },
);

export const OP_END = 0;
export const OP_CONSTANT = 1;
export const OP_INT = 2;
export const OP_WIDE = 3;
export const OP_TEXT = 4;
export const OP_SUBJECT = 5;
/** @internal */
export const OP_PACKET = 6;

/** Words of `StateProgram.ops` per operation. */
export const OP_WORDS = 3;

/** The rules for one plan. */
export interface StateProgram {
  /** Kind of the transition, by kind of event; -1 none, or KIND_OF_CLASS. */
  readonly kind: Int8Array;
  /** Place in `ops` of the first operation, by kind of event; the last one is OP_END. */
  readonly start: Int32Array;
  /** Triples: OP_*, word offset of the field or the constant, presence bit. */
  readonly ops: Int32Array;
}

/**
 * Kinds of transition by event class: return from a call, entry or exit of a vector, -1 for events about vectors that
 * are neither, and for all others.
 */
export const kindsOfClasses = cachedByKey((eventClasses: readonly EventClass[]) => {
  const steps = vectorStepsOf(eventClasses);
  const isOld = isOldLttng(eventClasses.map(({ name }) => name));
  return Int8Array.from(eventClasses, ({ name = '' }, i) => {
    if (isKind('syscall-exit', name))
      return isOld && isOldExitCall(name) ? transitions.T_EXIT_CALL : transitions.T_RETURN;
    return steps[i] === 0 ? -1 : steps[i] > 0 ? transitions.T_ENTER : transitions.T_LEAVE;
  });
});

export function compileRules(plan: ProjectionPlan): StateProgram {
  const kind = new Int8Array(plan.request.kinds.length).fill(-1);
  const start = new Int32Array(plan.request.kinds.length);
  const ops: number[] = [];
  for (const rule of RULES) {
    const eventKind = plan.kind(rule.event);
    if (eventKind < 0) continue;
    kind[eventKind] = rule.kind;
    start[eventKind] = ops.length;
    for (const arg of rule.args) append(ops, operation(plan, rule.event, arg));
    ops.push(OP_END, 0, 0);
  }
  return { kind, start, ops: Int32Array.from(ops) };
}

const OP_OF_KIND: Readonly<Partial<Record<FieldKind, number>>> = {
  int: OP_INT,
  wide: OP_WIDE,
  string: OP_TEXT,
};

function operation(plan: ProjectionPlan, eventKind: EventKind, arg: Argument): readonly number[] {
  if (typeof arg === 'number') return [OP_CONSTANT, arg, 0];
  if (typeof arg === 'symbol') return [arg === PACKET ? OP_PACKET : OP_SUBJECT, 0, 0];
  const { offset, presence, bit } = plan.field(eventKind, arg);
  assert(presence === 0, 'rules look at the first presence word');
  const fields: Readonly<Record<string, { readonly kind: FieldKind }>> = EVENT_KINDS[eventKind].fields;
  const op = OP_OF_KIND[fields[arg].kind];
  assert(op !== undefined, `${arg} fits into an argument`);
  return [op, offset, bit];
}
