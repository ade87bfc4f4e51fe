/** The time that a list of events goes to: where the pointer rests, and what is selected. */
import { useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import { useApp } from '../context/app-context.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { rangeOf, rowById, type ViewModel } from '../timeline/timeline.tsx';
import { EVENTS_AT } from './show-events.ts';

/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

export interface LookedAt {
  readonly time: ReadonlySignal<DisplayNs>;
  /** The list itself leads to an event and its row, and stays where it is. */
  leadTo(timeNs: DisplayNs, row: string | undefined): void;
}

/**
 * Begins in the middle of the view, with what is selected, or with the event that the list led to last. Goes where an
 * interval begins that is selected, and where that of a thread began which is selected as a whole.
 */
export function useLookedAt(view: ViewModel): LookedAt {
  const { choices } = useApp();
  const linked = () => readTime(choices.text(EVENTS_AT));
  const time = useSignal<DisplayNs>(firstTime(view, linked()));
  const known = useRef<DisplayNs>(time.peek());
  const goTo = (timeNs: DisplayNs) => {
    if (timeNs !== known.current) time.value = known.current = timeNs;
  };
  useSignalEffect(() => {
    const timeNs = view.hover.value?.timeNs;
    if (timeNs === undefined) return;
    const timer = setTimeout(() => goTo(timeNs), REST_MS);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    const selected = view.selected.value;
    if (selected === undefined) return;
    if (known.current < selected.from || known.current >= selected.to) goTo(selected.from);
  });
  // Of a link that was followed.
  useSignalEffect(() => {
    const timeNs = linked();
    if (timeNs !== undefined) goTo(timeNs);
  });
  const row = useFollowedThread(view, known, goTo);
  return {
    time,
    leadTo: (timeNs, ledTo) => {
      known.current = timeNs;
      row.value = ledTo ?? row.peek();
      choices.choose(EVENTS_AT, String(timeNs));
    },
  };
}

/** Goes to the begin of what a thread does at the time looked at, once it is selected as a whole. @returns the row that was followed last */
function useFollowedThread(
  view: ViewModel,
  known: { readonly current: DisplayNs },
  goTo: (timeNs: DisplayNs) => void,
): Signal<string | undefined> {
  const { session, experiment } = useApp();
  const followed = useSignal(view.question.peek().row);
  useSignalEffect(() => {
    const { row, interval } = view.question.value;
    if (row === undefined || row === followed.peek()) return;
    followed.value = row;
    if (interval !== undefined || rowById(experiment.rows.peek(), row)?.kind !== 'thread') return;
    const asking = new AbortController();
    const { signal } = asking;
    const answer = session.ask('interval', { row, timeNs: known.current }, { signal });
    void unlessAborted(answer, signal).then((found) => {
      if (found !== undefined && !signal.aborted) goTo(found.from);
    });
    return () => asking.abort();
  });
  return followed;
}

/** An event out of view was looked at before the reader went on. */
function firstTime(view: ViewModel, linked: DisplayNs | undefined): DisplayNs {
  const { from, to } = rangeOf(view.viewport.peek());
  return linked !== undefined && from <= linked && linked <= to ? linked : Math.floor((from + to) / 2);
}

function readTime(text: string | undefined): DisplayNs | undefined {
  return /^-?\d{1,18}$/.test(text ?? '') ? Number(text) : undefined;
}
