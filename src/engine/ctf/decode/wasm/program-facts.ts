/** Facts about a program (`program-tree.ts`) before it is compiled. */
import * as op from '../program/program.ts';
import type { Node, Plain } from './program-tree.ts';

/** Registers that a program fills, on some way through it or on every way. */
export interface RegisterFacts {
  readonly filled: ReadonlySet<number>;
  readonly surely: ReadonlySet<number>;
  /** Registers that it reads where it may not have filled them itself. */
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
 * Adds to the three sets, in time linear in the program: ways that may not be taken share `surely`, and what they put
 * there is taken back behind them.
 *
 * @returns what was put into `surely`
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

/** Bits that a program takes at least, as far as its first level says. */
export function leastBits(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'run' ? node.bits : 0), 0);
}

/** Whether it is one straight line, short enough to stand in the loop over events. */
export function isStraight(nodes: readonly Node[]): boolean {
  let operations = 0;
  for (const node of nodes) {
    if (node.kind === 'loop' || node.kind === 'switch') return false;
    operations += node.kind === 'run' ? 1 + node.reads.length : 1;
  }
  return operations <= MOST_INLINE;
}

const MOST_INLINE = 24;
