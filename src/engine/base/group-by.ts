/** Groups items in their order; keys are in order of their first item. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return groups;
}

/** Items by host, in order of host. */
export function byHost<Item extends { readonly host: number }>(
  items: Iterable<Item>,
): [host: number, items: Item[]][] {
  return [...groupBy(items, ({ host }) => host)].sort(([a], [b]) => a - b);
}

/** Appends an item to its key's group. */
export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** Adds to the number of a key: 0, where it has none. */
export function addNumber<Key>(sums: Map<Key, number>, key: Key, number: number): void {
  sums.set(key, (sums.get(key) ?? 0) + number);
}
