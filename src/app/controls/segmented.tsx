/** A choice of one of a few options (ARIA pattern "radio group"). */
import { chooseByKey } from './ring-keys.ts';

interface SegmentedProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly chosen: Id;
  /** Class for another look than side by side. */
  readonly class?: string;
  onChoose(id: Id): void;
}

export function Segmented<Id extends string>({
  label,
  options,
  chosen,
  onChoose,
  ...rest
}: SegmentedProps<Id>) {
  return (
    <div
      class={rest.class ?? 'segmented'}
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => chooseByKey(event, options, chosen, onChoose)}
    >
      {options.map((option) => (
        <button
          key={option.id}
          // In a form, a click must not submit it.
          type="button"
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
