/**
 * Rows of one chunk → transitions: the rows by the rules of `state-rules.ts`; the losses of events; and the merge
 * key, the greatest time so far in the chunk. Keeps no kernel state: the reducer interprets events for threads. The
 * rules run as compiled WebAssembly (`src/wasm/transitions`), which is fast from the first chunk on.
 */
import transitionsKernel from 'wasm:transitions';
import { type ChunkReader, ChunkReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import type { EventBatch, EventMap, ProjectionPlan } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { append } from '../../../base/append.ts';
import { assert } from '../../../base/assert.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { kernelModule } from '../../../base/kernel-module.ts';
import { aligned, noRows } from '../../../base/tables.ts';
import * as decoded from '../../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { hiddenBy } from '../../../trace/loss-subjects.ts';
import { isReceivedLater, subjectsOf } from '../../events/kernel-events.ts';
import { bytesOfText } from '../../events/text-table.ts';
import { PACKET_KEY_WORDS } from '../reduce/packet-rows.ts';
import * as rules from './state-rules.ts';
import * as transitions from './transitions.ts';
import { ARGUMENTS, ChunkResultWriter, type StateChunk } from './transitions.ts';

export const kernelStateMap: EventMap<StateChunk> = {
  id: 'kernel-state',
  reads: { kinds: rules.STATE_KINDS },
  ...readBy((plan) => stateReaders(new RuleRunner(plan))),
};

/** @internal */
export function stateReaders(mapper: RowMapper): ChunkReaders<StateChunk, StateChunk> {
  return new ChunkReaders(
    new StateReader(mapper),
    (_batch, chunkResult) => chunkResult,
    transitions.EMPTY_CHUNK,
  );
}

interface Window {
  readonly cpu: number;
  last: number;
}

/** Makes the chunk result of one chunk after the other. */
class StateReader implements ChunkReader<StateChunk> {
  readonly #windows = new Map<number, Window>();
  #packets: decoded.PacketSpans | undefined;
  /** HIDES_* bits of a loss in the stream. */
  #hidden = 0;

  constructor(private readonly mapper: RowMapper) {}

  start(batch: EventBatch, scale: number): boolean {
    this.#packets = batch.packets;
    this.#hidden = hiddenBy(batch.eventClasses);
    this.#windows.clear();
    return this.mapper.start(batch, scale);
  }

  read(packet: number): boolean {
    const packets = this.#packets;
    assert(packets !== undefined, 'a chunk was begun');
    const { writer } = this.mapper;
    writeLossBefore(writer, packets, packet, this.#hidden);
    writer.keyOf(decoded.earliestTime(packets, packet));
    const cpu = packets.cpu[packet];
    // On an unknown CPU nobody can tell who ran or woke whom.
    if (cpu >= 0) {
      if (packets.events[packet] > 0) this.#widenWindow(writer, packets, packet);
      const [from, to] = [packets.firstRow[packet], packets.firstRow[packet + 1]];
      if (!this.mapper.run(packet, from, to, cpu)) return false;
    }
    writeLossWithin(writer, packets, packet, this.#hidden);
    return true;
  }

  finish(): StateChunk {
    const { texts, packets } = this.mapper.finish();
    const { length, time, kind, cpu, place, args, memory } = this.mapper.writer.columns();
    const historyText = new Int32Array(texts.length).fill(-1);
    const windows = [...this.#windows.values()];
    // Written out, as spreading would give the next chunk result another shape.
    return { length, time, kind, cpu, place, args, memory, texts, packets, historyText, windows };
  }

  /** Widens the window of a CPU, which exists from its first event on. */
  #widenWindow(writer: ChunkResultWriter, packets: decoded.PacketSpans, packet: number): void {
    const cpu = packets.cpu[packet];
    const last = packets.lastEvent[packet];
    const window = this.#windows.get(cpu);
    if (window === undefined) {
      const out = writer.append(writer.now, transitions.T_BEGIN, cpu);
      writer.args[out] = this.#windows.size;
      this.#windows.set(cpu, { cpu, last });
    } else window.last = Math.max(window.last, last);
  }
}

/** Writes a loss between the packet before and a packet's first event, or its end if it has none. */
function writeLossBefore(
  writer: ChunkResultWriter,
  packets: decoded.PacketSpans,
  packet: number,
  hidden: number,
): void {
  if (!decoded.losesBefore(packets, packet)) return;
  const from = decoded.missingSince(packets, packet);
  const empty = packets.discardedEvents[packet] > 0 && packets.events[packet] === 0;
  const to = empty ? packets.end[packet] : packets.begin[packet];
  if (!Number.isNaN(from)) writeLoss(writer, packets.cpu[packet], from, to, hidden);
}

/** Writes a loss between the last event of a packet that reports losses or is damaged, and its end. */
function writeLossWithin(
  writer: ChunkResultWriter,
  packets: decoded.PacketSpans,
  packet: number,
  hidden: number,
): void {
  if (!decoded.losesWithin(packets, packet)) return;
  const from = decoded.lastTime(packets, packet);
  if (!Number.isNaN(from)) writeLoss(writer, packets.cpu[packet], from, packets.end[packet], hidden);
}

function writeLoss(writer: ChunkResultWriter, cpu: number, from: number, to: number, hidden: number): void {
  const begin = writer.keyOf(from);
  const end = to > begin ? to : begin;
  const out = writer.append(begin, transitions.T_LOSS, cpu);
  writer.args[out] = end | 0;
  writer.args[out + 1] = Math.floor(end / 0x1_0000_0000);
  writer.args[out + 2] = hidden;
}

/** Transitions that a packet may have besides those of its rows. */
const MORE_A_PACKET = 3;

/** Maps the rows of one chunk after the other. */
export interface RowMapper {
  /** Writer of the transitions. */
  readonly writer: ChunkResultWriter;
  /** Begins a chunk, see `ChunkReader.start`. */
  start(batch: EventBatch, scale: number): boolean;
  /** Writes the transitions of rows [from, to) of one packet and CPU; false: there is no room. */
  run(packet: number, from: number, to: number, cpu: number): boolean;
  /** All texts of the chunk, in order of first use, and keys of its packets. */
  finish(): Pick<StateChunk, 'texts' | 'packets'>;
}

/** Module compiled once for all plans of this thread. */
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

class RuleRunner implements RowMapper {
  /** Its columns lie in the memory of the rows. */
  readonly writer = new ChunkResultWriter();
  readonly #kernel: RowKernel<TransitionsExports>;
  readonly #imageOf: (eventClasses: readonly EventClass[]) => RuleImage;
  readonly #packetFields: Int32Array;
  // Of the chunk at hand.
  #packets = noRows(rules.PACKETS);

  /** @throws where there is no WebAssembly */
  constructor(plan: ProjectionPlan) {
    const program = rules.compileRules(plan);
    this.#kernel = new RowKernel((compiled ??= kernelModule(transitionsKernel)));
    this.#imageOf = cachedByKey((eventClasses: readonly EventClass[]) => imageOf(program, eventClasses));
    this.#packetFields = packed(
      rules.packetPlaces(plan).flatMap((places) => rules.PACKET_FIELDS.map((field) => places?.[field])),
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
    const keys = kernel.table(rules.PACKETS, kernel.capacity);
    const most = kernel.capacity + MORE_A_PACKET * packets.length;
    const table = kernel.table(transitions.TRANSITIONS, most);
    const args = kernel.table(transitions.TRANSITION_ARGUMENTS, ARGUMENTS * most);
    if (kernel.isFull) return false;
    this.#packets = keys.rows;
    this.writer.clearIn({ ...table.rows, ...args.rows }, takeSpare?.());
    const { exports } = kernel;
    exports.openRules(programs, programs + image.classes);
    exports.openTransitions(table.directory, args.directory);
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
