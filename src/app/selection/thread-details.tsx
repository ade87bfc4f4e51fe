/** Details of a thread in the selected range or the whole trace: states, wake-ups, calls, files, locks. */
import { TextButton } from '../controls/button.tsx';
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { CallStat, FileIoStat } from '../../engine/protocol/statistics.ts';
import type { LockWaitsAnswer } from '../../engine/protocol/locks.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { ThreadSummary, WakingLine } from '../../engine/protocol/threads.ts';
import type { TimeRange } from '../../engine/protocol/range.ts';
import { plotPriorities } from '../plots/plot-link.ts';
import { useApp } from '../context/app-context.ts';
import { Pair } from '../controls/pair.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatBytes, formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidAlone } from '../format/tid.ts';
import { type LocksPage, showWait } from '../locks/locks-page.ts';
import { isOver } from '../opening/reading.ts';
import { showFile, showStatistic } from '../statistics/statistic-search.ts';
import { exactTime, rowById, type ViewModel } from '../timeline/timeline.tsx';
import { PartsBar, stateParts } from '../widgets/table/bars.tsx';
import { numberField, payloadAt } from './call-pairs.tsx';
import { ThreadList, ThreadName } from './thread-lists.tsx';

/** Most waits for locks that are listed. */
const MOST_WAITS = 3;

/** Answer about a thread in a range; undefined: the whole trace. */
interface OfRange<Found> {
  readonly range: TimeRange | undefined;
  readonly found: Found;
}

/** Answer about a thread, asked again when another range is selected, when reading ends and when files come. */
export function useOfThread<Found>(
  view: ViewModel,
  ask: (range: TimeRange | undefined, signal: AbortSignal, isRead: boolean) => Promise<Found>,
): ReadonlySignal<OfRange<Found> | undefined> {
  const { experiment } = useApp();
  const isRead = useComputed(() => isOver(experiment.progress.value));
  return useLiveAnswer(
    () => ({ range: view.range.value, isRead: isRead.value, hasFiles: experiment.hasFiles.value }),
    async ({ range, isRead: isAll }, signal) => ({ range, found: await ask(range, signal, isAll) }),
  );
}

export type KnownSummary = OfRange<ThreadSummary | undefined>;

export function useThreadSummary(view: ViewModel, row: string): ReadonlySignal<KnownSummary | undefined> {
  const { session } = useApp();
  return useOfThread(view, (range, signal) => session.ask('threadSummary', { row, range }, { signal }));
}

interface ThreadProps {
  readonly view: ViewModel;
  readonly row: RowInfo;
  readonly summary: KnownSummary | undefined;
}

/** Origin and life of a thread, as pairs. */
export function ThreadPairs({ view, row, summary }: ThreadProps) {
  const known = summary?.found;
  const style = view.timeStyle.value;
  const rows = useApp().experiment.rows.value;
  if (known === undefined) return null;
  const { parent, pid, ppid, isForkSeen, firstNs, endedNs, lastSwitchIn } = known;
  const isLink = parent !== undefined && rowById(rows, parent.row) !== undefined;
  return (
    <>
      {pid !== undefined && rows[row.parent]?.kind !== 'process' && (
        <Pair name="Process" mono>
          {pid}
        </Pair>
      )}
      {(parent !== undefined || ppid !== undefined) && (
        <Pair name={isForkSeen ? 'Created by' : 'Parent'}>
          {parent === undefined ? (
            <span class="mono">{ppid}</span>
          ) : isLink ? (
            <button class="link" onClick={() => view.show(parent.row)}>
              <ThreadName {...parent} />
            </button>
          ) : (
            <ThreadName {...parent} />
          )}
        </Pair>
      )}
      <Pair name={isForkSeen ? 'Created' : 'First seen'} mono>
        {exactTime(firstNs, style)}
      </Pair>
      {endedNs !== undefined && (
        <Pair name="Exited" mono>
          {exactTime(endedNs, style)}
        </Pair>
      )}
      {lastSwitchIn !== undefined && (
        <Priority
          key={lastSwitchIn.timeNs}
          host={row.host}
          tid={row.tid ?? -1}
          at={lastSwitchIn}
          view={view}
        />
      )}
    </>
  );
}

interface PriorityProps {
  readonly host: number;
  readonly tid: number;
  readonly at: NonNullable<ThreadSummary['lastSwitchIn']>;
  readonly view: ViewModel;
}

/** Priority of a thread by the last switch to it; nothing if there is none. */
function Priority({ host, tid, at, view }: PriorityProps) {
  const app = useApp();
  const { session, experiment } = app;
  const { timeNs, cpu } = at;
  const priority = useLiveAnswer(
    () => experiment.hasFiles.value,
    (hasFiles) => (hasFiles ? priorityOf(session, `cpu:${host}:${cpu}`, timeNs, tid) : undefined),
  ).value;
  if (priority === undefined) return null;
  const time = exactTime(timeNs, view.timeStyle.value);
  return (
    <Pair name="Priority">
      <span class="mono" title={`As recorded when it came to CPU ${cpu} at ${time}`}>
        {priority}
      </span>{' '}
      {experiment.hasFiles.value && (
        <TextButton
          text="over time"
          class="link"
          title="Reads the priorities of all threads, as rows below them"
          onClick={() => void plotPriorities(app)}
        />
      )}
    </Pair>
  );
}

async function priorityOf({ ask }: Pick<SessionApi, 'ask'>, row: string, timeNs: number, tid: number) {
  const payload = await payloadAt(
    ask,
    row,
    timeNs,
    ({ fields }) => numberField(fields.payload, 'next_tid') === tid,
  );
  return payload === undefined ? undefined : numberField(payload, 'next_prio');
}

interface ThreadColumnsProps extends Pick<ThreadProps, 'view' | 'row'> {
  readonly page: LocksPage;
  readonly known: ThreadSummary;
  readonly range: TimeRange | undefined;
}

/** Details of a thread, whose row has to be its key. */
export function ThreadColumns({ view, row, page, known, range }: ThreadColumnsProps) {
  return (
    <>
      <States whose="its" statesNs={known.statesNs} blockedNs={known.blockedNs} range={range} />
      <div class="thread-column">
        <Wakings title="Woken by" lines={known.wakers} view={view} />
        <Wakings title="Woke" lines={known.woken} view={view} />
      </div>
      <div class="thread-column">
        <Calls view={view} row={row} />
        <Files view={view} row={row} />
        <LockWaits view={view} row={row} page={page} />
      </div>
    </>
  );
}

interface StatesProps {
  readonly whose: 'its' | 'their';
  /** ns by state, and of blocked time by cause; undefined: the causes are not known. */
  readonly statesNs: ArrayLike<number>;
  readonly blockedNs: ArrayLike<number> | undefined;
  readonly range: TimeRange | undefined;
}

/** States of one thread, or of several together. */
export function States({ whose, statesNs, blockedNs, range }: StatesProps) {
  const parts = stateParts(statesNs, blockedNs).filter(({ ns }) => ns > 0);
  const total = parts.reduce((sum, { ns }) => sum + ns, 0);
  const lines = parts.map(({ label, colour, unknown, ns }) => ({
    key: label,
    label: (
      <>
        <i class={`part-key ${unknown === true ? 'unknown' : ''}`} style={{ '--part': colour }} />
        {label}
      </>
    ),
    ns,
    amount: formatShare(ns / total),
  }));
  return (
    <div class="thread-column">
      <ThreadList title="States" lines={lines} most={lines.length} empty="Nothing is known of it here.">
        <span class="faint">
          {range === undefined
            ? `of ${whose} time`
            : `of the selected ${formatDuration(range.to - range.from)}`}
        </span>
        <PartsBar parts={parts} total={total} />
      </ThreadList>
    </div>
  );
}

interface WakingsProps {
  readonly title: string;
  readonly lines: readonly WakingLine[];
  readonly view: ViewModel;
}

/** Threads that woke it or were woken by it. */
export function Wakings({ title, lines, view }: WakingsProps) {
  const rows = useApp().experiment.rows.value;
  return (
    <ThreadList
      title={title}
      lines={lines.map(({ row, name, tid, count, ns }) => ({
        key: row,
        label: <ThreadName name={name} tid={tid} />,
        ns: ns > 0 ? ns : undefined,
        amount: `${formatCount(count)} ×`,
        about: ns > 0 ? 'Time blocked until it woke the thread, and how often it did' : 'How often',
        onGo: rowById(rows, row) && (() => view.show(row)),
      }))}
    />
  );
}

function Calls({ view, row }: Pick<ThreadProps, 'view' | 'row'>) {
  const app = useApp();
  const { session } = app;
  const answer = useOfThread(view, (range, signal) =>
    session.ask('syscalls', { range, thread: row.id }, { signal }),
  );
  const calls = [...(answer.value?.found.calls ?? [])].sort(
    (a, b) => b.durations.totalNs - a.durations.totalNs,
  );
  const showLongest = ({ durations: { longest } }: CallStat) => {
    if (longest.length === 0) return undefined;
    const [{ fromNs, ns }] = longest;
    return () => void view.selectCall(row.id, fromNs, { from: fromNs, to: fromNs + Math.max(1, ns) });
  };
  return (
    <ThreadList
      title="System calls"
      lines={calls.map((stat) => ({
        key: stat.call,
        label: <span class="mono">{visibleText(stat.call)}</span>,
        ns: stat.durations.totalNs,
        amount: `${formatCount(stat.durations.count)} ×`,
        about: `Longest ${formatDuration(stat.durations.maxNs)}: click to select it`,
        onGo: showLongest(stat),
      }))}
    >
      <TextButton
        text="all"
        class="link"
        onClick={() =>
          showStatistic(app, 'syscalls', {
            'system-calls.by': 'both',
            'system-calls.filter': row.name === '' ? tidAlone(row) : row.name,
          })
        }
      />
    </ThreadList>
  );
}

function Files({ view, row }: Pick<ThreadProps, 'view' | 'row'>) {
  const app = useApp();
  const { session } = app;
  const answer = useOfThread(view, (range, signal) =>
    session.ask('io', { range, thread: row.id }, { signal }),
  );
  const bytes = ({ read, write }: FileIoStat) => read.bytes + write.bytes;
  const files = [...(answer.value?.found.files ?? [])].sort((a, b) => bytes(b) - bytes(a));
  return (
    <ThreadList
      title="Files"
      most={3}
      lines={files.map((file) => ({
        key: file.path,
        label: <span class="mono">{visibleText(file.path)}</span>,
        amount: formatBytes(bytes(file)),
        onGo: () => showFile(app, file.path),
        about: `${visibleText(file.path)}\n${formatBytes(file.read.bytes)} read in ${plural(file.read.ops, 'call')}, ${formatBytes(file.write.bytes)} written in ${plural(file.write.ops, 'call')}`,
      }))}
    />
  );
}

function LockWaits({ view, row, page }: Pick<ThreadColumnsProps, 'view' | 'row' | 'page'>) {
  const { session } = useApp();
  const answer = useOfThread(view, (range, signal): Promise<LockWaitsAnswer> =>
    session.ask(
      'lockWaits',
      { ...range, waiter: row.id, kernel: true, order: 'longest', limit: MOST_WAITS },
      { signal },
    ),
  );
  const { waits = [], count = 0, totalNs = 0 } = answer.value?.found ?? {};
  return (
    <ThreadList
      title="Longest waits for locks"
      most={MOST_WAITS}
      lines={waits.map((wait) => ({
        key: `${wait.lock} ${wait.from}`,
        label: page.locks.nameOf(wait.lock),
        ns: wait.ns,
        onGo: () => showWait(page, wait),
      }))}
    >
      <span class="faint">
        of {formatCount(count)}, {formatDuration(totalNs)}
      </span>
    </ThreadList>
  );
}
