/**
 * Steady events: those of one size whose row is made without a branch, by what the entry of their class says. Where
 * kernel states are asked for that is most of them: nobody wants them, or only that they were and when, or their row
 * is a copy of fields that lie side by side.
 */
import * as op from '../program/program.ts';
import type { StreamPrograms } from '../program/stream-programs.ts';
import type { Node, Plain } from './program-tree.ts';

export interface SteadyBody {
  readonly bits: number;
  /** Word 0 of a row that is no tape. */
  readonly presence: number;
  /** Words copied behind it, or behind the head of a tape: so many, from this byte of the body on. */
  readonly words: number;
  readonly from: number;
}

/** Words of a copy at most: every steady event is charged with the longest one. */
const MOST_COPIED = 10;

/** @param nodes the program of the class's body, where it has one; undefined: its events are not steady */
export function steadyBody(
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

/** Room for the words of a run, and a step over them. */
function isTapeCheck(node: Node): boolean {
  return node.kind === 'plain' && (node.words[0] === op.OP_RESERVE || node.words[0] === op.OP_ADVANCE);
}

/** Copy by reads into the words from `first` on; undefined: they do more, or their fields are not side by side. */
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
