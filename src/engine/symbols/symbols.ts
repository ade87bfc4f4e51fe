/** What addresses of a program are called. */

/** Where an address of a module lies in its source. */
export interface SymbolAt {
  /** As in the symbol table, mangled; undefined: in no function. */
  readonly function: string | undefined;
  /** As in the debug information; undefined: it has none for this address. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Functions that the compiler put into that function here, the innermost first; undefined: none, or not known. */
  readonly inlined?: readonly InlinedCall[];
}

/** A function that the compiler put into its caller. */
export interface InlinedCall {
  /** As `SymbolAt.function`. */
  readonly function: string;
  /** Where its caller calls it; both undefined: not known. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** Symbols of a program or a library. */
export interface ModuleSymbols {
  /** Virtual address of the page of the first segment that is loaded. */
  readonly firstPage: bigint;
  /**
   * By place.
   * @param places virtual addresses as bytes from the first page
   */
  at(places: Float64Array): Promise<readonly SymbolAt[]>;
}
