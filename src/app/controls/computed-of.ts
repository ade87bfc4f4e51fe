/** Values computed from signals and from properties of a component. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';

/**
 * Computes a value as `useComputed` does, and again when a property changes.
 * @param properties that `compute` uses; for others it uses the latest value when a signal changes
 */
export function useComputedOf<T>(compute: () => T, properties: readonly unknown[]): ReadonlySignal<T> {
  const latest = useRef(compute);
  latest.current = compute;
  return useMemo(() => computed(() => latest.current()), properties);
}
