/** Names and source lines of the addresses of a program. */

/** Where an address of a module lies in its source. */
export interface SymbolAt {
  /** Name as in the symbol table, mangled; undefined: in no function. */
  readonly function: string | undefined;
  /** Path as in the debug information; undefined: it has none for this address. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Where the function begins, in bytes from the first page; absent: in no function, or of a list. */
  readonly begin?: number;
  /** Functions that the compiler put into that function here, the innermost first; undefined: none, or not known. */
  readonly inlined?: readonly InlinedCall[];
  /** Object found at an address of data. */
  readonly object?: ObjectAt;
}

/** A function that the compiler put into its caller. */
export interface InlinedCall {
  /** Name as in `SymbolAt.function`. */
  readonly function: string;
  /** Where its caller calls it; both undefined: not known. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** The object of data that an address is in. */
export interface ObjectAt {
  /** Name as in the symbol table, mangled. */
  readonly name: string;
  /** Bytes from its begin. */
  readonly offset: number;
}

/** Bytes of a file that are loaded: where, in bytes from the first page, and their offset in the file. */
export interface LoadedSegment {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Symbols of a program or a library, or of a list of functions. */
export interface ModuleSymbols {
  /** Segments in order of their addresses; none: it is a list, or they are not known. */
  readonly loads: readonly LoadedSegment[];
  /** Virtual address of the page of the first segment that is loaded. */
  readonly firstPage: bigint;
  /**
   * Symbols of each place.
   * @param places virtual addresses as bytes from the first page
   */
  at(places: Float64Array): Promise<readonly SymbolAt[]>;
}

export interface ProgramSymbols extends ModuleSymbols {
  /**
   * Objects in data that the program may write, by place; undefined: it is in none.
   * @param places as in `at`
   */
  objectsAt(places: Float64Array): Promise<readonly (ObjectAt | undefined)[]>;
}
