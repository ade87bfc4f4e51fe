/** Runs the rules of `state-rules.ts` over rows: the definition of what `state-map.ts` has compiled code for. */
import type { EventBatch, ProjectionPlan } from '../../../src/engine/analysis/contract.ts';
import { subjectsOf } from '../../../src/engine/linux/events/kernel-events.ts';
import { RowReader } from '../../../src/engine/linux/events/row-reader.ts';
import { TextTable } from '../../../src/engine/linux/events/text-table.ts';
import { PacketMapper } from './packet-mapper.ts';
import type { RowMapper } from '../../../src/engine/linux/states/map/state-map.ts';
import * as rules from '../../../src/engine/linux/states/map/state-rules.ts';
import {
  ABSENT,
  ChunkResultWriter,
  type StateChunk,
} from '../../../src/engine/linux/states/map/transitions.ts';

export class RuleDefinition implements RowMapper {
  /** As large as the largest chunk needed; chunk results get copies. */
  readonly writer = new ChunkResultWriter();
  readonly #program: rules.StateProgram;
  readonly #rows = new RowReader();
  readonly #packets: PacketMapper;
  #texts = new TextTable();
  #subjects: readonly string[] = [];
  /** By event class: index in `texts` of its subject, -1 not used yet. */
  #subjectText = new Int32Array(0);
  #classKinds = new Int8Array(0);

  constructor(plan: ProjectionPlan) {
    this.#program = rules.compileRules(plan);
    this.#packets = new PacketMapper(plan, this.#rows);
  }

  start({ rows, eventClasses, takeSpare }: EventBatch): boolean {
    this.#rows.open(rows);
    this.writer.clear(takeSpare?.());
    this.#texts = new TextTable();
    this.#packets.start(eventClasses, this.#texts);
    this.#subjects = subjectsOf(eventClasses);
    this.#subjectText = new Int32Array(eventClasses.length).fill(-1);
    this.#classKinds = rules.kindsOfClasses(eventClasses);
    return true;
  }

  run(_packet: number, from: number, to: number, cpu: number): boolean {
    this.#writeRows(from, to, cpu);
    return true;
  }

  finish(): Pick<StateChunk, 'texts' | 'packets'> {
    this.#rows.close();
    return { texts: this.#texts.texts, packets: this.#packets.columns() };
  }

  #writeRows(from: number, to: number, cpu: number): void {
    const writer = this.writer;
    writer.reserve(to - from);
    const { kind: eventKind, eventClass, time } = this.#rows;
    const { kind: kinds } = this.#program;
    const { time: keys, kind: written, place } = writer;
    const begin = writer.length;
    let { length, used, now } = writer;
    for (let row = from; row < to; row++) {
      let kind = kinds[eventKind[row]];
      if (kind === rules.KIND_OF_CLASS) kind = this.#classKinds[eventClass[row]];
      // Only what changes something counts for the key, so that other analyses' rows do not.
      if (kind < 0) continue;
      if (time[row] > now) now = time[row];
      keys[length] = now;
      written[length] = kind;
      place[length++] = used;
      used = this.#writeArguments(row, used);
    }
    writer.cpu.fill(cpu, begin, length);
    writer.length = length;
    writer.used = used;
    writer.now = now;
  }

  /** Runs the operations of the row's kind, and gives where the arguments end. */
  #writeArguments(row: number, out: number): number {
    const rows = this.#rows;
    const { words } = rows;
    const { args } = this.writer;
    const { ops, start } = this.#program;
    const at = rows.at[row];
    const presence = words[at];
    for (let op = start[rows.kind[row]]; ops[op] !== rules.OP_END; op += rules.OP_WORDS) {
      const operand = ops[op + 1];
      const from = at + operand;
      const isThere = ((presence >>> ops[op + 2]) & 1) === 1;
      switch (ops[op]) {
        case rules.OP_CONSTANT:
          args[out++] = operand;
          break;
        case rules.OP_INT:
          args[out++] = isThere ? words[from] : ABSENT;
          break;
        case rules.OP_WIDE:
          args[out++] = words[from];
          args[out++] = words[from + 1];
          break;
        case rules.OP_TEXT:
          args[out++] = isThere ? this.#texts.ofBytes(rows.bytes, words[from], words[from + 1]) : ABSENT;
          break;
        case rules.OP_PACKET:
          args[out++] = this.#packets.add(row);
          break;
        default:
          args[out++] = this.#subjectOf(rows.eventClass[row]);
      }
    }
    return out;
  }

  #subjectOf(eventClass: number): number {
    if (this.#subjectText[eventClass] < 0) {
      this.#subjectText[eventClass] = this.#texts.ofText(this.#subjects[eventClass]);
    }
    return this.#subjectText[eventClass];
  }
}
