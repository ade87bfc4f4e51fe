/** Sentence about a wait, and buttons that lead to its place, its path and its holder. */
import { TextButton } from '../controls/button.tsx';
import type { LockWaitLine } from '../../engine/protocol/locks.ts';
import { formatDuration, formatExact, unbroken } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { exactTime } from '../timeline/timeline.tsx';
import { freeText, turnPieces } from '../path/lock-sentence.ts';
import { explainWait, type LocksPage, showHolder, showWait } from './locks-page.ts';

/** Share of a wait from which on the delay between the hand-over and the waiter's run is named. */
const LEAST_LATE = 0.02;

interface WaitProps {
  readonly page: LocksPage;
  readonly wait: LockWaitLine;
}

/**
 * "fight-2 waited 25.148 ms for m_hot, from 100.2 ms on, held in turn by fight-1, fight-3 (twice) and fight-0; 6.326 ms it
 * was free, until fight-0 released it and woke it." "kc-4 waited 15.148 ms for rwsem 0x…d5f0 of the kernel in munmap, …"
 */
export function WaitSentence({ page: { locks, view }, wait }: WaitProps) {
  const nameOf = (thread: number) => locks.threads.value[thread]?.shownName;
  const { call = '', turns = { turns: [], freeNs: 0 } } = wait;
  const held = turnPieces(turns, true, (thread) => ({ text: nameOf(thread) ?? 'an unknown thread' }));
  const free = held.length === 0 ? '' : freeText({ ...turns, ready: [] }, wait.to - wait.from, () => '');
  return (
    <span>
      <b>{nameOf(wait.waiter)}</b> {wait.outcome === 'unfinished' ? 'waits' : 'waited'}{' '}
      <b class="nowrap" title={formatExact(wait.to - wait.from)}>
        {unbroken(formatDuration(wait.to - wait.from))}
      </b>{' '}
      for {locks.nameOf(wait.lock)}
      {call !== '' && ` in ${visibleText(call)}`}, from {unbroken(exactTime(wait.from, view.timeStyle.value))}{' '}
      on
      {held.map(({ text }) => text).join('') + unbroken(free)}
      {endOf(wait, nameOf(wait.by))}.
    </span>
  );
}

function endOf(
  { outcome, via, from, to, handOverNs = to, isLossy }: LockWaitLine,
  by: string | undefined,
): string {
  const lost = isLossy ? '; events were lost meanwhile' : '';
  if (outcome === 'unfinished') return `${by === undefined ? '' : `, which ${by} held`}, to no end${lost}`;
  if (outcome === 'failed') return `, and gave up${by === undefined ? '' : ` while ${by} held it`}${lost}`;
  if (by === undefined) return lost;
  const late =
    to - handOverNs > LEAST_LATE * (to - from)
      ? `; it ran ${unbroken(formatDuration(to - handOverNs))} later`
      : '';
  return via === 'wake-up'
    ? `, until ${by} released it and woke it${late}${lost}`
    : `, until ${by} released it${late}${lost}`;
}

export function WaitActions({ page, wait }: WaitProps) {
  const hasKernel = page.app.experiment.info.value?.hasKernel === true;
  return (
    <span class="line">
      <TextButton class="button outlined" text="Show it" onClick={() => showWait(page, wait)} />
      {hasKernel && (
        <TextButton class="button outlined" text="Its path" onClick={() => explainWait(page, wait)} />
      )}
      {wait.by >= 0 && (
        <button class="button outlined" onClick={() => showHolder(page, wait)}>
          {wait.spinningNs === undefined ? 'Who woke it' : 'Its holder'}
        </button>
      )}
    </span>
  );
}
