/** The time that a list of events goes to: where the pointer rests, and what is selected. */
import { useComputed, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import { useApp } from '../context/app-context.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { rangeOf, rowById, type ViewModel } from '../timeline/timeline.tsx';
import type { EventPlace, EventsState } from './events-state.ts';
import { EVENTS_AT } from './show-events.ts';

/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

/**
 * Has the list go to the middle of the view, to what is selected, or to the event that it led to last; by a filter to the
 * first event in view, else of all. It then follows the pointer, and goes where an interval begins that is selected, and
 * where that of a thread began which is selected as a whole.
 */
export function useLookedAt(view: ViewModel, events: EventsState): void {
  const { choices } = useApp();
  const linked = useComputed(() => readTime(choices.text(EVENTS_AT)));
  const known = useRef({ filter: events.filter.peek(), linked: linked.peek() });
  const go = (place: EventPlace) => {
    events.lookedAt = place.timeNs;
    events.place.value = place;
  };
  useLayoutEffect(() => {
    events.followed = view.question.peek().row;
    go(firstPlace(view, events, linked.peek()));
  }, []);
  const goTo = (timeNs: DisplayNs) => {
    if (timeNs !== events.lookedAt) go({ timeNs });
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
    const at = events.lookedAt ?? NaN;
    if (!(at >= selected.from && at < selected.to)) goTo(selected.from);
  });
  useSignalEffect(() => {
    const before = known.current;
    const { filter, linked: at } = (known.current = { filter: events.filter.value, linked: linked.value });
    // Of a link that was followed, else by a new filter.
    if (at !== before.linked && at !== undefined) goTo(at);
    else if (filter !== before.filter && filter.trim() !== '') go(events.inView);
  });
  useFollowedThread(view, events, goTo);
}

/** Goes to the begin of what a thread does at the time looked at, once it is selected as a whole. */
function useFollowedThread(view: ViewModel, events: EventsState, goTo: (timeNs: DisplayNs) => void): void {
  const { session, experiment } = useApp();
  useSignalEffect(() => {
    const { row, interval } = view.question.value;
    if (row === undefined || row === events.followed) return;
    events.followed = row;
    if (interval !== undefined || rowById(experiment.rows.peek(), row)?.kind !== 'thread') return;
    const asking = new AbortController();
    const { signal } = asking;
    const answer = session.ask('interval', { row, timeNs: events.lookedAt ?? 0 }, { signal });
    void unlessAborted(answer, signal).then((found) => {
      if (found !== undefined && !signal.aborted) goTo(found.from);
    });
    return () => asking.abort();
  });
}

/** An event out of view was looked at before the reader went on. */
function firstPlace(view: ViewModel, events: EventsState, linked: DisplayNs | undefined): EventPlace {
  const { from, to } = rangeOf(view.viewport.peek());
  if (linked !== undefined && from <= linked && linked <= to) return { timeNs: linked };
  return events.filter.peek().trim() === '' ? { timeNs: Math.floor((from + to) / 2) } : events.inView;
}

function readTime(text: string | undefined): DisplayNs | undefined {
  return /^-?\d{1,18}$/.test(text ?? '') ? Number(text) : undefined;
}
