/**
 * The machine that runs programs (`program.ts`): the reference for every other executor. One machine per decoder;
 * while it runs it allocates only to grow the tape.
 * Every loop is bounded: by the bits left, or, if rounds take no bits, by `fuel` per packet.
 */
import { MAX_DEPTH } from '../../metadata/limits.ts';
import { readBits } from './bits.ts';
import * as op from '../program/program.ts';
import type { TickClock } from './tick-clock.ts';

/** Iterations without bits (elements of size 0) that a packet may have, beyond one for each bit. */
export const SPARE_ROUNDS = 65_536;
/** Words (512 MiB) that one chunk may fill: hostile input can make a word of each bit, and a packet may be a whole file. */
export const LARGEST_OUTPUT = 2 ** 27;
const EMPTY = new Uint8Array(0);

/** Whether the tenth byte of a variable-length integer has no bit beyond the 64th, and is needed for that one. */
function isLastByte(byte: number, spec: number): boolean {
  return (spec & op.SPEC_SIGNED) === 0 ? byte === 1 : byte === 0 || byte === 0x7f;
}

export class Machine {
  /** Two words a register: low, high. */
  readonly registers: Int32Array;
  /** Output; the machine owns it, as it grows with the tape. `out` is the cursor. */
  words: Int32Array = new Int32Array(0);
  out = 0;
  /** Number that the last fault asked for: bits, rounds or the tag's low word; see the fault's number. */
  wanted = 0;
  /** Bit position of the last fault. */
  faultAt = 0;
  readonly #code: Int32Array;
  readonly #clock: TickClock | undefined;
  /** Low and high word of the integer read last. */
  readonly #value = new Int32Array(2);
  /** Rounds left of each loop, outermost first. */
  readonly #loops = new Int32Array(MAX_DEPTH);
  #bytes: Uint8Array = EMPTY;
  #view: DataView = new DataView(EMPTY.buffer);
  /** Byte of the buffer at which positions begin; bits up to the end of the content. */
  #origin = 0;
  #end = 0;
  #fuel = 0;

  /**
   * @param code all programs, one after the other
   * @param registers number of registers
   * @param clock updated by `TIME`; without one such reads are ignored
   */
  constructor(code: Int32Array, registers: number, clock: TickClock | undefined) {
    this.#code = code;
    this.registers = new Int32Array(2 * registers);
    this.#clock = clock;
  }

  /** A packet: `length` bytes at `offset` of `bytes`, of which `contentBits` bits are content. Clears the registers. */
  begin(bytes: Uint8Array, offset: number, length: number, contentBits: number): void {
    this.moveTo(bytes, offset, length, contentBits);
    this.#fuel = Math.min(contentBits + SPARE_ROUNDS, op.POSITION_LIMIT);
    this.registers.fill(0);
  }

  /** Continues the same packet with other bytes: positions count from `offset`. */
  moveTo(bytes: Uint8Array, offset: number, length: number, contentBits: number): void {
    this.#bytes = bytes.subarray(offset, offset + length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset + offset, length);
    this.#origin = offset;
    this.#end = contentBits;
  }

  /** Makes room for `count` words at `out`; false when there would be too many. */
  reserve(count: number): boolean {
    const { words, out } = this;
    if (out + count <= words.length) return true;
    if (out + count > LARGEST_OUTPUT) return false;
    this.words = new Int32Array(Math.max(2 * words.length, out + count, 1024));
    this.words.set(words);
    return true;
  }

  /** Runs the program at `start` from a bit position; gives the position after it, or a negative FAULT_*. */
  run(start: number, position: number): number {
    // Local copies, since every operation reads them.
    const ops = this.#code;
    const bytes = this.#bytes;
    const view = this.#view;
    const end = this.#end;
    const { registers } = this;
    const value = this.#value;
    let { words, out } = this;
    let pc = start;
    let pos = position;
    let base = position;
    let depth = 0;
    for (;;) {
      switch (ops[pc]) {
        case op.OP_END:
          this.out = out;
          return pos;
        case op.OP_NEED:
          base = pos;
          pos += ops[pc + 1];
          if (pos > end) return this.#fault(op.FAULT_BEYOND, base, pos - base);
          pc += 2;
          break;
        case op.OP_I8:
          words[out + ops[pc + 2]] = view.getInt8((base + ops[pc + 1]) >>> 3);
          pc += 3;
          break;
        case op.OP_U8:
          words[out + ops[pc + 2]] = bytes[(base + ops[pc + 1]) >>> 3];
          pc += 3;
          break;
        case op.OP_I16:
          words[out + ops[pc + 2]] = view.getInt16((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_U16:
          words[out + ops[pc + 2]] = view.getUint16((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_I32:
          words[out + ops[pc + 2]] = view.getInt32((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_I64: {
          const at = (base + ops[pc + 1]) >>> 3;
          words[out + ops[pc + 2]] = view.getInt32(at, true);
          words[out + ops[pc + 2] + 1] = view.getInt32(at + 4, true);
          pc += 3;
          break;
        }
        case op.OP_BITS: {
          const to = out + ops[pc + 2];
          readBits(bytes, base + ops[pc + 1], ops[pc + 3], value, 0);
          words[to] = value[0];
          if ((ops[pc + 3] & op.SPEC_WIDE) !== 0) words[to + 1] = value[1];
          pc += 4;
          break;
        }
        case op.OP_REGISTER:
          readBits(bytes, base + ops[pc + 1], ops[pc + 3], registers, 2 * ops[pc + 2]);
          pc += 4;
          break;
        case op.OP_TIME:
          readBits(bytes, base + ops[pc + 1], ops[pc + 2], value, 0);
          this.#clock?.update(value[0], value[1], ops[pc + 2] & op.SPEC_SIZE);
          pc += 3;
          break;
        case op.OP_TEXT_AT:
          this.#writeText(out + ops[pc + 3], (base + ops[pc + 1]) >>> 3, ops[pc + 2], ops[pc + 4]);
          pc += 5;
          break;
        case op.OP_CONSTANT:
          words[out + ops[pc + 1]] = ops[pc + 2];
          pc += 3;
          break;
        case op.OP_ALIGN:
          base = pos;
          pos += -pos & (ops[pc + 1] - 1);
          if (pos > end) return this.#fault(op.FAULT_BEYOND, base, pos - base);
          pc += 2;
          break;
        case op.OP_STRING:
          pos = this.#string(pc, pos, out);
          if (pos < 0) return pos;
          pc += 3;
          break;
        case op.OP_TEXT:
          pos = this.#text(pc, pos, out);
          if (pos < 0) return pos;
          pc += 4;
          break;
        case op.OP_SKIP:
          pos = this.#skip(pc, pos);
          if (pos < 0) return pos;
          pc += 3;
          break;
        case op.OP_SPAN:
          words[out + ops[pc + 3]] = this.#origin + (pos >>> 3);
          words[out + ops[pc + 3] + 1] = this.registers[2 * ops[pc + 1]] * ops[pc + 2];
          pc += 4;
          break;
        case op.OP_COPY:
          words[out + ops[pc + 2]] = words[out + ops[pc + 1]];
          pc += 3;
          break;
        case op.OP_LEB:
          pos = this.#variable(pc, pos, out);
          if (pos < 0) return pos;
          pc += 4 + ops[pc + 3];
          break;
        case op.OP_LOOP: {
          const rounds = this.#rounds(pc, pos);
          if (rounds < 0) return rounds;
          if (rounds === 0) pc += ops[pc + 4];
          else {
            if (depth === MAX_DEPTH) return this.#fault(op.FAULT_UNSUPPORTED, pos, 0);
            this.#loops[depth++] = rounds;
            pc += 5;
          }
          break;
        }
        case op.OP_NEXT:
          if (--this.#loops[depth - 1] > 0) pc += ops[pc + 1];
          else {
            depth--;
            pc += 2;
          }
          break;
        case op.OP_SWITCH: {
          const jump = this.#choose(pc);
          if (jump === 0) return this.#fault(op.FAULT_OPTION, pos, ops[pc + 1]);
          pc += jump;
          break;
        }
        case op.OP_JUMP:
          pc += ops[pc + 1];
          break;
        case op.OP_RESERVE:
          this.out = out;
          if (!this.reserve(ops[pc + 1])) return this.#fault(op.FAULT_LIMIT, pos, LARGEST_OUTPUT);
          words = this.words;
          pc += 2;
          break;
        case op.OP_ADVANCE:
          out += ops[pc + 1];
          pc += 2;
          break;
        case op.OP_PUSH:
        case op.OP_PUSH_REGISTER:
          this.out = out;
          if (!this.reserve(1)) return this.#fault(op.FAULT_LIMIT, pos, LARGEST_OUTPUT);
          words = this.words;
          words[out++] = ops[pc] === op.OP_PUSH ? ops[pc + 1] : registers[2 * ops[pc + 1]];
          pc += 2;
          break;
        case op.OP_ORDER:
          if ((pos & 7) !== 0) return this.#fault(op.FAULT_ORDER, pos, 0);
          pc += 1;
          break;
        case op.OP_PLACE:
          registers[2 * ops[pc + 1]] = this.#origin + (pos >>> 3);
          pc += 2;
          break;
        case op.OP_SEEN:
          registers[2 * op.REGISTER_SEEN] |= ops[pc + 1];
          pc += 2;
          break;
        default:
          return this.#fault(op.FAULT_UNSUPPORTED, pos, 0);
      }
    }
  }

  #fault(number: number, position: number, wanted: number): number {
    this.faultAt = position;
    this.wanted = wanted;
    return number;
  }

  // Operations that do not have a constant size. Those that move give the position behind, or a FAULT_*.

  #string(pc: number, pos: number, out: number): number {
    const to = this.#code[pc + 1];
    const unit = this.#code[pc + 2];
    const from = pos >>> 3;
    const length = this.#lengthOfText(from, this.#end >>> 3, unit);
    if (length < 0) return this.#fault(op.FAULT_STRING, pos, 8 * unit);
    if (to >= 0) {
      this.words[out + to] = this.#origin + from;
      this.words[out + to + 1] = length;
    }
    return pos + 8 * (length + unit);
  }

  #text(pc: number, pos: number, out: number): number {
    const register = 2 * this.#code[pc + 1];
    const to = this.#code[pc + 2];
    const length = this.registers[register] >>> 0;
    if (this.registers[register + 1] !== 0 || length * 8 > this.#end - pos)
      return this.#fault(op.FAULT_ARRAY, pos, length);
    if (to >= 0) this.#writeText(out + to, pos >>> 3, length, this.#code[pc + 3]);
    return pos + 8 * length;
  }

  #skip(pc: number, pos: number): number {
    const register = 2 * this.#code[pc + 1];
    const count = this.registers[register] >>> 0;
    const bits = count * this.#code[pc + 2];
    if (this.registers[register + 1] !== 0 || bits > this.#end - pos)
      return this.#fault(op.FAULT_ARRAY, pos, count);
    return pos + bits;
  }

  #variable(pc: number, pos: number, out: number): number {
    const ops = this.#code;
    const value = this.#value;
    const to = ops[pc + 1];
    const spec = ops[pc + 2];
    const after = this.#readVariable(pos, spec);
    if (after < 0) return after;
    if (to >= 0) {
      this.words[out + to] = value[0];
      if ((spec & op.SPEC_WIDE) !== 0) this.words[out + to + 1] = value[1];
    }
    // Seven bits of each byte (CTF2-SPEC-2.0, 6.3).
    const clockBits = Math.min(((after - pos) >>> 3) * 7, 64);
    if ((spec & op.SPEC_TIME) !== 0) this.#clock?.update(value[0], value[1], clockBits);
    const count = ops[pc + 3];
    for (let i = 0; i < count; i++) this.registers.set(value, 2 * ops[pc + 4 + i]);
    return after;
  }

  /** LEB128; gives the position after it. The tenth byte has the 64th bit and nothing else. */
  #readVariable(position: number, spec: number): number {
    let low = 0;
    let high = 0;
    let shift = 0;
    for (let at = position; at + 8 <= this.#end; at += 8) {
      const byte = this.#bytes[at >>> 3];
      const part = byte & 0x7f;
      if (shift === 63 && !isLastByte(byte, spec)) return this.#fault(op.FAULT_OVERSIZED, at, 64);
      if (shift < 32) low |= part << shift;
      if (shift + 7 > 32) high |= shift < 32 ? part >>> (32 - shift) : part << (shift - 32);
      shift += 7;
      if (byte >= 0x80) continue;
      if ((spec & op.SPEC_SIGNED) !== 0 && (byte & 0x40) !== 0) {
        if (shift < 32) low |= -1 << shift;
        if (shift < 64) high |= shift <= 32 ? -1 : -1 << (shift - 32);
      }
      this.#value[0] = low;
      this.#value[1] = high;
      return at + 8;
    }
    return this.#fault(op.FAULT_BEYOND, position, 8);
  }

  /** Rounds of a loop, or FAULT_ARRAY: rounds with bits must fit into what is left, others take fuel. */
  #rounds(pc: number, pos: number): number {
    const ops = this.#code;
    const register = 2 * ops[pc + 1];
    const rounds = register < 0 ? ops[pc + 2] : this.registers[register] >>> 0;
    const high = register < 0 ? 0 : this.registers[register + 1];
    const least = ops[pc + 3];
    if (least === 0) this.#fuel -= rounds;
    if (high !== 0 || rounds * least > this.#end - pos || this.#fuel < 0)
      return this.#fault(op.FAULT_ARRAY, pos, rounds);
    return rounds;
  }

  /** The jump of the first range that holds the tag; 0: none does. */
  #choose(pc: number): number {
    const ops = this.#code;
    const low = this.registers[2 * ops[pc + 1]] ^ -0x80000000;
    const high = this.registers[2 * ops[pc + 1] + 1] ^ ops[pc + 2];
    const last = pc + 5 + 5 * ops[pc + 4];
    for (let at = pc + 5; at < last; at += 5) {
      if (high < ops[at] || (high === ops[at] && low < ops[at + 1])) continue;
      if (high > ops[at + 2] || (high === ops[at + 2] && low > ops[at + 3])) continue;
      return ops[at + 4];
    }
    return ops[pc + 3];
  }

  #writeText(to: number, from: number, length: number, unit: number): void {
    const text = unit === 0 ? -1 : this.#lengthOfText(from, from + length, unit);
    this.words[to] = this.#origin + from;
    this.words[to + 1] = text < 0 ? length : text;
  }

  /** Bytes from `from` up to the first null code unit before `to`; -1 when there is none. */
  #lengthOfText(from: number, to: number, unit: number): number {
    const bytes = this.#bytes;
    if (unit === 1) {
      let at = from;
      // Four bytes at a time: a borrow reaches the top bit of a byte that is 0.
      for (; at + 4 <= to; at += 4) {
        const word = this.#view.getInt32(at, true);
        if (((word - 0x01010101) & ~word & 0x80808080) !== 0) break;
      }
      for (; at < to; at++) if (bytes[at] === 0) return at - from;
      return -1;
    }
    for (let at = from; at + unit <= to; at += unit) {
      let bits = 0;
      for (let i = 0; i < unit; i++) bits |= bytes[at + i];
      if (bits === 0) return at - from;
    }
    return -1;
  }
}
