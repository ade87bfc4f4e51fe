/**
 * The input for filters of events (ARIA pattern "combobox with listbox"), with a list of completions below it. A filter
 * applies when typing pauses or with Enter; a mistake is shown with its place.
 */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FilterProblem } from '../../engine/events/filter/filter.ts';
import { useApp } from '../context/app-context.ts';
import { Icon } from '../controls/icon.tsx';
import { steppedTo } from '../controls/ring-keys.ts';
import { visibleText } from '../format/text.ts';
import { complete, type CompletionOption, type NamesWithCounts } from './complete.ts';

/** Pause in typing after which the filter applies. */
const REST_MS = 350;
const LIST = 'event-filter-list';

interface EventFilterProps {
  readonly filter: string;
  readonly problem: FilterProblem | undefined;
  onFilter(filter: string): void;
}

export function EventFilter({ filter, problem, onFilter }: EventFilterProps) {
  const typed = useSignal(filter);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A link or another part of the page changed the filter. In a layout effect, so that no key is lost.
  useLayoutEffect(() => void (typed.value = filter), [filter]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (delayMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onFilter(typed.value), delayMs);
  };
  const list = useCompletion(typed, () => take(REST_MS));
  // No message while the reader chooses from the list.
  const said = typed.value === filter && !list.isOpen ? problem : undefined;
  return (
    <div class="event-filter">
      <div class="field">
        <Icon name="filter" />
        <input
          ref={list.input}
          class="mono"
          role="combobox"
          aria-label="Filter of events"
          aria-autocomplete="list"
          aria-expanded={list.isOpen}
          aria-controls={LIST}
          aria-activedescendant={list.isOpen && list.at >= 0 ? `${LIST}-${list.at}` : undefined}
          aria-invalid={said !== undefined}
          aria-describedby={said === undefined ? undefined : 'event-filter-problem'}
          placeholder="name=sched_* and prev_state != 0 and thread=worker"
          title={HELP}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onFocus={() => void list.load()}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            list.follow(true);
            take(REST_MS);
          }}
          onClick={() => list.follow(false)}
          onBlur={() => list.close()}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (list.onKey(event)) event.preventDefault();
            else if (event.key === 'Enter') {
              list.close();
              take(0);
            }
          }}
        />
      </div>
      {list.isOpen && <Options options={list.options} at={list.at} onChoose={list.choose} />}
      {said !== undefined && (
        <p id="event-filter-problem" class="event-filter-problem" role="alert">
          {said.length > 0 && <code>{visibleText(filter.slice(said.at, said.at + said.length))}</code>}{' '}
          {said.message}
        </p>
      )}
    </div>
  );
}

interface OptionsProps {
  readonly options: readonly CompletionOption[];
  readonly at: number;
  onChoose(option: CompletionOption): void;
}

function Options({ options, at, onChoose }: OptionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <ul id={LIST} class="menu" role="listbox" aria-label="What can be typed next" ref={list}>
      {options.map((option, i) => (
        <li
          key={i}
          id={`${LIST}-${i}`}
          role="option"
          aria-selected={i === at}
          // On pointer down, before the input loses the focus, which closes the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(option);
          }}
        >
          <span class="mono ellipsis">{visibleText(option.text)}</span>
          <span class="faint ellipsis">{visibleText(option.detail)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The list of completions. @param onChosen called when an option was put into the text */
function useCompletion(typed: { value: string }, onChosen: () => void) {
  const { session } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const names = useSignal<NamesWithCounts | undefined>(undefined);
  /** Position of the caret; undefined: the list is closed. */
  const caret = useSignal<number | undefined>(undefined);
  const at = useSignal(-1);
  const found = useComputed(() => {
    if (names.value === undefined || caret.value === undefined) return undefined;
    return complete(typed.value, Math.min(caret.value, typed.value.length), names.value);
  });
  const options = found.value?.options ?? [];
  const isOpen = options.length > 0;
  const close = () => (caret.value = undefined);
  /** @param opens also opens a closed list */
  const follow = (opens: boolean) => {
    if (!opens && caret.peek() === undefined) return;
    caret.value = input.current?.selectionStart ?? undefined;
    at.value = -1;
  };
  const choose = ({ text }: CompletionOption) => {
    const { from, to } = found.peek() ?? { from: 0, to: 0 };
    typed.value = typed.value.slice(0, from) + text + typed.value.slice(to);
    // Set here, since the next rendering would put the caret at the end.
    const element = input.current;
    if (element !== null) {
      element.value = typed.value;
      element.setSelectionRange(from + text.length, from + text.length);
    }
    follow(true);
    onChosen();
  };
  const onKey = ({ key }: KeyboardEvent): boolean => {
    if (key === 'ArrowDown' && !isOpen) {
      follow(true);
      return true;
    }
    if (!isOpen) return false;
    const chosen = options.at(at.value);
    if (key === 'ArrowDown' || key === 'ArrowUp')
      at.value = steppedTo(key, Math.max(at.value, key === 'ArrowUp' ? 0 : -1), options.length) ?? -1;
    else if (key === 'Escape') close();
    else if ((key === 'Enter' || key === 'Tab') && at.value >= 0 && chosen !== undefined) choose(chosen);
    else return false;
    return true;
  };
  // Loaded each time, since there are more names while the trace is read.
  const load = async () => {
    const [known, { events }] = await Promise.all([
      names.peek() ?? session.ask('eventNames', {}),
      session.ask('counts', {}),
    ]);
    names.value = { ...known, counts: new Map(events.map(({ name, count }) => [name, count])) };
  };
  return { input, options, isOpen, at: at.value, close, follow, choose, onKey, load };
}

const HELP = `A field, a comparison and a value: prev_state != 0, next_tid in (12, 13), comm=wk-*
Of every event: name, cpu, host, time (1.5s, 20ms, "in sel"), tid, pid, thread, process
and, or, not, brackets; a text in quotes is looked for in names and text fields`;
