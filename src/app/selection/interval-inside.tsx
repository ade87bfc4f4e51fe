/** Events within an interval, and whom the thread woke. */
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import { useApp } from '../context/app-context.ts';
import { DRAW_STYLES, drawCodeOf } from '../draw/draw-codes.ts';
import { filterOfRow, showEventsOf } from '../events/events-of-row.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { plural } from '../format/text.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { Wakings } from './thread-details.tsx';

/** Events that are counted at most. */
const MOST_EVENTS = 1000;

interface IntervalInsideProps {
  readonly view: ViewModel;
  readonly interval: IntervalInfo;
  readonly row: RowInfo;
}

/** Details of the interval by which it has to be keyed: it asks once. */
export function IntervalInside({ view, interval, row }: IntervalInsideProps) {
  const app = useApp();
  const { session, experiment } = app;
  const { from, to } = interval;
  const isOnCpu = DRAW_STYLES[drawCodeOf(row.kind, interval.value)].form === 'full';
  const summary = useLiveAnswer(
    () => undefined,
    (_: undefined, signal) =>
      row.kind === 'thread' && (isOnCpu || interval.isCall === true)
        ? session.ask('threadSummary', { row: row.id, range: { from, to } }, { signal })
        : Promise.resolve(undefined),
  ).value;
  // While it is on one CPU, all events of that are the thread's.
  const count = useLiveAnswer(
    () => experiment.hasFiles.value,
    (hasFiles) =>
      hasFiles && isOnCpu && interval.isCall !== true
        ? countWithin(session, row.kind === 'cpu' ? row.id : `cpu:${row.host}:${interval.cpu}`, interval)
        : Promise.resolve(undefined),
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
