/** The Statistics tab: a section for each statistic. */
import './statistics.css';
import type { StatisticTables } from '../../engine/answers/statistics/columns.ts';
import { type StatisticName, TABLES } from '../../engine/answers/statistics/tables.ts';
import { countedSentences } from '../../engine/words/machine-text.ts';
import { useApp } from '../context/app-context.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import { StatisticView } from './statistic-view.tsx';
import { formatCount, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { isMuchLost, type Losses, lossesOf } from '../opening/losses.ts';
import { Banner } from '../widgets/banner/banner.tsx';

const NAMES = Object.keys(TABLES) as StatisticName[];
const CHOICES = NAMES.map((id) => ({ id, title: TABLES[id].title }));
const WITHOUT_KERNEL = NAMES.filter((id) => (TABLES[id] as StatisticTables<never>).withoutKernel);

export function StatisticsPanel({ view }: { readonly view: ViewModel }) {
  const { experiment } = useApp();
  const info = experiment.info.value;
  const chosen = useChoice('statistics.section', CHOICES);
  if (info === undefined) return null;
  const isOffered = (id: StatisticName) => info.hasKernel || WITHOUT_KERNEL.includes(id);
  const shown = isOffered(chosen.value) ? chosen.value : WITHOUT_KERNEL[WITHOUT_KERNEL.length - 1];
  return (
    <div class="statistics">
      <Segmented
        class="statistics-nav"
        label="Section"
        options={CHOICES.filter(({ id }) => isOffered(id))}
        chosen={shown}
        onChoose={chosen.choose}
      />
      <div class="statistics-body">
        <LossBanner view={view} />
        {countedSentences(info.hosts, TABLES[shown].essential).map((sentence) => (
          <p key={sentence} class="missing-note">
            {visibleText(sentence)}
          </p>
        ))}
        <WithDamageBanner needs={TABLES[shown].kept}>
          <StatisticView key={shown} name={shown} view={view} info={info} />
        </WithDamageBanner>
      </div>
    </div>
  );
}

/** Banner over tables whose numbers are too low because events were lost while recording. */
function LossBanner({ view }: { readonly view: ViewModel }) {
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

const CONSEQUENCE = 'Counts and times here are too low, and states are unknown while events were lost.';

function shareText(share: number): string {
  return share > 0 && share < 0.0005 ? `less than ${formatShare(0.001)}` : formatShare(share);
}
