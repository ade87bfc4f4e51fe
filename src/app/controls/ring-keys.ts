/** Keys that walk in a ring of choices. */

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

/** Chooses the one of a list that a key leads to, and gives its element the focus: the elements are the list's children. */
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
