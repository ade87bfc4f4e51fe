/** Table of functions by their time: a click shows a function's callers and callees. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import { marginOf, NOT_RECORDED_FRAME, type ProfileFunction } from '../../engine/layers/stacks/profile.ts';
import type { ProfileAnswer } from '../../engine/protocol/profile.ts';
import { shortFunction, sourceText } from '../format/function-name.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  explained,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  textColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { inliningWords, isFunction, WIDE_MARGIN } from './profile-flame.ts';

interface FunctionTableProps {
  readonly profile: ReadonlySignal<ProfileAnswer | undefined>;
  /** Name of the function whose callers and callees are shown. */
  readonly chosen: string | undefined;
  onChoose(name: string): void;
}

export function FunctionTable({ profile, chosen, onChoose }: FunctionTableProps) {
  const hasSamples = (profile.value?.samples ?? 0) > 0;
  const rows = useComputed(() => profile.value && functionsShown(profile.value));
  const sources = useComputed(() => sourceTexts(profile.value));
  if (rows.value === undefined) return null;
  const columns = columnsOf(profile, sources);
  return (
    <StatTable
      key={`${columns.length} ${hasSamples}`}
      title="Functions"
      scope={`${plural(rows.value.length, 'frame')}${withoutStackWords(profile.value)}`}
      columns={columns}
      rows={rows}
      order={{ column: hasSamples ? 'samples' : 'total', descending: true }}
      empty="No time was spent here."
      keyOf={({ name }) => name}
      onActivate={({ name }) => onChoose(name)}
      isSelected={({ name }) => name === chosen}
    />
  );
}

/** Columns, made once, since the table keeps its first ones; their values are read from the latest answer. */
function columnsOf(
  profile: FunctionTableProps['profile'],
  sources: ReadonlySignal<ReadonlyMap<string, string>>,
): readonly Column<ProfileFunction>[] {
  const { samples = 0, functions = [], measure } = profile.value ?? {};
  const source = ({ name }: ProfileFunction) => sources.peek().get(name) ?? '';
  const names = [
    functionColumn(profile),
    ...(sources.value.size === 0 ? [] : [textColumn('source', 'Source', 'minmax(128px, 0.3fr)', source)]),
  ];
  if (measure === 'samples')
    return [...names, ...sampledColumns(functions, () => profile.peek()?.samples ?? 0)];
  return [
    ...names,
    explained(
      'In the function itself',
      msColumn('self', 'Self, ms', '64px', ({ self }) => self),
    ),
    explained(
      'In the function and what it called',
      barred(
        functions,
        () => 'var(--st-user)',
        msColumn('total', 'Total, ms', 'minmax(96px, 0.6fr)', ({ total }) => total),
      ),
    ),
    explained(
      'Total, of all the time',
      shareColumn('Share', '52px', ({ total }) => total / (profile.peek()?.time ?? NaN)),
    ),
    ...(samples === 0 ? [] : [SAMPLE_COLUMN, marginColumn(() => profile.peek()?.samples ?? 0)]),
  ];
}

/** Functions of the flame graph: all, or those with samples if only samples are known. */
function functionsShown(profile: ProfileAnswer): readonly ProfileFunction[] {
  const { functions, measure } = profile;
  if (measure === 'samples') return functions.filter(({ totalSamples }) => totalSamples > 0);
  return functions.filter((each) => !isWithoutStack(profile, each));
}

/** Whether a frame stands for time without a stack, which belongs to no function. */
function isWithoutStack({ samples, withoutStack }: ProfileAnswer, { name }: ProfileFunction): boolean {
  return samples > 0 && (name === withoutStack || name === NOT_RECORDED_FRAME);
}

/** ", and 631 ms without a stack" */
function withoutStackWords(profile: ProfileAnswer | undefined): string {
  const apart = profile?.functions.filter((each) => isWithoutStack(profile, each)) ?? [];
  const ns = apart.reduce((sum, { total }) => sum + total, 0);
  return ns > 0 ? `, and ${formatDuration(ns)} without a stack` : '';
}

/** Columns for profiles of samples only. */
function sampledColumns(
  functions: readonly ProfileFunction[],
  all: () => number,
): readonly Column<ProfileFunction>[] {
  return [
    explained(
      'Samples in the function itself',
      numberColumn('self', 'Self', '64px', ({ selfSamples }) => selfSamples),
    ),
    barred(functions, () => 'var(--st-user)', { ...SAMPLE_COLUMN, width: 'minmax(96px, 0.6fr)' }),
    explained(
      'Samples, of all there are',
      shareColumn('Share', '52px', ({ totalSamples }) => totalSamples / all()),
    ),
    marginColumn(all),
  ];
}

function functionColumn(profile: FunctionTableProps['profile']): Column<ProfileFunction> {
  return {
    ...nameCell('Function', ({ name }) => visibleText(name)),
    cell({ name }) {
      const shown = visibleText(name);
      const answer = profile.peek();
      const inlining = answer === undefined ? '' : inliningWords(answer, shown);
      return (
        <span class="table-name ellipsis" title={inlining === '' ? shown : `${shown} (${inlining})`}>
          {visibleText(isFunction(name) ? shortFunction(name) : name)}
          {inlining !== '' && <span class="faint"> {inlining}</span>}
        </span>
      );
    },
  };
}

const SAMPLE_COLUMN: Column<ProfileFunction> = explained(
  'Samples in the function and what it called',
  numberColumn('samples', 'Samples', '56px', ({ totalSamples }) => totalSamples),
);

/** Column of the margin of error, for profiles of samples. */
function marginColumn(all: () => number): Column<ProfileFunction> {
  return {
    id: 'margin',
    title: '± points',
    about: 'Error of the share, since stacks are samples: in 95 of 100 cases it is no larger',
    width: '52px',
    numeric: true,
    value: ({ totalSamples }) => marginOf(totalSamples, all()),
    cell: ({ totalSamples }) => {
      const margin = marginOf(totalSamples, all());
      return (
        <span
          class={margin > WIDE_MARGIN ? 'faint' : undefined}
          title={`${formatCount(totalSamples)} of ${plural(all(), 'sample')}`}
        >
          {margin.toFixed(2)}
        </span>
      );
    },
  };
}

/** Source files and lines, by name of the function, if there is debug information. */
function sourceTexts(profile: ProfileAnswer | undefined): ReadonlyMap<string, string> {
  const { tree, sources = [] } = profile ?? {};
  const named = sources.map(
    (source, frame) => [tree?.frames[frame] ?? '', source && sourceText(source)] as const,
  );
  return new Map(named.flatMap(([name, text]) => (text ? [[name, text]] : [])));
}
