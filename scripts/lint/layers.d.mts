/** By folder below `src`: what it may import, and of what it may import types only. */
export const LAYERS: Readonly<
  Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
>;

/** Why the file `from` may not import the file `to` (paths with `src`); undefined: it may. */
export function forbidden(from: string, to: string, typeOnly: boolean): string | undefined;
