/** Choices of what a layer may show, as a dialog offers them. Pure. */

export interface Choice<Definition> {
  readonly definition: Definition;
  readonly isShown: boolean;
}

export interface Offered<Definition> {
  readonly suggestions: readonly { readonly definition: Definition }[];
  /** Definitions that are shown now. */
  readonly definitions: readonly Definition[];
}

/** Distinguishes definitions, which are plain data. */
export function keyOf(definition: unknown): string {
  return JSON.stringify(definition);
}

/** Choices of what is shown and what is suggested, each once; suggestions first. */
export function choicesOf<Definition>({
  suggestions,
  definitions,
}: Offered<Definition>): Choice<Definition>[] {
  const shown = new Set(definitions.map(keyOf));
  const suggested = suggestions.map(({ definition }) => definition);
  const keys = new Set(suggested.map(keyOf));
  const own = definitions.filter((definition) => !keys.has(keyOf(definition)));
  return [...suggested, ...own].map((definition) => ({ definition, isShown: shown.has(keyOf(definition)) }));
}

/** Adds one more that is shown, in place of the same one. */
export function withShown<Definition>(
  choices: readonly Choice<Definition>[],
  definition: Definition,
): Choice<Definition>[] {
  const key = keyOf(definition);
  return [...choices.filter((choice) => keyOf(choice.definition) !== key), { definition, isShown: true }];
}

export function withToggled<Definition>(
  choices: readonly Choice<Definition>[],
  at: number,
): Choice<Definition>[] {
  return choices.map((choice, i) => (i === at ? { ...choice, isShown: !choice.isShown } : choice));
}

export function shownOf<Definition>(choices: readonly Choice<Definition>[]): Definition[] {
  return choices.filter(({ isShown }) => isShown).map(({ definition }) => definition);
}
