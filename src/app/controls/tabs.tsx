/** A list of tabs (ARIA pattern "tabs"): one tab stop, arrows move and choose. */
import { useRef } from 'preact/hooks';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** A number or word in faint behind the title. */
  readonly note?: string;
  /** The note tells of something bad. */
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
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = steppedTo(event.key, at, tabs.length);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(tabs[to].id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus();
  };
  return (
    <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
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

/** Where an arrow, Home or End leads in a ring of `count`; undefined for other keys. */
export function steppedTo(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowLeft':
    case 'ArrowUp':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
