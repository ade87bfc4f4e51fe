/**
 * Order of texts by code units, the same on every machine, unlike `localeCompare`; of numbers, where infinities are equal to
 * themselves, unlike their difference.
 */
export function compare<Value extends string | number | bigint>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of code points, in which those beyond the first 65,536 come last. */
export function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Within a surrogate pair the first halves are equal, so comparing the second halves compares code points.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
