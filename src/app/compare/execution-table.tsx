/** The executions of a group; a click shows one on the timeline with its critical path. */
import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { isThreadFrame } from '../../engine/layers/executions/frames.ts';
import { causes } from '../../engine/layers/executions/ranking/cause-words.ts';
import { medianOf } from '../../engine/layers/executions/ranking/groups.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { formatDuration } from '../format/numbers.ts';
import { joined, visibleText } from '../format/text.ts';
import { type Part, PartsBar } from '../widgets/table/bars.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  cellColumn,
  inAllWidths,
  msColumn,
  numberColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { type ComparedProps, showExecution } from './compare-page.ts';
import type { Comparison } from './comparison.ts';
import type { GroupName } from './group-rule.ts';

export function ExecutionTable({ page, comparison, group }: ComparedProps & { readonly group: GroupName }) {
  const { compare } = page;
  const rows = useComputed(() => {
    const groups = compare.rested.value;
    return groups && [...groups[group]];
  });
  const known = useComputed(() => {
    const ranking = group === 'b' ? compare.ranking.value : undefined;
    const answer = compare.comparison.value?.answer;
    return ranking && answer && causes(ranking.nodes, answer.isElapsed);
  });
  const { durations } = comparison;
  const [id, ...others] = useMemo(() => columns(comparison), [comparison]);
  const groups = compare.rested.value;
  const name = group.toUpperCase();
  return (
    <StatTable
      title={`Group ${name}`}
      scope={`median ${formatDuration(medianOf(Float64Array.from(rows.value ?? [], (i) => durations[i]).sort()) || 0)}`}
      rows={rows}
      columns={[
        id,
        ...hostColumn(comparison, groups?.[group] ?? new Int32Array(0)),
        ...others,
        ...(known.value ? [causeColumn(known.value)] : []),
      ]}
      order={{ column: 'duration', descending: true }}
      empty="No execution is in this group."
      keyOf={String}
      // Executions of another trace are on no timeline.
      onActivate={
        page.view === undefined || (group === 'a' && compare.rule.value.kind === 'traces')
          ? undefined
          : (execution) => showExecution(page, comparison, execution)
      }
      isSelected={(execution) => execution === compare.shown.value}
    />
  );
}

/** The column with the explanation of each execution of B. */
function causeColumn(known: ReadonlyMap<number, string>): Column<number> {
  return inAllWidths(textColumn('cause', 'Cause', 'minmax(140px, 4fr)', (i) => known.get(i) ?? ''));
}

/** The column of hosts, if the executions of a group end on several. */
function hostColumn({ answer, hosts }: Comparison, group: Int32Array): readonly Column<number>[] {
  const hostOf = (i: number) => answer.threads[answer.thread[i]].host;
  if (group.length === 0 || group.every((i) => hostOf(i) === hostOf(group[0]))) return [];
  return [inAllWidths(textColumn('host', 'Host', '88px', (i) => visibleText(hosts[hostOf(i)] ?? '')))];
}

function columns({ answer, durations }: Comparison): readonly Column<number>[] {
  const { definition, metrics, threads, thread } = answer;
  const [key] = definition.key;
  const ids = metrics.find((metric) => metric.name === `begin.${key}`);
  return [
    ids?.texts === undefined
      ? numberColumn('id', ids === undefined ? 'Number' : key, '48px', (i) => ids?.values[i] ?? i)
      : textColumn('id', key, '160px', (i) => ids.texts?.get(i) ?? String(ids.values[i])),
    cellColumn(
      'thread',
      'Thread',
      'minmax(96px, 1fr)',
      (i) => threads[thread[i]].name,
      (i) => (
        <span class="table-name ellipsis">
          {visibleText(threads[thread[i]].name)} <span class="mono faint">{threads[thread[i]].tid}</span>
        </span>
      ),
    ),
    msColumn('duration', 'Duration, ms', '72px', (i) => durations[i]),
    // States are known from a kernel's trace only.
    ...(answer.isElapsed ? [] : [statesColumn(answer, durations)]),
  ];
}

function statesColumn(answer: ExecutionsAnswer, durations: Float64Array): Column<number> {
  const parts = ownTime(answer);
  const value = (i: number) => joined(parts(i).map(({ label, ns }) => `${label} ${ns}`));
  const bar = (i: number) => <PartsBar parts={parts(i)} total={durations[i]} />;
  const column = cellColumn('states', 'Time by state', 'minmax(56px, 0.7fr)', value, bar);
  return wide({ ...column, sortable: false });
}

type OwnState = Omit<Part, 'ns'>;

const state = (label: string, token: string, unknown = false): OwnState => {
  return { label, colour: `var(--st-${token})`, unknown };
};

const STATES: readonly OwnState[] = [
  state('Running', 'user'),
  state('Runnable, not running', 'ready'),
  state('A softirq waits', 'ready'),
  state('Waits for a thread', 'thread'),
  state('Waits for the disk', 'disk'),
  state('Waits for the network', 'net'),
  state('Waits for a timer', 'timer'),
  state('Waits for user input', 'thread'),
  state('Blocked', 'unknown'),
  state('Unknown', 'unknown', true),
];
const [RUNS, READY, SOFTIRQ, THREAD, DISK, NETWORK, TIMER, INPUT, BLOCKED, UNKNOWN] = STATES.keys();
const CAUSES: Readonly<Record<string, number>> = {
  ...{ preempted: READY, disk: DISK, network: NETWORK, timer: TIMER, 'user input': INPUT, unknown: UNKNOWN },
  ...{ blocked: BLOCKED, 'not ended in the trace': UNKNOWN, 'idle context': BLOCKED, ipi: BLOCKED },
};
const INTERRUPT = /^(softirq|irq) /;

/** ns of an execution's own thread by state, whether it ran or what it waited for; they add up to its duration. @internal */
export function ownTime({ tree, start, nodes, ns }: ExecutionsAnswer) {
  const states = statesOfNodes(tree);
  return (execution: number): readonly Part[] => {
    const sums = new Float64Array(STATES.length);
    for (let i = start[execution]; i < start[execution + 1]; i++) sums[states[nodes[i]]] += ns[i];
    return STATES.map((each, i) => ({ ...each, ns: sums[i] }));
  };
}

/**
 * State of each node: that of the last frame of its stack, or, if the stack contains a thread, of the frame before it,
 * since the frames below are another thread's. A function that has the name of a cause and calls another one is no cause.
 */
function statesOfNodes({ frames, parent, frame }: ExecutionsAnswer['tree']): Uint8Array {
  const causes = frames.map(causeOf);
  const states = new Uint8Array(parent.length);
  const isOfOthers = new Uint8Array(parent.length);
  for (let node = 1; node < parent.length; node++) {
    const above = parent[node];
    const text = frames[frame[node]];
    const before = above > 0 ? causes[frame[above]] : RUNS;
    if (isOfOthers[above] === 1) {
      isOfOthers[node] = 1;
      states[node] = states[above];
    } else if (isThreadFrame(text)) {
      isOfOthers[node] = 1;
      states[node] = before === RUNS ? THREAD : states[above];
    } else if (before === READY && /^(idle|unknown)$/.test(text)) {
      // The frame below "ready" says who ran instead: nobody (idle), or not known.
      states[node] = states[above];
    } else {
      const isSoftirq =
        causes[frame[node]] === READY && above > 0 && frames[frame[above]].startsWith('softirq ');
      states[node] = isSoftirq ? SOFTIRQ : causes[frame[node]];
    }
  }
  return states;
}

function causeOf(text: string): number {
  if (Object.hasOwn(CAUSES, text)) return CAUSES[text];
  if (text.startsWith('unknown: ')) return UNKNOWN;
  return INTERRUPT.test(text) ? BLOCKED : RUNS;
}
