/** The Path tab without a path: what a path answers, and how to ask for one. */
import { useMemo } from 'preact/hooks';
import { columnsOf, indicesOf } from '../../engine/answers/rows/row-writer.ts';
import { stableOrder } from '../../engine/base/stable-order.ts';
import { useApp } from '../context/app-context.ts';
import { visibleText } from '../format/text.ts';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import { hasStates, rowById, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';
import type { PathState } from './path-state.ts';
import { threadAt } from './path-target.ts';

/** Most threads that are suggested. */
const MOST_SUGGESTED = 5;

export function NoPath({ path, view }: { readonly view: ViewModel; readonly path: PathState }) {
  const { rows } = useApp().experiment;
  const { row, interval, range } = view.question.value;
  const asked = interval?.info;
  const focused = rowById(rows.value, row ?? '');
  const busiest = useMemo(() => busiestThreads(rows.value), [rows.value]);
  return (
    <div class="empty-state path-empty">
      <h3>Why did it wait?</h3>
      <p>
        Click a wait of a thread, one of the pale stretches of its row, and press <kbd class="key">P</kbd>:
        the path shows which threads, interrupts and devices the time went to.
      </p>
      {focused !== undefined && threadAt(rows.value, focused.id) === undefined && (
        <p>{visibleText(focused.name)} is selected, which is no thread and has no path.</p>
      )}
      {focused !== undefined && hasStates(focused) && (
        <button class="button primary" onClick={() => path.explain()}>
          {questionOf(focused, asked, range)}
        </button>
      )}
      {busiest.length > 0 && (
        <p class="path-suggested">
          <span>Or ask where all the time of a thread went:</span>
          {busiest.map(({ id, name, tid }) => (
            <button key={id} class="button outlined" onClick={() => path.explainRow(id)}>
              {visibleText(name)} <span class="mono faint">{tid}</span>
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function questionOf(row: RowInfo, asked: IntervalInfo | undefined, range: TimeRange | undefined): string {
  if (asked?.causeText !== undefined) return 'Why did this wait?';
  if (asked !== undefined) return `Where did this time of ${visibleText(row.name)} go?`;
  const when = range === undefined ? '' : ' in the selected range';
  return `Where did the time of ${visibleText(row.name)} go${when}?`;
}

/** Threads of user space that ran longest, one for each process, without the tracer's. */
function busiestThreads(rows: readonly RowInfo[]): readonly RowInfo[] {
  const processes = new Set<string>();
  const isOfTracer = ({ parent, kind }: RowInfo): boolean =>
    kind === 'tracer' || (parent >= 0 && isOfTracer(rows[parent]));
  const found: RowInfo[] = [];
  const columns = columnsOf(rows);
  const mostFirst = columns.cpuTimeNs.map((ns) => -ns);
  for (const index of stableOrder(mostFirst, indicesOf(columns, 'thread'))) {
    const row = rows[index];
    const process = `${row.host} ${row.pid}`;
    if (!hasStates(row) || !row.ran || row.kernelThread || isOfTracer(row) || processes.has(process))
      continue;
    processes.add(process);
    if (found.push(row) === MOST_SUGGESTED) break;
  }
  return found;
}
