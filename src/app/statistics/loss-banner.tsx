/** Over tables whose numbers are too low because events were lost while recording. */
import { useApp } from '../context/app-context.ts';
import { formatCount, formatShare } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { isMuchLost, lossesOf, type Losses } from '../opening/losses.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import { Banner } from '../widgets/banner/banner.tsx';

export function LossBanner({ view }: { readonly view: ViewModel }) {
  const { experiment, drawer } = useApp();
  const info = experiment.info.value;
  const range = view.range.value;
  if (info === undefined) return null;
  const losses = lossesOf(info, range);
  // A range without losses has the right numbers.
  if (losses.timeNs === 0 && (range !== undefined || losses.events === 0)) return null;
  const isMuch = isMuchLost(range === undefined ? losses : { ...losses, eventShare: 0 });
  return (
    <Banner onDetails={isMuch ? () => drawer.show('info') : undefined}>
      {lossWords(losses, info.events, range, isMuch)}
    </Banner>
  );
}

function lossWords(
  { events, eventShare, timeShare }: Losses,
  recorded: number,
  range: TimeRange | undefined,
  isMuch: boolean,
): string {
  const time = timeShare > 0 ? `${shareText(timeShare)} of the CPUs’ time` : '';
  const counted = events > 0 ? `${plural(events, 'event')} (${shareText(eventShare)})` : 'Packets';
  if (range !== undefined) {
    const where = `In ${time} in this range events were lost while recording.`;
    return isMuch ? `${where} ${CONSEQUENCE}` : where;
  }
  if (!isMuch)
    return `${counted} ${events === 1 ? 'was' : 'were'} lost while recording${time && `, in ${time}`}.`;
  const share = `${shareText(eventShare)} of the events were lost while recording: ${formatCount(events)} of ${formatCount(events + recorded)}`;
  return `${events > 0 ? share : 'Packets were lost while recording'}${time && `, in ${time}`}. ${CONSEQUENCE}`;
}

const CONSEQUENCE = 'Counts and times here are too low by what was lost; states are unknown there.';

function shareText(share: number): string {
  return share > 0 && share < 0.0005 ? `less than ${formatShare(0.001)}` : formatShare(share);
}
