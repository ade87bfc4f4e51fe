/** The lesser of two numbers, either of which may be NaN: missing. */
export function lesser(a: number, b: number): number {
  return Number.isNaN(a) || b < a ? b : a;
}

/** The greater of two numbers; NaN as above. */
export function greater(a: number, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}
