/** Search box that finds rows and other things of the trace by name, and shows them. */
import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { useListKeys } from '../controls/ring-keys.ts';
import type { OpenPage } from '../features/feature.ts';
import { formatCount } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { type Option, useFound, useThings } from './search-sources.ts';

export const SEARCH_INPUT = 'search-input';

export function SearchBox({ page }: { readonly page: OpenPage }) {
  const query = useSignal('');
  const focused = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const { known, load } = useThings(page);
  const found = useFound(page, known, query);
  const options = useComputed(() => found.value.flatMap((group) => group.options));
  const open = focused.value && query.value.trim() !== '';
  const leave = () => {
    query.value = '';
    input.current?.blur();
  };
  const goTo = (option: Option | undefined) => {
    if (option === undefined) return;
    leave();
    option.open();
  };
  const { at, list, onKeyDown } = useListKeys(
    () => options.value.length,
    (chosen) => goTo(options.value[chosen]),
  );
  return (
    <div class="search">
      <div class="field">
        <Icon name="search" />
        <input
          id={SEARCH_INPUT}
          ref={input}
          role="combobox"
          aria-expanded={open}
          aria-controls="search-list"
          aria-activedescendant={open ? `search-${at.value}` : undefined}
          aria-label="Find threads, events, calls, files, locks"
          placeholder="Find threads, events, calls, files, locks"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
          onFocus={(event) => {
            focused.value = true;
            void load();
            // New input replaces the previous query.
            event.currentTarget.select();
          }}
          onBlur={() => (focused.value = false)}
          onKeyDown={(event) => (event.key === 'Escape' ? leave() : onKeyDown(event))}
        />
        <kbd class="key">/</kbd>
      </div>
      {open && (
        <ul id="search-list" class="menu" role="listbox" aria-label="Found" ref={list}>
          {found.value.map(({ title, total, options: shown }) => (
            <li key={title} role="presentation">
              <ul role="group" aria-label={title}>
                <li class="search-group faint" role="presentation">
                  <span>{title}</span>
                  {total > 1 && <span>{formatCount(total)}</span>}
                </li>
                {shown.map((option) => {
                  const index = options.value.indexOf(option);
                  return (
                    <Line key={index} {...{ option, index }} isActive={index === at.value} onChoose={goTo} />
                  );
                })}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface LineProps {
  readonly option: Option;
  readonly index: number;
  readonly isActive: boolean;
  onChoose(option: Option): void;
}

function Line({ option, index, isActive, onChoose }: LineProps) {
  const { name, host, tid, detail } = option;
  return (
    <li
      id={`search-${index}`}
      role="option"
      aria-selected={isActive}
      // On pointer down, before the input loses the focus, which closes the list.
      onPointerDown={(event) => {
        event.preventDefault();
        onChoose(option);
      }}
    >
      <span class="ellipsis" title={visibleText(name)}>
        {visibleText(name)}
        {host !== undefined && <span class="faint"> {host}</span>}
      </span>
      <span class="mono faint">{tid}</span>
      <span class="faint">{detail}</span>
    </li>
  );
}
