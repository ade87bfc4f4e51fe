/** Locks that the executions of group B waited longer for, if the trace has events of locks: one sentence each. */
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import { type RankedLock, rankLocks } from '../../engine/layers/executions/ranking/ranking.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { LocksWithinRequest } from '../../engine/protocol/locks.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { ComparedProps } from './compare-page.ts';
import type { ComponentChildren } from 'preact';

const MOST = 3;

/**
 * Means of both groups, and how many executions of B have any time where not all have: "6.049 ms against none in A; in 18
 * of 26."
 */
export function contrastText(
  { meanA, meanB, inA, inB }: Pick<RankedLock, 'meanA' | 'meanB' | 'inA' | 'inB'>,
  { sizeA, sizeB }: { readonly sizeA: number; readonly sizeB: number },
): string {
  const times = `${formatDuration(meanB)} against ${meanA === 0 ? 'none' : formatDuration(meanA)} in A`;
  if (inB < sizeB) return `${times}; in ${formatCount(inB)} of ${formatCount(sizeB)}.`;
  return inA < sizeA
    ? `${times}; in all of B, ${formatCount(inA)} of ${formatCount(sizeA)} in A.`
    : `${times}.`;
}

/** Empty if some executions are of another trace or have no trace: its locks are not known. */
export function LockReasons({ page, comparison, groups }: ComparedProps & { readonly groups: Groups }) {
  const { app, view, compare } = page;
  const answer = useLiveAnswer(
    () => compare.comparison.value,
    async (of, signal) => {
      if (of === undefined || of.others > 0 || view === undefined) return undefined;
      return { of, found: await app.session.ask('locksWithin', intervalsOf(of.answer), { signal }) };
    },
  );
  if (answer.value?.of !== comparison) return null;
  const ranked = rankLocks(answer.value.found, comparison.answer.length, groups);
  if (ranked.length === 0) return null;
  return (
    <ol aria-label="For which locks">
      {ranked.slice(0, MOST).map((lock) => (
        <ReasonLine key={lock.name} difference={formatDuration(lock.difference)} effect={lock.effect}>
          <b>
            Waiting for <span class="mono">{visibleText(lock.name)}</span>
          </b>
          : {contrastText(lock, { sizeA: groups.a.length, sizeB: groups.b.length })}
        </ReasonLine>
      ))}
    </ol>
  );
}

/** Threads and times of executions, as the question about their locks takes them. */
export function intervalsOf({ threads, thread, from, to }: ExecutionsAnswer): LocksWithinRequest {
  return { rows: threads.map(({ row }) => row), thread, from, to };
}

/** Standard deviations of an effect that has the longest bar. */
const LONGEST_BAR = 6;

interface ReasonProps {
  readonly difference: string;
  readonly effect: number | null;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A sentence with the time that it explains and its effect. */
export function ReasonLine({ difference, effect, title, children }: ReasonProps) {
  const length = effect === null ? 1 : Math.min(1, Math.abs(effect) / LONGEST_BAR);
  const colour = effect !== null && effect < 0 ? 'var(--diff-less-3)' : 'var(--diff-more-3)';
  return (
    <li>
      <span title={title}>{children}</span>
      <span class="nowrap">{difference}</span>
      <span class="compare-effect">
        <span style={{ '--length': length, '--colour': colour }} />
      </span>
      <span class="nowrap" title={effect === null ? 'Neither group varies' : undefined}>
        {effect === null ? '–' : effect.toFixed(1)}
      </span>
    </li>
  );
}
