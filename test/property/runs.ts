/**
 * How often a property is tried: more with `PROPERTY_FACTOR=10` in the environment, for long runs. The fast tier ends it
 * when its time is over (`support/property-seed.ts`); what all cases together have to show is for the deep one.
 */
export function runsOf(usual: number): number {
  const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
  return Math.max(1, Math.round(usual * factor));
}
