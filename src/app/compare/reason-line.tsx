/** A line of what explains group B. */
import type { ComponentChildren } from 'preact';

/** Effects of so many standard deviations have the longest bar. */
const LONGEST_BAR = 6;

interface ReasonProps {
  readonly difference: string;
  readonly effect: number | null;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A sentence, with how much it explains and its effect. */
export function ReasonLine({ difference, effect, title, children }: ReasonProps) {
  const length = effect === null ? 1 : Math.min(1, Math.abs(effect) / LONGEST_BAR);
  const colour = effect !== null && effect < 0 ? 'var(--diff-less-3)' : 'var(--diff-more-3)';
  return (
    <li>
      <span title={title}>{children}</span>
      <span class="nowrap">{difference}</span>
      <span class="compare-effect">
        <span style={{ '--length': length, '--colour': colour }} />
      </span>
      <span class="nowrap" title={effect === null ? 'Neither group varies' : undefined}>
        {effect === null ? '–' : effect.toFixed(1)}
      </span>
    </li>
  );
}
