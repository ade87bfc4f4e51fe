import fc from 'fast-check';

/**
 * Tries a property on drawn cases, and on the named ones first. The fast tier ends it when its time is over
 * (`property-seed.ts`); what all cases together have to show is for the deep one.
 * @param runs how many cases; more with `PROPERTY_FACTOR=10` in the environment, for long runs
 * @param holds throws, or gives false, for a case that is wrong
 */
export async function forAll<T extends [unknown, ...unknown[]]>(
  runs: number,
  arbitraries: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
  holds: (...values: T) => boolean | void | Promise<boolean | void>,
  named: NoInfer<T>[] = [],
): Promise<void> {
  const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
  const drawn = arbitraries as readonly unknown[] as [fc.Arbitrary<unknown>];
  await fc.assert(
    fc.asyncProperty(...drawn, async (...values: unknown[]) => holds(...(values as T))),
    { numRuns: Math.max(1, Math.round(runs * factor)), examples: named as unknown[] as [unknown][] },
  );
}
