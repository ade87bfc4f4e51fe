/** Choice of a profile: of the selected thread, of its process, of everything, or of the shown path. */
import type { OffCpuOrder, ProfileRequest, ProfileScope } from '../../engine/protocol/profile.ts';
import type { ReadonlySignal } from '@preact/signals';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { App } from '../context/app-context.ts';
import type { Choices } from '../controls/choices.ts';
import type { Tab } from '../controls/tabs.tsx';
import { threadAt } from '../path/path-target.ts';
import type { PathState } from '../path/path-state.ts';
import { rangeOf, rowById, type ViewModel } from '../timeline/timeline.tsx';
import type { ThingGroup } from '../commands/command.ts';
import { hasStacks } from '../experiment/stack-rows.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural } from '../format/text.ts';

export const PROFILE_TAB = 'flame';

export interface ProfilePage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
  /** Id of the row of the thread that was sampled most; null: there is none; undefined: not known yet. */
  readonly sampled?: ReadonlySignal<string | null | undefined>;
}

type Option<Id extends string> = Pick<Tab<Id>, 'id' | 'title'>;

const SCOPES: readonly Option<ProfileScope>[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'process', title: 'Process' },
  { id: 'all', title: 'All threads' },
  { id: 'path', title: 'Path' },
];

/** Thread of the focused row, with states or without, else the one sampled most. Reads signals. */
export function profiledThread({ app, view, sampled }: ProfilePage): RowInfo | undefined {
  const rows = app.experiment.rows.value;
  const isThread = ({ kind }: RowInfo) => kind === 'thread';
  return rowById(rows, threadAt(rows, view.focusedRow.value ?? '', isThread) ?? sampled?.value ?? '');
}

/** Scopes that are possible now; blocked time is not profiled along a path. Reads signals. */
export function scopesOf(page: ProfilePage, choices: Choices): readonly Option<ProfileScope>[] {
  const isThread = profiledThread(page) !== undefined;
  const isPath = page.path.answer.value !== undefined && offCpuOrder(page, choices) === undefined;
  return SCOPES.filter(({ id }) => (id === 'path' ? isPath : id === 'all' || isThread));
}

/** Order of the flame graph. `time` is for one thread, since several do not run in one order. */
export type FlameOrder = 'down' | 'up' | 'time';

const ORDERS: readonly Option<FlameOrder>[] = [
  { id: 'down', title: 'Top down' },
  { id: 'up', title: 'Inverted' },
  { id: 'time', title: 'In time' },
];

/** @param hasKernel whether running time is known, which `time` needs */
export function ordersOf(scope: ProfileScope, hasKernel: boolean): readonly Option<FlameOrder>[] {
  return ORDERS.filter(({ id }) => id !== 'time' || (scope === 'thread' && hasKernel));
}

/** Running or blocked time. */
export const TIMES = [
  { id: 'on', title: 'On CPU' },
  { id: 'off', title: 'Off CPU' },
] as const;

/** Orders of frames of blocked time, from the outermost on. */
export const OFF_CPU: readonly Option<OffCpuOrder>[] = [
  { id: 'sleeper', title: 'Sleeper first' },
  { id: 'waker', title: 'Waker first' },
  { id: 'cause', title: 'Cause' },
  { id: 'lock', title: 'Lock' },
  { id: 'file', title: 'File' },
];

/** Chosen order of frames of blocked time; undefined: running time is chosen. Reads signals. */
export function offCpuOrder({ app }: ProfilePage, choices: Choices): OffCpuOrder | undefined {
  if (app.experiment.info.value?.hasKernel !== true || choices.text(TIME_CHOICE) !== 'off') return undefined;
  const chosen = choices.text(OFF_CPU_CHOICE);
  return (OFF_CPU.find(({ id }) => id === chosen) ?? OFF_CPU[0]).id;
}

/** Names of the choices in the page's link. */
export const TIME_CHOICE = 'flame.time';
export const OFF_CPU_CHOICE = 'flame.first';
export const ORDER_CHOICE = 'flame.order';
export const SCOPE_CHOICE = 'flame.of';
/** Choice of the function whose callers and callees are shown. */
export const FUNCTION_CHOICE = 'flame.function';

/** The question for the current choices; a new object whenever the answer may have changed. Reads signals. */
export function profileRequest(page: ProfilePage, choices: Choices): ProfileRequest {
  const { app, view, path } = page;
  // Rows come again when frames get other names.
  void app.experiment.rows.value;
  const scopes = scopesOf(page, choices);
  const offCpu = offCpuOrder(page, choices);
  const chosen = choices.text(SCOPE_CHOICE);
  const { id } = scopes.find((scope) => scope.id === chosen) ?? scopes[0];
  const range = view.range.value ?? rangeOf(view.viewport.value);
  const shown = path.answer.value;
  const withInlined = true;
  if (id === 'path' && shown !== undefined) return { of: id, row: shown.row, path: shown.id, withInlined };
  if (offCpu !== undefined)
    return { of: id, row: profiledThread(page)?.id ?? '', range, offCpu, withInlined };
  const inTime = id === 'thread' && choices.text(ORDER_CHOICE) === 'time';
  return { of: id, row: profiledThread(page)?.id ?? '', range, inTime, withInlined };
}

/** Functions of call stacks for the search. */
export const FUNCTIONS: ThingGroup<ProfilePage> = {
  title: 'Functions',
  async things({ app }) {
    if (!hasStacks(app.experiment.rows.peek())) return [];
    const profile = await app.session.ask('profile', { of: 'all', row: '', withInlined: true });
    const isSampled = profile?.measure === 'samples';
    return (profile?.functions ?? []).map(({ name, total, totalSamples }) => ({
      name,
      detail: isSampled ? plural(totalSamples, 'sample') : formatDuration(total),
      open: () => {
        app.choices.choose(SCOPE_CHOICE, 'all');
        app.choices.choose(FUNCTION_CHOICE, name);
        app.drawer.show(PROFILE_TAB);
      },
    }));
  },
};
