/** Waits for locks in the sentence about a path: which lock, who held it, and what the holder did. Pure. */
import { isNotHeld, NO_STATE } from '../../engine/graph/path-codes.ts';
import type { PathPart } from '../../engine/protocol/paths.ts';
import * as codes from '../draw/draw-codes.ts';
import { formatDuration } from '../format/numbers.ts';
import { listed } from '../format/text.ts';
import { phrases } from './path-phrases.ts';
import type { ExplainedPath } from './path-state.ts';
import { codeOfPart } from './path-words.ts';

type NamedPath = Pick<ExplainedPath, 'workers' | 'waitsFor' | 'vainWaits'>;

/** Locks, and holders of each, that are told one by one. */
const MOST_LOCKS = 3;
const MOST_HOLDERS = 3;

/**
 * "It waited 374.583 ms for mutex 0x…f260 of fight, held by fight-2 while it ran 20.000 ms." "It waited 2.434 ms for mutex
 * 0x…f260 of fight while nobody held it: fight-3 waited 2.434 ms for a CPU." What was in vain is left to `vainWaitPieces`.
 * @param own worker studied
 * @param least ns
 */
export function lockPieces(
  { workers, waitsFor, vainWaits }: NamedPath,
  own: number,
  least: number,
): SentencePiece[] {
  const pieces: SentencePiece[] = [];
  const { ns, texts, text } = waitsFor;
  for (const lock of byTime(waitsFor, lockFrames(waitsFor)).slice(0, MOST_LOCKS)) {
    const isInVain = vainWaits.some((vain) => {
      return vain.worker === own && vain.chain[0].lock === texts[text[lock]] && vain.ns >= ns[lock];
    });
    if (ns[lock] < least || isInVain) continue;
    const isHeld = !isNotHeld(waitsFor.value[lock]);
    const holders = byTime(waitsFor, holdersOf(waitsFor, lock));
    const waited = `It waited ${formatDuration(ns[lock])} for ${texts[text[lock]]}`;
    pieces.push({ text: waited + (isHeld ? ', held by ' : ': ') });
    holders.slice(0, MOST_HOLDERS).forEach((holder, i) => {
      const worker = waitsFor.worker[holder];
      const did = phrases(statesOf(waitsFor, holder), 0);
      if (i > 0) pieces.push({ text: isHeld ? '; by ' : '; ' });
      pieces.push({
        text: workers[worker].label,
        worker: workers[worker].row === undefined ? undefined : worker,
      });
      if (did.length > 0) pieces.push({ text: `${isHeld ? ' while it' : ''} ${listed(did)}` });
    });
    const more = holders.length - MOST_HOLDERS;
    pieces.push({ text: more > 0 ? ` and ${isHeld ? 'by ' : ''}${more} more. ` : '. ' });
  }
  return pieces;
}

/** "It waited 273.243 ms in vain for mutex 0x…80e0 of dead, held by dead-ba, which waited for …: a deadlock." */
export function vainWaitPieces({ workers, vainWaits }: ExplainedPath, own: number): SentencePiece[] {
  return vainWaits
    .filter(({ worker }) => worker === own)
    .flatMap(({ ns, chain, isCircle }) => [
      { text: `It waited ${formatDuration(ns)} in vain for ` },
      ...chain.flatMap(({ lock, holder }, i): SentencePiece[] => [
        { text: `${i > 0 ? ', which waited for ' : ''}${lock}, held by ` },
        holder < 0 ? { text: 'nobody known' } : { text: workers[holder].label, worker: holder },
      ]),
      { text: isCircle ? ': a deadlock. ' : '. ' },
    ]);
}

/** The parts of a path but those that `lockPieces` tells of. */
export function partsBesideLocks({ parts, waitsFor }: Pick<ExplainedPath, 'parts' | 'waitsFor'>): PathPart[] {
  /** ns that are told, by worker and code. */
  const told = new Map<string, number>();
  const { length, parent, worker, value } = waitsFor;
  const locks = new Set(lockFrames(waitsFor));
  const isWithin = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    isWithin[i] = locks.has(i) || (parent[i] >= 0 && isWithin[parent[i]] === 1) ? 1 : 0;
    if (isWithin[i] === 0 || value[i] === NO_STATE) continue;
    const key = `${worker[parent[i]]} ${codeOfPart(value[i])}`;
    told.set(key, (told.get(key) ?? 0) + ownNs(waitsFor, i));
  }
  return parts.flatMap((part) => {
    const key = `${part.worker} ${codeOfPart(part.value)}`;
    const taken = Math.min(part.ns, told.get(key) ?? 0);
    told.set(key, (told.get(key) ?? 0) - taken);
    return part.ns > taken ? [{ ...part, ns: part.ns - taken }] : [];
  });
}

type Tree = ExplainedPath['waitsFor'];

/** Waits of the thread studied for locks: those who held them, or were about to, are on the path. */
function lockFrames(tree: Tree): number[] {
  return childrenOf(tree, 0).filter(
    (frame) =>
      isLock(tree, frame) && holdersOf(tree, frame).some((holder) => childrenOf(tree, holder).length > 0),
  );
}

function isLock({ value }: Tree, frame: number): boolean {
  return value[frame] !== NO_STATE && codeOfPart(value[frame]) === codes.DRAW_LOCK;
}

function holdersOf(tree: Tree, lock: number): number[] {
  return childrenOf(tree, lock).filter((frame) => tree.worker[frame] >= 0);
}

function childrenOf({ length, parent }: Tree, frame: number): number[] {
  const children: number[] = [];
  for (let i = frame + 1; i < length; i++) if (parent[i] === frame) children.push(i);
  return children;
}

/** States that a worker was in, each with the lock that it waited for. */
function statesOf(tree: Tree, frame: number): PathPart[] {
  const { worker, value, ns, text, texts } = tree;
  return childrenOf(tree, frame)
    .filter((state) => value[state] !== NO_STATE)
    .map((state) => {
      const detail = isLock(tree, state) ? texts[text[state]] : '';
      const part = { worker: worker[frame], value: value[state], detail, ns: ns[state] };
      return { ...part, segments: 1, blockers: [], served: [] };
    });
}

/** ns of a state itself, without what others did meanwhile; who only took its time has nothing below. */
function ownNs(tree: Tree, state: number): number {
  const others = holdersOf(tree, state).filter((worker) => childrenOf(tree, worker).length > 0);
  return tree.ns[state] - others.reduce((sum, worker) => sum + tree.ns[worker], 0);
}

function byTime({ ns }: Tree, frames: readonly number[]): number[] {
  return [...frames].sort((a, b) => ns[b] - ns[a]);
}
/** A piece of the sentence; `worker` makes it the name of one, which leads to its row. */

export interface SentencePiece {
  readonly text: string;
  readonly worker?: number;
}
