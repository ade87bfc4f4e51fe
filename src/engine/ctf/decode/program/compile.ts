/**
 * Field classes → programs (`program.ts`). Unwanted fields only move the position; fields of constant layout become
 * runs; registers are filled where a later length or tag refers to a field. One compiler serves headers (roles), rows
 * of an analysis (wanted members) and full values (a tape of every scalar, see `values.ts`).
 */
import {
  alignmentOf,
  type ArrayClass,
  type BitsClass,
  type BlobClass,
  type FieldClass,
  type FieldRef,
  type FloatClass,
  type IntegerClass,
  type OptionalClass,
  type Range,
  type Scope,
  type StringClass,
  type TextArrayClass,
  unitOf,
  type VariantClass,
} from '../../model.ts';
import { Emitter, joinPositions, loosenPosition, type Position } from './emitter.ts';
import { alignUp, constantSize, leastSize, hasInteger } from './field-classes.ts';
import * as op from './program.ts';
import { classAt, pathOf, type Registers, type Roots } from './registers.ts';
import type { FieldKind } from '../rows/rows.ts';

/** A field that goes to the row. */
export interface RowField {
  readonly kind: FieldKind;
  /** Word offset in the row. */
  readonly to: number;
}

/** A word of presence bits of a row, and its value. */
export interface PresenceWord {
  readonly to: number;
  readonly bits: number;
}

/** Fields to keep: nothing but roles and registers; fields by path (`pathOf`); or everything. */
export type Sink =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'row';
      readonly presence: readonly PresenceWord[];
      /** Presence bits that hold once an option of a variant, given by its path, is chosen. */
      readonly options: ReadonlyMap<string, readonly PresenceWord[]>;
      /** Places of a field in the row: several where several kinds want it, those with most words first. */
      readonly fields: ReadonlyMap<string, readonly RowField[]>;
    }
  | { readonly kind: 'tape' };

export interface CompileInput {
  /** Decoded one after the other; absent scopes are skipped. */
  readonly scopes: readonly Scope[];
  readonly roots: Roots;
  readonly registers: Registers;
  /** Index of the stream's default clock. */
  readonly clock?: number;
  readonly start: Position;
  readonly sink: Sink;
}

export interface CompiledProgram {
  readonly code: readonly number[];
  /** Position at its end, as far as it is known. */
  readonly end: Position;
}

type Scalar = IntegerClass | FloatClass | BitsClass;

interface Field {
  readonly scope: Scope;
  readonly steps: readonly number[];
  readonly path: string;
}

interface Context extends CompileInput {
  readonly out: Emitter;
}

export function compileProgram(input: CompileInput): CompiledProgram {
  const out = new Emitter(input.start);
  const context: Context = { ...input, out };
  const { sink } = input;
  if (sink.kind === 'row') writePresence(out, sink.presence);
  for (const scope of input.scopes) {
    const root = input.roots[scope];
    if (root !== undefined) visit(context, root, { scope, steps: [], path: scope });
  }
  out.write(op.OP_END);
  return { code: out.code, end: out.position() };
}

function visit(context: Context, type: FieldClass, field: Field): void {
  context.out.align(alignmentOf(type));
  switch (type.kind) {
    case 'integer':
      return visitInteger(context, type, field);
    case 'float':
    case 'bits':
      context.out.order(type.byteOrder);
      return readScalar(context, type, field);
    case 'string':
      return visitString(context, type, field);
    case 'text':
    case 'blob':
      return visitText(context, type, field);
    case 'array':
      return visitArray(context, type, field);
    case 'struct':
      return type.members.forEach((member, index) => visit(context, member.type, step(field, index)));
    case 'variant':
      return visitVariant(context, type, field);
    case 'optional':
      return visitOptional(context, type, field);
  }
}

function step(field: Field, index: number): Field {
  const steps = [...field.steps, index];
  return { scope: field.scope, steps, path: pathOf(field.scope, steps) };
}

/** Where the row wants a field of one of these kinds. */
function placesInRow(
  { sink }: Context,
  { path }: Field,
  ...kinds: readonly FieldKind[]
): readonly RowField[] {
  const places = sink.kind === 'row' ? sink.fields.get(path) : undefined;
  return places?.filter(({ kind }) => kinds.includes(kind)) ?? [];
}

function writePresence(out: Emitter, words: readonly PresenceWord[]): void {
  for (const { to, bits } of words) out.read(op.OP_CONSTANT, to, bits);
}

/** Copies the words of the first place, which has most of them, to the others. */
function copyToOthers(out: Emitter, [first, ...others]: readonly RowField[]): void {
  for (const { kind, to } of others) {
    out.write(op.OP_COPY, first.to, to);
    if (kind !== 'int') out.write(op.OP_COPY, first.to + 1, to + 1);
  }
}

/** Place of an unwanted field, which is skipped. */
const NOWHERE: RowField = { kind: 'int', to: -1 };

/** Registers that an integer fills: its roles' and those that lengths and tags refer to. */
function registersFor(context: Context, type: IntegerClass, field: Field): number[] {
  return [...rolesOf(type, field).map(op.registerOfRole), ...context.registers.at(field.path)];
}

function rolesOf(type: { readonly roles?: IntegerClass['roles'] }, field: Field): op.RegisterRole[] {
  if (!field.scope.startsWith('packet-') && field.scope !== 'event-header') return [];
  return op.ROLE_REGISTERS.filter((role) => type.roles?.includes(role) === true);
}

/** Presence matters in packets only: an event header without id has id 0. */
function markSeen(context: Context, type: { readonly roles?: IntegerClass['roles'] }, field: Field): void {
  if (field.scope === 'event-header') return;
  const seen = rolesOf(type, field).reduce((bits, role) => bits | (1 << op.registerOfRole(role)), 0);
  if (seen > 0) context.out.read(op.OP_SEEN, seen);
}

function setsTime(context: Context, type: IntegerClass, field: Field): boolean {
  if (field.scope !== 'event-header' || context.clock === undefined) return false;
  return type.clock === context.clock || type.roles?.includes('timestamp') === true;
}

function specOf(type: Scalar): number {
  const signed = type.kind === 'integer' && type.signed ? op.SPEC_SIGNED : 0;
  const reversed = type.reversed === true ? op.SPEC_REVERSED : 0;
  return type.size | signed | reversed | (type.byteOrder === 'be' ? op.SPEC_BIG_ENDIAN : 0);
}

function visitInteger(context: Context, type: IntegerClass, field: Field): void {
  if (type.variable === true) return visitVariable(context, type, field);
  const { out } = context;
  out.order(type.byteOrder);
  const spec = specOf(type);
  for (const register of registersFor(context, type, field))
    out.read(op.OP_REGISTER, out.offset(), register, spec);
  if (setsTime(context, type, field)) out.read(op.OP_TIME, out.offset(), spec);
  markSeen(context, type, field);
  readScalar(context, type, field);
}

/** Keeps a scalar where the sink wants it, else skips it. Tape: one word up to 32 bits, else two. */
function readScalar(context: Context, type: Scalar, field: Field): void {
  const { out, sink } = context;
  if (sink.kind === 'tape') {
    const wide = type.size > 32;
    readWords(out, type, out.take(wide ? 2 : 1), wide);
  } else if (type.kind === 'integer') {
    for (const { kind, to } of placesInRow(context, field, 'int', 'wide'))
      readWords(out, type, to, kind === 'wide');
  }
  out.skip(type.size);
}

function readWords(out: Emitter, type: Scalar, to: number, wide: boolean): void {
  const operation = plainRead(type, wide);
  if (operation !== undefined && out.atByte()) out.read(operation, out.offset(), to);
  else out.read(op.OP_BITS, out.offset(), to, specOf(type) | (wide ? op.SPEC_WIDE : 0));
}

/** The read of a little-endian integer of whole bytes, if there is one. */
function plainRead(type: Scalar, wide: boolean): number | undefined {
  if (type.byteOrder !== 'le' || type.reversed === true) return undefined;
  const signed = type.kind === 'integer' && type.signed;
  switch (type.size) {
    case 8:
      return wide ? undefined : signed ? op.OP_I8 : op.OP_U8;
    case 16:
      return wide ? undefined : signed ? op.OP_I16 : op.OP_U16;
    case 32:
      return wide ? undefined : op.OP_I32;
    case 64:
      return wide ? op.OP_I64 : op.OP_I32;
    default:
      return undefined;
  }
}

function visitVariable(context: Context, type: IntegerClass, field: Field): void {
  const registers = registersFor(context, type, field);
  const places = placesInRow(context, field, 'int', 'wide');
  const spec = (type.signed ? op.SPEC_SIGNED : 0) | (setsTime(context, type, field) ? op.SPEC_TIME : 0);
  markSeen(context, type, field);
  writeMove(context, places, 8, ({ kind, to }) => {
    return [op.OP_LEB, to, spec | (kind === 'int' ? 0 : op.SPEC_WIDE), registers.length, ...registers];
  });
}

function visitString(context: Context, type: StringClass, field: Field): void {
  const unit = unitOf(type.encoding);
  const places = placesInRow(context, field, 'string');
  writeMove(context, places, 8 * unit, ({ to }) => [op.OP_STRING, to, unit]);
}

/** Writes an operation that fills a place and moves by an unknown number of pieces of so many bits each. */
function writeMove(
  { out, sink }: Context,
  places: readonly RowField[],
  piece: number,
  operation: (place: RowField) => number[],
): void {
  const start = out.position();
  if (sink.kind === 'tape') {
    out.write(op.OP_RESERVE, 2);
    out.write(...operation({ kind: 'wide', to: 0 }));
    out.write(op.OP_ADVANCE, 2);
  } else {
    out.write(...operation(places.at(0) ?? NOWHERE));
    copyToOthers(out, places);
  }
  out.moveTo(loosenPosition(start, piece));
}

/** Texts and blobs with a length. Constant lengths stay in the run. */
function visitText(context: Context, type: TextArrayClass | BlobClass, field: Field): void {
  const { out, sink } = context;
  const unit = type.kind === 'blob' ? 0 : unitOf(type.encoding);
  const places = placesInRow(context, field, 'string');
  if (type.kind === 'blob') placeRole(context, type, field);
  if (typeof type.length === 'number') {
    const wanted = sink.kind === 'tape' ? [out.take(2)] : places.map(({ to }) => to);
    for (const to of wanted) out.read(op.OP_TEXT_AT, out.offset(), type.length, to, unit);
    out.skip(type.length * 8);
    return;
  }
  const register = context.registers.of(type.length);
  writeMove(context, places, 8, ({ to }) => [op.OP_TEXT, register, to, unit]);
}

/** Keeps the place of the trace's uuid, which is compared where it lies. */
function placeRole(context: Context, type: ArrayClass | BlobClass, field: Field): void {
  if (!rolesOf(type, field).includes('trace-uuid')) return;
  context.out.write(op.OP_PLACE, op.registerOfRole('trace-uuid'));
  markSeen(context, type, field);
}

function visitArray(context: Context, type: ArrayClass, field: Field): void {
  const { out, sink } = context;
  placeRole(context, type, field);
  const size = constantSize(type.element);
  const stride = size < 0 ? -1 : alignUp(size, alignmentOf(type.element));
  const element = step(field, -1);
  const unread =
    sink.kind !== 'tape' &&
    placesInRow(context, element, 'int', 'wide').length === 0 &&
    !isReadAnyway(context, type.element, element);
  if (typeof type.length === 'number') {
    const whole = constantSize(type);
    if (type.length === 0) return;
    for (const { to } of placesInRow(context, field, 'bytes', 'sequence'))
      out.read(op.OP_TEXT_AT, out.offset(), whole / 8, to, 0);
    if (unread && whole >= 0) out.pass(whole);
    else writeLoop(context, type, field, size);
    return;
  }
  const register = context.registers.of(type.length);
  if (sink.kind === 'tape') out.write(op.OP_PUSH_REGISTER, register);
  for (const { to } of placesInRow(context, field, 'sequence')) out.write(op.OP_SPAN, register, size / 8, to);
  if (unread && stride === size && size > 0) {
    const start = out.position();
    out.write(op.OP_SKIP, register, size);
    out.moveTo(loosenPosition(start, size));
  } else writeLoop(context, type, field, size);
}

/** Whether a field at or below this place fills a register or sets the clock. */
function isReadAnyway(context: Context, type: FieldClass, field: Field): boolean {
  if (context.registers.within(field.path)) return true;
  return hasInteger(type, (each) => rolesOf(each, field).length > 0 || setsTime(context, each, field));
}

function writeLoop(context: Context, type: ArrayClass, field: Field, size: number): void {
  const { out } = context;
  const { length } = type;
  const register = typeof length === 'number' ? -1 : context.registers.of(length);
  const rounds = typeof length === 'number' ? Math.min(length, 0x7fffffff) : 0;
  // A round begins where the one before ended, of which only the size is known.
  const start = loosenPosition(out.position(), size < 0 ? 1 : size);
  const loop = out.write(op.OP_LOOP, register, rounds, leastSize(type.element), 0);
  out.moveTo(start);
  const body = out.code.length;
  visit(context, type.element, step(field, -1));
  const next = out.write(op.OP_NEXT, 0);
  out.code[next + 1] = body - next;
  out.code[loop + 4] = out.code.length - loop;
  out.moveTo(start);
}

function visitVariant(context: Context, type: VariantClass, field: Field): void {
  const { out, sink } = context;
  const branches = type.options.map((option, index) => ({
    ranges: option.ranges,
    write: () => {
      const within = step(field, index);
      if (sink.kind === 'tape') out.write(op.OP_PUSH, index);
      // This option has further fields of the row.
      if (sink.kind === 'row') writePresence(out, sink.options.get(within.path) ?? []);
      visit(context, option.type, within);
    },
  }));
  writeSwitch(context, type.tag, branches);
}

function visitOptional(context: Context, type: OptionalClass, field: Field): void {
  const push = (flag: number): void => {
    if (context.sink.kind === 'tape') context.out.write(op.OP_PUSH, flag);
  };
  const present = () => {
    push(1);
    visit(context, type.content, step(field, -1));
  };
  const absent = () => push(0);
  if (type.ranges === undefined)
    writeSwitch(context, type.selector, [{ ranges: [{ from: 0n, to: 0n }], write: absent }], present);
  else writeSwitch(context, type.selector, [{ ranges: type.ranges, write: present }], absent);
}

interface Branch {
  readonly ranges: readonly Range[];
  readonly write: () => void;
}

function writeSwitch(
  context: Context,
  tag: FieldRef,
  branches: readonly Branch[],
  otherwise?: () => void,
): void {
  const { out } = context;
  const tagClass = classAt(context.roots, tag);
  const signed = tagClass?.kind === 'integer' && tagClass.signed;
  const flip = signed ? 0 : -0x80000000;
  const cases = branches.flatMap(({ ranges }, index) =>
    ranges.flatMap((range) => orderedRange(range, signed, flip).map((words) => ({ words, index }))),
  );
  const place = out.write(op.OP_SWITCH, context.registers.of(tag), flip, 0, cases.length);
  const table = out.code.length;
  for (const { words } of cases) out.code.push(...words, 0);
  const start = out.position();
  const ends: Position[] = [];
  const jumps: number[] = [];
  const writeBranch = (write: () => void): number => {
    const begin = out.code.length;
    out.moveTo(start);
    write();
    jumps.push(out.write(op.OP_JUMP, 0));
    ends.push(out.position());
    return begin - place;
  };
  const begins = branches.map((branch) => writeBranch(branch.write));
  cases.forEach(({ index }, n) => (out.code[table + 5 * n + 4] = begins[index]));
  if (otherwise !== undefined) out.code[place + 3] = writeBranch(otherwise);
  for (const jump of jumps) out.code[jump + 1] = out.code.length - jump;
  out.moveTo(ends.length === 0 ? start : ends.reduce(joinPositions));
}

/** A range as words that compare as signed numbers; none if no value of the tag lies in it. */
function orderedRange(range: Range, signed: boolean, flip: number): number[][] {
  const least = signed ? -(1n << 63n) : 0n;
  const greatest = signed ? (1n << 63n) - 1n : (1n << 64n) - 1n;
  const from = range.from < least ? least : range.from;
  const to = range.to > greatest ? greatest : range.to;
  if (from > to) return [];
  const high = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n)) ^ flip;
  const low = (value: bigint): number => Number(BigInt.asIntN(32, value)) ^ -0x80000000;
  return [[high(from), low(from), high(to), low(to)]];
}
