/** How often a property is tried: more with `PROPERTY_FACTOR=10` in the environment, for long runs. */
export function runsOf(usual: number): number {
  const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
  return Math.max(1, Math.round(usual * factor));
}
