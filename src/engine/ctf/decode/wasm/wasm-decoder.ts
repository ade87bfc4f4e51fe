/**
 * Decodes packets with generated code. Only sound chunks are decoded here: where the code stops at a fault, or times
 * are out of order, the chunk is handed over to the interpreter, which reports the faults.
 */
import { assert } from '../../../base/assert.ts';
import type { StreamClass } from '../../model.ts';
import { type ChunkInput, HAND_OVER, type PacketDecoder, type PacketInput } from '../decoder-input.ts';
import type { CountSums } from '../rows/class-counts.ts';
import { type Machine, SPARE_ROUNDS } from '../run/interpreter.ts';
import type { PacketTimes } from '../rows/packet-spans.ts';
import type { Rows } from '../rows/rows.ts';
import { alignUp } from '../program/field-classes.ts';
import type { StreamPrograms } from '../program/stream-programs.ts';
import { NO_SCALE, type TickClock } from '../run/tick-clock.ts';
import type { DecodeMemory } from './decode-memory.ts';
import {
  CLASS,
  MOST_BYTES_SIDE_BY_SIDE,
  REGISTERS,
  STATE,
  STOP_CLOCK,
  STOP_END,
  STOP_FULL,
  WINDOW_BYTES,
  WINDOW_SLACK,
  WINDOW_STEP,
} from './memory-layout.ts';
import { compileModule, type StreamModule, DECODE } from './stream-module.ts';

/** (bit position in the window) → position reached; the rest is in the memory's state. */
type Decode = (position: number) => number;

class GeneratedCode {
  #memory: WebAssembly.Memory | undefined;
  #decode: Decode | undefined;

  constructor(readonly module: StreamModule) {}

  decodeIn(memory: WebAssembly.Memory): Decode {
    if (this.#decode !== undefined && this.#memory === memory) return this.#decode;
    const { exports } = new WebAssembly.Instance(this.module.compiled, { env: { memory } });
    this.#memory = memory;
    this.#decode = exports[DECODE] as Decode;
    return this.#decode;
  }
}

const LARGEST_FUEL = 2 ** 31 - 1;

/** A packet of a chunk's bytes. */
interface PlacedPacket {
  /** Byte offset, number of bytes that are there, and bits of its content. */
  readonly offset: number;
  readonly present: number;
  readonly content: number;
  /** Bytes from `Layout.window` to its copy. */
  readonly place: number;
}

/** Bytes that the packets of a chunk take if each begins at a multiple of WINDOW_STEP. */
function bytesSideBySide({ extents }: ChunkInput): number {
  let bytes = 0;
  for (const { table, first, count } of extents)
    for (let packet = first; packet < first + count; packet++)
      bytes += alignUp(table.size[packet], WINDOW_STEP);
  return bytes;
}

/** Whether events of a packet may be earlier than those before, whatever its header. */
function isBehind({ begin, floor }: PacketTimes): boolean {
  return floor !== -Infinity && begin !== floor;
}

export class WasmDecoder implements PacketDecoder {
  readonly outcome = { events: 0, firstEvent: Number.NaN, lastEvent: Number.NaN, backwards: 0, late: 0 };
  readonly #stream: StreamClass;
  readonly #code: GeneratedCode;
  readonly #programs: StreamPrograms;
  readonly #machine: Machine;
  readonly #clock: TickClock | undefined;
  readonly #memory: DecodeMemory;
  /** Code that counts only a range of time; made on first use. */
  #ranged: GeneratedCode | undefined;
  #decode: Decode = () => -1;
  /** Whether the packets of the chunk lie side by side; bytes from `Layout.window` to the place of the next one. */
  #sideBySide = false;
  #nextPlace = 0;
  /** Address of each packet of the chunk minus its offset. */
  #textBase: number[] = [];

  /**
   * @param machine runs the program of packet heads
   * @param memory shared with other decoders; only one decodes at a time
   */
  constructor(
    stream: StreamClass,
    programs: StreamPrograms,
    module: StreamModule,
    machine: Machine,
    clock: TickClock | undefined,
    memory: DecodeMemory,
  ) {
    this.#stream = stream;
    this.#code = new GeneratedCode(module);
    this.#programs = programs;
    this.#machine = machine;
    this.#clock = clock;
    this.#memory = memory;
  }

  get rowCount(): number {
    return this.#memory.ints[STATE.row / 4];
  }

  begin(chunk: ChunkInput): boolean {
    const { image, layout } = this.#code.module;
    const bytes = bytesSideBySide(chunk);
    this.#sideBySide = bytes <= MOST_BYTES_SIDE_BY_SIDE;
    this.#nextPlace = 0;
    this.#textBase = [];
    const window = this.#sideBySide ? bytes : WINDOW_BYTES;
    return this.#memory.begin(image, layout.window + window + WINDOW_SLACK);
  }

  decode(input: PacketInput): typeof HAND_OVER | undefined {
    const { bytes, offset, table, packet, times, window } = input;
    const memory = this.#memory;
    const present = Math.min(table.size[packet], bytes.length - offset);
    const content = Math.min(table.contentBits[packet], present * 8);
    const place = this.#nextPlace;
    if (this.#sideBySide) {
      this.#nextPlace += alignUp(present, WINDOW_STEP);
      this.#textBase.push(this.#code.module.layout.window + place - offset);
    }
    this.#clock?.set(table.begin[packet]);
    if (!this.#timesAreSums() || isBehind(times)) return HAND_OVER;
    this.#choose(window);
    memory.doubles[STATE.latest / 8] = times.floor;
    memory.ints[STATE.events / 4] = 0;
    memory.ints[STATE.fuel / 4] = Math.min(content + SPARE_ROUNDS, LARGEST_FUEL);
    this.#readHead(bytes, offset, present, content);
    this.#writeClock();
    const done = this.#decodeWindows(bytes, { offset, present, content, place }, table.eventsBits[packet]);
    this.#readClock();
    this.#readOutcome();
    const isLate = memory.doubles[STATE.latest / 8] > times.end;
    return done && !isLate ? undefined : HAND_OVER;
  }

  addRows(count: number): boolean {
    return this.#memory.addRows(count);
  }

  count(sums: CountSums): void {
    const { ints, doubles, longs } = this.#memory;
    const classes = this.#programs.body.length;
    for (let cls = 0, at = this.#code.module.layout.classes; cls < classes; cls++, at += CLASS.size) {
      const events = ints[(at + CLASS.events) / 4];
      if (events === 0) continue;
      const bits = events * ints[(at + CLASS.plainBits) / 4] + Number(longs[(at + CLASS.bits) / 8]);
      sums.add(cls, events, bits, doubles[(at + CLASS.first) / 8], doubles[(at + CLASS.last) / 8]);
      ints[(at + CLASS.events) / 4] = 0;
      longs[(at + CLASS.bits) / 8] = 0n;
    }
  }

  finish(bytes: Uint8Array): Rows {
    const textBase = this.#sideBySide ? Int32Array.from(this.#textBase) : undefined;
    return this.#memory.rows(bytes, textBase);
  }

  /** Decodes from bit `begin` of the packet to its end, window by window; false: the interpreter has to do it. */
  #decodeWindows(bytes: Uint8Array, packet: PlacedPacket, begin: number): boolean {
    const { offset, present, content } = packet;
    const memory = this.#memory;
    let from = 0;
    let position = begin;
    let copied = false;
    while (from * 8 + position < content) {
      const step = Math.floor(position / 8 / WINDOW_STEP) * WINDOW_STEP;
      // The window cuts the event: it is in the next one, or too large for any.
      if (copied && step === 0) return false;
      from += step;
      position -= step * 8;
      const length = Math.min(present - from, WINDOW_BYTES);
      const place = packet.place + (this.#sideBySide ? from : 0);
      memory.bytes.set(
        bytes.subarray(offset + from, offset + from + length),
        this.#code.module.layout.window + place,
      );
      memory.ints[STATE.limit / 4] = place * 8 + Math.min(content - from * 8, length * 8);
      memory.ints[STATE.origin / 4] = offset + from - place;
      copied = true;
      position = this.#decodeWindow(place * 8 + position) - place * 8;
      if (position < 0 || !this.#settleClock()) return false;
      const isLast = content - from * 8 <= length * 8;
      if (isLast && memory.ints[STATE.stop / 4] !== STOP_END) return false;
    }
    return true;
  }

  /** Gives the position reached, or -1 if there is no room for the rows, or its times are no sums. */
  #decodeWindow(begin: number): number {
    const memory = this.#memory;
    let position = begin;
    for (let clockMoved = -1; ;) {
      position = this.#decode(position);
      const stop = memory.ints[STATE.stop / 4];
      if (stop === STOP_FULL) {
        if (!memory.fitRow(this.#code.module.widest)) return -1;
      } else if (stop === STOP_CLOCK && clockMoved !== position) {
        // The event is decoded again, and its time no longer moves the clock.
        clockMoved = position;
        this.#clock?.set(BigInt.asUintN(64, memory.longs[STATE.cycles / 8]));
        if (!this.#timesAreSums()) return -1;
        this.#writeClock();
      } else return position;
    }
  }

  #choose(range: PacketInput['window']): void {
    const { memory, doubles } = this.#memory;
    let code = this.#code;
    if (range !== undefined) {
      doubles[STATE.from / 8] = range.from;
      doubles[STATE.to / 8] = range.to;
      code = this.#ranged ??= this.#compileRanged();
    }
    this.#decode = code.decodeIn(memory);
  }

  #compileRanged(): GeneratedCode {
    const module = compileModule(this.#stream, this.#programs, this.#clock?.scale ?? NO_SCALE, true);
    assert(module !== undefined, 'what compiles, compiles with a range');
    return new GeneratedCode(module);
  }

  /** Events of one window keep ticks exact doubles; those of many might not. */
  #settleClock(): boolean {
    this.#readClock();
    this.#clock?.settle();
    this.#writeClock();
    return this.#timesAreSums();
  }

  /** Otherwise only the interpreter gives the nearest double. */
  #timesAreSums(): boolean {
    return this.#clock === undefined || this.#clock.isUsual;
  }

  /** The registers that bodies may refer to. */
  #readHead(bytes: Uint8Array, offset: number, present: number, content: number): void {
    if (!this.#code.module.readsPacket) return;
    this.#machine.begin(bytes, offset, present, Math.min(content, LARGEST_FUEL));
    this.#machine.run(this.#programs.packet, 0);
    this.#memory.ints.set(this.#machine.registers, REGISTERS / 4);
  }

  #writeClock(): void {
    if (this.#clock === undefined) return;
    const { state, low } = this.#clock;
    const { ints, doubles, longs } = this.#memory;
    longs[STATE.ticks / 8] = BigInt(state[0]);
    doubles[STATE.baseNs / 8] = state[1];
    ints[STATE.low / 4] = low[0];
    longs[STATE.baseCycles / 8] = BigInt.asIntN(64, this.#clock.base);
    longs[STATE.remainder / 8] = BigInt(this.#clock.remainder);
  }

  #readClock(): void {
    if (this.#clock === undefined) return;
    this.#clock.state[0] = Number(this.#memory.longs[STATE.ticks / 8]);
    this.#clock.low[0] = this.#memory.ints[STATE.low / 4];
  }

  #readOutcome(): void {
    const { ints, doubles } = this.#memory;
    const events = ints[STATE.events / 4];
    this.outcome.events = events;
    this.outcome.firstEvent = events === 0 ? Number.NaN : doubles[STATE.firstEvent / 8];
    this.outcome.lastEvent = events === 0 ? Number.NaN : doubles[STATE.lastEvent / 8];
  }
}
