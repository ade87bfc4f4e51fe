/** Steps for Back and Forward: visible time, tab and path, each taken when the view has been unchanged for a moment. */
import { batch, effect, signal, untracked } from '@preact/signals';
import type { Drawer } from '../context/drawer-state.ts';
import type { OpenPage } from '../features/feature.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import { sameViewport, type Viewport, viewportOf } from '../timeline/view/viewport.ts';

const REST_MS = 400;
const MOST_STEPS = 100;

type LinkedPath = NonNullable<OpenPage['path']['linked']['value']>;

interface Step {
  readonly viewport: Viewport;
  readonly tab: string;
  readonly path: LinkedPath | undefined;
  readonly range: TimeRange | undefined;
}

interface StepsPage {
  readonly app: { readonly drawer: Pick<Drawer, 'tab'> };
  readonly view: Pick<ViewModel, 'viewport' | 'extent' | 'range' | 'selectRange' | 'setViewport'>;
  readonly path: Pick<OpenPage['path'], 'linked' | 'showLinked'>;
}

/** Steps of a page from now on, until they are stopped. */
export function createViewSteps({ app: { drawer }, view, path }: StepsPage) {
  let steps: readonly Step[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Position in the list of steps, -1 before the first. */
  const position = signal(-1);
  const length = signal(0);
  const seen = (): Step => ({
    viewport: view.viewport.value,
    tab: drawer.tab.value,
    path: path.linked.value,
    range: view.range.value,
  });
  const rest = () => {
    const now = untracked(seen);
    const at = position.peek();
    // Another selected range is not a new step; it is kept with the current one.
    if (at >= 0 && isSame(steps[at], now)) return void (steps = steps.with(at, now));
    steps = [...steps.slice(0, at + 1), now].slice(-MOST_STEPS);
    batch(() => ([length.value, position.value] = [steps.length, steps.length - 1]));
  };
  let whole = viewportOf(view.extent.peek());
  const stops = [
    effect(() => {
      seen();
      clearTimeout(timer);
      timer = setTimeout(rest, REST_MS);
    }),
    // A step that showed the whole trace goes on showing all of it while it is read.
    effect(() => {
      const now = viewportOf(view.extent.value);
      steps = steps.map((step) => (sameViewport(step.viewport, whole) ? { ...step, viewport: now } : step));
      whole = now;
    }),
  ];
  /** Shows the step at a position, which becomes the current one. */
  const go = (target: number) => {
    const step = steps.at(target);
    if (target < 0 || step === undefined) return;
    batch(() => {
      position.value = target;
      if (!isSamePath(step.path, path.linked.peek())) path.showLinked(step.path);
      if (view.range.peek() !== step.range) view.selectRange(step.range);
      drawer.tab.value = step.tab;
    });
    view.setViewport(step.viewport, true);
  };
  const stop = () => {
    clearTimeout(timer);
    stops.forEach((end) => end());
  };
  return { position, length, go, stop };
}

function isSame(a: Step, b: Step): boolean {
  return a.tab === b.tab && sameViewport(a.viewport, b.viewport) && isSamePath(a.path, b.path);
}

function isSamePath(a: LinkedPath | undefined, b: LinkedPath | undefined): boolean {
  return a?.row === b?.row && a?.at === b?.at && a?.isCall === b?.isCall;
}
