/** Waits for locks in the sentence about a path: the lock, its holders, and what they did. Pure. */
import { isNotHeld, NO_STATE } from '../../engine/graph/path-codes.ts';
import { append } from '../../engine/base/append.ts';
import { addNumber } from '../../engine/base/group-by.ts';
import type { LockTurns } from '../../engine/protocol/locks.ts';
import type { DividedLockWait, PathPart } from '../../engine/protocol/paths.ts';
import * as codes from '../draw/draw-codes.ts';
import { formatDuration } from '../format/numbers.ts';
import { listed, plural } from '../format/text.ts';
import { phrases } from './path-phrases.ts';
import type { ExplainedPath } from './path-state.ts';
import { codeOfPart } from './path-words.ts';

type NamedPath = Pick<ExplainedPath, 'workers' | 'waitsFor' | 'lockWaits' | 'vainWaits'>;

/** Most locks that are described one by one. */
const MOST_LOCKS = 3;
/** Most holders of a lock that are named. */
const MOST_TURNS = 8;
/** Share of a wait below which the time without a holder, or of what a holder did, is left out. */
const LEAST_OF_WAIT = 0.02;

/**
 * "It waited 20.100 ms for mutex m_hot of fight, held in turn by fight-1, fight-0, fight-3 (twice) and fight-0 while they
 * ran 13.740 ms; 6.326 ms it was free and fight-2 waited for a CPU." What was in vain is left to `vainWaitPieces`.
 * @param own worker studied
 * @param least ns
 */
export function lockPieces(
  { workers, waitsFor, lockWaits, vainWaits }: NamedPath,
  own: number,
  least: number,
): SentencePiece[] {
  const pieces: SentencePiece[] = [];
  const isInVain = ({ lock, ns }: DividedLockWait) =>
    vainWaits.some((vain) => vain.worker === own && vain.chain[0].lock === lock && vain.ns >= ns);
  const namedWaits = lockWaits.filter((wait) => wait.ns >= least && !isInVain(wait));
  for (const wait of namedWaits.slice(0, MOST_LOCKS)) {
    const { lock, waits, ns, turns } = wait;
    pieces.push({
      text: `It waited ${formatDuration(ns)} for ${lock}${waits > 1 ? ` in ${plural(waits, 'wait')}` : ''}`,
    });
    const nameOf = (worker: number): SentencePiece => ({
      text: workers[worker].label,
      worker: workers[worker].row === undefined ? undefined : worker,
    });
    append(pieces, turnPieces(wait, waits === 1, nameOf));
    const did = phrases(statesWhileHeld(waitsFor, lock), LEAST_OF_WAIT * ns).slice(0, 2);
    if (did.length > 0) pieces.push({ text: ` while ${isOne(turns) ? 'it' : 'they'} ${listed(did)}` });
    pieces.push({ text: `${freeText(wait, ns, (worker) => workers[worker].label)}. ` });
  }
  return pieces;
}

function isOne(turns: LockTurns['turns']): boolean {
  return new Set(turns.map(({ holder }) => holder)).size === 1;
}

/**
 * ", held in turn by fight-1, fight-3 (twice) and fight-0"; of several waits, whose turns do not follow each other, ", held
 * longest by fight-1, then by fight-0".
 */
export function turnPieces(
  { turns }: Pick<LockTurns, 'turns'>,
  isInTurn: boolean,
  nameOf: (holder: number) => SentencePiece,
): SentencePiece[] {
  const named = turns.slice(0, MOST_TURNS);
  const more = turns.length - named.length;
  const isSequence = isInTurn && named.length > 1;
  return named.flatMap(({ holder, times }, i): SentencePiece[] => {
    const isLast = i > 0 && i === named.length - 1 && more === 0;
    const before =
      i === 0
        ? `, held ${isSequence ? 'in turn ' : named.length > 1 ? 'longest ' : ''}by `
        : `${isLast ? ' and ' : ', '}${i === 1 && !isSequence ? 'then by ' : ''}`;
    const often = !isInTurn || times === 1 ? '' : times === 2 ? ' (twice)' : ` (${times} times)`;
    const name = holder < 0 ? { text: 'a thread that is not known' } : nameOf(holder);
    const rest =
      more > 0 && i === named.length - 1 ? ` and ${plural(more, isInTurn ? 'more turn' : 'other')}` : '';
    return [{ text: before }, name, ...(often + rest === '' ? [] : [{ text: often + rest }])];
  });
}

/** "; 6.326 ms it was free and fight-2 waited for a CPU". @param ns of the wait */
export function freeText(
  { freeNs, ready }: Pick<DividedLockWait, 'freeNs' | 'ready'>,
  ns: number,
  nameOf: (worker: number) => string,
): string {
  if (freeNs < LEAST_OF_WAIT * ns) return '';
  const waited = ready.filter((one) => one.ns >= LEAST_OF_WAIT * ns).slice(0, MOST_LOCKS);
  const isTold = waited.reduce((sum, one) => sum + one.ns, 0) >= freeNs / 2;
  const who = isTold ? ` and ${listed(waited.map(({ worker }) => nameOf(worker)))} waited for a CPU` : '';
  return `; ${formatDuration(freeNs)} it was free${who}`;
}

/** "For 92.083 ms it waited for rwsem 0x…d5f0 of the kernel, mostly until kc-2 released it." @param least ns */
export function kernelLockPieces(
  { kernelWaits }: Pick<ExplainedPath, 'kernelWaits'>,
  least: number,
): SentencePiece[] {
  return kernelWaits
    .filter(({ ns }) => ns >= least)
    .slice(0, MOST_LOCKS)
    .map(({ lock, ns, by }) => ({
      text: `For ${formatDuration(ns)} it waited for ${lock}${by === undefined ? '' : `, mostly until ${by} released it`}. `,
    }));
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

/** The parts of a path without those that `lockPieces` describes. @param own worker studied */
export function partsBesideLocks(
  { parts, waitsFor, lockWaits }: Pick<ExplainedPath, 'parts' | 'waitsFor' | 'lockWaits'>,
  own: number,
): PathPart[] {
  /** ns that `lockPieces` describes, by worker and code. */
  const leftNs = new Map<string, number>();
  const { length, parent, worker, value } = waitsFor;
  const locks = new Set(lockFrames(waitsFor));
  const isWithin = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    isWithin[i] = locks.has(i) || (parent[i] >= 0 && isWithin[parent[i]] === 1) ? 1 : 0;
    if (isWithin[i] === 0 || value[i] === NO_STATE) continue;
    const key = `${worker[parent[i]]} ${codeOfPart(value[i])}`;
    addNumber(leftNs, key, ownNs(waitsFor, i));
  }
  // While nobody held the lock, the thread studied itself waited for a CPU.
  const ready = lockWaits.flatMap((wait) => wait.ready.filter(({ worker: one }) => one === own));
  const ownKey = `${own} ${codes.DRAW_RUNNABLE}`;
  addNumber(
    leftNs,
    ownKey,
    ready.reduce((sum, { ns }) => sum + ns, 0),
  );
  return parts.flatMap((part) => {
    const key = `${part.worker} ${codeOfPart(part.value)}`;
    const taken = Math.min(part.ns, leftNs.get(key) ?? 0);
    leftNs.set(key, (leftNs.get(key) ?? 0) - taken);
    return part.ns > taken ? [{ ...part, ns: part.ns - taken }] : [];
  });
}

type Tree = ExplainedPath['waitsFor'];

/** Frames of waits of the thread studied for locks whose holders, or next holders, are on the path. */
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

/** States of the holders of a lock that the thread studied waited for, each with the lock that the holder waited for. */
function statesWhileHeld(tree: Tree, lock: string): PathPart[] {
  const { worker, value, ns, text, texts } = tree;
  const frames = lockFrames(tree).filter((frame) => texts[text[frame]] === lock);
  const holders = frames
    .filter((frame) => !isNotHeld(value[frame]))
    .flatMap((frame) => holdersOf(tree, frame));
  return holders.flatMap((frame) =>
    childrenOf(tree, frame)
      .filter((state) => value[state] !== NO_STATE)
      .map((state) => {
        const detail = isLock(tree, state) ? texts[text[state]] : '';
        const part = { worker: worker[frame], value: value[state], detail, ns: ns[state] };
        return { ...part, segments: 1, blockers: [], served: [] };
      }),
  );
}

/** ns of a state itself, without what others did meanwhile; a frame that only took its time has nothing below. */
function ownNs(tree: Tree, state: number): number {
  const others = holdersOf(tree, state).filter((worker) => childrenOf(tree, worker).length > 0);
  return tree.ns[state] - others.reduce((sum, worker) => sum + tree.ns[worker], 0);
}

/** A piece of the sentence; with `worker` it is the name of one and links to its row. */
export interface SentencePiece {
  readonly text: string;
  readonly worker?: number;
}
