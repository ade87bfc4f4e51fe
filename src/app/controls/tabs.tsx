/** A tab list (ARIA pattern "tabs"): one tab stop, arrows move and choose. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { chooseByKey } from './ring-keys.ts';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** A number or word in a fainter colour behind the title. */
  readonly note?: string;
  /** The note is about something bad. */
  readonly warns?: boolean;
}

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  /** Undefined while nothing is shown. */
  readonly chosen: Id | undefined;
  /** Id of the element the tabs show. */
  readonly controls: string;
  onChoose(id: Id): void;
}

export function Tabs<Id extends string>({ label, tabs, chosen, controls, onChoose }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  // If the focus was on the previous tab, it moves to the chosen one.
  useLayoutEffect(() => {
    if (!list.current?.contains(document.activeElement)) return;
    list.current.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }, [chosen]);
  return (
    <div
      ref={list}
      class="tab-list"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => chooseByKey(event, tabs, chosen, onChoose)}
    >
      {tabs.map((tab, index) => (
        <button
          key={tab.id}
          id={`tab-${tab.id}`}
          role="tab"
          class="tab"
          aria-selected={tab.id === chosen}
          aria-controls={controls}
          tabIndex={tab.id === chosen || (chosen === undefined && index === 0) ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.title}
          {tab.note !== undefined && (
            <span class={tab.warns ? 'tab-note bad' : 'tab-note faint'}>{tab.note}</span>
          )}
        </button>
      ))}
    </div>
  );
}
