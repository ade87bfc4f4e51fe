/** One of a few, side by side (ARIA pattern "radio group"). */
import { steppedTo } from './tabs.tsx';

interface SegmentedProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly chosen: Id;
  onChoose(id: Id): void;
}

export function Segmented<Id extends string>({ label, options, chosen, onChoose }: SegmentedProps<Id>) {
  const move = (event: KeyboardEvent) => {
    const at = options.findIndex((option) => option.id === chosen);
    const to = steppedTo(event.key, at, options.length);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(options[to].id);
    const buttons = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=radio]');
    buttons[to]?.focus();
  };
  return (
    <div class="segmented" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map((option) => (
        <button
          key={option.id}
          role="radio"
          aria-checked={option.id === chosen}
          tabIndex={option.id === chosen ? 0 : -1}
          onClick={() => onChoose(option.id)}
        >
          {option.title}
        </button>
      ))}
    </div>
  );
}
