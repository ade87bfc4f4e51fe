/** The least step of 1, 2, 5, 10, 20, … (or 0.5, 0.2, …) at or above `least`, which is positive. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}
