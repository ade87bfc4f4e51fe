/**
 * Cache of values that depend only on a long-lived object (a plan, a stream's classes) and are needed for every chunk.
 */

/**
 * A function that makes a value for each object once, as long as that lives; further arguments are of the first call.
 */
export function cachedByKey<Key extends object, Made extends object, More extends unknown[] = []>(
  make: (key: Key, ...more: More) => Made,
): (key: Key, ...more: More) => Made {
  const made = new WeakMap<Key, Made>();
  return (key, ...more) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key, ...more);
    made.set(key, fresh);
    return fresh;
  };
}
