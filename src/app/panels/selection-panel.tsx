/** The Selection tab: what the chosen interval is, how it came to be, what lies before and after. */
import { Fragment } from 'preact';
import { useApp } from '../app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatDuration, formatExact, formatShare } from '../format/numbers.ts';
import { hostName, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import type { IntervalInfo, RowInfo } from '../../workers/session-api.ts';
import type { PathState } from '../path/path-state.ts';
import { MissingEvents } from './missing-events.tsx';
import { detailedRow, RowDetails, Tid } from './row-details.tsx';
import {
  cpuWord,
  isWaiting,
  drawCodeOf,
  exactTime,
  hasStates,
  rowById,
  Swatch,
  type TimeRange,
  unknownReason,
  type ViewModel,
} from '../timeline/timeline.tsx';

interface SelectionPanelProps {
  readonly view: ViewModel;
  readonly path: PathState;
}

export function SelectionPanel({ view, path }: SelectionPanelProps) {
  const { experiment } = useApp();
  const selected = view.selected.value;
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
      {focused !== undefined && <RowDetails view={view} path={path} row={focused} />}
      {range !== undefined && <RangeDetails view={view} range={range} />}
      {isEmpty && !hasKernel && (
        <MissingEvents
          missing={['sched_switch', 'sched_waking']}
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

interface IntervalDetailsProps {
  readonly view: ViewModel;
  readonly path: PathState;
  readonly interval: IntervalInfo;
  readonly row: RowInfo;
}

/** What a row is called; others are threads. */
const ROW_WORDS: Partial<Record<RowInfo['kind'], string>> = { cpu: 'CPU', overlay: 'Overlay' };

function IntervalDetails({ view, path, interval, row }: IntervalDetailsProps) {
  const { experiment, drawer } = useApp();
  const explain = () => {
    path.explainInterval(interval);
    drawer.show('path');
  };
  const style = view.timeStyle.value;
  const code = drawCodeOf(row.kind, interval.value);
  const length = interval.to - interval.from;
  const hosts = experiment.info.value?.hosts ?? [];
  const { waker } = interval;
  const unknown = unknownReason(interval);
  const thread = row.kind === 'overlay' ? experiment.rows.value[row.parent] : undefined;
  return (
    <section class="selection-part" aria-label="Interval">
      <header class="selection-head">
        <Swatch code={code} />
        <h3>
          {visibleText(interval.stateText)} <span class="nowrap">{formatDuration(length)}</span>
        </h3>
        {hasStates(thread ?? row) && (
          <button class="button primary" onClick={explain}>
            {isWaiting(code) ? 'Why did this wait?' : 'Where did this time go?'}
          </button>
        )}
        <button class="button outlined" onClick={() => view.fitSelection()}>
          Fit
        </button>
        <CopyButton title="Copy" text={() => intervalText(interval, row)} />
      </header>
      <dl class="pairs">
        <dt>{ROW_WORDS[row.kind] ?? 'Thread'}</dt>
        <dd>
          <button class="link" onClick={() => view.show(row.id)}>
            {visibleText(row.name)}
          </button>{' '}
          <Tid row={row} />
          {hosts.length > 1 && <span class="muted">, {hostName(hosts, row.host)}</span>}
        </dd>
        {thread !== undefined && (
          <>
            <dt>Began in</dt>
            <dd>
              <button class="link" onClick={() => view.show(thread.id)}>
                {visibleText(thread.name)}
              </button>{' '}
              <Tid row={thread} />
            </dd>
          </>
        )}
        {unknown !== undefined && (
          <>
            <dt>Why</dt>
            <dd>{unknown}</dd>
          </>
        )}
        {interval.overlay?.hasEnd === false && (
          <>
            <dt>Ended</dt>
            <dd>not recorded: it is shown to the end of what is known</dd>
          </>
        )}
        {interval.causeText !== undefined && (
          <>
            <dt>Ended</dt>
            <dd>
              <Cause
                text={interval.causeText}
                name={interval.wakerName}
                onShow={waker && (() => view.show(waker))}
              />
            </dd>
          </>
        )}
        {interval.threads !== undefined && interval.threads.length > 0 && (
          <>
            <dt>{interval.threads.length > 1 ? 'Threads' : 'Thread'}</dt>
            <dd>
              {interval.threads.map(({ row: id, name }, i) => (
                <Fragment key={id}>
                  {i > 0 && ', '}
                  <button class="link" onClick={() => view.show(id)}>
                    {visibleText(name)}
                  </button>
                </Fragment>
              ))}
            </dd>
          </>
        )}
        {interval.interrupt !== undefined && (
          <>
            <dt>Interrupt</dt>
            <dd class="mono">{visibleText(interval.interrupt)}</dd>
          </>
        )}
        {interval.syscall !== undefined && (
          <>
            <dt>System call</dt>
            <dd class="mono">{visibleText(interval.syscall)}</dd>
          </>
        )}
        {interval.cpu !== undefined && row.kind !== 'cpu' && (
          <>
            <dt>{cpuWord(code)}</dt>
            <dd>
              <button class="link" onClick={() => view.show(`cpu:${row.host}:${interval.cpu}`)}>
                CPU {interval.cpu}
              </button>
            </dd>
          </>
        )}
        <dt>From</dt>
        <dd class="mono">{exactTime(interval.from, style)}</dd>
        <dt>To</dt>
        <dd class="mono">{exactTime(interval.to, style)}</dd>
        <dt>Duration</dt>
        <dd class="mono">{formatExact(length)}</dd>
      </dl>
      <nav class="neighbours" aria-label="Neighbours">
        <h4>In this row</h4>
        <Neighbour
          title="Before"
          interval={interval.previous}
          row={row}
          onGo={() => void view.previousInterval()}
        />
        <Neighbour title="After" interval={interval.next} row={row} onGo={() => void view.nextInterval()} />
      </nav>
    </section>
  );
}

interface CauseProps {
  /** A sentence that may hold the name of the waker. */
  readonly text: string;
  readonly name: string | undefined;
  readonly onShow: (() => void) | undefined | '';
}

/** The sentence with the waker's name as a link to its row. */
function Cause({ text, name, onShow }: CauseProps) {
  const at = name === undefined ? -1 : text.indexOf(name);
  if (name === undefined || at < 0 || !onShow) return <>{visibleText(text)}</>;
  return (
    <>
      {visibleText(text.slice(0, at))}
      <button class="link" onClick={onShow}>
        {visibleText(name)}
      </button>
      {visibleText(text.slice(at + name.length))}
    </>
  );
}

interface NeighbourProps {
  readonly title: 'Before' | 'After';
  readonly interval: IntervalInfo['previous'];
  readonly row: RowInfo;
  onGo(): void;
}

function Neighbour({ title, interval, row, onGo }: NeighbourProps) {
  return (
    <button class="neighbour" disabled={interval === undefined} onClick={onGo}>
      <Icon name={title === 'Before' ? 'arrow-left' : 'arrow-right'} />
      <span class="muted">{title}</span>
      {interval === undefined ? (
        <span class="faint">nothing known</span>
      ) : (
        <>
          <Swatch code={drawCodeOf(row.kind, interval.value)} />
          <span class="ellipsis">{visibleText(interval.stateText)}</span>
          <span class="nowrap">{formatDuration(interval.to - interval.from)}</span>
        </>
      )}
    </button>
  );
}

interface RangeDetailsProps {
  readonly view: ViewModel;
  readonly range: TimeRange;
}

function RangeDetails({ view, range }: RangeDetailsProps) {
  const { drawer } = useApp();
  const style = view.timeStyle.value;
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
        <button class="button" onClick={() => (view.range.value = undefined)}>
          Clear
        </button>
      </header>
      <dl class="pairs">
        <dt>From</dt>
        <dd class="mono">{exactTime(range.from, style)}</dd>
        <dt>To</dt>
        <dd class="mono">{exactTime(range.to, style)}</dd>
        <dt>Duration</dt>
        <dd class="mono">{formatExact(length)}</dd>
        <dt>Share</dt>
        <dd>{formatShare(length / (all.to - all.from))} of the trace</dd>
      </dl>
      <p>
        <button class="link" onClick={() => drawer.show('statistics')}>
          Statistics of this range
        </button>
      </p>
    </section>
  );
}

function intervalText(interval: IntervalInfo, row: RowInfo): string {
  return [
    `${row.name}${row.tid === undefined ? '' : ` (tid ${tidWords(row)})`}: ${interval.stateText}`,
    interval.causeText ?? '',
    interval.syscall === undefined ? '' : `system call ${interval.syscall}`,
    `from ${interval.from} ns to ${interval.to} ns, ${interval.to - interval.from} ns`,
  ]
    .filter(Boolean)
    .join('\n');
}
