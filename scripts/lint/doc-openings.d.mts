/** Doc comments of a source text whose first word is refused. */
export function refusedOpenings(text: string): { readonly line: number; readonly text: string }[];

/** Refused doc comments below a path from the project's folder, without tests. */
export function refusedBelow(
  path: string,
): { readonly file: string; readonly line: number; readonly text: string }[];

/** Largest number of refused doc comments of `src`. */
export function limit(): number;
