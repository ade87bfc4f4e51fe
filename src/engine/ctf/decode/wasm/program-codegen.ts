/** Programs as trees (`program-tree.ts`) → WebAssembly that does what the interpreter does, operation by operation. */
import { MAX_DEPTH } from '../../metadata/limits.ts';
import * as op from '../program/program.ts';
import { NAME_BYTES, type Helpers } from './helpers-codegen.ts';
import { REGISTERS, STATE, STOP_CLOCK, WINDOW_STEP } from './memory-layout.ts';
import { I32, i32, I64, i64, load, store, type Code, type Label } from './module-writer.ts';
import { NotCompilable, type Node, type Plain } from './program-tree.ts';

/** Frame of a program's code: locals of the function that holds it, and labels that it leaves to. */
export interface Frame {
  readonly code: Code;
  readonly helpers: Helpers;
  /** Address of the packet's window. */
  readonly window: number;
  /** Bit position in the window, moved by the program; the run's begin; the window's end. */
  readonly pos: number;
  readonly base: number;
  readonly limit: number;
  /** Address of the row's words; moved by tapes. */
  readonly out: number;
  /** Scratch i32 and i64. */
  readonly number: number;
  readonly bytes: number;
  readonly wide: number;
  /** The counters of loops, outermost first. */
  readonly rounds: number[];
  /** STOP_FAULT, STOP_FULL and STOP_CLOCK. */
  readonly fault: Label;
  readonly full: Label;
  readonly clock: Label;
}

/** Declares local variables for a frame; the limit is set. */
export function frameLocals(
  code: Code,
): Pick<Frame, 'base' | 'limit' | 'number' | 'bytes' | 'wide' | 'rounds'> {
  const limit = code.local(I32);
  code.i32(0).at(load.i32, STATE.limit).set(limit);
  const int = (): number => code.local(I32);
  return { limit, base: int(), number: int(), bytes: int(), wide: code.local(I64), rounds: [] };
}

export function writeProgram(frame: Frame, nodes: readonly Node[]): void {
  writeNodes(frame, nodes, 0);
}

function writeNodes(frame: Frame, nodes: readonly Node[], depth: number): void {
  for (const node of nodes) {
    switch (node.kind) {
      case 'plain':
        writePlain(frame, node.words);
        break;
      case 'run':
        writeRun(frame, node.bits, node.reads);
        break;
      case 'loop':
        writeLoop(frame, node, depth);
        break;
      case 'switch':
        writeSwitch(frame, node, depth);
    }
  }
}

function writeRun(frame: Frame, bits: number, reads: readonly Plain[]): void {
  const { code, pos, base } = frame;
  code.get(pos).tee(base).i32(bits).op(i32.add).tee(pos);
  faultBeyond(frame);
  for (const words of reads) writeRead(frame, words);
}

/** Takes a position from the stack. */
function faultBeyond({ code, limit, fault }: Frame): void {
  code.get(limit).op(i32.gtU).brIf(fault);
}

function writeRead(frame: Frame, [operation, bit, to, spec, unit]: Plain): void {
  const { code, out } = frame;
  switch (operation) {
    case op.OP_I8:
      return writeByteRead(frame, load.i8, bit, to);
    case op.OP_U8:
      return writeByteRead(frame, load.u8, bit, to);
    case op.OP_I16:
      return writeByteRead(frame, load.i16, bit, to);
    case op.OP_U16:
      return writeByteRead(frame, load.u16, bit, to);
    case op.OP_I32:
      return writeByteRead(frame, load.i32, bit, to);
    case op.OP_I64:
      code.get(out);
      code.at(load.i64, pushByte(frame, bit)).at(store.i64, wordAt(to));
      return;
    case op.OP_BITS:
      code.get(out);
      pushInteger(frame, bit, spec);
      if ((spec & op.SPEC_WIDE) !== 0) code.at(store.i64, wordAt(to));
      else code.op(i32.wrap).at(store.i32, wordAt(to));
      return;
    case op.OP_REGISTER:
      code.i32(0);
      pushInteger(frame, bit, spec);
      code.at(store.i64, registerAt(to));
      return;
    case op.OP_TIME:
      pushInteger(frame, bit, to);
      return writeTime(frame, to & op.SPEC_SIZE);
    case op.OP_TEXT_AT:
      pushBitPosition(frame, bit);
      code.i32(3).op(i32.shrU).set(frame.number);
      return writeText(frame, spec, unit, to);
    case op.OP_CONSTANT:
      code.get(out).i32(to).at(store.i32, wordAt(bit));
  }
}

/** Byte offset of a word of the row. */
function wordAt(to: number): number {
  return 4 * to;
}

type IntegerLoad = typeof load.i8 | typeof load.u8 | typeof load.i16 | typeof load.u16 | typeof load.i32;

function writeByteRead(frame: Frame, operation: IntegerLoad, bit: number, to: number): void {
  frame.code.get(frame.out);
  frame.code.at(operation, pushByte(frame, bit)).at(store.i32, wordAt(to));
}

/** Pushes the address of a bit of the run that is at a byte, without the constant offset, which it returns. */
function pushByte(frame: Frame, bit: number): number {
  const { code, base, window } = frame;
  if (bit % 8 === 0) {
    code.get(base).i32(3).op(i32.shrU);
    return window + bit / 8;
  }
  pushBitPosition(frame, bit);
  code.i32(3).op(i32.shrU);
  return window;
}

function pushBitPosition({ code, base }: Frame, bit: number): void {
  code.get(base);
  if (bit !== 0) code.i32(bit).op(i32.add);
}

/** Pushes the integer of a spec, extended to 64 bits: the 8 bytes where it begins, and a ninth if it may reach into it. */
function pushInteger(frame: Frame, bit: number, spec: number): void {
  const { code, helpers, window, number } = frame;
  const size = spec & op.SPEC_SIZE;
  const bigEndian = (spec & op.SPEC_BIG_ENDIAN) !== 0;
  if (bigEndian && size <= 32 && (spec & op.SPEC_REVERSED) === 0) return pushShortBigEndian(frame, bit, spec);
  const unused = BigInt(64 - size);
  const pushUsed = (): void => void code.get(number).i32(7).op(i32.and, i64.extendU);
  pushBitPosition(frame, bit);
  code.tee(number).i32(3).op(i32.shrU).at(load.i64, window);
  if (bigEndian) code.call(helpers.swap);
  pushUsed();
  code.op(bigEndian ? i64.shl : i64.shrU);
  if (size > 57) {
    const next = window + 8;
    code.get(number).i32(3).op(i32.shrU).at(load.u8to64, next);
    if (bigEndian) {
      code.i64(8n);
      pushUsed();
      code.op(i64.sub, i64.shrU);
    } else {
      // In two steps: a shift by 64 would be one by 0.
      code.i64(1n).op(i64.shl).i64(63n);
      pushUsed();
      code.op(i64.sub, i64.shl);
    }
    code.op(i64.or);
  }
  const reversed = (spec & op.SPEC_REVERSED) !== 0;
  if (reversed) code.call(helpers.reverse);
  if (size === 64) return;
  // The value begins at the top bit of a big-endian word, and at the lowest of a little-endian one.
  const isAtTop = bigEndian !== reversed;
  if (!isAtTop) code.i64(unused).op(i64.shl);
  code.i64(unused).op((spec & op.SPEC_SIGNED) !== 0 ? i64.shrS : i64.shrU);
}

/** Pushes at most 32 bits in network order: 4 bytes swapped, and a fifth if they may reach into it. */
function pushShortBigEndian({ code, window, base, number, bytes }: Frame, bit: number, spec: number): void {
  const size = spec & op.SPEC_SIZE;
  const signed = (spec & op.SPEC_SIGNED) !== 0;
  code.get(base).i32(bit).op(i32.add).tee(number).i32(3).op(i32.shrU).at(load.i32, window).tee(bytes);
  code.i32(8).op(i32.rotl).i32(0x00ff00ff).op(i32.and);
  code.get(bytes).i32(24).op(i32.rotl).i32(0xff00ff00).op(i32.and, i32.or);
  code.get(number).i32(7).op(i32.and, i32.shl);
  if (size > 25) {
    const next = window + 4;
    code.get(number).i32(3).op(i32.shrU).at(load.u8, next);
    code.i32(8).get(number).i32(7).op(i32.and, i32.sub, i32.shrU, i32.or);
  }
  if (size < 32) code.i32(32 - size).op(signed ? i32.shrS : i32.shrU);
  code.op(signed ? i64.extendS : i64.extendU);
}

/** Takes a value of so many bits from the stack into the clock. */
function writeTime(frame: Frame, size: number): void {
  const { code, helpers, fault } = frame;
  if (size <= 32) {
    const mask = size === 32 ? -1 : 2 ** size - 1;
    code.op(i32.wrap).i32(mask).call(helpers.tickNarrow).brIf(fault);
    return;
  }
  code.i64((1n << BigInt(size)) - 1n);
  writeWideTick(frame);
}

/** Takes a value and the mask of its bits from the stack into the clock. */
function writeWideTick({ code, helpers, number, fault, clock }: Frame): void {
  code.call(helpers.tickWide).tee(number).i32(STOP_CLOCK).op(i32.eq).brIf(clock);
  code.get(number).brIf(fault);
}

/** Writes offset and length of the text at byte `number` of the window: `bytes` of them, or as many as `wide` says. */
function writeText(frame: Frame, to: number, unit: number, bytes?: number): void {
  const { code, helpers, out, number, wide } = frame;
  const pushLength = (): void => {
    if (bytes === undefined) code.get(wide).op(i32.wrap);
    else code.i32(bytes);
  };
  code.get(out).get(number).i32(0).at(load.i32, STATE.origin);
  code.op(i32.add).at(store.i32, wordAt(to));
  code.get(out);
  if (unit === 0) pushLength();
  else if (unit === 1 && bytes === NAME_BYTES) code.get(number).call(helpers.nameLength);
  else {
    code.get(number).get(number);
    pushLength();
    // The shorter one: -1 (no null) is the largest unsigned number.
    code.op(i32.add).call(helpers.textLength[unit]).tee(number);
    pushLength();
    code.get(number);
    pushLength();
    code.op(i32.ltU, i32.select);
  }
  code.at(store.i32, wordAt(to + 1));
}

function writePlain(frame: Frame, words: Plain): void {
  const { code, pos, out, number, wide } = frame;
  const [operation, first, second, third] = words;
  switch (operation) {
    case op.OP_ALIGN:
      if (first > 8 * WINDOW_STEP) throw new NotCompilable('windows begin at no such alignment');
      pushAligned(code, pos, first);
      code.tee(pos);
      return faultBeyond(frame);
    case op.OP_STRING:
      return writeString(frame, first, second);
    case op.OP_TEXT:
      code.get(pos).i32(3).op(i32.shrU).set(number);
      pushRegister(frame, first);
      code.tee(wide);
      pushBitsLeft(frame);
      code.i64(3n).op(i64.shrU, i64.gtU).brIf(frame.fault);
      if (second >= 0) writeText(frame, second, third);
      code.get(pos).get(wide).op(i32.wrap).i32(3).op(i32.shl, i32.add).set(pos);
      return;
    case op.OP_SKIP:
      pushCount(frame, first);
      code.get(wide).i64(BigInt(second)).op(i64.mul).tee(wide);
      pushBitsLeft(frame);
      code.op(i64.gtU).brIf(frame.fault);
      code.get(pos).get(wide).op(i32.wrap, i32.add).set(pos);
      return;
    case op.OP_SPAN:
      code.get(pos).i32(3).op(i32.shrU).set(number);
      pushRegister(frame, first);
      code.i64(BigInt(second)).op(i64.mul).set(wide);
      return writeText(frame, third, 0);
    case op.OP_COPY:
      code.get(out).get(out).at(load.i32, wordAt(first)).at(store.i32, wordAt(second));
      return;
    case op.OP_LEB:
      return writeVariable(frame, words);
    case op.OP_RESERVE:
      return writeReserve(frame, first);
    case op.OP_ADVANCE:
      code.get(out).i32(wordAt(first)).op(i32.add).set(out);
      return;
    case op.OP_PUSH:
    case op.OP_PUSH_REGISTER:
      writeReserve(frame, 1);
      code.get(out);
      if (operation === op.OP_PUSH) code.i32(first);
      else code.i32(0).at(load.i32, registerAt(first));
      code.at(store.i32, 0);
      code.get(out).i32(4).op(i32.add).set(out);
      return;
    case op.OP_ORDER:
      code.get(pos).i32(7).op(i32.and).brIf(frame.fault);
      return;
    case op.OP_PLACE:
    case op.OP_SEEN:
      // Used for packet heads only; nothing here reads it.
      return;
    default:
      code.br(frame.fault);
  }
}

/** Pushes the next multiple of a power of two. */
export function pushAligned(code: Code, pos: number, step: number): void {
  const most = step - 1;
  code.get(pos).i32(most).op(i32.add).i32(-step).op(i32.and);
}

/** Faults unless the register holds a number of 32 bits; leaves it in `wide`. */
function pushCount(frame: Frame, register: number): void {
  const { code, wide, fault } = frame;
  pushRegister(frame, register);
  code.tee(wide).i64(32n).op(i64.shrU, i64.eqz, i32.eqz).brIf(fault);
}

function pushRegister({ code }: Frame, register: number): void {
  code.i32(0).at(load.i64, registerAt(register));
}

function registerAt(register: number): number {
  return REGISTERS + 8 * register;
}

/** Pushes the number of bits left in the window, as 64 bits. */
function pushBitsLeft({ code, pos, limit }: Frame): void {
  code.get(limit).get(pos).op(i32.sub, i64.extendU);
}

function writeString(frame: Frame, to: number, unit: number): void {
  const { code, pos, out, number, helpers } = frame;
  const pushPlace = (): void => void code.get(pos).i32(3).op(i32.shrU);
  pushPlace();
  code.get(frame.limit).i32(3).op(i32.shrU).call(helpers.textLength[unit]);
  code.tee(number).i32(0).op(i32.ltS).brIf(frame.fault);
  if (to >= 0) {
    code.get(out);
    pushPlace();
    code.i32(0).at(load.i32, STATE.origin).op(i32.add).at(store.i32, wordAt(to));
    code.get(out).get(number);
    code.at(store.i32, wordAt(to + 1));
  }
  code.get(pos).get(number).i32(unit).op(i32.add).i32(3).op(i32.shl, i32.add).set(pos);
}

function writeVariable(frame: Frame, words: Plain): void {
  const { code, pos, base, out, helpers } = frame;
  const [, to, spec] = words;
  const pushValue = (): void => void code.i32(0).at(load.i64, STATE.value);
  const signed = (spec & op.SPEC_SIGNED) === 0 ? 0 : 1;
  code.get(pos).tee(base).i32(signed).call(helpers.variable);
  code.tee(pos).i32(0).op(i32.ltS).brIf(frame.fault);
  if (to >= 0) {
    code.get(out);
    pushValue();
    if ((spec & op.SPEC_WIDE) !== 0) code.at(store.i64, wordAt(to));
    else code.op(i32.wrap).at(store.i32, wordAt(to));
  }
  if ((spec & op.SPEC_TIME) !== 0) {
    pushValue();
    pushVariableMask(frame);
    writeWideTick(frame);
  }
  for (const register of words.slice(4)) {
    code.i32(0);
    pushValue();
    code.at(store.i64, registerAt(register));
  }
}

/**
 * Pushes the mask of the clock's bits that an integer from `base` to `pos` replaces: seven for each byte, all from
 * ten bytes on.
 */
function pushVariableMask({ code, pos, base, number }: Frame): void {
  code.i64(-1n).i64(64n);
  code.get(pos).get(base).op(i32.sub).i32(3).op(i32.shrU).i32(7).op(i32.mul).tee(number);
  code.op(i64.extendU, i64.sub, i64.shrU);
  code.i64(-1n).get(number).i32(64).op(i32.ltU, i32.select);
}

function writeReserve({ code, out, full }: Frame, words: number): void {
  code.get(out).i32(wordAt(words)).op(i32.add);
  code.i32(0).at(load.i32, STATE.outEnd).op(i32.gtU).brIf(full);
}

function writeLoop(frame: Frame, node: Extract<Node, { kind: 'loop' }>, depth: number): void {
  const { code, wide, fault, rounds } = frame;
  if (depth === MAX_DEPTH) throw new NotCompilable('loops are nested too deeply');
  if (rounds.length === depth) rounds.push(code.local(I32));
  const left = rounds[depth];
  if (node.register < 0) code.i64(BigInt(node.count)).set(wide);
  else pushCount(frame, node.register);
  code.get(wide).i64(BigInt(node.least)).op(i64.mul);
  pushBitsLeft(frame);
  code.op(i64.gtU).brIf(fault);
  code.get(wide).op(i32.wrap).set(left);
  if (node.least === 0) {
    code.get(wide).i32(0).at(load.i32, STATE.fuel).op(i64.extendU, i64.gtU).brIf(fault);
    code.i32(0).i32(0).at(load.i32, STATE.fuel).get(left).op(i32.sub).at(store.i32, STATE.fuel);
  }
  code.get(left);
  code.if(() =>
    code.loop((again) => {
      writeNodes(frame, node.body, depth + 1);
      code.get(left).i32(1).op(i32.sub).tee(left).brIf(again);
    }),
  );
}

function writeSwitch(frame: Frame, node: Extract<Node, { kind: 'switch' }>, depth: number): void {
  const { code, wide, fault } = frame;
  const { cases, branches, otherwise } = node;
  const choose = (labels: readonly Label[]): void => {
    pushRegister(frame, node.register);
    code.set(wide);
    for (const { from, to, branch } of cases) {
      const length = to - from;
      code.get(wide).i64(from).op(i64.sub).i64(length).op(i64.leU).brIf(labels[branch]);
    }
    code.br(otherwise < 0 ? fault : labels[otherwise]);
  };
  code.block((end) =>
    code.choice(branches.length, choose, (index) => {
      writeNodes(frame, branches[index], depth);
      code.br(end);
    }),
  );
}
