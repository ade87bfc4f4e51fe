/** The answer to "why did this wait?" as a sentence, from the parts of a path. Pure. */
import { timeOf } from '../../engine/answers/paths/path-owners.ts';
import { append } from '../../engine/base/append.ts';
import { capitalised } from '../../engine/base/first-letter.ts';
import { groupBy } from '../../engine/base/group-by.ts';
import { PACKET_ON_ITS_WAY, waitingSoftirq } from '../../engine/graph/path-codes.ts';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import type { PathPart } from '../../engine/protocol/paths.ts';
import { formatDuration, formatShare } from '../format/numbers.ts';
import { listed } from '../format/text.ts';
import {
  kernelLockPieces,
  lockPieces,
  partsBesideLocks,
  vainWaitPieces,
  type SentencePiece,
} from './lock-sentence.ts';
import { isCallName, phrases, softirqPhrase } from './path-phrases.ts';
import type { ExplainedPath } from './path-state.ts';

/** Most workers that are named one by one, and the share below which they are named together. */
const MOST_WORKERS = 3;
const LEAST_SHARE = 0.03;
/**
 * @param own number of the worker studied
 * @param wait the wait whose path it is; undefined: the path of a range
 */
export function pathSentence(
  answer: ExplainedPath,
  own: number,
  wait: Pick<IntervalInfo, 'syscall' | 'causeText'> | undefined,
): SentencePiece[] {
  const whole = answer.to - answer.from;
  const isInterrupt = (worker: number) => answer.workers[worker].row === undefined;
  const byWorker = partsByWorker(partsBesideLocks(answer, own));
  const others = [...byWorker].filter(([worker]) => worker !== own && !isInterrupt(worker));
  const named = others.filter(([, parts]) => timeOf(parts) >= LEAST_SHARE * whole).slice(0, MOST_WORKERS);
  const pieces: SentencePiece[] = [];
  if (wait?.causeText !== undefined) {
    const where = isCallName(wait.syscall) ? ` in ${wait.syscall}` : '';
    pieces.push({ text: `It waited${where}, ${wait.causeText}. ` });
  }
  const mine = phrases(byWorker.get(own) ?? [], named.length > 0 ? LEAST_SHARE * whole : 0);
  append(pieces, kernelLockPieces(answer, LEAST_SHARE * whole));
  const ofLocks = lockPieces(answer, own, LEAST_SHARE * whole);
  append(pieces, ofLocks);
  if (mine.length > 0)
    pieces.push({ text: `${ofLocks.length > 0 ? 'Beside that it' : 'It'} ${listed(mine)}. ` });
  append(pieces, vainWaitPieces(answer, own));
  named.forEach(([worker, parts], i) => {
    const { label, row } = answer.workers[worker];
    if (i === 0) pieces.push({ text: mine.length > 0 ? 'Then it depended on ' : 'It depended on ' });
    pieces.push({ text: label, worker: row === undefined ? undefined : worker });
    pieces.push({ text: `${i === 0 ? ', which ' : ' '}${listed(phrases(parts, LEAST_SHARE * whole))}. ` });
  });
  const rest = others
    .filter((entry) => !named.includes(entry))
    .reduce((sum, [, parts]) => sum + timeOf(parts), 0);
  if (rest > 0) {
    const count = others.length - named.length;
    pieces.push({
      text: `${count === 1 ? 'One more' : `${count} more`} took ${formatDuration(rest)}. `,
    });
  }
  const ofInterrupts = answer.parts.filter(({ worker }) => isInterrupt(worker));
  if (ofInterrupts.length > 0) pieces.push({ text: interruptPhrase(ofInterrupts) });
  const unknown = answer.unexplainedNs;
  if (unknown > 0)
    pieces.push({ text: `${formatDuration(unknown)} (${formatShare(unknown / whole)}) is unexplained.` });
  return pieces;
}

/**
 * Phrase for time of interrupts: packets on their way, softirqs that were raised and did not run yet, and the time until
 * a thread was woken.
 */
function interruptPhrase(parts: readonly PathPart[]): string {
  const packets = timeOf(parts.filter(({ value }) => value === PACKET_ON_ITS_WAY));
  const waiting = parts.filter(({ value }) => waitingSoftirq(value) >= 0);
  const rest = timeOf(parts) - packets - timeOf(waiting);
  const said = [
    ...(packets > 0 ? [`packets were on their way for ${formatDuration(packets)}`] : []),
    ...(waiting.length > 0 ? [softirqPhrase(waiting)] : []),
    ...(rest > 0 ? [`interrupts took ${formatDuration(rest)}`] : []),
  ];
  const text = listed(said);
  return `${capitalised(text)}. `;
}

function partsByWorker(parts: readonly PathPart[]): Map<number, readonly PathPart[]> {
  const byWorker = groupBy(parts, ({ worker }) => worker);
  return new Map([...byWorker].sort(([, a], [, b]) => timeOf(b) - timeOf(a)));
}
