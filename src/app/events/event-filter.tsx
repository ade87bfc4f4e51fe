/** The box for filters of events. What is typed counts after a moment, or with Enter; a mistake is shown with its place. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FilterProblem } from '../../workers/session-api.ts';
import { Icon } from '../controls/icon.tsx';
import { visibleText } from '../format/text.ts';

/** How long nothing more is typed before it counts. */
const REST_MS = 350;

interface EventFilterProps {
  /** What counts. */
  readonly filter: string;
  readonly problem: FilterProblem | undefined;
  onFilter(filter: string): void;
}

export function EventFilter({ filter, problem, onFilter }: EventFilterProps) {
  const typed = useSignal(filter);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A link, or another part of the page, has another one. Before anything can be typed, which would be lost.
  useLayoutEffect(() => void (typed.value = filter), [filter]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (delayMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onFilter(typed.value), delayMs);
  };
  const said = typed.value === filter ? problem : undefined;
  return (
    <div class="event-filter">
      <label class="field">
        <Icon name="filter" />
        <input
          type="search"
          class="mono"
          aria-label="Filter of events"
          aria-invalid={said !== undefined}
          aria-describedby={said === undefined ? undefined : 'event-filter-problem'}
          placeholder="name=sched_* and prev_state != 0 and thread=worker"
          title={HELP}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            take(REST_MS);
          }}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') take(0);
          }}
        />
      </label>
      {said !== undefined && (
        <p id="event-filter-problem" class="event-filter-problem" role="alert">
          {said.length > 0 && <code>{visibleText(filter.slice(said.at, said.at + said.length))}</code>}{' '}
          {said.message}
        </p>
      )}
    </div>
  );
}

const HELP = `A field, a comparison and a value: prev_state != 0, next_tid in (12, 13), comm=wk-*
Of every event: name, cpu, host, time (1.5s, 20ms, "in sel"), tid, pid, thread, process
and, or, not, brackets; a text in quotes is looked for in names and text fields`;
