/** Keys that move through a list of choices and wrap around. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Index that an arrow, Home or End moves to among `count`, wrapping around; undefined for other keys. */
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

/** Chooses the option that a key moves to, and focuses its element: the elements are the list's children. */
export function chooseByKey<Id extends string>(
  event: KeyboardEvent,
  options: readonly { readonly id: Id }[],
  chosen: Id | undefined,
  onChoose: (id: Id) => void,
): void {
  const at = options.findIndex(({ id }) => id === chosen);
  const to = steppedTo(event.key, at, options.length);
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  onChoose(options[to].id);
  ((event.currentTarget as HTMLElement).children[to] as HTMLElement).focus();
}

/**
 * Keys of an input with a list of options below it (ARIA pattern "combobox with listbox").
 * @param countOf current number of options
 */
export function useListKeys(countOf: () => number, onChoose: (at: number) => void) {
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') onChoose(at.value);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      at.value = steppedTo(event.key, at.value, Math.max(1, countOf())) ?? 0;
    else return;
    event.preventDefault();
  };
  return { at, list, onKeyDown };
}
