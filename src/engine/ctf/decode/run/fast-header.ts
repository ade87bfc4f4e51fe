/**
 * Recognises, in the program of an event header, the shape that LTTng's compact and large headers (and most plain
 * ones) have: a little-endian id of at most 16 bits, whose small values choose a layout with a little-endian time of
 * at most 32 bits at a constant place. The packet loop then reads both without running the program; other ids run it.
 * LTTng's extended form, for ids and times that are too large, is recognised too: most events of a trace with compact
 * headers may have it.
 */
import * as op from '../program/program.ts';

export interface FastHeader {
  /** The id is in the 16 bits at this byte: (bits >>> idShift) & idMask; the shape holds for ids up to `lastId`. */
  readonly idByte: number;
  readonly idShift: number;
  readonly idMask: number;
  readonly lastId: number;
  /** The time is in the 32 bits at this byte: (bits >>> timeShift) & timeMask. */
  readonly timeByte: number;
  readonly timeShift: number;
  readonly timeMask: number;
  /** Size of the header, bits. */
  readonly bits: number;
  /** Header after an id above `lastId`. */
  readonly extended?: ExtendedHeader;
}

/** An id of 32 bits and a time of 64 at these bytes of the header, both little-endian. */
export interface ExtendedHeader {
  readonly idByte: number;
  readonly timeByte: number;
  /** Size of the header, bits. */
  readonly bits: number;
}

interface Field {
  readonly bit: number;
  readonly size: number;
}

interface Run {
  readonly bits: number;
  readonly id?: Field;
  readonly time?: Field;
  /** Registers filled with the same bits as the id. */
  readonly tags: readonly number[];
  readonly next: number;
}

const ID = op.registerOfRole('event-class-id');

/** Undefined: the program has another shape and must be run. */
export function recogniseHeader(code: readonly number[], alignment: number): FastHeader | undefined {
  if (alignment < 8) return undefined;
  const run = readRun(code, 0);
  if (run?.id === undefined) return undefined;
  if (code[run.next] === op.OP_END && run.time !== undefined) {
    return fastHeader(run.id, 2 ** run.id.size - 1, run.time, run.bits);
  }
  if (code[run.next] !== op.OP_SWITCH || !run.tags.includes(code[run.next + 1]) || run.time !== undefined)
    return undefined;
  const small = readBranch(code, run, 0);
  if (small?.from !== 0 || small.time === undefined || small.id !== undefined) return undefined;
  const header = fastHeader(run.id, small.to, small.time, small.bits);
  if (header === undefined || code[run.next + 4] < 2) return header;
  return { ...header, extended: extendedHeader(readBranch(code, run, 1), header) };
}

/** A case of the switch after a run: values of the tag, and the run that they lead to, relative to the header's begin. */
interface Branch {
  readonly from: number;
  readonly to: number;
  readonly id?: Field;
  readonly time?: Field;
  readonly bits: number;
}

/** Undefined: the header does not end with it. */
function readBranch(code: readonly number[], run: Run, index: number): Branch | undefined {
  const [fromHigh, fromLow, toHigh, toLow, jump] = code.slice(run.next + 5 + 5 * index);
  const zero = -0x80000000;
  if (fromHigh !== zero || toHigh !== zero) return undefined;
  const branch = readRun(code, run.next + jump);
  if (branch === undefined) return undefined;
  const after = code[branch.next] === op.OP_JUMP ? branch.next + code[branch.next + 1] : branch.next;
  if (code[after] !== op.OP_END) return undefined;
  const moved = (field: Field | undefined): Field | undefined =>
    field && { bit: run.bits + field.bit, size: field.size };
  return {
    from: (fromLow ^ zero) >>> 0,
    to: (toLow ^ zero) >>> 0,
    id: moved(branch.id),
    time: moved(branch.time),
    bits: run.bits + branch.bits,
  };
}

function extendedHeader(
  branch: Branch | undefined,
  { lastId, idMask }: FastHeader,
): ExtendedHeader | undefined {
  if (branch?.id?.size !== 32 || branch.time?.size !== 64) return undefined;
  if (branch.from !== lastId + 1 || branch.to !== idMask) return undefined;
  if (branch.id.bit % 8 !== 0 || branch.time.bit % 8 !== 0) return undefined;
  return { idByte: branch.id.bit / 8, timeByte: branch.time.bit / 8, bits: branch.bits };
}

/** A run that only reads a little-endian id, time and tags. */
function readRun(code: readonly number[], start: number): Run | undefined {
  if (code[start] !== op.OP_NEED) return undefined;
  let id: Field | undefined;
  let time: Field | undefined;
  const reads: { readonly register: number; readonly field: Field }[] = [];
  let pc = start + 2;
  for (;;) {
    const isTime = code[pc] === op.OP_TIME;
    if (!isTime && code[pc] !== op.OP_REGISTER) break;
    const spec = code[isTime ? pc + 2 : pc + 3];
    if ((spec & (op.SPEC_BIG_ENDIAN | op.SPEC_SIGNED | op.SPEC_REVERSED)) !== 0) return undefined;
    const field = { bit: code[pc + 1], size: spec & op.SPEC_SIZE };
    if (isTime) time = field;
    else if (code[pc + 2] === ID) id = field;
    else reads.push({ register: code[pc + 2], field });
    pc += isTime ? 3 : 4;
  }
  if (reads.some(({ field }) => field.bit !== id?.bit || field.size !== id.size)) return undefined;
  return { bits: code[start + 1], id, time, tags: reads.map(({ register }) => register), next: pc };
}

function fastHeader(id: Field, lastId: number, time: Field, bits: number): FastHeader | undefined {
  const idByte = id.bit >>> 3;
  const timeByte = time.bit >>> 3;
  const header = {
    idByte,
    idShift: id.bit & 7,
    idMask: 2 ** id.size - 1,
    lastId: Math.min(lastId, 2 ** id.size - 1),
    timeByte,
    timeShift: time.bit & 7,
    timeMask: time.size === 32 ? -1 : 2 ** time.size - 1,
    bits,
  };
  const idFits = header.idShift + id.size <= 16 && idByte * 8 + 16 <= bits;
  const timeFits = header.timeShift + time.size <= 32 && timeByte * 8 + 32 <= bits;
  return idFits && timeFits ? header : undefined;
}
