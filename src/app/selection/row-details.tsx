/** Details of a row without a selected interval. */
import { TextButton } from '../controls/button.tsx';
import { useApp } from '../context/app-context.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { hostName, visibleText } from '../format/text.ts';
import { tidAbout, tidAlone } from '../format/tid.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { Pair } from '../controls/pair.tsx';
import type { LocksPage } from '../locks/locks-page.ts';
import { exactTime, hasStates, rowById, rowTitle, type ViewModel } from '../timeline/timeline.tsx';
import { GroupColumns, isThreadGroup } from './group-details.tsx';
import { ThreadColumns, ThreadPairs, useThreadSummary } from './thread-details.tsx';

/** The focused row, if it has details that its intervals do not show. */
export function detailedRow(rows: readonly RowInfo[], view: ViewModel): RowInfo | undefined {
  const focused = rowById(rows, view.focusedRow.value ?? '');
  if (focused === undefined || focused.events > 0 || isThreadGroup(focused)) return focused;
  return hasStates(focused) && focused.id !== view.selected.value?.row ? focused : undefined;
}

/** The id of a thread, with a note if it was used before. */
export function Tid({ row }: { readonly row: RowInfo }) {
  const about = tidAbout(row);
  return (
    <>
      <span class="mono faint">{tidAlone(row)}</span>
      {about !== undefined && <span class="muted">, {about}</span>}
    </>
  );
}

interface RowLinkProps {
  readonly view: ViewModel;
  readonly id: string;
  readonly name: string;
}

/** The name of a row as a button that shows it. */
export function RowLink({ view, id, name }: RowLinkProps) {
  return <TextButton class="link" text={visibleText(name)} onClick={() => view.show(id)} />;
}

/** Details of a row, which has to be its key. */
export function RowDetails({ page, row }: { readonly page: LocksPage; readonly row: RowInfo }) {
  const { view, path } = page;
  const { experiment, drawer } = useApp();
  const summary = useThreadSummary(view, row.id).value;
  const style = view.timeStyle.value;
  const rows = experiment.rows.value;
  const parent = row.parent < 0 ? undefined : rows[row.parent];
  const hosts = experiment.info.value?.hosts ?? [];
  const explain = () => {
    path.explainRow(row.id);
    drawer.show('path');
  };
  return (
    <section class="selection-part" aria-label="Row">
      <header class="selection-head">
        <h3>{rowTitle(row)}</h3>
        {hasStates(row) && (
          <button class="button primary" onClick={explain}>
            {view.range.value === undefined
              ? 'Where did its time go?'
              : 'Where did its time in the range go?'}
          </button>
        )}
        {row.events > 0 && (
          <TextButton class="button outlined" text="Its events" onClick={() => drawer.show('events')} />
        )}
      </header>
      <div class="row-columns">
        <dl class="pairs">
          {tidAbout(row) !== undefined && (
            <Pair name="Thread id">
              <Tid row={row} />
            </Pair>
          )}
          {parent?.kind === 'process' && (
            <Pair name="Process">
              <RowLink view={view} id={parent.id} name={parent.name} /> <Tid row={parent} />
            </Pair>
          )}
          {row.vtid !== undefined && row.ns !== undefined && (
            <Pair name="Pid namespace" mono>
              {row.ns}
            </Pair>
          )}
          {hosts.length > 1 && <Pair name="Host">{hostName(hosts, row.host)}</Pair>}
          {row.events > 0 && (
            <>
              <Pair name="Events" mono>
                {formatCount(row.events)}
              </Pair>
              <Pair name="First" mono>
                {exactTime(row.firstNs, style)}
              </Pair>
              <Pair name="Last" mono>
                {exactTime(row.lastNs, style)}
              </Pair>
            </>
          )}
          <ThreadPairs view={view} row={row} summary={summary} />
          {hasStates(row) && <Pair name="On CPU">{formatDuration(row.cpuTimeNs)}</Pair>}
        </dl>
        {isThreadGroup(row) && experiment.info.value?.hasKernel === true && (
          <GroupColumns view={view} row={row} />
        )}
        {summary?.found && (
          <ThreadColumns page={page} view={view} row={row} known={summary.found} range={summary.range} />
        )}
      </div>
    </section>
  );
}
