/** Where group B spends its time, against group A: a differential flame graph. */
import { useComputed } from '@preact/signals';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatDuration } from '../format/numbers.ts';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import { flameTree } from '../widgets/flame/flame-tree.ts';
import type { ComparedProps } from './compare-page.ts';
import type { Direction } from './comparison.ts';
import { differenceWords } from './difference-tree.ts';

const DIRECTIONS: readonly { readonly id: Direction; readonly title: string }[] = [
  { id: 'down', title: 'Top down' },
  { id: 'up', title: 'Inverted' },
];

const STEPS = ['less-3', 'less-2', 'less-1', '0', 'more-1', 'more-2', 'more-3'];

export function DifferenceGraph({ page: { compare }, comparison }: ComparedProps) {
  const direction = useChoice('compare.direction', DIRECTIONS);
  const tree = useComputed(() => {
    const groups = compare.groups.value;
    const current = compare.comparison.value;
    return groups && current ? current.flame(direction.value, groups) : flameTree([]);
  });
  return (
    <section class="compare-flame" aria-label="Where B spends its time">
      <FlameGraph
        key={comparison.answer.tree}
        label="Where B spends its time"
        title="Where B spends its time, against A"
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
