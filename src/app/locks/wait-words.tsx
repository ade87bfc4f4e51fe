/** A wait in a sentence, and the ways from it: to its place, its path and its holder. */
import type { LockWaitLine } from '../../engine/protocol/locks.ts';
import { formatDuration, formatExact, unbroken } from '../format/numbers.ts';
import { exactTime } from '../timeline/timeline.tsx';
import { explainWait, type LocksPage, showHolder, showWait } from './locks-page.ts';

interface WaitProps {
  readonly page: LocksPage;
  readonly wait: LockWaitLine;
}

/** "fight-2 waited 25.148 ms for m_hot, from 100.2 ms on, until fight-3 handed it over." */
export function WaitSentence({ page: { locks, view }, wait }: WaitProps) {
  const threads = locks.threads.value;
  const lock = locks.lockById.value.get(wait.lock)?.shownName ?? wait.lock;
  const by = threads[wait.by]?.shownName;
  return (
    <span>
      <b>{threads[wait.waiter]?.shownName}</b> {wait.outcome === 'unfinished' ? 'waits' : 'waited'}{' '}
      <b class="nowrap" title={formatExact(wait.to - wait.from)}>
        {unbroken(formatDuration(wait.to - wait.from))}
      </b>{' '}
      for {lock}, from {unbroken(exactTime(wait.from, view.timeStyle.value))} on
      {endOf(wait, by)}.
    </span>
  );
}

function endOf({ outcome, via, isLossy }: LockWaitLine, by: string | undefined): string {
  const lost = isLossy ? '; events were lost meanwhile' : '';
  if (outcome === 'unfinished') return `${by === undefined ? '' : `, which ${by} held`}, to no end${lost}`;
  if (outcome === 'failed') return `, and gave up${by === undefined ? '' : ` while ${by} held it`}${lost}`;
  if (by === undefined) return lost;
  return via === 'wake-up'
    ? `, until ${by} released it and woke it${lost}`
    : `, until ${by} released it${lost}`;
}

export function WaitActions({ page, wait }: WaitProps) {
  const hasKernel = page.app.experiment.info.value?.hasKernel === true;
  return (
    <span class="line">
      <button class="button outlined" onClick={() => showWait(page, wait)}>
        Show it
      </button>
      {hasKernel && (
        <button class="button outlined" onClick={() => explainWait(page, wait)}>
          Its path
        </button>
      )}
      {wait.by >= 0 && (
        <button class="button outlined" onClick={() => showHolder(page, wait)}>
          Its holder
        </button>
      )}
    </span>
  );
}
