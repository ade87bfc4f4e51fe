/** By folder below `src`: what it may import, and of what it may import types only. */
export const LAYERS: Readonly<
  Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
>;
