/** Finds rows by name or tid and leads to them (ARIA pattern "combobox with listbox"). */
import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { RowInfo } from '../../workers/session-api.ts';
import { useApp } from '../context/app-context.ts';
import { Icon } from '../controls/icon.tsx';
import { steppedTo } from '../controls/ring-keys.ts';
import { formatDuration } from '../format/numbers.ts';
import { hostName, plural, visibleText } from '../format/text.ts';
import { tidText } from '../format/tid.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { findRows } from './row-search.ts';

export const SEARCH_INPUT = 'search-input';
const MOST = 12;

export function SearchBox({ view }: { readonly view: ViewModel }) {
  const { experiment } = useApp();
  const query = useSignal('');
  const at = useSignal(0);
  const focused = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const found = useComputed(() => findRows(experiment.rows.value, query.value, MOST));
  const open = focused.value && query.value.trim() !== '';

  const goTo = (row: RowInfo | undefined) => {
    if (row === undefined) return;
    query.value = '';
    input.current?.blur();
    view.show(row.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') return goTo(found.value[at.value]);
    if (event.key === 'Escape') {
      query.value = '';
      input.current?.blur();
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    at.value = steppedTo(event.key, at.value, Math.max(1, found.value.length)) ?? 0;
  };
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
          aria-activedescendant={open && found.value.length > 0 ? `search-${at.value}` : undefined}
          aria-label="Find a thread by name or tid"
          placeholder="Find thread by name or tid"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
          onFocus={(event) => {
            focused.value = true;
            // What was typed before gives way to what is typed now.
            event.currentTarget.select();
          }}
          onBlur={() => (focused.value = false)}
          onKeyDown={onKeyDown}
        />
        <kbd class="key">/</kbd>
      </div>
      {open && (
        <ul id="search-list" class="menu" role="listbox" aria-label="Rows found">
          {found.value.map((row, index) => (
            <FoundRow key={row.id} row={row} index={index} isActive={index === at.value} onChoose={goTo} />
          ))}
          {found.value.length === 0 && <li class="faint">No row has this name or number.</li>}
        </ul>
      )}
    </div>
  );
}

interface FoundRowProps {
  readonly row: RowInfo;
  readonly index: number;
  readonly isActive: boolean;
  onChoose(row: RowInfo): void;
}

function FoundRow({ row, index, isActive, onChoose }: FoundRowProps) {
  const hosts = useApp().experiment.info.value?.hosts ?? [];
  return (
    <li
      id={`search-${index}`}
      role="option"
      aria-selected={isActive}
      // Before the input loses the focus, which closes the list.
      onPointerDown={(event) => {
        event.preventDefault();
        onChoose(row);
      }}
    >
      <span class="ellipsis">
        {visibleText(row.name)}
        {hosts.length > 1 && <span class="faint"> {hostName(hosts, row.host)}</span>}
      </span>
      <span class="mono faint">{tidText(row)}</span>
      <span class="faint">{figureOf(row)}</span>
    </li>
  );
}

/** A figure that shows how much a thread did, or what a row is. */
function figureOf({ kind, events, cpuTimeNs }: RowInfo): string {
  if (kind !== 'thread') return kind;
  return events > 0 ? plural(events, 'event') : formatDuration(cpuTimeNs);
}
