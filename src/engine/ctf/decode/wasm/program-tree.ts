/**
 * Flat programs (`../program/program.ts`) as trees: jumps become branches and loops, which is how WebAssembly wants them. The
 * compiler writes programs from nested field classes, so that every jump leads to the end of its own switch or loop.
 */
import { assert } from '../../../base/assert.ts';
import * as op from '../program/program.ts';

/** A program that only the interpreter runs. */
export class NotCompilable extends Error {}

/** Words of one operation without jumps, its number first. */
export type Plain = readonly number[];

export type Node =
  | { readonly kind: 'plain'; readonly words: Plain }
  /** A span of constant size, and what is read from it. */
  | { readonly kind: 'run'; readonly bits: number; readonly reads: readonly Plain[] }
  | {
      readonly kind: 'loop';
      /** -1: `count` rounds. */
      readonly register: number;
      readonly count: number;
      /** Bits that a round takes at least. */
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

/** Operations that read from the run before them. */
const READS: ReadonlySet<number> = new Set([
  op.OP_I8,
  op.OP_U8,
  op.OP_I16,
  op.OP_U16,
  op.OP_I32,
  op.OP_I64,
  op.OP_BITS,
  op.OP_REGISTER,
  op.OP_TIME,
  op.OP_TEXT_AT,
  op.OP_CONSTANT,
]);

/**
 * Words of a program that is compiled. Of real traces the longest has some hundred. Engines take more than linear time
 * for a function: for a variant of as many words one second, of 60,000 options more than a minute.
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
        for (pc += 2; READS.has(code[pc]); pc += reads[reads.length - 1].length) reads.push(plain(code, pc));
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
