/**
 * Rows of one chunk → transitions (spec 03 section 1): the rows by the rules of `state-rules.ts`; the places where
 * events were lost; and the merge key, the greatest time so far in the chunk. Keeps no state of the kernel: what an
 * event means for threads is the reducer's.
 */
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { lastTime, losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import type { PacketSpans } from '../ctf/decode/rows.ts';
import { subjectsOf, vectorStepsOf } from './meanings.ts';
import { PacketMapper } from './packet-map.ts';
import { RowReader, ROWS_A_CALL } from './row-reader.ts';
import * as rules from './state-rules.ts';
import { TextTable } from './text-table.ts';
import * as t from './transitions.ts';
import type { LeafWriter, StateLeaf } from './transitions.ts';

/** The transitions of one chunk. Traces of other domains have none. */
export function mapStates(batch: EventBatch): StateLeaf {
  return batch.domain === 'kernel' ? mapperOf(batch.plan).map(batch) : t.EMPTY_LEAF;
}

const mapperOf = oncePer((plan: ProjectionPlan) => new StateMapper(plan));

interface Window {
  readonly cpu: number;
  first: number;
  last: number;
}

/** Writes the transitions of one chunk after the other. */
class StateMapper {
  readonly #program: rules.StateProgram;
  readonly #rows = new RowReader();
  /** As large as the largest chunk needed; leaves get copies. */
  readonly #writer = new t.LeafWriter();
  readonly #windows = new Map<number, Window>();
  readonly #packets: PacketMapper;
  #texts = new TextTable();
  #subjects: readonly string[] = [];
  /** By event class: index in `#texts` of its subject, -1 not used yet. */
  #subjectText = new Int32Array(0);
  #vectorSteps = new Int8Array(0);

  constructor(plan: ProjectionPlan) {
    this.#program = rules.compileRules(plan);
    this.#packets = new PacketMapper(plan, this.#rows);
  }

  map(batch: EventBatch): StateLeaf {
    const { packets } = batch;
    this.#start(batch);
    for (let packet = 0; packet < packets.length; packet++) {
      writeLossBefore(this.#writer, packets, packet);
      this.#writer.keyOf(packets.begin[packet]);
      if (packets.events[packet] > 0) this.#widenWindow(packets, packet);
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#writeRows(row, Math.min(row + ROWS_A_CALL, end), packets.cpu[packet]);
      writeLossWithin(this.#writer, packets, packet);
    }
    this.#rows.close();
    return {
      ...this.#writer.columns(),
      texts: this.#texts.texts,
      packets: this.#packets.columns(),
      historyText: new Int32Array(this.#texts.texts.length).fill(-1),
      windows: [...this.#windows.values()],
    };
  }

  #start({ rows, eventClasses }: EventBatch): void {
    this.#rows.open(rows);
    this.#writer.clear();
    this.#windows.clear();
    this.#texts = new TextTable();
    this.#packets.start(eventClasses, this.#texts);
    this.#subjects = subjectsOf(eventClasses);
    this.#subjectText = new Int32Array(eventClasses.length).fill(-1);
    this.#vectorSteps = vectorStepsOf(eventClasses);
  }

  /** A CPU exists from its first event on. */
  #widenWindow(packets: PacketSpans, packet: number): void {
    const cpu = packets.cpu[packet];
    const first = packets.firstEvent[packet];
    const last = packets.lastEvent[packet];
    const window = this.#windows.get(cpu);
    if (window === undefined) {
      const writer = this.#writer;
      const out = writer.append(writer.keyOf(first), t.T_BEGIN, cpu);
      writer.args[out] = this.#windows.size;
      this.#windows.set(cpu, { cpu, first, last });
    } else {
      window.first = Math.min(window.first, first);
      window.last = Math.max(window.last, last);
    }
  }

  /** Rows [from, to), which happened on one CPU. */
  #writeRows(from: number, to: number, cpu: number): void {
    const writer = this.#writer;
    writer.reserve(to - from);
    const { meaning, time } = this.#rows;
    const { kind: kinds, vector } = this.#program;
    const { time: keys, kind: written } = writer;
    const begin = writer.length;
    let { length, now } = writer;
    for (let row = from; row < to; row++) {
      const kind = meaning[row] === vector ? this.#vectorKind(row) : kinds[meaning[row]];
      // Only what changes something counts for the key, so that other analyses' rows do not.
      if (kind < 0) continue;
      if (time[row] > now) now = time[row];
      keys[length] = now;
      written[length] = kind;
      this.#writeArguments(row, length * t.ARGUMENTS);
      length++;
    }
    writer.cpu.fill(cpu, begin, length);
    writer.length = length;
    writer.now = now;
  }

  /** Runs the operations of the row's meaning. */
  #writeArguments(row: number, out: number): void {
    const rows = this.#rows;
    const { words } = rows;
    const { args } = this.#writer;
    const { ops, start } = this.#program;
    const at = rows.at[row];
    const presence = words[at];
    for (let op = start[rows.meaning[row]]; ops[op] !== rules.OP_END; op += rules.OP_WORDS) {
      const operand = ops[op + 1];
      const from = at + operand;
      const isThere = ((presence >>> ops[op + 2]) & 1) === 1;
      switch (ops[op]) {
        case rules.OP_CONSTANT:
          args[out++] = operand;
          break;
        case rules.OP_INT:
          args[out++] = isThere ? words[from] : t.ABSENT;
          break;
        case rules.OP_WIDE:
          args[out++] = words[from];
          args[out++] = words[from + 1];
          break;
        case rules.OP_TEXT:
          args[out++] = isThere ? this.#texts.ofBytes(rows.bytes, words[from], words[from + 1]) : t.ABSENT;
          break;
        case rules.OP_PACKET:
          args[out++] = this.#packets.add(row);
          break;
        default:
          args[out++] = this.#subjectOf(rows.eventClass[row]);
      }
    }
  }

  #subjectOf(eventClass: number): number {
    if (this.#subjectText[eventClass] < 0) {
      this.#subjectText[eventClass] = this.#texts.ofText(this.#subjects[eventClass]);
    }
    return this.#subjectText[eventClass];
  }

  /** Entry or exit of a vector, -1 for events about vectors that are neither. */
  #vectorKind(row: number): number {
    const step = this.#vectorSteps[this.#rows.eventClass[row]];
    return step === 0 ? -1 : step > 0 ? t.T_ENTER : t.T_LEAVE;
  }
}

/**
 * Losses before a packet's first event: packets that are missing, and the time before the packet during which no
 * sub-buffer was free (spec 03 "Lost events"). A packet that reports lost events and has none: the whole of it.
 */
function writeLossBefore(writer: LeafWriter, packets: PacketSpans, packet: number): void {
  if (!losesBefore(packets, packet)) return;
  const reports = packets.discardedEvents[packet] > 0;
  const from = packets.previousEnd[packet];
  const empty = packets.events[packet] === 0;
  const to = reports && empty ? packets.end[packet] : packets.begin[packet];
  if (!Number.isNaN(from) && (to > from || empty || !reports))
    writeLoss(writer, packets.cpu[packet], from, to);
}

/** Losses between the last event of the packet that reports them, or is damaged, and its end. */
function writeLossWithin(writer: LeafWriter, packets: PacketSpans, packet: number): void {
  if (!losesWithin(packets, packet)) return;
  const empty = packets.events[packet] === 0;
  const from = empty ? packets.begin[packet] : lastTime(packets, packet);
  // What an empty one reports was lost before its end, all of it.
  if (Number.isNaN(from) || (empty && packets.damaged[packet] === 0)) return;
  writeLoss(writer, packets.cpu[packet], from, packets.end[packet]);
}

function writeLoss(writer: LeafWriter, cpu: number, from: number, to: number): void {
  const begin = writer.keyOf(from);
  const end = to > begin ? to : begin;
  const out = writer.append(begin, t.T_LOSS, cpu);
  writer.args[out] = end | 0;
  writer.args[out + 1] = Math.floor(end / 0x1_0000_0000);
}
