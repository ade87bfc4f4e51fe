/** What is compared, in a line: the executions, how they are divided, and the ranges that limit the groups. */
import type { DisplayNs } from '../../engine/base/units.ts';
import { Icon } from '../controls/icon.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { formatCount } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { ComparePage } from './compare-page.ts';
import { SLOW_TAIL } from './compare-state.ts';
import type { Comparison } from './comparison.ts';
import { definitionText } from './definition-words.ts';
import type { Brush, GroupRule } from './group-rule.ts';
import { metricText, metricTitle } from './metric-columns.ts';

const RULES: readonly { readonly id: GroupRule['kind']; readonly title: string }[] = [
  { id: 'slow', title: 'Slow tail' },
  { id: 'time', title: 'Before and after' },
  { id: 'thread', title: 'Thread' },
  { id: 'brush', title: 'Ranges' },
];

interface GroupBarProps {
  readonly page: ComparePage;
  readonly comparison: Comparison | undefined;
  onDefine(): void;
}

export function GroupBar({ page, comparison, onDefine }: GroupBarProps) {
  const { compare } = page;
  const definition = compare.definition.value;
  const rule = compare.rule.value;
  const brushes = compare.brushes.value;
  const range = page.view.range.value;
  return (
    <div class="compare-bar">
      <button class="button outlined compare-definition" aria-haspopup="dialog" onClick={onDefine}>
        <span class="mono ellipsis">{definition && definitionText(definition)}</span>
        <Icon name="chevron-down" />
      </button>
      {comparison && <span class="faint nowrap">{countsText(comparison)}</span>}
      {comparison && (
        <>
          <span class="muted compare-split">Split by</span>
          <Segmented
            label="Split by"
            options={RULES}
            chosen={rule.kind}
            onChoose={(kind) => (compare.rule.value = firstRule(kind, page, comparison))}
          />
          {rule.kind === 'time' && range !== undefined && range.from !== rule.at && (
            <button
              class="button"
              title="Executions that begin later are in B"
              onClick={() => (compare.rule.value = { kind: 'time', at: range.from })}
            >
              At the selected range
            </button>
          )}
          {rule.kind === 'thread' && (
            <select
              aria-label="Thread of B"
              value={rule.row}
              onChange={(event) => (compare.rule.value = { kind: 'thread', row: event.currentTarget.value })}
            >
              {comparison.answer.threads.map(({ row, name, tid }) => (
                <option key={row} value={row}>
                  {visibleText(name)} {tid}
                </option>
              ))}
            </select>
          )}
        </>
      )}
      <span class="grow" />
      <div class="compare-chips">
        {brushes.map((brush) => (
          <button
            key={`${brush.group} ${brush.metric}`}
            class="compare-chip"
            title="Take this range away"
            onClick={() => compare.brush(brush.group, brush.metric, undefined)}
          >
            {brushWords(brush)}
            <Icon name="close" size={10} />
          </button>
        ))}
      </div>
      {brushes.length > 0 && (
        <button class="button" onClick={() => (compare.brushes.value = [])}>
          Clear ranges
        </button>
      )}
    </div>
  );
}

function countsText({ answer: { counts, withoutThread } }: Comparison): string {
  const { executions, withoutEnd, withoutBegin, nested } = counts;
  return [
    `${formatCount(executions)} closed`,
    withoutEnd > 0 && `${formatCount(withoutEnd)} without end`,
    withoutBegin > 0 && `${formatCount(withoutBegin)} without begin`,
    withoutThread > 0 && `${formatCount(withoutThread)} in threads that are not known`,
    nested > 0 && `${formatCount(nested)} nested`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** B: "Duration 5.000 ms to 10.782 ms". */
function brushWords({ group, metric, from, to }: Brush): string {
  const [low, high] = [from, to].map((value) => metricText(metric, value));
  const range = from === -Infinity ? `below ${high}` : to === Infinity ? `from ${low}` : `${low} to ${high}`;
  return `${group.toUpperCase()}: ${metricTitle(metric)} ${range}`;
}

/** A rule before anything of it is chosen. */
function firstRule(kind: GroupRule['kind'], { view }: ComparePage, { answer }: Comparison): GroupRule {
  switch (kind) {
    case 'slow':
      return SLOW_TAIL;
    case 'brush':
      return { kind };
    case 'thread':
      return { kind, row: answer.threads[0]?.row ?? '' };
    case 'time':
      return { kind, at: view.range.peek()?.from ?? middleOf(answer.from) };
  }
}

/** Executions are in order of their begin. */
function middleOf(from: ArrayLike<DisplayNs>): DisplayNs {
  return from[from.length >> 1] ?? 0;
}
