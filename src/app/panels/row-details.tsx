/** What is known of a row as a whole, of which no interval is selected; rows of which the events can be listed. */
import { useApp } from '../app-context.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { hostName, visibleText } from '../format/text.ts';
import { tidAbout, tidText } from '../format/tid.ts';
import type { RowInfo } from '../../workers/session-api.ts';
import type { PathState } from '../path/path-state.ts';
import { exactTime, hasStates, rowById, type ViewModel } from '../timeline/timeline.tsx';

const WORDS: Partial<Record<RowInfo['kind'], string>> = {
  thread: 'Thread',
  process: 'Process',
  stream: 'Stream',
};

/** The row with this id, if its events are what it shows. */
function eventRowOf(rows: readonly RowInfo[], id: string | undefined): RowInfo | undefined {
  const row = rowById(rows, id ?? '');
  return row !== undefined && row.events > 0 ? row : undefined;
}

/** The row that the reader went to, if something is known of it that no interval of it tells. */
export function detailedRow(rows: readonly RowInfo[], view: ViewModel): RowInfo | undefined {
  const focused = rowById(rows, view.focusedRow.value ?? '');
  if (focused === undefined || focused.events > 0) return focused;
  return hasStates(focused) && focused.id !== view.selected.value?.row ? focused : undefined;
}

/** The row with this id, if its events can be told from those of others. */
export function listedRowOf(rows: readonly RowInfo[], id: string | undefined): RowInfo | undefined {
  const row = rowById(rows, id ?? '');
  return row?.kind === 'cpu' ? row : eventRowOf(rows, id);
}

/** "Thread worker 1234"; one without a name is called thread already. */
export function titleOf(row: RowInfo): string {
  const word = WORDS[row.kind];
  const parts = [word, row.name === word ? undefined : visibleText(row.name), tidText(row)];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The id of a thread beside its name; where it was used before, what that means. */
export function Tid({ row }: { readonly row: RowInfo }) {
  const about = tidAbout(row);
  return (
    <>
      <span class="mono faint">{tidText(row)}</span>
      {about !== undefined && <span class="muted">, {about}</span>}
    </>
  );
}

interface RowDetailsProps {
  readonly view: ViewModel;
  readonly path: PathState;
  readonly row: RowInfo;
}

export function RowDetails({ view, path, row }: RowDetailsProps) {
  const { experiment, drawer } = useApp();
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
        <h3>{titleOf(row)}</h3>
        {hasStates(row) && (
          <button class="button primary" onClick={explain}>
            Where did its time go?
          </button>
        )}
        {row.events > 0 && (
          <button class="button outlined" onClick={() => drawer.show('events')}>
            Its events
          </button>
        )}
      </header>
      <dl class="pairs">
        {tidAbout(row) !== undefined && (
          <>
            <dt>Thread id</dt>
            <dd>
              <Tid row={row} />
            </dd>
          </>
        )}
        {parent?.kind === 'process' && (
          <>
            <dt>Process</dt>
            <dd>
              <button class="link" onClick={() => view.show(parent.id)}>
                {visibleText(parent.name)}
              </button>{' '}
              <Tid row={parent} />
            </dd>
          </>
        )}
        {hosts.length > 1 && (
          <>
            <dt>Host</dt>
            <dd>{hostName(hosts, row.host)}</dd>
          </>
        )}
        {row.events > 0 && (
          <>
            <dt>Events</dt>
            <dd class="mono">{formatCount(row.events)}</dd>
            <dt>First</dt>
            <dd class="mono">{exactTime(row.firstNs, style)}</dd>
            <dt>Last</dt>
            <dd class="mono">{exactTime(row.lastNs, style)}</dd>
          </>
        )}
        {hasStates(row) && (
          <>
            <dt>On CPU</dt>
            <dd>{formatDuration(row.cpuTimeNs)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
