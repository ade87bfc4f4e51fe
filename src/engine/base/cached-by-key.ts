/**
 * Cache of things that depend on one long-lived object only (a plan, the classes of a stream) and are needed for every
 * chunk.
 */

/** A function that makes something of each object once and remembers it as long as the object lives. */
export function cachedByKey<Key extends object, Made extends object>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
