/** Tells the rows what they do in view (`rows-in-view.ts`) whenever it comes to rest. */
import { effect, type ReadonlySignal } from '@preact/signals';
import { isOver } from '../../opening/reading.ts';
import type { RowView } from './row-view.ts';
import { rowsInView } from './rows-in-view.ts';
import type { TimelineSource } from '../timeline-source.ts';
import { rangeOf, type TimeRange, type Viewport } from './viewport.ts';

/** Rows stay where they are until the view has been at rest for so long. */
const REST_MS = 300;

interface SeenTime {
  readonly viewport: ReadonlySignal<Viewport>;
  readonly extent: ReadonlySignal<TimeRange>;
}

/**
 * Follows what rows do in view, as far as the rows want to know. Returns what ends it.
 * @param focused the row that the reader is at
 */
export function followRowsInView(
  source: TimelineSource,
  seen: SeenTime,
  rows: RowView,
  focused: ReadonlySignal<string | undefined>,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the latest question. */
  let latest = 0;
  const stop = effect(() => {
    const [all, range, extent] = [source.rows.value, rangeOf(seen.viewport.value), seen.extent.value];
    const isAsked = rows.wantsView.value && isOver(source.progress.value);
    const question = ++latest;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The whole trace is what rows say by themselves.
      if (!isAsked || (range.from <= extent.from && range.to >= extent.to))
        return rows.showInView(undefined, focused.peek());
      void source.ask('cpu', { range }).then(({ threads }) => {
        if (question === latest) rows.showInView(rowsInView(all, threads, range), focused.peek());
      });
    }, REST_MS);
  });
  return () => {
    latest++;
    clearTimeout(timer);
    stop();
  };
}
