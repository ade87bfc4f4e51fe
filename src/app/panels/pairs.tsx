/** Facts as pairs of a name and a value. They stand in a `<dl class="pairs">`. */
import type { ComponentChildren } from 'preact';
import { formatExact } from '../format/numbers.ts';
import { exactTime, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';

interface PairProps {
  readonly name: string;
  /** Of fixed width: times, counts, names in code. */
  readonly mono?: boolean;
  readonly children: ComponentChildren;
}

export function Pair({ name, mono = false, children }: PairProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd class={mono ? 'mono' : undefined}>{children}</dd>
    </>
  );
}

interface RangePairsProps {
  readonly view: ViewModel;
  readonly range: TimeRange;
}

export function RangePairs({ view, range: { from, to } }: RangePairsProps) {
  const style = view.timeStyle.value;
  return (
    <>
      <Pair name="From" mono>
        {exactTime(from, style)}
      </Pair>
      <Pair name="To" mono>
        {exactTime(to, style)}
      </Pair>
      <Pair name="Duration" mono>
        {formatExact(to - from)}
      </Pair>
    </>
  );
}
