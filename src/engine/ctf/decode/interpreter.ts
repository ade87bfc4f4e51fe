/**
 * The machine that runs programs (`program.ts`): the reference for every other executor. One machine per decoder;
 * nothing is allocated while it runs but when the tape grows.
 *
 * Every loop is bounded: by the bits left, or, where rounds take no bits, by `fuel` per packet.
 */
import { readBits } from './bits.ts';
import * as op from './program.ts';
import {
  FAULT_ARRAY,
  FAULT_BEYOND,
  FAULT_LIMIT,
  FAULT_OPTION,
  FAULT_ORDER,
  FAULT_OVERSIZED,
  FAULT_STRING,
  FAULT_UNSUPPORTED,
  SPEC_SIGNED,
  SPEC_SIZE,
  SPEC_TIME,
  SPEC_WIDE,
} from './program.ts';
import type { TickClock } from './tick-clock.ts';

export interface Machine {
  /** Two words a register: low, high. */
  readonly registers: Int32Array;
  /** Output, kept by the machine since the tape makes it grow; `out` is the cursor. */
  words: Int32Array;
  out: number;
  /** What the last fault wanted: bits, rounds or the tag's low word; see the fault's number. */
  wanted: number;
  /** Bit position of the last fault. */
  faultAt: number;
  /** A packet: `length` bytes at `offset` of `bytes`, of which `contentBits` bits are content. Clears the registers. */
  begin(bytes: Uint8Array, offset: number, length: number, contentBits: number): void;
  /** Goes on in the same packet with other bytes: positions count from `offset`. */
  moveTo(bytes: Uint8Array, offset: number, length: number, contentBits: number): void;
  /** Makes room for `count` words at `out`; false when there would be too many. */
  reserve(count: number): boolean;
  /** Runs the program at `pc` from a bit position; gives the position after it, or a negative FAULT_*. */
  run(pc: number, position: number): number;
}

/** Iterations without bits (elements of size 0) that a packet may have, beyond one for each bit. */
export const SPARE_ROUNDS = 65_536;
export const LOOP_DEPTH = 64;
/** Words (512 MiB) that one chunk may fill: a bit of hostile input makes a word, and a packet may be a whole file. */
export const LARGEST_OUTPUT = 2 ** 27;
const EMPTY = new Uint8Array(0);

/** Whether the tenth byte of a variable-length integer has no bit beyond the 64th, and is needed for that one. */
function isLastByte(byte: number, spec: number): boolean {
  return (spec & SPEC_SIGNED) === 0 ? byte === 1 : byte === 0 || byte === 0x7f;
}

/**
 * @param code all programs, one after the other
 * @param registers number of registers
 * @param clock updated by `TIME`; without one such reads are ignored
 */
export function createMachine(code: Int32Array, registers: number, clock: TickClock | undefined): Machine {
  const values = new Int32Array(2 * registers);
  const scratch = new Int32Array(2);
  const loops = new Int32Array(LOOP_DEPTH);
  let data: Uint8Array = EMPTY;
  let view: DataView = new DataView(EMPTY.buffer);
  let origin = 0;
  let end = 0;
  let fuel = 0;

  const moveTo = (bytes: Uint8Array, offset: number, length: number, contentBits: number): void => {
    data = bytes.subarray(offset, offset + length);
    view = new DataView(bytes.buffer, bytes.byteOffset + offset, length);
    origin = offset;
    end = contentBits;
  };

  const begin = (bytes: Uint8Array, offset: number, length: number, contentBits: number): void => {
    moveTo(bytes, offset, length, contentBits);
    fuel = contentBits + SPARE_ROUNDS;
    values.fill(0);
  };

  const reserve = (count: number): boolean => {
    if (machine.out + count <= machine.words.length) return true;
    if (machine.out + count > LARGEST_OUTPUT) return false;
    const larger = new Int32Array(Math.max(2 * machine.words.length, machine.out + count, 1024));
    larger.set(machine.words);
    machine.words = larger;
    return true;
  };

  const fault = (number: number, position: number, wanted: number): number => {
    machine.faultAt = position;
    machine.wanted = wanted;
    return number;
  };

  /** Bytes from `from` up to the first null code unit before `to`; -1 when there is none. */
  const lengthOfText = (from: number, to: number, unit: number): number => {
    if (unit === 1) {
      let at = from;
      // Four bytes at a time: a borrow reaches the top bit of a byte that is 0.
      for (; at + 4 <= to; at += 4) {
        const word = view.getInt32(at, true);
        if (((word - 0x01010101) & ~word & 0x80808080) !== 0) break;
      }
      for (; at < to; at++) if (data[at] === 0) return at - from;
      return -1;
    }
    for (let at = from; at + unit <= to; at += unit) {
      let bits = 0;
      for (let i = 0; i < unit; i++) bits |= data[at + i];
      if (bits === 0) return at - from;
    }
    return -1;
  };

  const writeText = (to: number, from: number, length: number, unit: number): void => {
    const text = unit === 0 ? -1 : lengthOfText(from, from + length, unit);
    machine.words[machine.out + to] = origin + from;
    machine.words[machine.out + to + 1] = text < 0 ? length : text;
  };

  /** LEB128; gives the position after it. The tenth byte has the 64th bit and nothing else. */
  const readVariable = (position: number, spec: number): number => {
    let low = 0;
    let high = 0;
    let shift = 0;
    for (let at = position; at + 8 <= end; at += 8) {
      const byte = data[at >>> 3];
      const part = byte & 0x7f;
      if (shift === 63 && !isLastByte(byte, spec)) return fault(FAULT_OVERSIZED, at, 64);
      if (shift < 32) low |= part << shift;
      if (shift + 7 > 32) high |= shift < 32 ? part >>> (32 - shift) : part << (shift - 32);
      shift += 7;
      if (byte >= 0x80) continue;
      if ((spec & SPEC_SIGNED) !== 0 && (byte & 0x40) !== 0) {
        if (shift < 32) low |= -1 << shift;
        if (shift < 64) high |= shift <= 32 ? -1 : -1 << (shift - 32);
      }
      scratch[0] = low;
      scratch[1] = high;
      return at + 8;
    }
    return fault(FAULT_BEYOND, position, 8);
  };

  /** Whether so many rounds of at least `least` bits may begin at a position; those that need none take fuel. */
  const roundsFit = (low: number, high: number, least: number, position: number): boolean => {
    const rounds = low >>> 0;
    if (high !== 0 || rounds * least > end - position) return false;
    if (least > 0) return true;
    fuel -= rounds;
    return fuel >= 0;
  };

  const chooseBranch = (pc: number): number => {
    const flip = code[pc + 2];
    const low = values[2 * code[pc + 1]] ^ -0x80000000;
    const high = values[2 * code[pc + 1] + 1] ^ flip;
    const last = pc + 5 + 5 * code[pc + 4];
    for (let at = pc + 5; at < last; at += 5) {
      if (high < code[at] || (high === code[at] && low < code[at + 1])) continue;
      if (high > code[at + 2] || (high === code[at + 2] && low > code[at + 3])) continue;
      return code[at + 4];
    }
    return code[pc + 3];
  };

  const run = (start: number, position: number): number => {
    // In locals, since every operation reads them.
    const ops = code;
    const bytes = data;
    const reader = view;
    const limit = end;
    let words = machine.words;
    let out = machine.out;
    let pc = start;
    let pos = position;
    let base = position;
    let depth = 0;
    for (;;) {
      switch (ops[pc]) {
        case op.OP_END:
          machine.out = out;
          return pos;
        case op.OP_NEED:
          base = pos;
          pos += ops[pc + 1];
          if (pos > limit) return fault(FAULT_BEYOND, base, pos - base);
          pc += 2;
          break;
        case op.OP_I8:
          words[out + ops[pc + 2]] = reader.getInt8((base + ops[pc + 1]) >>> 3);
          pc += 3;
          break;
        case op.OP_U8:
          words[out + ops[pc + 2]] = bytes[(base + ops[pc + 1]) >>> 3];
          pc += 3;
          break;
        case op.OP_I16:
          words[out + ops[pc + 2]] = reader.getInt16((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_U16:
          words[out + ops[pc + 2]] = reader.getUint16((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_I32:
          words[out + ops[pc + 2]] = reader.getInt32((base + ops[pc + 1]) >>> 3, true);
          pc += 3;
          break;
        case op.OP_I64: {
          const at = (base + ops[pc + 1]) >>> 3;
          words[out + ops[pc + 2]] = reader.getInt32(at, true);
          words[out + ops[pc + 2] + 1] = reader.getInt32(at + 4, true);
          pc += 3;
          break;
        }
        case op.OP_BITS: {
          const to = out + ops[pc + 2];
          readBits(bytes, base + ops[pc + 1], ops[pc + 3], scratch, 0);
          words[to] = scratch[0];
          if ((ops[pc + 3] & SPEC_WIDE) !== 0) words[to + 1] = scratch[1];
          pc += 4;
          break;
        }
        case op.OP_REGISTER:
          readBits(bytes, base + ops[pc + 1], ops[pc + 3], values, 2 * ops[pc + 2]);
          pc += 4;
          break;
        case op.OP_TIME:
          readBits(bytes, base + ops[pc + 1], ops[pc + 2], scratch, 0);
          clock?.update(scratch[0], scratch[1], ops[pc + 2] & SPEC_SIZE);
          pc += 3;
          break;
        case op.OP_TEXT_AT:
          writeText(ops[pc + 3], (base + ops[pc + 1]) >>> 3, ops[pc + 2], ops[pc + 4]);
          pc += 5;
          break;
        case op.OP_CONSTANT:
          words[out + ops[pc + 1]] = ops[pc + 2];
          pc += 3;
          break;
        case op.OP_ALIGN: {
          const alignment = ops[pc + 1];
          base = pos;
          pos += -pos & (alignment - 1);
          if (pos > limit) return fault(FAULT_BEYOND, base, pos - base);
          pc += 2;
          break;
        }
        case op.OP_STRING: {
          const unit = ops[pc + 2];
          const from = pos >>> 3;
          const length = lengthOfText(from, limit >>> 3, unit);
          if (length < 0) return fault(FAULT_STRING, pos, 8 * unit);
          if (ops[pc + 1] >= 0) {
            words[out + ops[pc + 1]] = origin + from;
            words[out + ops[pc + 1] + 1] = length;
          }
          pos += 8 * (length + unit);
          pc += 3;
          break;
        }
        case op.OP_TEXT: {
          const low = values[2 * ops[pc + 1]];
          if (values[2 * ops[pc + 1] + 1] !== 0 || (low >>> 0) * 8 > limit - pos) {
            return fault(FAULT_ARRAY, pos, low >>> 0);
          }
          if (ops[pc + 2] >= 0) writeText(ops[pc + 2], pos >>> 3, low, ops[pc + 3]);
          pos += 8 * low;
          pc += 4;
          break;
        }
        case op.OP_SKIP: {
          const low = values[2 * ops[pc + 1]];
          const bits = (low >>> 0) * ops[pc + 2];
          if (values[2 * ops[pc + 1] + 1] !== 0 || bits > limit - pos)
            return fault(FAULT_ARRAY, pos, low >>> 0);
          pos += bits;
          pc += 3;
          break;
        }
        case op.OP_LEB: {
          const spec = ops[pc + 2];
          const after = readVariable(pos, spec);
          if (after < 0) return after;
          // Seven of each byte (CTF2-SPEC-2.0, 6.3).
          const clockBits = Math.min(((after - pos) >>> 3) * 7, 64);
          pos = after;
          if (ops[pc + 1] >= 0) {
            words[out + ops[pc + 1]] = scratch[0];
            if ((spec & SPEC_WIDE) !== 0) words[out + ops[pc + 1] + 1] = scratch[1];
          }
          if ((spec & SPEC_TIME) !== 0) clock?.update(scratch[0], scratch[1], clockBits);
          const count = ops[pc + 3];
          for (let i = 0; i < count; i++) values.set(scratch, 2 * ops[pc + 4 + i]);
          pc += 4 + count;
          break;
        }
        case op.OP_LOOP: {
          const register = ops[pc + 1];
          const rounds = register < 0 ? ops[pc + 2] : values[2 * register];
          const high = register < 0 ? 0 : values[2 * register + 1];
          if (!roundsFit(rounds, high, ops[pc + 3], pos)) return fault(FAULT_ARRAY, pos, rounds >>> 0);
          if (rounds === 0) pc += ops[pc + 4];
          else {
            if (depth === LOOP_DEPTH) return fault(FAULT_UNSUPPORTED, pos, 0);
            loops[depth++] = rounds;
            pc += 5;
          }
          break;
        }
        case op.OP_NEXT:
          if (--loops[depth - 1] > 0) pc += ops[pc + 1];
          else {
            depth--;
            pc += 2;
          }
          break;
        case op.OP_SWITCH: {
          const jump = chooseBranch(pc);
          if (jump === 0) return fault(FAULT_OPTION, pos, ops[pc + 1]);
          pc += jump;
          break;
        }
        case op.OP_JUMP:
          pc += ops[pc + 1];
          break;
        case op.OP_RESERVE:
          machine.out = out;
          if (!reserve(ops[pc + 1])) return fault(FAULT_LIMIT, pos, LARGEST_OUTPUT);
          words = machine.words;
          pc += 2;
          break;
        case op.OP_ADVANCE:
          out += ops[pc + 1];
          machine.out = out;
          pc += 2;
          break;
        case op.OP_PUSH:
        case op.OP_PUSH_REGISTER:
          machine.out = out;
          if (!reserve(1)) return fault(FAULT_LIMIT, pos, LARGEST_OUTPUT);
          words = machine.words;
          words[out++] = ops[pc] === op.OP_PUSH ? ops[pc + 1] : values[2 * ops[pc + 1]];
          machine.out = out;
          pc += 2;
          break;
        case op.OP_ORDER:
          if ((pos & 7) !== 0) return fault(FAULT_ORDER, pos, 0);
          pc += 1;
          break;
        case op.OP_PLACE:
          values[2 * ops[pc + 1]] = origin + (pos >>> 3);
          pc += 2;
          break;
        case op.OP_SEEN:
          values[2 * op.REGISTER_SEEN] |= ops[pc + 1];
          pc += 2;
          break;
        default:
          return fault(FAULT_UNSUPPORTED, pos, 0);
      }
    }
  };

  const machine: Machine = {
    registers: values,
    words: new Int32Array(0),
    out: 0,
    wanted: 0,
    faultAt: 0,
    begin,
    moveTo,
    reserve,
    run,
  };
  return machine;
}
