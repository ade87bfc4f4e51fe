/**
 * Rows of one chunk → transitions (spec 03 section 1): which arguments of which meaning, as a table; the places where
 * events were lost; and the merge key, the greatest time so far in the chunk. Keeps no state of the kernel: what an
 * event means for threads is the reducer's.
 */
import type { EventBatch, MeaningRequest, ProjectionPlan } from '../analysis/contract.ts';
import { callOf, kernelMeaning, MEANINGS, vectorOf } from './meanings.ts';
import type { MeaningName } from './meanings.ts';
import { createTextTable } from './text-table.ts';
import type { TextTable } from './text-table.ts';
import * as t from './transitions.ts';
import type { LeafWriter, StateLeaf } from './transitions.ts';

/** An argument: a field of the meaning (wide fields give two), a constant, or the name that the event class tells. */
type Argument = string | number | typeof CLASS_NAME;
const CLASS_NAME = Symbol('class name');

interface Rule {
  readonly meaning: MeaningName;
  readonly kind: number;
  readonly args: readonly Argument[];
}

const REQUEST: readonly Argument[] = ['dev', 'sector', 'nr_sector', 'tid'];
const WAKE: readonly Argument[] = ['tid', 'target_cpu', 'comm'];

const RULES: readonly Rule[] = [
  {
    meaning: 'switch',
    kind: t.T_SWITCH,
    args: ['prev_tid', 'next_tid', 'prev_state', 'prev_comm', 'next_comm', 'pid'],
  },
  { meaning: 'waking', kind: t.T_WAKING, args: WAKE },
  { meaning: 'wakeup', kind: t.T_WAKEUP, args: WAKE },
  { meaning: 'wakeup-new', kind: t.T_WAKEUP_NEW, args: WAKE },
  { meaning: 'migrate', kind: t.T_MIGRATE, args: ['tid', 'dest_cpu'] },
  {
    meaning: 'fork',
    kind: t.T_FORK,
    args: ['parent_tid', 'child_tid', 'parent_pid', 'child_pid', 'child_comm'],
  },
  { meaning: 'exec', kind: t.T_EXEC, args: ['tid', 'filename'] },
  { meaning: 'exit', kind: t.T_EXIT, args: ['tid'] },
  { meaning: 'free', kind: t.T_FREE, args: ['tid'] },
  { meaning: 'process-dump', kind: t.T_PROCESS, args: ['tid', 'pid', 'ppid', 'type', 'name'] },
  { meaning: 'syscall-entry', kind: t.T_CALL, args: [CLASS_NAME] },
  { meaning: 'syscall-exit', kind: t.T_RETURN, args: [] },
  { meaning: 'irq-entry', kind: t.T_ENTER, args: [t.FRAME_IRQ, 'irq', 0, 'name'] },
  { meaning: 'irq-exit', kind: t.T_LEAVE, args: [t.FRAME_IRQ, 'irq', 0, t.ABSENT] },
  { meaning: 'softirq-entry', kind: t.T_ENTER, args: [t.FRAME_SOFTIRQ, 'vec', 0, t.ABSENT] },
  { meaning: 'softirq-exit', kind: t.T_LEAVE, args: [t.FRAME_SOFTIRQ, 'vec', 0, t.ABSENT] },
  { meaning: 'hrtimer-entry', kind: t.T_ENTER, args: [t.FRAME_HRTIMER, 'hrtimer', t.ABSENT] },
  { meaning: 'hrtimer-exit', kind: t.T_LEAVE, args: [t.FRAME_HRTIMER, 'hrtimer', t.ABSENT] },
  { meaning: 'vector', kind: t.T_ENTER, args: [t.FRAME_VECTOR, 0, 0, CLASS_NAME] },
  { meaning: 'request-insert', kind: t.T_INSERT, args: REQUEST },
  { meaning: 'request-issue', kind: t.T_ISSUE, args: REQUEST },
  { meaning: 'request-complete', kind: t.T_COMPLETE, args: REQUEST },
  { meaning: 'frequency', kind: t.T_FREQUENCY, args: ['cpu', 'khz'] },
];

/** What the kernel state reads. */
export const STATE_MEANINGS: readonly MeaningRequest[] = RULES.map(({ meaning, args }) => {
  const fields = args.filter((arg) => typeof arg === 'string');
  return (kernelMeaning as (meaning: MeaningName, ...fields: string[]) => MeaningRequest)(meaning, ...fields);
});

export const EMPTY_LEAF: StateLeaf = {
  length: 0,
  time: new Float64Array(0),
  kind: new Uint8Array(0),
  cpu: new Int32Array(0),
  args: new Int32Array(0),
  texts: [],
  historyText: new Int32Array(0),
  windows: [],
};

/** The transitions of one chunk. Traces of other domains have none. */
export function mapStates(batch: EventBatch): StateLeaf {
  if (batch.domain !== 'kernel') return EMPTY_LEAF;
  const { packets, rows } = batch;
  const texts = createTextTable();
  const writer = t.createWriter(rows.length + 3 * packets.length);
  const windows = new Map<number, { cpu: number; first: number; last: number }>();
  let now = -Infinity;
  const keyOf = (time: number): number => (time > now ? (now = time) : now);
  const writeRow = rowWriter(batch, writer, texts, keyOf);

  for (let packet = 0; packet < packets.length; packet++) {
    const cpu = packets.cpu[packet];
    writeLossBefore(batch, packet, writer, keyOf);
    keyOf(packets.begin[packet]);
    if (packets.events[packet] > 0) {
      const first = packets.firstEvent[packet];
      const last = packets.lastEvent[packet];
      const window = windows.get(cpu);
      if (window === undefined) {
        const out = t.append(writer, keyOf(first), t.T_BEGIN, cpu);
        writer.args[out] = windows.size;
        windows.set(cpu, { cpu, first, last });
      } else {
        window.first = Math.min(window.first, first);
        window.last = Math.max(window.last, last);
      }
    }
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      writeRow(row, cpu);
    }
    writeLossWithin(batch, packet, writer, keyOf);
  }
  return {
    length: writer.length,
    time: writer.time.slice(0, writer.length),
    kind: writer.kind.slice(0, writer.length),
    cpu: writer.cpu.slice(0, writer.length),
    args: writer.args.slice(0, writer.length * t.ARGUMENTS),
    texts: texts.texts,
    historyText: new Int32Array(texts.texts.length).fill(-1),
    windows: [...windows.values()],
  };
}

const OP_CONSTANT = 0;
const OP_INT = 1;
const OP_WIDE = 2;
const OP_TEXT = 3;
const OP_CLASS_NAME = 4;

/** A rule with its fields' places: `ops` holds triples (op, offset or constant, presence bit). */
interface Program {
  readonly kind: number;
  readonly ops: Int32Array;
}

function rowWriter(
  batch: EventBatch,
  writer: LeafWriter,
  texts: TextTable,
  keyOf: (time: number) => number,
): (row: number, cpu: number) => void {
  const { rows, eventClasses, plan } = batch;
  const { words, bytes } = rows;
  const programs = programsOf(plan);
  const vectorMeaning = plan.meaning('vector');
  const classText = new Int32Array(eventClasses.length).fill(-2);
  const classKind = new Int8Array(eventClasses.length).fill(-2);

  /** Text of the name that an event class tells, made at its first event. */
  function classNameOf(eventClass: number, meaning: number): number {
    if (classText[eventClass] === -2) {
      const name = eventClasses[eventClass].name ?? '';
      classText[eventClass] = texts.ofText(
        meaning === vectorMeaning ? (vectorOf(name)?.vector ?? '') : callOf(name),
      );
    }
    return classText[eventClass];
  }

  /** Entry or exit of a vector, -1 for events about vectors that are neither. */
  function vectorKindOf(eventClass: number): number {
    if (classKind[eventClass] === -2) {
      const vector = vectorOf(eventClasses[eventClass].name ?? '');
      classKind[eventClass] = vector === undefined ? -1 : vector.entry ? t.T_ENTER : t.T_LEAVE;
    }
    return classKind[eventClass];
  }

  return (row, cpu) => {
    const meaning = rows.meaning[row];
    const program = programs[meaning];
    if (program === undefined) return;
    const kind = meaning === vectorMeaning ? vectorKindOf(rows.eventClass[row]) : program.kind;
    if (kind < 0) return;
    const { ops } = program;
    const at = rows.at[row];
    const presence = words[at];
    // Only what changes something counts for the key, so that other analyses' rows do not.
    let out = t.append(writer, keyOf(rows.time[row]), kind, cpu);
    const { args } = writer;
    for (let i = 0; i < ops.length; i += 3) {
      const from = at + ops[i + 1];
      const here = (presence >>> ops[i + 2]) & 1;
      switch (ops[i]) {
        case OP_CONSTANT:
          args[out++] = ops[i + 1];
          break;
        case OP_INT:
          args[out++] = here === 1 ? words[from] : t.ABSENT;
          break;
        case OP_WIDE:
          args[out++] = words[from];
          args[out++] = words[from + 1];
          break;
        case OP_TEXT:
          args[out++] = here === 1 ? texts.ofBytes(bytes, words[from], words[from + 1]) : t.ABSENT;
          break;
        default:
          args[out++] = classNameOf(rows.eventClass[row], meaning);
      }
    }
  };
}

/** Index = number of the meaning in rows. */
function programsOf(plan: ProjectionPlan): (Program | undefined)[] {
  const programs: (Program | undefined)[] = [];
  for (const { meaning, kind, args } of RULES) {
    const number = plan.meaning(meaning);
    if (number < 0) continue;
    const ops = args.flatMap((arg) => {
      if (typeof arg === 'number') return [OP_CONSTANT, arg, 0];
      if (typeof arg === 'symbol') return [OP_CLASS_NAME, 0, 0];
      const { offset, bit } = plan.field(meaning, arg);
      const fields: Readonly<Record<string, { readonly kind: string }>> = MEANINGS[meaning].fields;
      const op = { int: OP_INT, wide: OP_WIDE, string: OP_TEXT }[fields[arg].kind] ?? OP_INT;
      return [op, offset, bit];
    });
    programs[number] = { kind, ops: Int32Array.from(ops) };
  }
  return programs;
}

/**
 * Losses before a packet's first event: packets that are missing, and the time before the packet during which no
 * sub-buffer was free (spec 03 "Lost events"). A packet that reports lost events and has none: the whole of it.
 */
function writeLossBefore(
  batch: EventBatch,
  packet: number,
  writer: LeafWriter,
  keyOf: (time: number) => number,
): void {
  const { packets } = batch;
  const reports = packets.discardedEvents[packet] > 0;
  if (!reports && !(packets.lostPackets[packet] > 0)) return;
  const from = packets.previousEnd[packet];
  const empty = packets.events[packet] === 0;
  const to = reports && empty ? packets.end[packet] : packets.begin[packet];
  if (!Number.isNaN(from) && (to > from || empty || !reports))
    writeLoss(writer, packets.cpu[packet], from, to, keyOf);
}

/** Losses between the last event of the packet that reports them and its end. */
function writeLossWithin(
  batch: EventBatch,
  packet: number,
  writer: LeafWriter,
  keyOf: (time: number) => number,
): void {
  const { packets } = batch;
  if (!(packets.discardedEvents[packet] > 0) || packets.events[packet] === 0) return;
  writeLoss(writer, packets.cpu[packet], packets.lastEvent[packet], packets.end[packet], keyOf);
}

function writeLoss(
  writer: LeafWriter,
  cpu: number,
  from: number,
  to: number,
  keyOf: (time: number) => number,
): void {
  const begin = keyOf(from);
  const end = to > begin ? to : begin;
  const out = t.append(writer, begin, t.T_LOSS, cpu);
  writer.args[out] = end | 0;
  writer.args[out + 1] = Math.floor(end / 0x1_0000_0000);
}
