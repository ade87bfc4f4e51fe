/**
 * Flat programs (`../program/program.ts`) as trees: jumps become branches and loops, as WebAssembly requires. Also
 * facts about a program before it is compiled. The compiler writes programs from nested field classes, so that every
 * jump leads to the end of its own switch or loop.
 */
import { assert } from '../../../base/assert.ts';
import * as op from '../program/program.ts';

/** A program that only the interpreter runs. */
export class NotCompilable extends Error {}

/** Words of one operation without jumps, its number first. */
export type Plain = readonly number[];

export type Node =
  | { readonly kind: 'plain'; readonly words: Plain }
  /** A span of constant size, and the reads from it. */
  | { readonly kind: 'run'; readonly bits: number; readonly reads: readonly Plain[] }
  | {
      readonly kind: 'loop';
      /** -1: `count` rounds. */
      readonly register: number;
      readonly count: number;
      /** Least bits of a round. */
      readonly least: number;
      readonly body: readonly Node[];
    }
  | {
      readonly kind: 'switch';
      readonly register: number;
      readonly cases: readonly Case[];
      readonly branches: readonly (readonly Node[])[];
      /** Index of a branch, -1: fault. */
      readonly otherwise: number;
    };

/** A range of 64-bit words, signed or not: a value lies in it when (value - from) <= (to - from), both unsigned. */
interface Case {
  readonly from: bigint;
  readonly to: bigint;
  /** Index of a branch. */
  readonly branch: number;
}

/** Words of operations of constant length. */
const LENGTHS: Readonly<Record<number, number>> = {
  [op.OP_I8]: 3,
  [op.OP_U8]: 3,
  [op.OP_I16]: 3,
  [op.OP_U16]: 3,
  [op.OP_I32]: 3,
  [op.OP_I64]: 3,
  [op.OP_BITS]: 4,
  [op.OP_REGISTER]: 4,
  [op.OP_TIME]: 3,
  [op.OP_TEXT_AT]: 5,
  [op.OP_CONSTANT]: 3,
  [op.OP_ALIGN]: 2,
  [op.OP_STRING]: 3,
  [op.OP_TEXT]: 4,
  [op.OP_SKIP]: 3,
  [op.OP_SPAN]: 4,
  [op.OP_COPY]: 3,
  [op.OP_RESERVE]: 2,
  [op.OP_ADVANCE]: 2,
  [op.OP_PUSH]: 2,
  [op.OP_PUSH_REGISTER]: 2,
  [op.OP_ORDER]: 1,
  [op.OP_PLACE]: 2,
  [op.OP_SEEN]: 2,
  [op.OP_UNSUPPORTED]: 1,
};

/** Whether an operation reads from the run before it. */
function isRead(operation: number): boolean {
  return operation >= op.OP_I8 && operation <= op.OP_CONSTANT;
}

/**
 * Words of a program that is compiled at most; the longest of real traces has some hundred. Engines take more than
 * linear time for a function: one second for a variant of this size, more than a minute for one of 60,000 options.
 */
const MOST_WORDS = 2 ** 16;

/** The program that begins at `pc`. */
export function readTree(code: Int32Array, pc: number): readonly Node[] {
  const block = readBlock(code, pc);
  assert(code[block.end] === op.OP_END, 'a program ends outside its switches and loops');
  if (block.end - pc > MOST_WORDS) throw new NotCompilable('a function that takes long to compile');
  return block.nodes;
}

interface Block {
  readonly nodes: readonly Node[];
  /** Place of the END, JUMP or NEXT behind the block. */
  readonly end: number;
}

function readBlock(code: Int32Array, start: number): Block {
  const nodes: Node[] = [];
  let pc = start;
  for (;;) {
    switch (code[pc]) {
      case op.OP_END:
      case op.OP_JUMP:
      case op.OP_NEXT:
        return { nodes, end: pc };
      case op.OP_NEED: {
        const reads: Plain[] = [];
        const bits = code[pc + 1];
        for (pc += 2; isRead(code[pc]); pc += reads[reads.length - 1].length) reads.push(plain(code, pc));
        nodes.push({ kind: 'run', bits, reads });
        break;
      }
      case op.OP_LOOP: {
        const [register, count, least] = code.subarray(pc + 1);
        const body = readBlock(code, pc + 5);
        nodes.push({ kind: 'loop', register, count, least, body: body.nodes });
        pc = body.end + 2;
        break;
      }
      case op.OP_SWITCH: {
        const { node, end } = readSwitch(code, pc);
        nodes.push(node);
        pc = end;
        break;
      }
      default: {
        const words = plain(code, pc);
        nodes.push({ kind: 'plain', words });
        pc += words.length;
      }
    }
  }
}

function plain(code: Int32Array, pc: number): Plain {
  const length = code[pc] === op.OP_LEB ? 4 + code[pc + 3] : LENGTHS[code[pc]];
  const words: number[] = [];
  for (let at = pc; at < pc + length; at++) words.push(code[at]);
  return words;
}

function readSwitch(code: Int32Array, pc: number): { readonly node: Node; readonly end: number } {
  const [register, flip, otherwise, count] = code.subarray(pc + 1);
  /** Indexes in `branches` by jump. */
  const indexes = new Map<number, number>();
  const branches: (readonly Node[])[] = [];
  let end = pc + 5 + 5 * count;
  const branchAt = (jump: number): number => {
    const known = indexes.get(jump);
    if (known !== undefined) return known;
    const block = readBlock(code, pc + jump);
    end = block.end + code[block.end + 1];
    indexes.set(jump, branches.length);
    return branches.push(block.nodes) - 1;
  };
  const cases: Case[] = [];
  for (let at = pc + 5; cases.length < count; at += 5) {
    const from = joinWords(code[at] ^ flip, code[at + 1] ^ -0x80000000);
    const to = joinWords(code[at + 2] ^ flip, code[at + 3] ^ -0x80000000);
    cases.push({ from, to, branch: branchAt(code[at + 4]) });
  }
  const other = otherwise === 0 ? -1 : branchAt(otherwise);
  if (branches.length === 0) throw new NotCompilable('no option can be chosen');
  return { node: { kind: 'switch', register, cases, branches, otherwise: other }, end };
}

function joinWords(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Registers that a program fills, on some way through it or on every way. */
export interface RegisterFacts {
  readonly filled: ReadonlySet<number>;
  readonly surely: ReadonlySet<number>;
  /** Registers that it reads but may not have filled itself. */
  readonly awaited: ReadonlySet<number>;
}

export function registersOf(nodes: readonly Node[]): RegisterFacts {
  const filled = new Set<number>();
  const awaited = new Set<number>();
  const surely = new Set<number>();
  followRegisters(nodes, surely, filled, awaited);
  return { filled, surely, awaited };
}

/**
 * Adds to the three sets, in time linear in the program. Ways that may not be taken share `surely`; what they add is
 * removed after them.
 * @returns what was added to `surely`
 */
function followRegisters(
  nodes: readonly Node[],
  surely: Set<number>,
  filled: Set<number>,
  awaited: Set<number>,
): ReadonlySet<number> {
  const added = new Set<number>();
  const read = (register: number): void => {
    if (register >= 0 && !surely.has(register)) awaited.add(register);
  };
  const assure = (register: number): void => {
    if (!surely.has(register)) added.add(register);
    surely.add(register);
  };
  const fill = (register: number): void => {
    filled.add(register);
    assure(register);
  };
  const followWay = (way: readonly Node[]): ReadonlySet<number> => {
    const end = followRegisters(way, surely, filled, awaited);
    for (const register of end) surely.delete(register);
    return end;
  };
  for (const node of nodes) {
    switch (node.kind) {
      case 'run':
        for (const [operation, , register] of node.reads) if (operation === op.OP_REGISTER) fill(register);
        break;
      case 'plain':
        if (READERS.has(node.words[0])) read(node.words[1]);
        if (node.words[0] === op.OP_LEB) node.words.slice(4).forEach(fill);
        break;
      case 'loop':
        read(node.register);
        followWay(node.body);
        break;
      case 'switch': {
        read(node.register);
        const ends = node.branches.map(followWay);
        for (const register of ends[0]) if (ends.every((end) => end.has(register))) assure(register);
      }
    }
  }
  return added;
}

const READERS: ReadonlySet<number> = new Set([op.OP_TEXT, op.OP_SKIP, op.OP_SPAN, op.OP_PUSH_REGISTER]);

/** Word offsets of a row that a program fills on every way through it. */
export function filledWords(nodes: readonly Node[]): ReadonlySet<number> {
  const filled = new Set<number>();
  const fill = (to: number, words: number): void => {
    for (let i = 0; i < words; i++) filled.add(to + i);
  };
  for (const node of nodes) {
    if (node.kind === 'run') node.reads.forEach((words) => fill(...wordsOfRead(words)));
    else if (node.kind === 'plain') fill(...wordsOfPlain(node.words));
  }
  return filled;
}

function wordsOfRead([operation, first, second, spec]: Plain): [to: number, words: number] {
  switch (operation) {
    case op.OP_REGISTER:
    case op.OP_TIME:
      return [0, 0];
    case op.OP_CONSTANT:
      return [first, 1];
    case op.OP_BITS:
      return [second, (spec & op.SPEC_WIDE) === 0 ? 1 : 2];
    case op.OP_I64:
      return [second, 2];
    case op.OP_TEXT_AT:
      return [spec, 2];
    default:
      return [second, 1];
  }
}

function wordsOfPlain([operation, first, second, third]: Plain): [to: number, words: number] {
  switch (operation) {
    case op.OP_STRING:
      return [first, first < 0 ? 0 : 2];
    case op.OP_TEXT:
      return [second, second < 0 ? 0 : 2];
    case op.OP_SPAN:
      return [third, 2];
    case op.OP_COPY:
      return [second, 1];
    case op.OP_LEB:
      return [first, first < 0 ? 0 : (second & op.SPEC_WIDE) === 0 ? 1 : 2];
    default:
      return [0, 0];
  }
}

/** The size of a program in bits where it is constant, else -1. */
export function constantBits(nodes: readonly Node[]): number {
  const isConstant = nodes.every(
    (node) => node.kind === 'run' || (node.kind === 'plain' && STILL.has(node.words[0])),
  );
  return isConstant ? leastBits(nodes) : -1;
}

/** Operations that do not move the position. */
const STILL: ReadonlySet<number> = new Set([
  op.OP_SPAN,
  op.OP_COPY,
  op.OP_RESERVE,
  op.OP_ADVANCE,
  op.OP_PUSH,
  op.OP_PUSH_REGISTER,
]);

/** Least bits of a program, as far as its first level tells. */
export function leastBits(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'run' ? node.bits : 0), 0);
}

/** Whether it has no branches and is short enough to be inlined into the loop over events. */
export function isStraight(nodes: readonly Node[]): boolean {
  let operations = 0;
  for (const node of nodes) {
    if (node.kind === 'loop' || node.kind === 'switch') return false;
    operations += node.kind === 'run' ? 1 + node.reads.length : 1;
  }
  return operations <= MOST_INLINE;
}

const MOST_INLINE = 24;
