/** Details of the selected interval: its state, its causes, its neighbours. */
import { TextButton } from '../controls/button.tsx';
import { Fragment } from 'preact';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatDuration, formatExact } from '../format/numbers.ts';
import { hostName, joined, plural, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import type { PathState } from '../path/path-state.ts';
import { Pair } from '../controls/pair.tsx';
import { CallPairs } from './call-pairs.tsx';
import { RowLink, Tid } from './row-details.tsx';
import { cpuWord, DRAW_KERNEL, isWaiting, drawCodeOf, DRAW_STYLES } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import {
  hasStates,
  isLayerRow,
  unknownReason,
  type ViewModel,
  exactTime,
  type TimeRange,
} from '../timeline/timeline.tsx';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { filterOfRow, showEventsOf } from '../events/show-events.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { Wakings } from './thread-details.tsx';

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
          {visibleText(interval.stateText)} {/* A word between the numbers, which would read as one. */}
          {row.kind === 'plot' && 'for '}
          <span class="nowrap">{formatDuration(interval.to - interval.from)}</span>
        </h3>
        {hasStates(above ?? row) && (
          <button class="button primary" onClick={explain}>
            {!isCall && isWaiting(code) ? 'Why did this wait?' : 'Where did this time go?'}
          </button>
        )}
        <TextButton class="button outlined" text="Fit" onClick={() => view.fitSelection()} />
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
  /** Title of a layer's row, and the row above it: the thread in which its intervals begin, or a group. */
  readonly title: string | undefined;
  readonly above: RowInfo | undefined;
}

function isGroup({ kind, tid }: RowInfo): boolean {
  return kind === 'resources' || (kind === 'group' && tid === undefined);
}

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

/** Known causes of the begin and the end of an interval. */
function IntervalCourse({ view, interval }: { readonly view: ViewModel; readonly interval: IntervalInfo }) {
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
      <TextButton class="link" text={visibleText(name)} onClick={onShow} />
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
  return joined(
    [
      `${row.name}${row.tid === undefined ? '' : ` (tid ${tidWords(row)})`}: ${interval.stateText}`,
      interval.causeText ?? '',
      interval.syscall === undefined ? '' : `system call ${interval.syscall}`,
      `from ${interval.from} ns to ${interval.to} ns, ${interval.to - interval.from} ns`,
    ],
    '\n',
  );
}

/** Events that are counted at most. */
const MOST_EVENTS = 1000;

interface IntervalInsideProps {
  readonly view: ViewModel;
  readonly interval: IntervalInfo;
  readonly row: RowInfo;
}

/** Contents of an interval. Needs the interval as its key, since it asks once. */
function IntervalInside({ view, interval, row }: IntervalInsideProps) {
  const app = useApp();
  const { session, experiment } = app;
  const { from, to } = interval;
  const isOnCpu = DRAW_STYLES[drawCodeOf(row.kind, interval.value)].form === 'full';
  const summary = useLiveAnswer(
    () => undefined,
    (_: undefined, signal) =>
      row.kind === 'thread' && (isOnCpu || interval.isCall === true)
        ? session.ask('threadSummary', { row: row.id, range: { from, to } }, { signal })
        : undefined,
  ).value;
  // While a thread is on a CPU, all events of the CPU are the thread's.
  const count = useLiveAnswer(
    () => experiment.hasFiles.value,
    (hasFiles) =>
      hasFiles && isOnCpu && interval.isCall !== true
        ? countWithin(session, row.kind === 'cpu' ? row.id : `cpu:${row.host}:${interval.cpu}`, interval)
        : undefined,
  ).value;
  if (filterOfRow(row, experiment.info.value?.hosts ?? []) === undefined) return null;
  return (
    <div class="thread-column">
      <Wakings title="Woke" lines={summary?.woken ?? []} view={view} />
      <p>
        <button class="link" onClick={() => showEventsOf(app, view, row, interval)}>
          {count === undefined ? 'Events inside' : `${plural(count, 'event')} inside`}
        </button>
      </p>
    </div>
  );
}

/** Events that a CPU recorded in [from, to); undefined: too many to be counted, or not all can be read. */
async function countWithin(
  { ask }: Pick<SessionApi, 'ask'>,
  cpu: string,
  { from, to }: Pick<IntervalInfo, 'from' | 'to'>,
): Promise<number | undefined> {
  const set = { filter: '', row: cpu };
  const { rows, isWhole } = await ask('eventRows', { ...set, first: 0, atNs: from, count: MOST_EVENTS });
  const within = rows.filter(({ timeNs }) => timeNs < to).length;
  return isWhole && (within < rows.length || rows.length < MOST_EVENTS) ? within : undefined;
}

interface RangePairsProps {
  readonly view: ViewModel;
  readonly range: TimeRange;
}

export function RangePairs({ view, range: { from, to } }: RangePairsProps) {
  const style = view.timeStyle.value;
  return (
    <>
      <Pair name="From" mono>
        {exactTime(from, style)}
      </Pair>
      <Pair name="To" mono>
        {exactTime(to, style)}
      </Pair>
      <Pair name="Duration" mono>
        {formatExact(to - from)}
      </Pair>
    </>
  );
}
