/**
 * Flame graph in order of time: what follows what in a thread. The width is running time, as in the other orders, so
 * that waits have none.
 */
import { batch, useComputed, type ReadonlySignal } from '@preact/signals';
import type { FlameChart } from '../../engine/layers/stacks/flame-chart.ts';
import type { ProfileAnswer } from '../../engine/protocol/profile.ts';
import { formatDuration } from '../format/numbers.ts';
import { exactTime, type TimeStyle } from '../timeline/timeline.tsx';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import type { FlameFrame } from '../widgets/flame/flame-tree.ts';
import { chartFlame, NO_FLAME, profileFlame } from './profile-flame.ts';
import { profiledThread, type ProfilePage } from './profile-question.ts';

interface ProfileInTimeProps {
  readonly page: ProfilePage;
  readonly profile: ReadonlySignal<ProfileAnswer | undefined>;
}

export function ProfileInTime({ page, profile }: ProfileInTimeProps) {
  const { app, view } = page;
  const tree = useComputed(() => (profile.value === undefined ? NO_FLAME : chartFlame(profile.value)));
  const whole = useComputed(() =>
    profile.value === undefined ? NO_FLAME : profileFlame(profile.value, 'down', false),
  );
  const about = (_: FlameFrame, number: number) => {
    const chart = profile.peek()?.chart;
    return chart === undefined ? '' : timeWords(chart, number, view.timeStyle.peek());
  };
  const open = (number: number) => {
    const chart = profile.peek()?.chart;
    const thread = profiledThread(page);
    if (chart === undefined || thread === undefined) return;
    const range = { from: chart.begin[number], to: chart.end[number] };
    batch(() => {
      view.show(thread.id, range);
      view.selectRange(range);
      // The rows have to be seen.
      app.drawer.maximised.value = false;
    });
  };
  const words = { label: 'Flame graph', format: formatDuration, about, opens: 'to select its time' };
  const isSampled = (profile.value?.samples ?? 0) > 0;
  return (
    <section class="profile-flame" aria-label="Flame graph">
      <FlameGraph {...words} tree={tree} whole={whole} onOpen={open}>
        <span class="muted ellipsis">
          Waits are left out{isSampled && '; a stack lasts until the next sample'}
        </span>
      </FlameGraph>
    </section>
  );
}

/** "from 1.661 402 113 s, within 15.412 ms" */
function timeWords({ begin, end, ns, count, inside }: FlameChart, number: number, style: TimeStyle): string {
  const length = end[number] - begin[number];
  return [
    ...(count[number] > 1 ? [`${formatDuration(inside[number])} of it in them`] : []),
    `from ${exactTime(begin[number], style)}`,
    ...(length > ns[number] ? [`within ${formatDuration(length)}`] : []),
  ].join(', ');
}
