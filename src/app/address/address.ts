/**
 * Keeps the page's address equal to what is shown, and adds a history entry for each view that the reader stayed on:
 * Back leads to the previous visible time, tab and path. Browsers limit how often the address may change, so it is
 * written with a delay.
 */
import { batch, effect, untracked } from '@preact/signals';
import type { OpenPage } from '../features/feature.ts';
import { FEATURES } from '../features/registry.ts';
import { isReading } from '../opening/progress-row.tsx';
import { rangeOf, rowById } from '../timeline/timeline.tsx';
import { currentLesson, currentLink, type Link, type LinkedView, writeLink } from './link.ts';
import { createViewSteps } from './view-steps.ts';

const REST_MS = 500;

/** Content of our entries in the browser's history. */
interface Entry {
  readonly trace: string;
  /** Id of the view that made the entry: each view, also of the same trace, numbers its own steps. */
  readonly view: number;
  readonly step: number;
}

/** The steps of one view in the browser's history. */
export interface ViewHistory {
  /** Goes to the entry before or after, if it belongs to this view. The browser is slow, and keys may be faster. */
  go(by: -1 | 1): void;
  /** Reads signals. */
  canGo(by: -1 | 1): boolean;
  stop(): void;
}

/** Writes what is shown into the address from now on. */
export function followView(page: OpenPage): ViewHistory {
  const { view } = page;
  const { experiment } = page.app;
  const id = Date.now();
  const steps = createViewSteps(page);
  /** The step that the browser was asked for and has not reached. */
  let requested: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Link that the address says next. */
  let pending: { readonly trace: string | undefined; readonly link: string } | undefined;
  const write = () => {
    const [trace, link] = [experiment.trace.peek(), untracked(() => linkOf(page))];
    if (trace === undefined || link === undefined) return;
    const entry: Entry = { trace, view: id, step: steps.position.peek() };
    const current = entryOf(history.state);
    // The first view gets its own entry, so that Back leads to the start page, unless a link or a lesson led here.
    const isNew =
      current?.trace === entry.trace
        ? current.view === id && entry.step > current.step
        : currentLink()?.trace !== entry.trace && currentLesson() === undefined;
    history[isNew ? 'pushState' : 'replaceState'](entry, '', link);
  };
  // Not after the next frame: Back must leave the view that has just become a step, not skip it.
  const stopSteps = effect(() => {
    if (steps.position.value >= 0) write();
  });
  const stop = effect(() => {
    // Reads every part of the link, so that a change of any part is written.
    const link = linkOf(page);
    // Nothing is open any more.
    if (link === undefined) return;
    pending = { trace: experiment.trace.peek(), link };
    clearTimeout(timer);
    timer = setTimeout(() => {
      pending = undefined;
      requested = undefined;
      write();
    }, REST_MS);
  });
  const onPopState = (event: PopStateEvent) => {
    const entry = entryOf(event.state);
    const link = currentLink();
    if (entry?.view !== id || entry.step === requested) requested = undefined;
    if (link === undefined) {
      // The example of a lesson is opened by `useLinkedTrace`.
      if (currentLesson() === undefined) void experiment.close();
    } else if (link.trace !== experiment.trace.peek()) return;
    else if (entry?.view === id) steps.go(entry.step);
    // The address was typed or pasted, or is from an earlier visit.
    else applyLink({ ...link, view: link.view ?? view.extent.peek() }, page);
  };
  window.addEventListener('popstate', onPopState);
  const isStep = (to: number) => to >= 0 && to < steps.length.value;
  return {
    go: (by) => {
      const to = (requested ?? steps.position.peek()) + by;
      if (!isStep(to)) return;
      requested = to;
      history.go(by);
    },
    canGo: (by) => isStep(steps.position.value + by),
    stop: () => {
      clearTimeout(timer);
      steps.stop();
      stopSteps();
      stop();
      // Files of the same trace that are dropped right after a change show the latest view.
      if (pending !== undefined && currentLink()?.trace === pending.trace)
        history.replaceState(history.state, '', pending.link);
      window.removeEventListener('popstate', onPopState);
    },
  };
}

/** The address of the current view; the page's own address follows with a delay. */
export function addressOf(page: OpenPage): string {
  const link = untracked(() => linkOf(page));
  return link === undefined ? window.location.href : new URL(link, window.location.href).href;
}

/** Shows what a link says of the experiment that is open. */
export function applyLink(link: Link, page: OpenPage): void {
  const { view } = page;
  if (link.view !== undefined) view.setRange(link.view, false);
  view.selectRange(link.range);
  batch(() => {
    page.app.choices.show(link.parts);
    for (const feature of FEATURES) feature.link?.show(page, link.parts);
  });
  selectLinked(link, page);
}

/** Selects what a link selects, and shows its tab. */
function selectLinked({ row, at, isCall, tab }: Link, { view, app }: OpenPage): void {
  if (row !== undefined) {
    view.show(row);
    if (at !== undefined) void view[isCall ? 'selectCall' : 'select'](row, at);
  }
  // Last, since a selection opens its own tab.
  if (tab !== undefined && FEATURES.some((feature) => feature.id === tab && feature.tab !== undefined)) {
    app.drawer.show(tab);
  }
}

/**
 * Selects what a link selects again when its row comes and when reading ends, unless the reader selected something else:
 * it may not have been read yet, and rows of layers come last. The function returned ends that.
 */
export function selectLater(page: OpenPage, linked: Link | undefined): () => void {
  if (linked === undefined) return () => undefined;
  const { view } = page;
  const { experiment, drawer } = page.app;
  const tab = drawer.tab.peek();
  let wasReading = false;
  let wasThere = true;
  return effect(() => {
    const reading = isReading(experiment.progress.value);
    const isThere = linked.row === undefined || rowById(experiment.rows.value, linked.row) !== undefined;
    const { row, interval } = view.question.peek();
    const isUntouched = row === linked.row && interval === undefined && drawer.tab.peek() === tab;
    const isNew = (wasReading && !reading) || (!wasThere && isThere);
    wasReading = reading;
    wasThere = isThere;
    if (isNew && isUntouched) untracked(() => selectLinked(linked, page));
  });
}

/** The fragment of the page's address. Reads signals. */
export function linkOf(page: OpenPage): string | undefined {
  const { view } = page;
  const { experiment, drawer, lesson } = page.app;
  const trace = experiment.trace.value;
  if (trace === undefined) return undefined;
  const { row, interval } = view.question.value;
  const viewport = rangeOf(view.viewport.value);
  const all = view.extent.value;
  const showsAll = viewport.from <= all.from && viewport.to >= all.to;
  const seen: LinkedView = {
    trace,
    name: experiment.name.value,
    url: experiment.url.value,
    view: showsAll ? undefined : viewport,
    range: view.range.value,
    row,
    at: interval?.from,
    isCall: interval?.kind === 'call',
    tab: drawer.tab.value,
    lesson: lesson.value?.name,
  };
  return writeLink(seen, (parts) => {
    for (const feature of FEATURES) feature.link?.write(page, parts);
    page.app.choices.write(parts);
  });
}

function entryOf(state: unknown): Entry | undefined {
  const entry = state as Partial<Entry> | null;
  const isOurs =
    typeof entry?.trace === 'string' && typeof entry.view === 'number' && typeof entry.step === 'number';
  return isOurs ? (entry as Entry) : undefined;
}
