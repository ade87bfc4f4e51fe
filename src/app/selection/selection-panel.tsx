/** The Selection tab: the chosen interval, the row that has the focus, the range. */
import './selection.css';
import { useComputed } from '@preact/signals';
import { firstName } from '../../engine/trace/event-kinds.ts';
import { useApp } from '../context/app-context.ts';
import { formatDuration, formatShare } from '../format/numbers.ts';
import type { LocksPage } from '../locks/locks-page.ts';
import { IntervalDetails, RangePairs } from './interval-details.tsx';
import { MissingEvents } from '../recording/missing-events.tsx';
import { Pair } from '../controls/pair.tsx';
import { detailedRow, RowDetails } from './row-details.tsx';
import { StacksOfWait } from './wait-stacks.tsx';
import { rowById, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';

export function SelectionPanel(page: LocksPage) {
  const { view, path } = page;
  const { experiment } = useApp();
  const selected = view.selected.value;
  const wait = useComputed(() => {
    const { kind, info } = view.selected.value ?? {};
    return kind === 'interval' ? info : undefined;
  });
  const range = view.range.value;
  const row = selected && rowById(experiment.rows.value, selected.row);
  const hasKernel = experiment.info.value?.hasKernel ?? true;
  const focused = detailedRow(experiment.rows.value, view);
  const isEmpty = selected === undefined && range === undefined;
  return (
    <div class="selection">
      {selected?.info !== undefined && row !== undefined && (
        <IntervalDetails view={view} path={path} interval={selected.info} row={row} />
      )}
      <StacksOfWait wait={wait} />
      {focused !== undefined && <RowDetails key={focused.id} page={page} row={focused} />}
      {range !== undefined && <RangeDetails view={view} range={range} />}
      {isEmpty && !hasKernel && (
        <MissingEvents
          missing={[firstName('switch'), firstName('waking')]}
          what="This trace has no kernel events, so what threads did and waited for is not known."
        />
      )}
      {isEmpty && focused === undefined && hasKernel && (
        <div class="empty-state">
          <h3>Nothing is selected</h3>
          <p>
            Click an interval on the timeline to see what it is, who ended it, and what came before and after.
            Drag on the ruler to select a range; the statistics then cover it alone.
          </p>
        </div>
      )}
    </div>
  );
}

interface RangeDetailsProps {
  readonly view: ViewModel;
  readonly range: TimeRange;
}

function RangeDetails({ view, range }: RangeDetailsProps) {
  const { drawer } = useApp();
  const length = range.to - range.from;
  const all = view.extent.value;
  return (
    <section class="selection-part" aria-label="Range">
      <header class="selection-head">
        <h3>
          Range of <span class="nowrap">{formatDuration(length)}</span>
        </h3>
        <button class="button outlined" onClick={() => view.setRange(range)}>
          Fit
        </button>
        <button class="button" onClick={() => view.selectRange(undefined)}>
          Clear
        </button>
      </header>
      <dl class="pairs">
        <RangePairs view={view} range={range} />
        <Pair name="Share">{formatShare(length / (all.to - all.from))} of the trace</Pair>
      </dl>
      <p>
        <button class="link" onClick={() => drawer.show('statistics')}>
          Statistics of this range
        </button>
      </p>
    </section>
  );
}
