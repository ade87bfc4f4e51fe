/**
 * The loop over the events of a packet's window, like `packet-loop.ts`: header, class, body, row, counts. Nothing of
 * an event is stored before it is decoded completely, so that one without room is decoded again.
 */
import type { ExtendedHeader, FastHeader } from '../run/fast-header.ts';
import type { Helpers } from './helpers-codegen.ts';
import {
  CLASS,
  FIRST_PROGRAM,
  ID,
  REGISTERS,
  STATE,
  STOP_CLOCK,
  STOP_FAULT,
  STOP_FULL,
  WINDOW_SLACK,
  type Layout,
} from './memory-layout.ts';
import { Code, f64, F64, I32, i32, I64, i64, load, store, type Label } from './module-writer.ts';
import { frameLocals, pushAligned, writeProgram, type Frame } from './program-codegen.ts';
import type { Node } from './program-tree.ts';
import { registerOfRole } from '../program/program.ts';
import { TAPE_HEADER, type StreamPrograms } from '../program/stream-programs.ts';

/** Address of the register with the id that a header leaves. */
const ID_REGISTER = REGISTERS + 8 * registerOfRole('event-class-id');

/** Bytes of the head of a tape. */
const TAPE_HEAD = 4 * TAPE_HEADER;

/** A way to decode a body; equal ones are shared. */
export interface BodyPlan {
  readonly hasRow: boolean;
  /** Bytes from the row's begin to the words that some way through the program leaves unfilled: they are set to 0. */
  readonly blank: readonly number[];
  readonly work:
    | { readonly kind: 'constant' }
    | { readonly kind: 'inline'; readonly nodes: readonly Node[] }
    | { readonly kind: 'call'; readonly index: number };
}

export interface LoopPlan
  extends
    Pick<Layout, 'window' | 'ids'>,
    Pick<StreamPrograms, 'eventAlignment' | 'endsAligned' | 'fastHeader' | 'tape'> {
  /** Whether only events in the time from `STATE.from` to `STATE.to` are counted. */
  readonly ranged: boolean;
  readonly helpers: Helpers;
  /** Number of ids in the table. */
  readonly idCount: number;
  /** Whether a header has bits, so that no event has size 0. */
  readonly progresses: boolean;
  /** Number of ticks from which on the base is too far. */
  readonly far: bigint;
  /** The function that runs the header's program. */
  readonly runHeader: number;
  /** Bytes of the widest row. */
  readonly widest: number;
  /** Whether steady events may have rows; words of the longest copy. */
  readonly hasSteadyRows: boolean;
  readonly copied: number;
  /** `CLASS.program` is an index in it. */
  readonly bodies: readonly BodyPlan[];
}

/** Locals of the function; the first is its parameter. */
function declareLocals(code: Code) {
  const int = (): number => code.local(I32);
  const long = (): number => code.local(I64);
  const float = (): number => code.local(F64);
  return {
    /** Position of the event's header; its class and end. */
    at: int(),
    id: int(),
    eventClass: int(),
    step: int(),
    next: int(),
    ns: float(),
    /** Clock after the last event and after this one. */
    ticks: long(),
    low: int(),
    newTicks: long(),
    newLow: int(),
    baseNs: float(),
    from: float(),
    to: float(),
    lastEvent: float(),
    /** Time of the event before. */
    latest: float(),
    events: int(),
    /** Index of the plan in `LoopPlan.bodies` that decodes the body. */
    program: int(),
    /**
     * Output: rows up to `end` have room for certain; `row` counts up to 0 from there, as do addresses of columns.
     * `cursor` runs ahead of `out` in tapes.
     */
    end: int(),
    row: int(),
    out: int(),
    cursor: int(),
    time: int(),
    kind: int(),
    eventClassColumn: int(),
    place: int(),
    words: int(),
    stop: int(),
  };
}

type Locals = ReturnType<typeof declareLocals>;

interface Context {
  readonly plan: LoopPlan;
  readonly code: Code;
  readonly locals: Locals;
  readonly frame: Omit<Frame, 'fault' | 'full' | 'clock'>;
}

interface Exits {
  readonly fault: Label;
  readonly full: Label;
  readonly clock: Label;
  readonly end: Label;
}

/** The parameter: where the event begins. */
const POS = 0;

/** (position) → position: decodes events until the window ends or `STATE.stop` says why not. */
export function writeLoop(plan: LoopPlan): Code {
  const code = new Code(1);
  const locals = declareLocals(code);
  const { helpers, window, tape } = plan;
  const out = tape ? locals.cursor : locals.out;
  const frame = { ...frameLocals(code), code, helpers, window, pos: locals.next, out };
  const context: Context = { plan, code, locals, frame };
  loadState(context);
  const stopWith = (reason: number, end: Label): void => void code.i32(reason).set(locals.stop).br(end);
  code.block((end) => {
    code.block((clock) => {
      code.block((full) => {
        code.block((fault) => {
          // An event is missing if alignment leads beyond the end.
          if (plan.endsAligned) alignPosition(context);
          code.get(POS).get(frame.limit).op(i32.geU).brIf(fault);
          code.loop((again) => {
            writeEvent(context, { fault, full, clock, end });
            code.br(again);
          });
        });
        stopWith(STOP_FAULT, end);
      });
      stopWith(STOP_FULL, end);
    });
    stopWith(STOP_CLOCK, end);
  });
  saveState(context);
  return code.get(POS);
}

function alignPosition({ code, plan: { eventAlignment } }: Context): void {
  if (eventAlignment === 1) return;
  pushAligned(code, POS, eventAlignment);
  code.set(POS);
}

function writeEvent(context: Context, exits: Exits): void {
  const { code, plan, locals, frame } = context;
  if (!plan.endsAligned) {
    code.get(POS).get(frame.limit).op(i32.geU).brIf(exits.end);
    alignPosition(context);
  }
  code.block((counted) => {
    code.block((steady) => {
      code.block((body) => {
        const fast = plan.fastHeader;
        if (fast !== undefined) writeFastHeader(context, fast, steady, body);
        if (fast?.extended !== undefined) writeExtendedHeader(context, fast, fast.extended, steady, body);
        writeHeader(context, exits);
      });
      writeBody(context, exits);
      code.br(counted);
    });
    if (plan.hasSteadyRows) writeSteadyRow(context, exits);
  });
  code.get(locals.newTicks).set(locals.ticks);
  code.get(locals.newLow).set(locals.low);
  code.get(locals.next).set(POS);
  writeCount(context);
}

/** Branches to `steady` after a steady event, to `body` before another body; falls through if the header is not a fast one. */
function writeFastHeader(context: Context, fast: FastHeader, steady: Label, body: Label): void {
  const { code, plan, locals } = context;
  const { at, id, step } = locals;
  const known = Math.min(fast.lastId + 1, plan.idCount);
  code.block((other) => {
    writeHeaderCheck(context, fast.bits, other);
    code.get(POS).i32(3).op(i32.shrU).tee(at);
    pushSmallId(code, plan, fast);
    code.tee(id).i32(known).op(i32.geU).brIf(other);
    code.get(at).at(load.i32, plan.window + fast.timeByte);
    if (fast.timeMask === -1) code.tee(locals.newLow).get(locals.low).op(i32.sub).set(step);
    else {
      if (fast.timeShift !== 0) code.i32(fast.timeShift).op(i32.shrU);
      code.get(locals.low).op(i32.sub).i32(fast.timeMask).op(i32.and);
      code.tee(step).get(locals.low).op(i32.add).set(locals.newLow);
    }
    code.get(locals.ticks).get(step).op(i64.extendU, i64.add).set(locals.newTicks);
    // Far from the base times are no sums; the header's program stops there.
    if (!plan.helpers.nanoseconds) {
      code.get(locals.newTicks).i64(plan.far).op(i64.geS).brIf(other);
    }
    pushTime(context);
    code.set(locals.ns);
    writeChoice(context, fast.bits, steady, body, other);
  });
}

/** Reads a header that may end in the spare bytes after the window; `writeChoice` finds that it is cut. */
function writeHeaderCheck({ code, plan, frame }: Context, bits: number, other: Label): void {
  if (plan.endsAligned && bits <= 8 * WINDOW_SLACK) return;
  code.get(POS).i32(bits).op(i32.add).get(frame.limit).op(i32.gtU).brIf(other);
}

/** Branches by the id and the bits of its header; to `other` if those are cut. */
function writeChoice(
  { code, plan, locals, frame }: Context,
  bits: number,
  steady: Label,
  body: Label,
  other: Label,
): void {
  const { id, eventClass, next, program } = locals;
  const [classAt, bitsAt] = [plan.ids + ID.eventClass, plan.ids + ID.bits];
  code.get(id).i32(ID.size).op(i32.mul).tee(id).at(load.i32, classAt).set(eventClass);
  code.get(id).at(load.i32, bitsAt).tee(program);
  code.get(POS).op(i32.add).tee(next).get(frame.limit).op(i32.leU).brIf(steady);
  code.get(POS).i32(bits).op(i32.add).tee(next).get(frame.limit).op(i32.gtU).brIf(other);
  // A steady event that is cut decodes as another one, which faults.
  code.get(program).i32(FIRST_PROGRAM).op(i32.sub).set(program).br(body);
}

/**
 * The header of an id too large for the compact form. Goes on like that one; falls through if no class has the id,
 * the compact form would suffice, or its time is before the clock's base, far from it, or before the last event's.
 */
function writeExtendedHeader(
  context: Context,
  fast: FastHeader,
  { idByte, timeByte, bits }: ExtendedHeader,
  steady: Label,
  body: Label,
): void {
  const { code, plan, locals } = context;
  const { at, id } = locals;
  const [idAt, timeAt] = [plan.window + idByte, plan.window + timeByte];
  code.block((other) => {
    writeHeaderCheck(context, bits, other);
    code.get(POS).i32(3).op(i32.shrU).tee(at);
    pushSmallId(code, plan, fast);
    code.i32(fast.lastId).op(i32.leU).brIf(other);
    code.get(at).at(load.i32, idAt).tee(id).i32(plan.idCount).op(i32.geU).brIf(other);
    code.get(id).i32(fast.lastId).op(i32.leU).brIf(other);
    code.get(at).at(load.i64, timeAt).i32(0).at(load.i64, STATE.baseCycles);
    // As an unsigned number a time before the base is far from it.
    code.op(i64.sub).tee(locals.newTicks).i64(plan.far).op(i64.geU).brIf(other);
    code.get(at).at(load.i32, timeAt).set(locals.newLow);
    pushTime(context);
    code.tee(locals.ns).get(locals.latest).op(f64.lt).brIf(other);
    writeChoice(context, bits, steady, body, other);
  });
}

/** Takes the address of an event in the window's bytes from the stack, and pushes its small id. */
function pushSmallId(code: Code, plan: LoopPlan, { idByte, idShift, idMask }: FastHeader): void {
  code.at(load.u16, plan.window + idByte);
  if (idShift !== 0) code.i32(idShift).op(i32.shrU);
  if (idMask !== 0xffff) code.i32(idMask).op(i32.and);
}

/** Runs the header's program and looks the class up. */
function writeHeader(context: Context, { fault, clock, end }: Exits): void {
  const { code, plan, locals, frame } = context;
  const { next } = locals;
  const id = (): void => void code.i32(0).at(load.i64, ID_REGISTER);
  if (plan.endsAligned) code.get(POS).get(frame.limit).op(i32.geU).brIf(end);
  code.i32(0).get(locals.ticks).at(store.i64, STATE.ticks);
  code.i32(0).get(locals.low).at(store.i32, STATE.low);
  code.get(POS).i32(0).call(plan.runHeader).tee(next).i32(STOP_CLOCK).op(i32.eq).brIf(clock);
  code.get(next).i32(0).op(i32.ltS).brIf(fault);
  code.i32(0).at(load.i64, STATE.ticks).set(locals.newTicks);
  code.i32(0).at(load.i32, STATE.low).set(locals.newLow);
  // Only the interpreter handles times that go back.
  code.get(locals.newTicks).call(plan.helpers.timeAt).tee(locals.ns);
  code.get(locals.latest).op(f64.lt).brIf(fault);
  id();
  code.i64(BigInt(plan.idCount)).op(i64.geU).brIf(fault);
  id();
  code.op(i32.wrap).i32(ID.size).op(i32.mul);
  code.at(load.i32, plan.ids + ID.eventClass).tee(locals.eventClass);
  code.at(load.i32, CLASS.program).set(locals.program);
}

/** Pushes the HostNs of `newTicks`. */
function pushTime({ code, plan, locals }: Context): void {
  code.get(locals.newTicks);
  if (plan.helpers.nanoseconds) code.op(f64.convertI64S).get(locals.baseNs).op(f64.add);
  else code.call(plan.helpers.timeAt);
}

/** The body of an event that is not plain, and its row. */
function writeBody(context: Context, exits: Exits): void {
  const { code, plan, locals, frame } = context;
  const { eventClass, next, out, step } = locals;
  writeFitCheck(context, exits);
  if (plan.tape) {
    code.get(out).i32(TAPE_HEAD).op(i32.add).set(locals.cursor);
    writeTapeHead(context);
  }
  code.block((decoded) => {
    code.block((row) => {
      const choose = (labels: readonly Label[]): void =>
        void code.get(locals.program).brTable(labels, exits.fault);
      code.choice(plan.bodies.length, choose, (index) => {
        const body = plan.bodies[index];
        writeBodyPlan(context, { ...frame, ...exits }, body);
        code.br(body.hasRow ? row : decoded);
      });
    });
    writeRow(context);
  });
  if (!plan.progresses) code.get(next).get(POS).op(i32.leS).brIf(exits.fault);
  code.get(next).get(POS).op(i32.sub).get(eventClass).at(load.i32, CLASS.plainBits).op(i32.sub).tee(step);
  code.if(() =>
    code.block((outside) => {
      leaveOutside(context, outside);
      code.get(eventClass).get(eventClass).at(load.i64, CLASS.bits);
      code.get(step).op(i64.extendS, i64.add).at(store.i64, CLASS.bits);
    }),
  );
}

function writeBodyPlan({ code, plan, locals }: Context, frame: Frame, { blank, work }: BodyPlan): void {
  const { eventClass, next, cursor } = locals;
  for (const byte of blank) code.get(frame.out).i32(0).at(store.i32, byte);
  switch (work.kind) {
    case 'constant':
      code.get(next).get(eventClass).at(load.i32, CLASS.bodyBits).op(i32.add).tee(next);
      code.get(frame.limit).op(i32.gtU).brIf(frame.fault);
      break;
    case 'inline':
      writeProgram(frame, work.nodes);
      break;
    case 'call':
      code.get(next).get(frame.out).call(work.index).tee(next).i32(STOP_FULL).op(i32.eq).brIf(frame.full);
      code.get(next).i32(0).op(i32.ltS).brIf(frame.fault);
      if (plan.tape) code.i32(0).at(load.i32, STATE.out).set(cursor);
  }
}

/**
 * The row of a steady event. Without branches, which would be mispredicted: whether an event has a row and how many
 * words are copied varies. Unused words are written all the same, and overwritten by the next row.
 */
function writeSteadyRow(context: Context, exits: Exits): void {
  const { code, plan, locals } = context;
  const { at, eventClass, row, out } = locals;
  writeFitCheck(context, exits);
  writeColumns(context);
  if (plan.tape) writeTapeHead(context);
  else code.get(out).get(eventClass).at(load.i32, CLASS.presence).at(store.i32, 0);
  if (plan.copied > 0) {
    code.get(eventClass).at(load.i32, CLASS.copied).get(at).op(i32.add).set(at);
    const head = plan.tape ? TAPE_HEAD : 4;
    for (let byte = 0; byte < 4 * plan.copied; byte += 8) {
      const [from, to] = [plan.window + byte, head + byte];
      code.get(out).get(at).at(load.i64, from).at(store.i64, to);
    }
  }
  code.get(eventClass).at(load.i32, CLASS.rowBytes).get(out).op(i32.add).set(out);
  code.get(eventClass).at(load.i32, CLASS.rows).get(row).op(i32.add).set(row);
}

function writeFitCheck({ code, plan, locals }: Context, { full }: Exits): void {
  code.get(locals.row).op(i32.eqz).brIf(full);
  if (!plan.tape) return;
  code.get(locals.out).i32(plan.widest).op(i32.add);
  code.i32(0).at(load.i32, STATE.outEnd).op(i32.gtU).brIf(full);
}

/** Writes the clock's value. */
function writeTapeHead({ code, locals }: Context): void {
  code.get(locals.out).i32(0).at(load.i64, STATE.baseCycles);
  code.get(locals.newTicks).op(i64.add).at(store.i64, 0);
}

function writeRow(context: Context): void {
  const { code, plan, locals } = context;
  const { row, out, cursor, eventClass } = locals;
  writeColumns(context);
  code.get(row).i32(1).op(i32.add).set(row);
  if (plan.tape) code.get(cursor).set(out);
  else code.get(out).get(eventClass).at(load.i32, CLASS.rowBytes).op(i32.add).set(out);
}

function writeColumns({ code, locals }: Context): void {
  const { row, out, eventClass } = locals;
  const column = (address: number, bytes: number): void => {
    code.get(row).i32(bytes).op(i32.mul).get(address).op(i32.add);
  };
  column(locals.time, 8);
  code.get(locals.ns).at(store.f64, 0);
  column(locals.kind, 2);
  code.get(eventClass).at(load.i32, CLASS.kind).at(store.i16, 0);
  column(locals.eventClassColumn, 2);
  code.get(eventClass).at(load.i32, CLASS.index).at(store.i16, 0);
  column(locals.place, 4);
  code.get(out).get(locals.words).op(i32.sub).i32(2).op(i32.shrU).at(store.i32, 0);
}

/** Computes how many rows of the widest kind have room, up to `end`. Words of tapes check their room themselves. */
function writeRowLimit({ code, plan, locals }: Context): void {
  const { row, out, end, step } = locals;
  code.i32(0).at(load.i32, STATE.rows).set(end);
  if (!plan.tape) {
    code.i32(0).at(load.i32, STATE.outEnd).get(out).op(i32.sub).i32(plan.widest).op(i32.divU);
    code.get(row).op(i32.add).tee(step).get(end).get(step).get(end).op(i32.ltU, i32.select).set(end);
  }
  code.get(row).get(end).op(i32.sub).set(row);
  for (const [column, bytes] of COLUMNS) {
    const address = locals[column];
    code.get(address).get(end).i32(bytes).op(i32.mul, i32.add).set(address);
  }
}

/** Bytes of a row in each of them. */
const COLUMNS = [
  ['time', 8],
  ['kind', 2],
  ['eventClassColumn', 2],
  ['place', 4],
] as const;

/** Written so that events without a time are counted. */
function leaveOutside({ code, locals, plan }: Context, outside: Label): void {
  if (!plan.ranged) return;
  code.get(locals.ns).get(locals.from).op(f64.lt);
  code.get(locals.ns).get(locals.to).op(f64.ge, i32.or).brIf(outside);
}

function writeCount(context: Context): void {
  const { code, locals } = context;
  const { eventClass, ns, events, step } = locals;
  code.get(ns).set(locals.latest);
  code.block((outside) => {
    leaveOutside(context, outside);
    code.get(eventClass).at(load.i32, CLASS.events).tee(step).op(i32.eqz);
    code.if(() => code.get(eventClass).get(ns).at(store.f64, CLASS.first));
    code.get(eventClass).get(step).i32(1).op(i32.add).at(store.i32, CLASS.events);
    code.get(eventClass).get(ns).at(store.f64, CLASS.last);
    code.get(events).op(i32.eqz);
    code.if(() => code.i32(0).get(ns).at(store.f64, STATE.firstEvent));
    code.get(events).i32(1).op(i32.add).set(events);
    code.get(ns).set(locals.lastEvent);
  });
}

/** Loads locals from the state. */
function loadState(context: Context): void {
  const { code, locals } = context;
  code.i32(0).at(load.i64, STATE.ticks).set(locals.ticks);
  for (const name of ['baseNs', 'from', 'to', 'lastEvent', 'latest'] as const) {
    code.i32(0).at(load.f64, STATE[name]).set(locals[name]);
  }
  const ints = ['low', 'events', 'row', 'out', 'time', 'kind', 'place', 'words'] as const;
  for (const name of ints) code.i32(0).at(load.i32, STATE[name]).set(locals[name]);
  code.i32(0).at(load.i32, STATE.eventClass).set(locals.eventClassColumn);
  writeRowLimit(context);
}

function saveState({ code, locals }: Context): void {
  code.get(locals.row).get(locals.end).op(i32.add).set(locals.row);
  code.i32(0).get(locals.ticks).at(store.i64, STATE.ticks);
  code.i32(0).get(locals.lastEvent).at(store.f64, STATE.lastEvent);
  code.i32(0).get(locals.latest).at(store.f64, STATE.latest);
  for (const name of ['low', 'events', 'row', 'out', 'stop'] as const) {
    code.i32(0).get(locals[name]).at(store.i32, STATE[name]);
  }
}
