/**
 * Many texts as one string, which is transferred and stored in one piece; single texts are made on demand. A trace of
 * many short processes has a hundred thousand names and ids, of which a page shows fifty.
 */
export interface TextColumn {
  /** All texts, one behind the other. */
  readonly text: string;
  /** End of each text in `text`. */
  readonly end: Uint32Array;
}

/** The text in row `i`. */
export function textAt({ text, end }: TextColumn, i: number): string {
  return text.slice(i === 0 ? 0 : end[i - 1], end[i]);
}
