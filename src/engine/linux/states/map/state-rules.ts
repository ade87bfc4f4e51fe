/**
 * Table of rules: which fields of which kind of event become the arguments of a transition. And the table compiled
 * for a plan: a flat list of operations that compiled code runs for each row.
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
import { ABSENT } from './transitions.ts';
import { u32, u8 } from '../../../base/tables.ts';
import { PACKET_KEY_WORDS } from '../reduce/packet-rows.ts';
import { type FieldPlace, placesOf } from '../../events/row-reader.ts';

/** Kinds with fields of packets, from which compiled code makes keys that identify a packet at both ends. */
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

/** Places of packet fields, by kind; undefined for other kinds. */
export function packetPlaces(plan: ProjectionPlan): readonly (PacketPlaces | undefined)[] {
  const places: (PacketPlaces | undefined)[] = plan.request.kinds.map(() => undefined);
  for (const kind of PACKET_KINDS) {
    const number = plan.kind(kind);
    if (number >= 0) places[number] = placesOf(plan, kind, PACKET_FIELDS);
  }
  return places;
}

/**
 * An argument: a field of the kind (wide fields give two), a constant, the subject of the event class, or the index of the
 * packet's key, made of `PACKET_FIELDS`.
 */
type Argument = string | number | typeof SUBJECT | typeof PACKET;
const SUBJECT = Symbol('subject');
const PACKET = Symbol('packet');

/** A kind of event, the kind of its transition, and its arguments. */
type Rule = readonly [event: EventKind, kind: number, ...args: Argument[]];

/** The event class decides the kind (`kindsOfClasses`). @internal */
export const KIND_OF_CLASS = -2;

const REQUEST: readonly Argument[] = ['dev', 'sector', 'nr_sector', 'tid', 'rwbs', 'letters'];
const WAKE: readonly Argument[] = ['tid', 'target_cpu', 'comm'];

const RULES: readonly Rule[] = [
  ['switch', transitions.T_SWITCH, 'prev_tid', 'next_tid', 'prev_state', 'prev_comm', 'next_comm', 'pid'],
  // The record does not tell how a thread waits: 1 means any way.
  ['switched-out', transitions.T_SWITCH, 'tid', 'other_tid', 1, ABSENT, ABSENT, 'pid'],
  ['switched-out-ready', transitions.T_SWITCH, 'tid', 'other_tid', 0, ABSENT, ABSENT, 'pid'],
  ['switched-in', transitions.T_SWITCH, ABSENT, 'tid', ABSENT, ABSENT, ABSENT, ABSENT],
  ['waking', transitions.T_WAKING, ...WAKE],
  ['wakeup', transitions.T_WAKEUP, ...WAKE],
  ['wakeup-new', transitions.T_WAKEUP_NEW, ...WAKE],
  ['migrate', transitions.T_MIGRATE, 'tid', 'dest_cpu'],
  ['fork', transitions.T_FORK, 'parent_tid', 'child_tid', 'parent_pid', 'child_pid', 'child_comm'],
  ['exec', transitions.T_EXEC, 'tid', 'filename', 'old_tid'],
  ['signal-generate', transitions.T_SIGNAL, 'pid', 'group', 'result'],
  ['signal-deliver', transitions.T_DELIVER],
  ['exit', transitions.T_EXIT, 'tid'],
  ['free', transitions.T_FREE, 'tid'],
  ['process-dump', transitions.T_PROCESS, 'tid', 'pid', 'ppid', 'type', 'name'],
  ['thread-name', transitions.T_PROCESS, 'tid', 'pid', ABSENT, ABSENT, 'name'],
  ['thread-saved', transitions.T_PROCESS, 'tid', 'pid', ABSENT, transitions.SAVED, 'name'],
  ['thread-parent', transitions.T_PARENT, 'tid', 'pid', 'ppid', 'time'],
  ['syscall-entry', transitions.T_CALL, SUBJECT],
  ['numbered-call', transitions.T_NUMBERED_CALL, SUBJECT, 'id', 0],
  ['numbered-compat-call', transitions.T_NUMBERED_CALL, SUBJECT, 'id', 1],
  ['raw-call', transitions.T_NUMBERED_CALL, ABSENT, 'id', 0],
  ['syscall-exit', KIND_OF_CLASS],
  ['signal-return', transitions.T_NUMBERED_CALL, ABSENT, transitions.SIGNAL_RETURN, 0],
  ['irq-entry', transitions.T_ENTER, transitions.FRAME_IRQ, 'irq', 0, 'name'],
  ['irq-exit', transitions.T_LEAVE, transitions.FRAME_IRQ, 'irq', 0, ABSENT, 'ret'],
  ['softirq-raise', transitions.T_RAISE, 'vec'],
  ['softirq-entry', transitions.T_ENTER, transitions.FRAME_SOFTIRQ, 'vec', 0, ABSENT],
  ['softirq-exit', transitions.T_LEAVE, transitions.FRAME_SOFTIRQ, 'vec', 0, ABSENT],
  ['hrtimer-entry', transitions.T_ENTER, transitions.FRAME_HRTIMER, 'hrtimer', ABSENT],
  ['hrtimer-exit', transitions.T_LEAVE, transitions.FRAME_HRTIMER, 'hrtimer', ABSENT],
  ['vector', KIND_OF_CLASS, transitions.FRAME_VECTOR, 0, 0, SUBJECT],
  ['request-insert', transitions.T_INSERT, ...REQUEST],
  ['request-issue', transitions.T_ISSUE, ...REQUEST],
  ['request-requeue', transitions.T_REQUEUE, ...REQUEST],
  ['request-complete', transitions.T_COMPLETE, ...REQUEST],
  ['request-merge', transitions.T_MERGE, ...REQUEST],
  ['frequency', transitions.T_FREQUENCY, 'cpu', 'khz'],
  ['guest-entry', transitions.T_GUEST_ENTRY, 'vcpu'],
  ['guest-exit', transitions.T_GUEST_EXIT],
  ['packet-sent', transitions.T_SENT, PACKET],
  ['packet-received', transitions.T_RECEIVED, PACKET],
];

/** Kinds of events that the kernel state reads. */
export const STATE_KINDS: readonly KindRequest[] = RULES.map(([event, , ...args]) => {
  const more = args.includes(PACKET) ? PACKET_FIELDS : [];
  const fields = [...args.filter((arg) => typeof arg === 'string'), ...more];
  return (kernelKind as (event: EventKind, ...fields: string[]) => KindRequest)(event, ...fields);
});

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
 * Kinds of transition by event class: return from a call, entry or exit of a vector; -1 for other events about
 * vectors, and for all others.
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
  for (const [event, transition, ...args] of RULES) {
    const eventKind = plan.kind(event);
    if (eventKind < 0) continue;
    kind[eventKind] = transition;
    start[eventKind] = ops.length;
    for (const arg of args) append(ops, operation(plan, event, arg));
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
