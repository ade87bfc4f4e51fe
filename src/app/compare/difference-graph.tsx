/** Differential flame graph: the time of group B compared with group A. */
import { useComputed } from '@preact/signals';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatDuration } from '../format/numbers.ts';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import { flameTree } from '../widgets/flame/flame-tree.ts';
import type { ComparedProps, ComparePage } from './compare-page.ts';
import { type Comparison, type Direction, summedTrees } from './comparison.ts';
import { differenceWords } from './difference-tree.ts';
import { intervalsOf } from './lock-reasons.tsx';

const DIRECTIONS: readonly { readonly id: Direction; readonly title: string }[] = [
  { id: 'down', title: 'Top down' },
  { id: 'up', title: 'Inverted' },
];

const TIMES = [
  { id: 'all', title: 'All time' },
  { id: 'off', title: 'Off CPU' },
] as const;

const STEPS = ['less-3', 'less-2', 'less-1', '0', 'more-1', 'more-2', 'more-3'];

/** Whether the blocked time of executions can be asked for: only in the open trace, with known states. */
function hasStates(comparison: Comparison | undefined, view: ComparePage['view']): boolean {
  return view !== undefined && comparison?.others === 0 && !comparison.answer.isElapsed;
}

export function DifferenceGraph({ page: { app, compare, view }, comparison }: ComparedProps) {
  const direction = useChoice('compare.direction', DIRECTIONS);
  const time = useChoice('compare.time', TIMES);
  const isOff = useComputed(() => time.value === 'off' && hasStates(compare.comparison.value, view));
  const blocked = useLiveAnswer(
    () => (isOff.value ? compare.comparison.value : undefined),
    async (of, signal) => {
      if (of === undefined) return undefined;
      const request = { ...intervalsOf(of.answer), order: 'sleeper' } as const;
      const times = await app.session.ask('offCpu', request, { signal });
      return times && { of, trees: summedTrees(times) };
    },
  );
  const tree = useComputed(() => {
    const groups = compare.groups.value;
    const current = compare.comparison.value;
    const found = blocked.value;
    const trees = isOff.value ? (found?.of === current ? found?.trees : undefined) : current;
    return groups && trees ? trees.flame(direction.value, groups) : flameTree([]);
  });
  return (
    <section class="compare-flame" aria-label="Where B spends its time">
      <FlameGraph
        key={isOff.value ? 'off' : comparison.answer.tree}
        label="Where B spends its time"
        title="B against A"
        tree={tree}
        format={formatDuration}
        about={differenceWords}
      >
        <span class="compare-legend faint" title="In pooled standard deviations: from 0.5, 1 and 2 on">
          less
          {STEPS.map((step) => (
            <span key={step} class="compare-step" style={{ background: `var(--diff-${step})` }} />
          ))}
          more
          <span class="compare-line" />
          mean in A
        </span>
        {hasStates(comparison, view) && (
          <Segmented label="Time" options={TIMES} chosen={time.value} onChoose={time.choose} />
        )}
        <Segmented
          label="Direction"
          options={DIRECTIONS}
          chosen={direction.value}
          onChoose={direction.choose}
        />
      </FlameGraph>
    </section>
  );
}
