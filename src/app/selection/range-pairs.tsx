/** Begin, end and length of what is selected. */
import { Pair } from '../controls/pair.tsx';
import { formatExact } from '../format/numbers.ts';
import { exactTime, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';

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
