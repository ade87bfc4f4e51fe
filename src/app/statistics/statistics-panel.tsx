/** The Statistics tab: a section for each statistic. */
import './statistics.css';
import type { StatisticTables } from '../../engine/answers/statistics/columns.ts';
import { TABLES } from '../../engine/answers/statistics/tables.ts';
import type { StatisticName } from '../../engine/protocol/statistics.ts';
import { useApp } from '../context/app-context.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import type { ViewModel } from '../timeline/timeline.tsx';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import { StatisticView } from './statistic-view.tsx';
import { LossBanner } from './loss-banner.tsx';

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
        <WithDamageBanner needs={TABLES[shown].kept}>
          <StatisticView key={shown} name={shown} view={view} info={info} />
        </WithDamageBanner>
      </div>
    </div>
  );
}
