/**
 * Keeps the page's address in step with what is seen, and its history with the steps that were rested on: Back leads
 * to the visible time, the tab and the path before. Browsers limit how often the address may change, so it follows after a moment's rest.
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
  /** Id of the view that the entry is of: another one, also of the same trace, numbers its steps anew. */
  readonly view: number;
  readonly step: number;
}

/** The browser's history as far as it holds steps of a view. */
export interface ViewHistory {
  /** Goes to the entry before or after, if that is of this view: the browser takes its time, and keys may be faster. */
  go(by: -1 | 1): void;
  /** Reads signals. */
  canGo(by: -1 | 1): boolean;
  stop(): void;
}

/** Writes what is seen into the address from now on. */
export function followView(page: OpenPage): ViewHistory {
  const { view } = page;
  const { experiment } = page.app;
  const id = Date.now();
  const steps = createViewSteps(page);
  /** The step that the browser is on its way to. */
  let heading: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Link that the address says next. */
  let pending: { readonly trace: string | undefined; readonly link: string } | undefined;
  const write = () => {
    const [trace, link] = [experiment.trace.peek(), untracked(() => linkOf(page))];
    if (trace === undefined || link === undefined) return;
    const entry: Entry = { trace, view: id, step: steps.position.peek() };
    const current = entryOf(history.state);
    // The first view gets an entry of its own, so that Back leads to the start page, unless a link led here, or a lesson.
    const isNew =
      current?.trace === entry.trace
        ? current.view === id && entry.step > current.step
        : currentLink()?.trace !== entry.trace && currentLesson() === undefined;
    history[isNew ? 'pushState' : 'replaceState'](entry, '', link);
  };
  // At once: Back leads away from what has become a step, not past it.
  const stopSteps = effect(() => {
    if (steps.position.value >= 0) write();
  });
  const stop = effect(() => {
    // Reads all that the link says, so that a change of any of it is followed.
    const link = linkOf(page);
    // Nothing is open any more.
    if (link === undefined) return;
    pending = { trace: experiment.trace.peek(), link };
    clearTimeout(timer);
    timer = setTimeout(() => {
      pending = undefined;
      heading = undefined;
      write();
    }, REST_MS);
  });
  const onPopState = (event: PopStateEvent) => {
    const entry = entryOf(event.state);
    const link = currentLink();
    if (entry?.view !== id || entry.step === heading) heading = undefined;
    if (link === undefined) {
      // What a lesson is about is opened by who follows the address.
      if (currentLesson() === undefined) void experiment.close();
    } else if (link.trace !== experiment.trace.peek()) return;
    else if (entry?.view === id) steps.go(entry.step);
    // Typed, pasted, or of a visit before.
    else applyLink({ ...link, view: link.view ?? view.extent.peek() }, page);
  };
  window.addEventListener('popstate', onPopState);
  const isStep = (to: number) => to >= 0 && to < steps.length.value;
  return {
    go: (by) => {
      const to = (heading ?? steps.position.peek()) + by;
      if (!isStep(to)) return;
      heading = to;
      history.go(by);
    },
    canGo: (by) => isStep(steps.position.value + by),
    stop: () => {
      clearTimeout(timer);
      steps.stop();
      stopSteps();
      stop();
      // Files of the same trace that are dropped right after a change show what was seen.
      if (pending !== undefined && currentLink()?.trace === pending.trace)
        history.replaceState(history.state, '', pending.link);
      window.removeEventListener('popstate', onPopState);
    },
  };
}

/** The address of what is seen now, which the page's own follows after a while. */
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

/** Selects what a link does, and shows its tab. */
function selectLinked({ row, at, isCall, tab }: Link, { view, app }: OpenPage): void {
  if (row !== undefined) {
    view.show(row);
    if (at !== undefined) void view[isCall ? 'selectCall' : 'select'](row, at);
  }
  // Last: a selection brings its own tab.
  if (tab !== undefined && FEATURES.some((feature) => feature.id === tab && feature.tab !== undefined)) {
    app.drawer.show(tab);
  }
}

/**
 * Selects once more, at the end and when its row comes, what a link selects, unless the reader went on meanwhile: it
 * may not have been read yet, and rows of layers come last. The function returned ends that.
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
