/**
 * Layout of the memory that generated code and `wasm-decoder.ts` share:
 *
 *     state (below) · registers, 8 bytes each · ids · classes · packets · rows · room for their readers
 *
 * An id's entry says how large its plain events are and where its class is; a class's entry counts its events.
 */
import { alignUp } from '../program/field-classes.ts';
import type { StreamPrograms } from '../program/stream-programs.ts';

/** Byte addresses of the state: what a call begins with and leaves behind. */
export const STATE = {
  /** i64: cycles since the clock's base; f64: HostNs of the base. */
  ticks: 0,
  baseNs: 8,
  /** i64: cycles of the base; i64: remainder of its division, in 1 / divisor ns (`tick-clock.ts`). */
  baseCycles: 16,
  remainder: 24,
  /** i32: low word of the clock's value. */
  low: 32,
  /** i32: STOP_*. */
  stop: 36,
  /** f64: HostNs, half-open: events outside are not counted. */
  from: 40,
  to: 48,
  /** f64: HostNs of the packet's first and last counted event; i32: their number. */
  firstEvent: 56,
  lastEvent: 64,
  events: 72,
  /** i32: rounds of loops that the packet may still begin. */
  fuel: 76,
  /** i32: bits from `Layout.window` to the window's end; bytes from the begin of the chunk to the window. */
  limit: 80,
  origin: 84,
  /** i32: rows so far, and rows that fit. */
  row: 88,
  rows: 92,
  /** i32: address of the next row's words, and of their end. */
  out: 96,
  outEnd: 100,
  /** i32: addresses of the columns. */
  time: 104,
  kind: 108,
  eventClass: 112,
  place: 116,
  words: 120,
  /** i64: the value of a variable-length integer; the clock's value that is too far from its base. */
  value: 128,
  cycles: 136,
  /** f64: HostNs of the last event, counted or not; at first the least that an event may have. */
  latest: 144,
} as const;

export const REGISTERS = 152;

/** Why a call returned. 0: it reached the end of the window. */
export const STOP_END = 0;
/** The event at hand cannot be decoded here. */
export const STOP_FAULT = -1;
/** There is no room for the event at hand. */
export const STOP_FULL = -2;
/** The clock's base must move to `STATE.cycles` before the event at hand. */
export const STOP_CLOCK = -3;

/**
 * i32: bits of header and body of a steady event, else the number of the plan that decodes the body; i32: address of
 * the class. Ids without class share one more entry whose program is NO_PROGRAM.
 */
export const ID = { bits: 0, eventClass: 4, size: 8 } as const;
/** First number that stands for an index of `LoopPlan.bodies` in place of bits; more than a window holds. */
export const FIRST_PROGRAM = 2 ** 30;
export const NO_PROGRAM = 2 ** 20;

export const CLASS = {
  /** i32: events counted. */
  events: 0,
  /** i32: bits that every event counts for. */
  plainBits: 4,
  /** f64: HostNs of the first and last event. */
  first: 8,
  last: 16,
  /** i64: bits of the events beyond that. */
  bits: 24,
  /** i32: plan that decodes the body, see `loop-codegen.ts`. */
  program: 32,
  /** i32: bits of the body if it is not read. */
  bodyBits: 36,
  /** i32: kind of its rows, -1: none; bytes of a row, 0: none; index of the class. */
  kind: 40,
  rowBytes: 44,
  index: 48,
  /**
   * i32: for steady events (`stream-module.ts`) word 0 of the row, bytes from the event's begin to what is copied,
   * and rows, 0 or 1.
   */
  presence: 52,
  copied: 56,
  rows: 60,
  size: 64,
} as const;

/**
 * Bytes of a packet that are copied at once. Windows of a packet begin at multiples of WINDOW_STEP, so that every
 * alignment up to it holds within.
 */
export const WINDOW_BYTES = 2 ** 19;
export const WINDOW_STEP = 2 ** 12;
/** Bytes of a chunk whose packets are kept side by side; in a larger chunk each window replaces the one before. */
export const MOST_BYTES_SIDE_BY_SIDE = 2 ** 24;
/** Readable bytes behind a window: integers are read 8 bytes at a time, and a bit offset makes it 9. */
export const WINDOW_SLACK = 64;

export interface Layout {
  readonly ids: number;
  readonly classes: number;
  /** Address to which packets are copied, and from which positions count. */
  readonly window: number;
}

/** @param ids number of ids that are looked up in the table */
export function layoutOf({ registers, body }: StreamPrograms, ids: number): Layout {
  const idsAt = REGISTERS + 8 * registers;
  // Each on a cache line of its own.
  const classes = alignUp(idsAt + ID.size * ids, CLASS.size);
  const window = alignUp(classes + CLASS.size * (body.length + 1), WINDOW_STEP);
  return { ids: idsAt, classes, window };
}
