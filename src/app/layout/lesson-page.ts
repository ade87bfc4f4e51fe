/** The page's side of a lesson: reads what is shown for its checks, and shows its views. */
import { batch } from '@preact/signals';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import { applyLink, linkOf, selectLater } from '../address/address.ts';
import { readLink, writeLink } from '../address/link.ts';
import { LaterPart } from '../browser/later-part.ts';
import type { OpenPage } from '../features/feature.ts';
import type { LessonPage } from '../lessons/lesson-run.ts';
import { SUMMARY_TAB } from '../summary/summary-page.ts';
import { rangeOf, rowById } from '../timeline/timeline.tsx';

export const lessonPanel = new LaterPart(() => import('../lessons/lesson-panel.tsx'));

/** Text of an interval as in the tab Selection: "Blocked, in futex, woken by imb-80". */
function stateOf({ stateText, syscall, causeText }: IntervalInfo): string {
  return [stateText, syscall && `in ${syscall}`, causeText].filter(Boolean).join(', ');
}

export function lessonPage(page: OpenPage): LessonPage & { dispose(): void } {
  const { app, view } = page;
  const { experiment, drawer } = app;
  let stopSelecting: () => void = () => undefined;
  /** Whether the current step has maximised the drawer. */
  let isMaximised = false;
  /** Link to the open trace with parameters of a lesson. */
  const linkTo = (parts: string) => {
    const all = new URLSearchParams(parts);
    const own = writeLink({ trace: experiment.trace.peek() ?? '', name: experiment.name.peek() });
    for (const [name, value] of new URLSearchParams(own.slice(1))) all.set(name, value);
    return `#${all}`;
  };
  return {
    session: app.session,
    shown: () => {
      const { row, interval } = view.question.value;
      const info = interval?.info;
      const { from, to } = rangeOf(view.viewport.value);
      return {
        row: rowById(experiment.rows.value, row ?? ''),
        state: info && stateOf(info),
        selectedNs: interval && interval.to - interval.from,
        parts: new URLSearchParams(linkOf(page)?.slice(1)),
        visibleNs: to - from,
      };
    },
    address: (parts) => `${linkTo(parts)}&${new URLSearchParams({ lesson: app.lesson.peek()?.name ?? '' })}`,
    show: (parts) => {
      const link = readLink(linkTo(parts));
      if (link === undefined) return;
      stopSelecting();
      const asksMaximised = link.parts.get('drawer') === 'maximised';
      if (asksMaximised !== isMaximised) drawer.maximised.value = isMaximised = asksMaximised;
      // Everything that the parameters do not name is reset.
      batch(() => {
        view.clear();
        drawer.begin(SUMMARY_TAB);
        view.rows.filter.value = link.parts.get('rows') ?? '';
        applyLink({ ...link, view: link.view ?? view.extent.peek() }, page);
      });
      stopSelecting = selectLater(page, link);
    },
    dispose: () => stopSelecting(),
  };
}
