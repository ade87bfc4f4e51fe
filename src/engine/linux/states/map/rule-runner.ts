/**
 * Runs the rules of `state-rules.ts` over rows that lie in a memory: compiled WebAssembly (`src/wasm/transitions`), which
 * is fast from the first chunk on.
 */
import transitionsKernel from 'wasm:transitions';
import type { EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { append } from '../../../base/append.ts';
import { kernelModule } from '../../../base/kernel-module.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { aligned, noRows } from '../../../base/tables.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { isReceivedLater, subjectsOf } from '../../events/kernel-events.ts';
import { PACKET_KEY_WORDS } from '../reduce/packet-rows.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import { bytesOfText } from '../../events/text-table.ts';
import { PACKET_FIELDS, packetPlaces, PACKETS } from './state-rules.ts';
import * as rules from './state-rules.ts';
import { ARGUMENTS, LeafWriter, type StateChunk, TRANSITION_ARGUMENTS, TRANSITIONS } from './transitions.ts';

/** Transitions that a packet may have beside those of its rows. */
const MORE_A_PACKET = 3;

/** Maps the rows of one chunk after the other. */
export interface RowMapper {
  /** Where transitions go. */
  readonly writer: LeafWriter;
  /** Begins a chunk, see `ChunkReader.start`. */
  start(batch: EventBatch, scale: number): boolean;
  /** Writes the transitions of rows [from, to), those of one packet, which happened on one CPU; false: there is no room. */
  run(packet: number, from: number, to: number, cpu: number): boolean;
  /** All texts of the chunk, in order of their first use, and what its packets are recognised by. */
  finish(): Pick<StateChunk, 'texts' | 'packets'>;
}

/** Compiled once for all plans of this thread. */
let compiled: WebAssembly.Module | undefined;

/** Functions that the kernel exports besides those of `RowExports`. */
interface TransitionsExports extends RowExports {
  openRules(rules: number, classes: number): void;
  openTransitions(transitions: number, args: number): void;
  openPackets(packets: number, fields: number, later: number, addresses: number, end: number): void;
  run(
    from: number,
    to: number,
    cpu: number,
    textBase: number,
    length: number,
    used: number,
    now: number,
  ): number;
  readonly used: WebAssembly.Global;
  readonly now: WebAssembly.Global;
  readonly packets: WebAssembly.Global;
}

/** Texts of a chunk for which the kernel has room, and bytes of those that are addresses. */
const MOST_TEXTS = 2 ** 14;
const MOST_ADDRESS_BYTES = 2 ** 16;
/** Numbers of an event class: kind or -1, place of the subject's text, its bytes, its index or -1. */
export const CLASS_NUMBERS = ['kind', 'text', 'bytes', 'index'] as const;

export class RuleRunner implements RowMapper {
  /** Its columns lie in the memory of the rows. */
  readonly writer = new LeafWriter();
  readonly #kernel: RowKernel<TransitionsExports>;
  readonly #imageOf: (eventClasses: readonly EventClass[]) => RuleImage;
  readonly #packetFields: Int32Array;
  // Of the chunk at hand.
  #packets = noRows(PACKETS);

  /** @throws where there is no WebAssembly */
  constructor(plan: ProjectionPlan) {
    const program = rules.compileRules(plan);
    this.#kernel = new RowKernel((compiled ??= kernelModule(transitionsKernel)));
    this.#imageOf = cachedByKey((eventClasses: readonly EventClass[]) => imageOf(program, eventClasses));
    this.#packetFields = packed(
      packetPlaces(plan).flatMap((places) => PACKET_FIELDS.map((field) => places?.[field])),
    );
  }

  start({ rows, packets, eventClasses, takeSpare }: EventBatch, scale: number): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    const image = this.#imageOf(eventClasses);
    kernel.openTexts(MOST_TEXTS * scale);
    const programs = kernel.copy(image.bytes);
    const fields = kernel.copy(this.#packetFields);
    const later = kernel.copy(isReceivedLater(eventClasses));
    const addresses = kernel.take(MOST_ADDRESS_BYTES * scale);
    const keys = kernel.table(PACKETS, kernel.capacity);
    const most = kernel.capacity + MORE_A_PACKET * packets.length;
    const transitions = kernel.table(TRANSITIONS, most);
    const args = kernel.table(TRANSITION_ARGUMENTS, ARGUMENTS * most);
    if (kernel.isFull) return false;
    this.#packets = keys.rows;
    this.writer.clearIn({ ...transitions.rows, ...args.rows }, takeSpare?.());
    const { exports } = kernel;
    exports.openRules(programs, programs + image.classes);
    exports.openTransitions(transitions.directory, args.directory);
    exports.openPackets(keys.directory, fields, later, addresses, addresses + MOST_ADDRESS_BYTES * scale);
    return true;
  }

  run(packet: number, from: number, to: number, cpu: number): boolean {
    const { writer } = this;
    const kernel = this.#kernel;
    const { exports } = kernel;
    const { length: before, used, now } = writer;
    const length = exports.run(from, to, cpu, kernel.textBase(packet), before, used, now);
    if (length < 0) return false;
    writer.length = length;
    writer.used = exports.used.value as number;
    writer.now = exports.now.value as number;
    return true;
  }

  finish(): Pick<StateChunk, 'texts' | 'packets'> {
    const count = this.#kernel.exports.packets.value as number;
    const { kind, key } = this.#packets;
    return {
      texts: this.#kernel.texts(),
      packets: { kind: kind.slice(0, count), key: key.slice(0, PACKET_KEY_WORDS * count) },
    };
  }
}

/** Input of the kernel beside rows; copied behind them for each chunk. */
interface RuleImage {
  /** A multiple of 8 long. */
  readonly bytes: Uint8Array;
  /** Where in it the classes begin; before them programs by kind of event, behind them the texts of subjects. */
  readonly classes: number;
}

function imageOf(program: rules.StateProgram, eventClasses: readonly EventClass[]): RuleImage {
  const programs = programsOf(program);
  const subjects = subjectsOf(eventClasses).map(bytesOfText);
  const kinds = rules.kindsOfClasses(eventClasses);
  const classes = 4 * programs.length;
  let at = classes + 4 * CLASS_NUMBERS.length * eventClasses.length;
  const numbers = [...programs];
  const texts = subjects.map((subject, index) => {
    const place = at;
    at += subject.length;
    numbers.push(kinds[index], place, subject.length, -1);
    return { subject, place };
  });
  const bytes = new Uint8Array(aligned(at));
  bytes.set(new Uint8Array(Int32Array.from(numbers).buffer));
  for (const { subject, place } of texts) bytes.set(subject, place);
  return { bytes, classes };
}

/**
 * Programs of the kinds of event: first, by kind, bytes to its kind of transition and operations, 0 none; then these.
 */
function programsOf({ kind, start, ops }: rules.StateProgram): readonly number[] {
  const heads: number[] = [];
  const bodies: number[] = [];
  kind.forEach((own, eventKind) => {
    heads.push(own === -1 ? 0 : 4 * (kind.length + bodies.length));
    if (own === -1) return;
    bodies.push(own);
    let end = start[eventKind];
    while (ops[end] !== rules.OP_END) end += rules.OP_WORDS;
    append(bodies, ops.subarray(start[eventKind], end + rules.OP_WORDS));
  });
  return [...heads, ...bodies];
}
