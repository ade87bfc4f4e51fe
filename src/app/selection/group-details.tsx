/** Details of all threads of a process, a group or a host. */
import { CAUSES, THREAD_STATES } from '../../engine/linux/events/values.ts';
import type { RowInfo, RowKind } from '../../engine/protocol/rows.ts';
import { useApp } from '../context/app-context.ts';
import { Pair } from '../controls/pair.tsx';
import { formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { threadUsage, type Usage } from '../../engine/answers/statistics/cpu-usage.ts';
import { rowById, type ViewModel } from '../timeline/timeline.tsx';
import { States, useOfThread } from './thread-details.tsx';
import { ThreadList, ThreadName } from './thread-lists.tsx';

const MOST_THREADS = 8;

const NO_THREAD_GROUPS: ReadonlySet<RowKind> = new Set<RowKind>([
  'layer',
  'plot',
  'resources',
  'group',
  'cpu',
  'thread',
  'stream',
]);

/** Whether threads stand below a row. */
export function isThreadGroup({ kind }: RowInfo): boolean {
  return !NO_THREAD_GROUPS.has(kind);
}

function threadsBelow(rows: readonly RowInfo[], row: RowInfo): ReadonlySet<string> {
  const below = new Set<RowInfo>([row]);
  const threads = new Set<string>();
  // Children follow their parent.
  for (const one of rows) {
    const parent = rows[one.parent];
    if (parent === undefined || !below.has(parent)) continue;
    below.add(one);
    if (one.kind === 'thread') threads.add(one.id);
  }
  return threads;
}

/** Details of a row, which has to be its key. Times are of the selected range, or of the whole trace. */
export function GroupColumns({ view, row }: { readonly view: ViewModel; readonly row: RowInfo }) {
  const { session, experiment } = useApp();
  const answer = useOfThread(view, (range, signal, withCauses) =>
    session.ask('cpu', { range, withCauses }, { signal }),
  ).value;
  if (answer === undefined) return null;
  const rows = experiment.rows.value;
  const ids = threadsBelow(rows, row);
  const threads = threadUsage(answer.found).filter((one) => ids.has(one.row));
  const onCpuNs = threads.reduce((sum, one) => sum + one.onCpu, 0);
  const busiest = threads.filter(({ onCpu }) => onCpu > 0).sort((a, b) => b.onCpu - a.onCpu);
  return (
    <>
      <dl class="pairs">
        <Pair name="Threads" mono>
          {formatCount(ids.size)}
        </Pair>
        <Pair name="On CPU">{formatDuration(onCpuNs)}</Pair>
      </dl>
      {/* For a host, most of that is time before its threads are known. */}
      {row.kind !== 'host' && (
        <States
          whose="their"
          statesNs={sumOf(threads, THREAD_STATES.length, (one) => one.states)}
          blockedNs={
            threads.every(({ causes }) => causes !== undefined)
              ? sumOf(threads, CAUSES.length, ({ causes = [] }) => causes)
              : undefined
          }
          range={answer.range}
        />
      )}
      <div class="thread-column">
        <ThreadList
          title="Threads by time on a CPU"
          most={MOST_THREADS}
          empty="None ran in this time."
          lines={busiest.map((one) => ({
            key: one.row,
            label: <ThreadName name={one.name} tid={one.id} />,
            ns: one.onCpu,
            amount: formatShare(one.onCpu / onCpuNs),
            onGo: rowById(rows, one.row) && (() => view.show(one.row)),
          }))}
        />
      </div>
    </>
  );
}

/** ns by state or cause, of all threads together. */
function sumOf(
  threads: readonly Usage[],
  length: number,
  of: (one: Usage) => ArrayLike<number>,
): Float64Array {
  const sums = new Float64Array(length);
  for (const one of threads) {
    const ns = of(one);
    for (let i = 0; i < length; i++) sums[i] += ns[i];
  }
  return sums;
}
