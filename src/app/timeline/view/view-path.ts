/** The active path that is shown over the rows, and steps along it. */
import { batch, signal, type ReadonlySignal } from '@preact/signals';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import type { RowView } from './row-view.ts';
import { segmentAt, shownPath, type ShownPath } from './shown-path.ts';
import type { Selection } from './view-selection.ts';
import type { VisibleTime } from './view-time.ts';
import * as math from './viewport.ts';

interface ViewParts {
  readonly allRows: ReadonlySignal<readonly RowInfo[]>;
  readonly rows: RowView;
  readonly time: VisibleTime;
  readonly selection: Selection;
}

export class ViewPath {
  readonly shown = signal<ShownPath | undefined>(undefined);
  readonly #view: ViewParts;

  constructor(view: ViewParts) {
    this.#view = view;
  }

  show(answer: PathAnswer | undefined): void {
    const { allRows, rows, selection } = this.#view;
    const before = this.shown.peek()?.answer;
    batch(() => {
      this.shown.value = answer && shownPath(answer, allRows.peek());
      selection.pathStep.value = -1;
      const another = before?.row !== answer?.row || before?.criterion !== answer?.criterion;
      rows.followPath(this.shown.peek(), another);
    });
  }

  goToSegment(segment: number): void {
    const { rows, time, selection } = this.#view;
    const path = this.shown.peek();
    if (!path || segment < 0 || segment >= path.answer.segments.length) return;
    const { from, to } = path.answer.segments;
    const row = path.rowOf[segment];
    rows.reveal(row);
    const known = { from: from[segment], to: to[segment] };
    void selection.select(row, Math.floor((known.from + known.to) / 2), known, segment);
    time.keepInView(known);
  }

  /** Steps from the segment stepped to, or from the one in the middle of the view. */
  step(direction: -1 | 1): void {
    const { time, selection } = this.#view;
    const path = this.shown.peek();
    if (!path) return;
    const at = selection.pathStep.peek();
    this.goToSegment(at < 0 ? segmentAt(path.answer, math.middle(time.viewport.peek())) : at + direction);
  }
}
