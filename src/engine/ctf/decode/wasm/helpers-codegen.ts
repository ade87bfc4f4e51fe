/** Functions that generated programs call, as they would be long inline. Addresses count from the window's begin. */
import type { ClockScale } from '../run/tick-clock.ts';
import {
  Code,
  f64,
  F64,
  I32,
  i32,
  I64,
  i64,
  load,
  ModuleWriter,
  store,
  type Label,
} from './module-writer.ts';
import { STATE, STOP_CLOCK, STOP_FAULT } from './memory-layout.ts';

/** Function indices. */
export interface Helpers {
  /** (from, to) → bytes before the first null code unit, -1: there is none. By bytes per code unit. */
  readonly textLength: Readonly<Record<number, number>>;
  /** (from) → bytes before the first null of 16 bytes, which is what names in the kernel have. */
  readonly nameLength: number;
  /** (value) → its bytes in the other order. */
  readonly swap: number;
  /** (value) → its bits in the other order. */
  readonly reverse: number;
  /** (bit position, signed) → position after a variable-length integer, or -1; the value is in STATE.value. */
  readonly variable: number;
  /** (value, mask of its bits) → 0, or STOP_*. Takes an integer of at most 32 bits into the clock. */
  readonly tickNarrow: number;
  /** (value, mask of its bits) → 0, or STOP_*. */
  readonly tickWide: number;
  /** (ticks) → HostNs. */
  readonly timeAt: number;
  /** True when a tick is a ns: HostNs is the sum of ticks and base. */
  readonly nanoseconds: boolean;
}

/** @param window address of the packet's window */
export function writeHelpers(module: ModuleWriter, window: number, scale: ClockScale): Helpers {
  const text = { params: [I32, I32], results: [I32] } as const;
  const helpers = {
    textLength: { 1: module.declare(text), 2: module.declare(text), 4: module.declare(text) },
    nameLength: module.declare({ params: [I32], results: [I32] }),
    swap: module.declare({ params: [I64], results: [I64] }),
    reverse: module.declare({ params: [I64], results: [I64] }),
    variable: module.declare(text),
    tickNarrow: module.declare(text),
    tickWide: module.declare({ params: [I64, I64], results: [I32] }),
    timeAt: module.declare({ params: [I64], results: [F64] }),
    nanoseconds: scale.multiplier === 1n && scale.divisor === 1n,
  };
  module.define(helpers.textLength[1], byteTextLength(window));
  module.define(helpers.textLength[2], wideTextLength(window, 2));
  module.define(helpers.textLength[4], wideTextLength(window, 4));
  module.define(helpers.nameLength, nameLength(window));
  module.define(helpers.swap, swapBytes());
  module.define(helpers.reverse, reverseBits());
  module.define(helpers.variable, readVariable(window));
  module.define(helpers.tickNarrow, tickNarrow(scale));
  module.define(helpers.tickWide, tickWide(scale));
  module.define(helpers.timeAt, timeAt(scale, helpers.nanoseconds));
  return helpers;
}

export const NAME_BYTES = 16;

const LOW_BITS = 0x0101_0101_0101_0101n;
const HIGH_BITS = 0x8080_8080_8080_8080n;

/** Marks the null bytes among 8: the lowest set bit is the top bit of the first one, as a borrow reaches it. */
function pushNulls(code: Code, bytes: number): void {
  code.get(bytes).i64(LOW_BITS).op(i64.sub);
  code.get(bytes).i64(-1n).op(i64.xor, i64.and).i64(HIGH_BITS).op(i64.and);
}

/** Without branches, which would be mispredicted. No bit set counts as the 64th. */
function nameLength(window: number): Code {
  const code = new Code(1);
  const bytes = code.local(I64);
  const pushLength = (offset: number): void => {
    const at = window + offset;
    code.get(0).at(load.i64, at).set(bytes);
    pushNulls(code, bytes);
    code.op(i64.ctz).i64(3n).op(i64.shrU, i32.wrap);
  };
  const first = code.local(I32);
  pushLength(0);
  code.tee(first);
  pushLength(8);
  code.i32(8).op(i32.add);
  return code.get(first).i32(8).op(i32.ltU, i32.select);
}

/** Eight bytes at a time. */
function byteTextLength(window: number): Code {
  const code = new Code(2);
  const [from, to] = [0, 1];
  const at = code.local(I32);
  const bytes = code.local(I64);
  code.get(from).set(at);
  code.loop((again) => {
    code.get(at).get(to).op(i32.geU);
    code.if(() => code.i32(-1).return());
    code.get(at).at(load.i64, window).set(bytes);
    pushNulls(code, bytes);
    code.tee(bytes).op(i64.eqz);
    code.if(() => code.get(at).i32(8).op(i32.add).set(at).br(again));
  });
  code.get(at).get(bytes).op(i64.ctz, i32.wrap).i32(3).op(i32.shrU, i32.add).tee(at);
  code.get(to).op(i32.geU);
  code.if(() => code.i32(-1).return());
  return code.get(at).get(from).op(i32.sub);
}

function wideTextLength(window: number, unit: 2 | 4): Code {
  const code = new Code(2);
  const [from, to] = [0, 1];
  const at = code.local(I32);
  code.get(from).set(at);
  code.loop((again) => {
    code.get(at).i32(unit).op(i32.add).get(to).op(i32.gtU);
    code.if(() => code.i32(-1).return());
    code.get(at).at(unit === 2 ? load.u16 : load.i32, window);
    code.if(() => code.get(at).i32(unit).op(i32.add).set(at).br(again));
  });
  return code.get(at).get(from).op(i32.sub);
}

/** Swaps neighbouring bytes, then neighbouring pairs, then the halves. */
function swapBytes(): Code {
  return swapHalves(new Code(1));
}

function reverseBits(): Code {
  const code = new Code(1);
  swapNeighbours(code, 0x5555_5555_5555_5555n, 1n);
  swapNeighbours(code, 0x3333_3333_3333_3333n, 2n);
  swapNeighbours(code, 0x0f0f_0f0f_0f0f_0f0fn, 4n);
  return swapHalves(code);
}

function swapHalves(code: Code): Code {
  swapNeighbours(code, 0x00ff_00ff_00ff_00ffn, 8n);
  swapNeighbours(code, 0x0000_ffff_0000_ffffn, 16n);
  return code.get(0).i64(32n).op(i64.rotl);
}

function swapNeighbours(code: Code, mask: bigint, bits: bigint): void {
  code.get(0).i64(mask).op(i64.and).i64(bits).op(i64.shl);
  code.get(0).i64(bits).op(i64.shrU).i64(mask).op(i64.and, i64.or).set(0);
}

/** LEB128. The tenth byte must be 1, in signed integers 0 or 0x7f: it has the 64th bit and nothing else. */
function readVariable(window: number): Code {
  const code = new Code(2);
  const [pos, signed] = [0, 1];
  const byte = code.local(I32);
  const shift = code.local(I64);
  const value = code.local(I64);
  code.loop((again) => {
    code.get(pos).i32(8).op(i32.add).i32(0).at(load.i32, STATE.limit).op(i32.gtU);
    code.if(() => code.i32(-1).return());
    code.get(pos).i32(3).op(i32.shrU).at(load.u8, window).set(byte);
    code.get(pos).i32(8).op(i32.add).set(pos);
    code.get(shift).i64(63n).op(i64.eq);
    code.get(byte).i32(1).op(i32.ne);
    code.get(byte).i32(0).op(i32.ne).get(byte).i32(0x7f).op(i32.ne, i32.and);
    code.get(signed).op(i32.eqz, i32.select, i32.and);
    code.if(() => code.i32(-1).return());
    code.get(byte).i32(0x7f).op(i32.and, i64.extendU).get(shift).op(i64.shl);
    code.get(value).op(i64.or).set(value);
    code.get(shift).i64(7n).op(i64.add).set(shift);
    code.get(byte).i32(0x80).op(i32.and).brIf(again);
  });
  code.get(signed).get(byte).i32(0x40).op(i32.and).i32(0).op(i32.ne, i32.and);
  code.get(shift).i64(64n).op(i64.ltU, i32.and);
  code.if(() => code.get(value).i64(-1n).get(shift).op(i64.shl, i64.or).set(value));
  return code.i32(0).get(value).at(store.i64, STATE.value).get(pos);
}

/** Stops where the base must move, which the interpreter decides; real streams never get there. */
function tickNarrow({ far }: ClockScale): Code {
  const code = new Code(2);
  const [value, mask] = [0, 1];
  const step = code.local(I32);
  const ticks = code.local(I64);
  code.get(value).i32(0).at(load.i32, STATE.low).op(i32.sub).get(mask).op(i32.and).set(step);
  code.i32(0).at(load.i64, STATE.ticks).get(step).op(i64.extendU, i64.add).tee(ticks);
  code.i64(far).op(i64.geS);
  code.if(() => code.i32(STOP_FAULT).return());
  code.i32(0).get(ticks).at(store.i64, STATE.ticks);
  code.i32(0).i32(0).at(load.i32, STATE.low).get(step).op(i32.add).at(store.i32, STATE.low);
  return code.i32(0);
}

function tickWide({ far }: ClockScale): Code {
  const code = new Code(2);
  const [value, mask] = [0, 1];
  const base = code.local(I64);
  const ticks = code.local(I64);
  code.i32(0).at(load.i64, STATE.baseCycles).set(base);
  // A value of 64 bits replaces the clock; fewer replace its low bits.
  code.i32(0).at(load.i64, STATE.ticks).get(base).op(i64.add).set(ticks);
  code.get(value).get(ticks).op(i64.sub).get(mask).op(i64.and).get(ticks).op(i64.add).set(value);
  // The distance is that of two unsigned numbers.
  const isNear = (a: number, b: number, end: Label): void => {
    code.get(a).get(b).op(i64.geU);
    code.get(a).get(b).op(i64.sub).i64(far).op(i64.ltU, i32.and).brIf(end);
  };
  code.block((near) => {
    isNear(value, base, near);
    isNear(base, value, near);
    code.i32(0).get(value).at(store.i64, STATE.cycles);
    code.get(mask).i64(-1n).op(i64.eq);
    code.if(() => code.i32(STOP_CLOCK).return());
    code.i32(STOP_FAULT).return();
  });
  code.i32(0).get(value).get(base).op(i64.sub).at(store.i64, STATE.ticks);
  code.i32(0).get(value).op(i32.wrap).at(store.i32, STATE.low);
  return code.i32(0);
}

/** Computes in whole numbers: ticks are split into whole divisors and a rest, so that products stay below 2^63. */
function timeAt({ multiplier, divisor }: ClockScale, nanoseconds: boolean): Code {
  const code = new Code(1);
  if (nanoseconds) {
    return code.get(0).op(f64.convertI64S).i32(0).at(load.f64, STATE.baseNs).op(f64.add);
  }
  const rest = code.local(I64);
  const whole = code.local(I64);
  code.get(0).i64(divisor).op(i64.divS).set(whole);
  code.get(0).get(whole).i64(divisor).op(i64.mul, i64.sub).tee(rest).i64(0n).op(i64.ltS);
  code.if(() => {
    code.get(rest).i64(divisor).op(i64.add).set(rest);
    code.get(whole).i64(1n).op(i64.sub).set(whole);
  });
  code.get(rest).i64(multiplier).op(i64.mul).i32(0).at(load.i64, STATE.remainder).op(i64.add);
  code.i64(divisor).op(i64.divU).get(whole).i64(multiplier).op(i64.mul, i64.add, f64.convertI64S);
  return code.i32(0).at(load.f64, STATE.baseNs).op(f64.add);
}
