/** Bar with what is compared: the executions, how they are divided, and the ranges that limit the groups. */
import { TextButton } from '../controls/button.tsx';
import type { ComponentChildren } from 'preact';
import type { DisplayNs } from '../../engine/base/units.ts';
import { Icon } from '../controls/icon.tsx';
import { formatCount } from '../format/numbers.ts';
import { joined, visibleText } from '../format/text.ts';
import type { ComparedProps, ComparePage } from './compare-page.ts';
import { CompareTools } from './compare-tools.tsx';
import type { Comparison } from './comparison.ts';
import { definitionText } from './definition-words.ts';
import type { Brush, GroupRule } from './group-rule.ts';
import { metricText, metricTitle } from './metric-columns.ts';
import { structuresOf, structureTitle } from './structures.ts';

interface GroupBarProps {
  readonly page: ComparePage;
  readonly comparison: Comparison | undefined;
  onDefine(): void;
}

export function GroupBar({ page, comparison, onDefine }: GroupBarProps) {
  const { compare } = page;
  const definition = compare.definition.value;
  const brushes = compare.brushes.value;
  const against = compare.files.against.value;
  return (
    <div class="compare-bar">
      {page.view === undefined ? (
        <span class="mono ellipsis">{definition && definitionText(definition)}</span>
      ) : (
        <button class="button outlined compare-definition" aria-haspopup="dialog" onClick={onDefine}>
          <span class="mono ellipsis">{definition && definitionText(definition)}</span>
          <Icon name="chevron-down" />
        </button>
      )}
      {comparison && <span class="faint nowrap">{countsText(comparison)}</span>}
      {comparison && <Division page={page} comparison={comparison} />}
      {against && (
        <Chip about="Take the other trace away" onTake={() => (compare.files.against.value = undefined)}>
          A: {visibleText(against.name)}
        </Chip>
      )}
      {compare.linkedAgainst.value !== undefined && (
        <span class="muted">The other trace of this link is not kept here: drop its file of executions.</span>
      )}
      <span class="grow" />
      <div class="compare-chips">
        {brushes.map((brush) => (
          <Chip
            key={`${brush.group} ${brush.metric}`}
            about="Take this range away"
            onTake={() => compare.brush(brush.group, brush.metric, undefined)}
          >
            {brushWords(brush)}
          </Chip>
        ))}
      </div>
      {brushes.length > 0 && <TextButton text="Clear ranges" onClick={() => (compare.brushes.value = [])} />}
      {comparison && <CompareTools page={page} comparison={comparison} />}
    </div>
  );
}

interface ChipProps {
  readonly about: string;
  readonly children: ComponentChildren;
  onTake(): void;
}

function Chip({ about, onTake, children }: ChipProps) {
  return (
    <button class="compare-chip" title={about} onClick={onTake}>
      {children}
      <Icon name="close" size={10} />
    </button>
  );
}

/** Choices of the rule that divides the executions. */
function Division({ page, comparison }: ComparedProps) {
  const { compare, view } = page;
  const rule = compare.rule.value;
  const range = view?.range.value;
  const choose = (chosen: GroupRule) => (compare.rule.value = chosen);
  return (
    <>
      <label class="line">
        <span class="muted compare-split">Split by</span>
        <Part
          label="Split by"
          options={rulesOf(comparison)}
          chosen={rule.kind}
          onChoose={(kind) => choose(firstRule(kind, page, comparison))}
        />
      </label>
      {rule.kind === 'time' && range !== undefined && range.from !== rule.at && (
        <TextButton
          text="At the selected range"
          title="Executions that begin later are in B"
          onClick={() => choose({ kind: 'time', at: range.from })}
        />
      )}
      {rule.kind === 'thread' && (
        <Part
          label="Thread of B"
          options={comparison.answer.threads.map(({ row, name, tid }) => ({
            id: row,
            title: `${name} ${tid}`,
          }))}
          chosen={rule.row}
          onChoose={(row) => choose({ kind: 'thread', row })}
        />
      )}
      {rule.kind === 'host' && (
        <Part
          label="Host of B"
          options={comparison.hosts.map((title, host) => ({ id: String(host), title }))}
          chosen={String(rule.host)}
          onChoose={(host) => choose({ kind: 'host', host: Number(host) })}
        />
      )}
      {rule.kind === 'structure' && (
        <Part
          label="Structure of B"
          options={structureOptions(comparison)}
          chosen={String(rule.structure)}
          onChoose={(structure) => choose({ kind: 'structure', structure: Number(structure) })}
        />
      )}
    </>
  );
}

interface PartProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly chosen: Id;
  onChoose(id: Id): void;
}

/** One of these choices: the rule, or its value for group B. */
function Part<Id extends string>({ label, options, chosen, onChoose }: PartProps<Id>) {
  return (
    <select
      class="compare-part"
      aria-label={label}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value as Id)}
    >
      {options.map(({ id, title }) => (
        <option key={id} value={id}>
          {visibleText(title)}
        </option>
      ))}
    </select>
  );
}

const MOST_STRUCTURES = 24;

function structureOptions({ answer }: Comparison): PartProps<string>['options'] {
  const { structures } = structuresOf(answer);
  return structures
    .slice(0, MOST_STRUCTURES)
    .map((_, place) => ({ id: String(place), title: structureTitle(structures, place) }))
    .slice(1);
}

function rulesOf({ others, hosts }: Comparison) {
  const rules: readonly {
    readonly id: GroupRule['kind'];
    readonly title: string;
    readonly isThere?: boolean;
  }[] = [
    { id: 'traces', title: 'Trace', isThere: others > 0 },
    { id: 'slow', title: 'Slow tail' },
    { id: 'tenth', title: 'Slowest tenth' },
    { id: 'time', title: 'Before and after' },
    { id: 'host', title: 'Host', isThere: hosts.length > 1 },
    { id: 'thread', title: 'Thread' },
    { id: 'structure', title: 'Structure' },
    { id: 'brush', title: 'Ranges' },
  ];
  return rules.filter(({ isThere }) => isThere !== false);
}

function countsText({ answer: { counts, withoutThread, isElapsed } }: Comparison): string {
  const { executions, withoutEnd, withoutBegin, nested } = counts;
  return joined([
    `${formatCount(executions)} closed`,
    withoutEnd > 0 && `${formatCount(withoutEnd)} without end`,
    withoutBegin > 0 && `${formatCount(withoutBegin)} without begin`,
    withoutThread > 0 && `${formatCount(withoutThread)} in threads that are not known`,
    nested > 0 && `${formatCount(nested)} nested`,
    isElapsed && 'elapsed time, as no kernel was recorded',
  ]);
}

/** B: "Duration 5.000 ms to 10.782 ms". */
function brushWords({ group, metric, from, to }: Brush): string {
  const [low, high] = [from, to].map((value) => metricText(metric, value));
  const range = from === -Infinity ? `below ${high}` : to === Infinity ? `from ${low}` : `${low} to ${high}`;
  return `${group.toUpperCase()}: ${metricTitle(metric)} ${range}`;
}

function firstRule(
  kind: GroupRule['kind'],
  { view, compare }: ComparePage,
  { answer }: Comparison,
): GroupRule {
  switch (kind) {
    case 'slow':
    case 'tenth':
    case 'traces':
    case 'brush':
      return { kind };
    case 'host':
      return { kind, host: 1 };
    case 'structure':
      return { kind, structure: 1 };
    case 'thread':
      return { kind, row: answer.threads[0]?.row ?? '' };
    case 'time': {
      const usual = compare.source.usualRule();
      return usual.kind === 'time' ? usual : { kind, at: view?.range.peek()?.from ?? middleOf(answer.from) };
    }
  }
}

/** The begin of the middle execution; they are in order of their begins. */
function middleOf(from: ArrayLike<DisplayNs>): DisplayNs {
  return from[from.length >> 1] ?? 0;
}
