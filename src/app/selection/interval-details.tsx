/** Details of the chosen interval: what it is, how it came to be, what lies before and after. */
import { Fragment } from 'preact';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatDuration } from '../format/numbers.ts';
import { hostName, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import type { PathState } from '../path/path-state.ts';
import { Pair } from '../controls/pair.tsx';
import { CallPairs } from './call-pairs.tsx';
import { IntervalInside } from './interval-inside.tsx';
import { RangePairs } from './range-pairs.tsx';
import { RowLink, Tid } from './row-details.tsx';
import { cpuWord, DRAW_KERNEL, isWaiting, drawCodeOf } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import { hasStates, isLayerRow, unknownReason, type ViewModel } from '../timeline/timeline.tsx';

interface IntervalDetailsProps {
  readonly view: ViewModel;
  readonly path: PathState;
  readonly interval: IntervalInfo;
  readonly row: RowInfo;
}

export function IntervalDetails({ view, path, interval, row }: IntervalDetailsProps) {
  const { experiment, drawer } = useApp();
  const explain = () => {
    path.explainInterval(interval);
    drawer.show('path');
  };
  const isCall = interval.isCall === true;
  const code = isCall ? DRAW_KERNEL : drawCodeOf(row.kind, interval.value);
  const above = isLayerRow(row) ? experiment.rows.value[row.parent] : undefined;
  return (
    <section class="selection-part" aria-label={isCall ? 'System call' : 'Interval'}>
      <header class="selection-head">
        <Swatch code={code} />
        <h3>
          {visibleText(interval.stateText)} {/* Two numbers side by side would read as one. */}
          {row.kind === 'plot' && 'for '}
          <span class="nowrap">{formatDuration(interval.to - interval.from)}</span>
        </h3>
        {hasStates(above ?? row) && (
          <button class="button primary" onClick={explain}>
            {!isCall && isWaiting(code) ? 'Why did this wait?' : 'Where did this time go?'}
          </button>
        )}
        <button class="button outlined" onClick={() => view.fitSelection()}>
          Fit
        </button>
        <CopyButton title="Copy" text={() => intervalText(interval, row)} />
      </header>
      <dl class="pairs">
        <IntervalRow view={view} row={row} title={interval.layer?.title} above={above} />
        <IntervalCourse view={view} interval={interval} />
        {(isCall || interval.syscall !== undefined) && (
          <CallPairs key={`${interval.row} ${interval.from}`} interval={interval} />
        )}
        {interval.cpu !== undefined && row.kind !== 'cpu' && (
          <Pair name={isCall ? 'Entered on' : cpuWord(code)}>
            <button class="link" onClick={() => view.show(`cpu:${row.host}:${interval.cpu}`)}>
              CPU {interval.cpu}
            </button>
          </Pair>
        )}
        <RangePairs view={view} range={interval} />
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
      <IntervalInside
        key={`${interval.row} ${interval.from} ${interval.to}`}
        view={view}
        interval={interval}
        row={row}
      />
    </section>
  );
}

interface IntervalRowProps {
  readonly view: ViewModel;
  readonly row: RowInfo;
  /** Title of a layer's row, and the row above: the thread in which its intervals begin, or a group. */
  readonly title: string | undefined;
  readonly above: RowInfo | undefined;
}

function isGroup({ kind, tid }: RowInfo): boolean {
  return kind === 'resources' || (kind === 'group' && tid === undefined);
}

/** The row that the interval belongs to. */
function IntervalRow({ view, row, title, above }: IntervalRowProps) {
  const hosts = useApp().experiment.info.value?.hosts ?? [];
  return (
    <>
      <Pair name={title ?? (row.kind === 'cpu' ? 'CPU' : 'Thread')}>
        <RowLink view={view} id={row.id} name={row.name} /> <Tid row={row} />
        {hosts.length > 1 && <span class="muted">, {hostName(hosts, row.host)}</span>}
      </Pair>
      {above !== undefined && (
        <Pair name={isGroup(above) ? 'In' : 'Began in'}>
          <RowLink view={view} id={above.id} name={above.name} /> <Tid row={above} />
        </Pair>
      )}
    </>
  );
}

interface IntervalCourseProps {
  readonly view: ViewModel;
  readonly interval: IntervalInfo;
}

/** How it came to be and how it ended, as far as it is known. */
function IntervalCourse({ view, interval }: IntervalCourseProps) {
  const { waker, threads = [] } = interval;
  const unknown = unknownReason(interval);
  return (
    <>
      {unknown !== undefined && <Pair name="Why">{unknown}</Pair>}
      {interval.layer?.hasEnd === false && (
        <Pair name="Ended">not recorded: it is shown to the end of what is known</Pair>
      )}
      {interval.causeText !== undefined && (
        <Pair name="Ended">
          <Cause
            text={interval.causeText}
            name={interval.wakerName}
            onShow={waker && (() => view.show(waker))}
          />
        </Pair>
      )}
      {threads.length > 0 && (
        <Pair name={threads.length > 1 ? 'Threads' : 'Thread'}>
          {threads.map(({ row, name }, i) => (
            <Fragment key={row}>
              {i > 0 && ', '}
              <RowLink view={view} id={row} name={name} />
            </Fragment>
          ))}
        </Pair>
      )}
      {interval.interrupt !== undefined && (
        <Pair name="Interrupt" mono>
          {visibleText(interval.interrupt)}
        </Pair>
      )}
      {interval.syscall !== undefined && (
        <Pair name="System call" mono>
          <button class="link" onClick={() => void view.selectCall(interval.row, interval.from)}>
            {visibleText(interval.syscall)}
          </button>
        </Pair>
      )}
    </>
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
