/** Values computed from signals and from properties of a component. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';

/**
 * Computes a value as `useComputed` does, which follows signals alone, and computes it anew where a property changed.
 * @param properties those that `compute` uses; of others it uses the latest when a signal changes
 */
export function useComputedOf<T>(compute: () => T, properties: readonly unknown[]): ReadonlySignal<T> {
  const latest = useRef(compute);
  latest.current = compute;
  return useMemo(() => computed(() => latest.current()), properties);
}
