/** The module of one data stream class: its programs as code, and the initial contents of its memory. */
import { createClassLookup } from '../run/class-lookup.ts';
import { registerOfRole } from '../program/program.ts';
import { alignUp } from '../program/field-classes.ts';
import { TAPE_HEADER, type StreamPrograms } from '../program/stream-programs.ts';
import type { ClockScale } from '../run/tick-clock.ts';
import type { StreamClass } from '../../model.ts';
import { writeHelpers, type Helpers } from './helpers-codegen.ts';
import { writeLoop, type BodyPlan, type LoopPlan } from './loop-codegen.ts';
import {
  CLASS,
  FIRST_PROGRAM,
  ID,
  layoutOf,
  NO_PROGRAM,
  STATE,
  STOP_CLOCK,
  STOP_FAULT,
  STOP_FULL,
  WINDOW_STEP,
  type Layout,
} from './memory-layout.ts';
import { Code, I32, ModuleWriter, store, type FunctionType } from './module-writer.ts';
import { frameLocals, writeProgram } from './program-codegen.ts';
import {
  constantBits,
  filledWords,
  isStraight,
  leastBits,
  NotCompilable,
  readTree,
  registersOf,
  type Node,
  type Plain,
} from './program-tree.ts';
import * as op from '../program/program.ts';

/** Can be posted to workers. */
export interface StreamModule {
  readonly compiled: WebAssembly.Module;
  readonly layout: Layout;
  /** Bytes before the window when a chunk begins. */
  readonly image: Uint8Array;
  /** Greatest number of bytes of a row's words; Infinity: tapes have no such bound. */
  readonly widest: number;
  /** Whether programs read registers of the packet's header or context. */
  readonly readsPacket: boolean;
}

/** The function that the module exports: (bit position in the window) → position reached. */
export const DECODE = 'decode';

const PROGRAM: FunctionType = { params: [I32, I32], results: [I32] };
/** Ids from here on are left to the interpreter. */
const MOST_IDS = 2 ** 16;
/** Programs inlined into the loop at most: more make a function that takes long to compile. */
const MOST_INLINE = 150;

/** The module of `writeModule`; undefined: only the interpreter can decode the stream class. */
export function compileModule(...input: Parameters<typeof writeModule>): StreamModule | undefined {
  try {
    return writeModule(...input);
  } catch (error) {
    // Engines have limits of their own, such as the size of a function.
    if (error instanceof NotCompilable || error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
}

/** @param ranged whether only events of a range of time are counted */
function writeModule(
  stream: StreamClass,
  programs: StreamPrograms,
  scale: ClockScale,
  ranged: boolean,
): StreamModule {
  const { dense, isDense } = createClassLookup(stream);
  refuse(!isDense, 'large ids');
  refuse(dense.length > MOST_IDS, 'many ids');
  refuse(programs.eventAlignment > 8 * WINDOW_STEP, 'alignment beyond the steps of windows');
  refuse((scale.multiplier + 1n) * scale.divisor >= 2n ** 63n, 'times beyond 64 bits');
  const layout = layoutOf(programs, dense.length);
  const module = new ModuleWriter();
  const decode = module.declare({ params: [I32], results: [I32] }, DECODE);
  const helpers = writeHelpers(module, layout.window, scale);
  const trees = treesOf(programs, dense);
  const readsPacket = checkRegisters(trees);
  const target = { module, helpers, window: layout.window };
  const { bodies, indexOf } = planBodies(target, programs, trees);
  const steady = steadyBodies(programs, trees);
  const copied = Math.max(0, ...steady.map((body) => body?.words ?? 0));
  const head = programs.tape ? TAPE_HEADER : 1;
  const plan: LoopPlan = {
    ...programs,
    ...layout,
    ranged,
    helpers,
    idCount: dense.length,
    progresses: leastBits(trees.header) > 0,
    far: scale.far,
    runHeader: writeFunction(target, trees.header, false),
    widest: 4 * programs.width.reduce((widest, words) => Math.max(widest, words), head + alignUp(copied, 2)),
    hasSteadyRows: programs.kind.some((kind, cls) => kind >= 0 && steady[cls] !== undefined),
    copied,
    bodies,
  };
  module.define(decode, writeLoop(plan));
  const image = imageOf(programs, trees, steady, dense, layout, indexOf);
  const widest = programs.tape ? Infinity : plan.widest;
  return { compiled: new WebAssembly.Module(module.finish()), layout, image, widest, readsPacket };
}

function refuse(condition: boolean, reason: string): void {
  if (condition) throw new NotCompilable(reason);
}

interface Trees {
  readonly header: readonly Node[];
  /** Body of each event class, shared by equal programs; undefined: nothing is read from it, and its size is constant. */
  readonly bodies: readonly (readonly Node[] | undefined)[];
  /** Bits of the header that each event class's id requires, 0 if not known beforehand. */
  readonly headerBits: Int32Array;
}

function treesOf(programs: StreamPrograms, dense: Int32Array): Trees {
  const { code, header, body, bodyBits } = programs;
  const known = new Map<number, readonly Node[]>();
  const bodies = Array.from(body, (pc, cls) => {
    if (bodyBits[cls] >= 0) return undefined;
    const nodes = known.get(pc) ?? readTree(code, pc);
    known.set(pc, nodes);
    return nodes;
  });
  return { header: readTree(code, header), bodies, headerBits: headerBitsOf(programs, dense) };
}

/**
 * Checks that no program reads a register that may hold a value of an earlier event: an event may be decoded twice,
 * and the interpreter knows nothing of those before. Returns whether programs read registers of the packet.
 */
function checkRegisters({ header, bodies }: Trees): boolean {
  const head = registersOf(header);
  const all = [...new Set(bodies)].map((nodes = []) => registersOf(nodes));
  const changing = new Set([...head.filled, ...all.flatMap(({ filled }) => [...filled])]);
  const id = registerOfRole('event-class-id');
  refuse(changing.has(id) && !head.surely.has(id), 'an id that may be that of the event before');
  const awaited = [
    ...head.awaited,
    ...all.flatMap((body) => [...body.awaited].filter((register) => !head.surely.has(register))),
  ];
  refuse(
    awaited.some((register) => changing.has(register)),
    'a length or tag that may be that of the event before',
  );
  return awaited.length > 0;
}

/** Declares and writes the function of a program: (position, address of the row's words) → position, or STOP_*. */
function writeFunction({ module, helpers, window }: Target, nodes: readonly Node[], tape: boolean): number {
  const index = module.declare(PROGRAM);
  const code = new Code(PROGRAM.params.length);
  const [pos, out] = [0, 1];
  const frame = { ...frameLocals(code), code, helpers, window, pos, out };
  code.block((clock) => {
    code.block((full) => {
      code.block((fault) => {
        writeProgram({ ...frame, fault, full, clock }, nodes);
        if (tape) code.i32(0).get(out).at(store.i32, STATE.out);
        code.get(pos).return();
      });
      code.i32(STOP_FAULT).return();
    });
    code.i32(STOP_FULL).return();
  });
  module.define(index, code.i32(STOP_CLOCK));
  return index;
}

/** Module to which functions are added. */
interface Target {
  readonly module: ModuleWriter;
  readonly helpers: Helpers;
  /** Address of the packet's window. */
  readonly window: number;
}

/** Plans how bodies are decoded; `indexOf` has the index of each event class's plan. */
function planBodies(target: Target, { body, kind, width, tape }: StreamPrograms, trees: Trees) {
  const bodies: BodyPlan[] = [];
  const known = new Map<string, number>();
  let inline = 0;
  const workOf = (nodes: readonly Node[] | undefined): BodyPlan['work'] => {
    if (nodes === undefined) return { kind: 'constant' };
    if (isStraight(nodes) && inline++ < MOST_INLINE) return { kind: 'inline', nodes };
    return { kind: 'call', index: writeFunction(target, nodes, tape) };
  };
  const indexOf = body.map((pc, cls) => {
    const words = tape || kind[cls] < 0 ? 0 : width[cls];
    const nodes = trees.bodies[cls];
    const key = `${nodes === undefined ? 'constant' : pc}:${words}`;
    const index = known.get(key);
    if (index !== undefined) return index;
    const filled = filledWords(nodes ?? []);
    const blank = [...Array(words).keys()].filter((word) => !filled.has(word)).map((word) => 4 * word);
    known.set(key, bodies.length);
    return bodies.push({ hasRow: tape || words > 0, blank, work: workOf(nodes) }) - 1;
  });
  return { bodies, indexOf };
}

/** Steady body of each event class; undefined: its events are not steady. */
function steadyBodies(programs: StreamPrograms, { bodies, headerBits }: Trees): (SteadyBody | undefined)[] {
  return bodies.map((nodes, cls) => {
    const body = steadyBody(programs, cls, nodes);
    return body !== undefined && body.words > 0 && headerBits[cls] % 8 !== 0 ? undefined : body;
  });
}

/** The tables of ids and classes. */
function imageOf(
  { bodyBits, kind, width, tape }: StreamPrograms,
  { bodies: nodes, headerBits }: Trees,
  steady: readonly (SteadyBody | undefined)[],
  dense: Int32Array,
  layout: Layout,
  bodies: Int32Array,
): Uint8Array {
  const image = new Uint8Array(layout.window);
  const view = new DataView(image.buffer);
  const addressOf = (cls: number): number => layout.classes + CLASS.size * cls;
  kind.forEach((_, cls) => {
    const at = addressOf(cls);
    const bits = bodyBits[cls] < 0 ? constantBits(nodes[cls] ?? []) : bodyBits[cls];
    view.setInt32(at + CLASS.plainBits, Math.max(bits, 0) + headerBits[cls], true);
    view.setFloat64(at + CLASS.first, Number.NaN, true);
    view.setFloat64(at + CLASS.last, Number.NaN, true);
    view.setInt32(at + CLASS.program, bodies[cls], true);
    view.setInt32(at + CLASS.bodyBits, bodyBits[cls], true);
    view.setInt32(at + CLASS.kind, kind[cls], true);
    const { presence, words, from } = steady[cls] ?? NO_COPY;
    const rowWords = kind[cls] < 0 ? 0 : tape ? TAPE_HEADER + words : width[cls];
    view.setInt32(at + CLASS.rowBytes, 4 * rowWords, true);
    view.setInt32(at + CLASS.index, cls, true);
    view.setInt32(at + CLASS.presence, presence, true);
    view.setInt32(at + CLASS.rows, rowWords > 0 ? 1 : 0, true);
    view.setInt32(at + CLASS.copied, words > 0 ? headerBits[cls] / 8 + from : 0, true);
  });
  const nobody = addressOf(kind.length);
  view.setInt32(nobody + CLASS.program, NO_PROGRAM, true);
  dense.forEach((cls, id) => {
    const at = layout.ids + ID.size * id;
    const program = FIRST_PROGRAM + (cls < 0 ? NO_PROGRAM : bodies[cls]);
    const body = cls < 0 ? undefined : steady[cls];
    view.setInt32(at + ID.bits, body === undefined ? program : headerBits[cls] + body.bits, true);
    view.setInt32(at + ID.eventClass, cls < 0 ? nobody : addressOf(cls), true);
  });
  return image;
}

const NO_COPY: Omit<SteadyBody, 'bits'> = { presence: 0, words: 0, from: 0 };

function headerBitsOf({ kind, fastHeader }: StreamPrograms, dense: Int32Array): Int32Array {
  const bits = new Int32Array(kind.length);
  dense.forEach((cls, id) => {
    if (cls < 0 || fastHeader === undefined) return;
    const { extended, lastId } = fastHeader;
    bits[cls] = id > lastId && extended !== undefined ? extended.bits : fastHeader.bits;
  });
  return bits;
}

/**
 * Steady events have one size and a row that is made without a branch, from the entry of their class. With kernel
 * states most events are steady: their rows are not wanted, or only their kind and time are, or their row is a copy
 * of adjacent fields.
 */
interface SteadyBody {
  readonly bits: number;
  /** Word 0 of a row that is not a tape. */
  readonly presence: number;
  /** Words copied after it, or after the head of a tape: their number, and the byte of the body where they begin. */
  readonly words: number;
  readonly from: number;
}

/** Longest copy, words: every steady event costs as much as the longest one. */
const MOST_COPIED = 10;

/** @param nodes program of the class's body, if it has one; undefined: its events are not steady */
function steadyBody(
  { bodyBits, kind, width, tape }: StreamPrograms,
  cls: number,
  nodes: readonly Node[] | undefined,
): SteadyBody | undefined {
  const hasRow = kind[cls] >= 0;
  if (nodes === undefined) {
    const isEmpty = !hasRow || tape || width[cls] === 1;
    return isEmpty ? { bits: bodyBits[cls], presence: 0, words: 0, from: 0 } : undefined;
  }
  if (!hasRow) return undefined;
  const run = nodes.find((node) => node.kind === 'run');
  if (run === undefined || nodes.some((node) => node !== run && !isTapeCheck(node))) return undefined;
  const copy = copyOf(run.reads, tape ? 0 : 1);
  if (copy === undefined || copy.words > MOST_COPIED || (!tape && copy.words + 1 < width[cls]))
    return undefined;
  return { bits: run.bits, ...copy };
}

/** Whether a node only checks the room for the words of a run. */
function isTapeCheck(node: Node): boolean {
  return node.kind === 'plain' && (node.words[0] === op.OP_RESERVE || node.words[0] === op.OP_ADVANCE);
}

/** Copy that reads into the words from `first` on amount to; undefined: they do more, or their fields are not adjacent. */
function copyOf(reads: readonly Plain[], first: number): Omit<SteadyBody, 'bits'> | undefined {
  let presence = 0;
  let words = 0;
  let from = -1;
  for (const [operation, bit, to] of reads) {
    if (operation === op.OP_CONSTANT && bit === 0) presence = to;
    else if (operation === op.OP_I32 || operation === op.OP_I64) {
      const begin = bit / 8 - 4 * (to - first);
      if (words > 0 && begin !== from) return undefined;
      from = begin;
      words += operation === op.OP_I32 ? 1 : 2;
    } else return undefined;
  }
  return words > 0 && Number.isInteger(from) ? { presence, words, from } : undefined;
}
