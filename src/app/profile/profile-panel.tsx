/** The Profile tab: the time of threads by their call stacks, as a flame graph. */
import './profile.css';
import { useComputed, type ReadonlySignal, batch } from '@preact/signals';
import type { ProfileAnswer, ProfileScope } from '../../engine/protocol/profile.ts';
import { TextButton } from '../controls/button.tsx';
import { useChoice, useChoices } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatDuration, formatRange } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidText } from '../format/tid.ts';
import { FlameGraph, type FlameGraphProps } from '../widgets/flame/flame-graph.tsx';
import type { FlameFrame, FlameTree } from '../widgets/flame/flame-tree.ts';
import { FunctionTable } from './function-table.tsx';
import {
  functionFlame,
  inliningWords,
  NO_FLAME,
  profileFlame,
  shareWords,
  chartFlame,
} from './profile-flame.ts';
import {
  type FlameOrder,
  FUNCTION_CHOICE,
  OFF_CPU,
  OFF_CPU_CHOICE,
  offCpuOrder,
  ORDER_CHOICE,
  ordersOf,
  profiledThread,
  type ProfilePage,
  profileRequest,
  SCOPE_CHOICE,
  scopesOf,
  TIME_CHOICE,
  TIMES,
} from './profile-question.ts';
import type { FlameChart } from '../../engine/layers/stacks/flame-chart.ts';
import { exactTime, type TimeStyle } from '../timeline/timeline.tsx';

interface Profiled {
  readonly of: ProfileScope;
  /** Undefined: nothing is known. */
  readonly profile: ProfileAnswer | undefined;
}

export function ProfilePanel(opened: ProfilePage) {
  const { app } = opened;
  // Rows come again when stacks have been read.
  const sampled = useLiveAnswer(
    () => app.experiment.rows.value,
    async () => (await app.session.ask('sampledThread', {})) ?? null,
  );
  const page = { ...opened, sampled };
  const choices = useChoices();
  const scopes = scopesOf(page, choices);
  const scope = useChoice(SCOPE_CHOICE, scopes);
  const orders = ordersOf(scope.value, app.experiment.info.value?.hasKernel === true);
  const order = useChoice(ORDER_CHOICE, orders);
  const time = useChoice(TIME_CHOICE, TIMES);
  const first = useChoice(OFF_CPU_CHOICE, OFF_CPU);
  const isOff = offCpuOrder(page, choices) !== undefined;
  const answer = useLiveAnswer(
    () => (sampled.value === undefined ? undefined : profileRequest(page, choices)),
    async (request, signal): Promise<Profiled | undefined> =>
      request && { of: request.of, profile: await app.session.ask('profile', request, { signal }) },
  );
  const profile = useComputed(() => answer.value?.profile);
  const chosen = choices.text(FUNCTION_CHOICE);
  const choose = (name: string | undefined) => choices.choose(FUNCTION_CHOICE, name);
  return (
    <div class="profile">
      <div class="profile-bar">
        {app.experiment.info.value?.hasKernel === true && (
          <Segmented label="Time" options={TIMES} chosen={time.value} onChoose={time.choose} />
        )}
        {sampled.value !== undefined && (
          <Segmented label="Profile of" options={scopes} chosen={scope.value} onChoose={scope.choose} />
        )}
        <Covered page={page} profiled={answer.value} />
        <span class="grow" />
        {chosen === undefined && isOff && (
          <Segmented
            label="Outermost frames"
            options={OFF_CPU}
            chosen={first.value}
            onChoose={first.choose}
          />
        )}
        {chosen === undefined && !isOff && (
          <Segmented label="Order" options={orders} chosen={order.value} onChoose={order.choose} />
        )}
        {chosen !== undefined && (
          <TextButton class="button outlined" onClick={() => choose(undefined)} text="All functions" />
        )}
      </div>
      <div class="profile-body">
        {chosen !== undefined ? (
          <Sandwich page={page} answer={answer} onChoose={choose} />
        ) : order.value === 'time' && !isOff ? (
          <ProfileInTime page={page} answer={answer} />
        ) : (
          <WholeFlame
            key={isOff ? first.value : order.value}
            page={page}
            answer={answer}
            order={isOff || order.value === 'time' ? 'down' : order.value}
            onChoose={choose}
          />
        )}
        <FunctionTable
          profile={profile}
          chosen={chosen}
          onChoose={(name) => choose(name === chosen ? undefined : name)}
        />
      </div>
    </div>
  );
}

interface CoveredProps {
  readonly page: ProfilePage;
  readonly profiled: Profiled | undefined;
}

/** Line that says whose profile it is, and how much time it covers. */
function Covered({ page, profiled }: CoveredProps) {
  if (profiled === undefined) return <span class="muted">Adding up stacks</span>;
  const { of, profile } = profiled;
  const thread = of === 'path' ? undefined : profiledThread(page);
  const row = thread !== undefined && of !== 'all' && (
    <b>
      {visibleText(thread.name)} <span class="mono faint">{tidText(thread)}</span>
    </b>
  );
  if (profile === undefined) return <span class="muted">Nothing is known of {row || 'it'}.</span>;
  const length = formatDuration(profile.to - profile.from);
  const range = page.view.range.value === undefined ? 'visible' : 'selected';
  return (
    <span class="muted ellipsis">
      {row}
      {of === 'process' && ' and the other threads of its process'}{' '}
      <span class="nowrap">{coveredWords(page, profile, `${length} that are ${range}`)}</span>
    </span>
  );
}

/** Text of a picture: "python3 242, 1.300 ms on a CPU in 10 ms to 30 ms, 13 samples". */
function pictureWords(page: ProfilePage, profiled: Profiled | undefined): string {
  const { of, profile } = profiled ?? {};
  if (profile === undefined) return '';
  const thread = of === 'all' || of === 'path' ? undefined : profiledThread(page);
  const whose = thread === undefined ? '' : `${visibleText(thread.name)} ${tidText(thread) ?? ''}, `;
  return whose + coveredWords(page, profile, formatRange(profile.from, profile.to));
}

/** "1.300 ms on a CPU in 20 ms that are visible, 13 samples (cpu-clock, one every 1000000 ns on a CPU)" */
function coveredWords(page: ProfilePage, { measure, time, samples }: ProfileAnswer, range: string): string {
  const hosts = page.app.experiment.info.value?.hosts ?? [];
  const sampling = [...new Set(hosts.flatMap((host) => host.sampling ?? []))].join('; ');
  const taken = plural(samples, 'sample') + (sampling === '' ? '' : ` (${sampling})`);
  if (measure === 'samples')
    return `${taken} in ${range}: numbers of samples, not times, as no kernel was recorded`;
  const words = {
    running: `on a CPU in ${range}`,
    blocked: `blocked in ${range}`,
    path: 'on the path',
    elapsed: `of elapsed time in ${range}, as no kernel was recorded`,
  }[measure];
  return `${formatDuration(time)} ${words}${samples > 0 ? `, ${taken}` : ''}`;
}

interface FlameProps {
  readonly page: ProfilePage;
  readonly answer: ReadonlySignal<Profiled | undefined>;
  onChoose(name: string): void;
}

function WholeFlame({ order, ...flame }: FlameProps & { readonly order: Exclude<FlameOrder, 'time'> }) {
  const tree = useComputed(() => {
    const { of, profile } = flame.answer.value ?? {};
    return profile === undefined ? NO_FLAME : profileFlame(profile, order, of === 'path');
  });
  return (
    <section class="profile-flame" aria-label="Flame graph">
      <StackGraph label="Flame graph" tree={tree} {...flame} />
    </section>
  );
}

/** A function between its callers and its callees. */
function Sandwich(flame: FlameProps) {
  const choices = useChoices();
  const sideOf = (side: 'callers' | 'callees') => () => {
    const { of, profile } = flame.answer.value ?? {};
    const name = choices.text(FUNCTION_CHOICE) ?? '';
    return profile === undefined ? NO_FLAME : functionFlame(profile, name, side, of === 'path');
  };
  const callers = useComputed(sideOf('callers'));
  const callees = useComputed(sideOf('callees'));
  return (
    <section class="profile-flame" aria-label="Callers and callees">
      <div class="profile-sandwich">
        <StackGraph label="Callers" title="Callers" tree={callers} isRising {...flame} />
        <StackGraph label="Callees" title="Callees" tree={callees} {...flame} />
      </div>
    </section>
  );
}

interface StackGraphProps extends FlameProps, Pick<FlameGraphProps, 'label' | 'title' | 'isRising'> {
  readonly tree: ReadonlySignal<FlameTree>;
}

function StackGraph({ page, answer, tree, onChoose, ...shown }: StackGraphProps) {
  const about = ({ value, samples = 0, text }: FlameFrame) => {
    const profile = answer.peek()?.profile;
    if (profile === undefined) return '';
    const inlining = inliningWords(profile, text);
    return shareWords(profile, value, samples) + (inlining === '' ? '' : `, ${inlining}`);
  };
  const open = (frame: number) => {
    const { text } = tree.peek().frames[frame];
    const found = answer.peek()?.profile?.functions.find(({ name }) => visibleText(name) === text);
    if (found !== undefined) onChoose(found.name);
  };
  const isSampled = answer.value?.profile?.measure === 'samples';
  const format = isSampled ? (value: number) => plural(value, 'sample') : formatDuration;
  const covers = () => pictureWords(page, answer.peek());
  return <FlameGraph {...shown} {...{ tree, format, about, covers }} onOpen={open} />;
}

/** Flame graph in order of a thread's time. As in other orders, the width is running time, so waits have none. */
function ProfileInTime({ page, answer }: Pick<FlameProps, 'page' | 'answer'>) {
  const { app, view } = page;
  const profile = useComputed(() => answer.value?.profile);
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
