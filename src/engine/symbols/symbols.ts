/** What addresses of a program are called. */

/** Where an address of a module lies in its source. */
export interface SymbolAt {
  /** As in the symbol table, mangled; undefined: in no function. */
  readonly function: string | undefined;
  /** As in the debug information; undefined: it has none for this address. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** Symbols of one ELF file. */
export interface ModuleSymbols {
  /** @param address as in the file (virtual address) */
  at(address: bigint): SymbolAt;
  /** Virtual address of the first loaded segment's page, in bytes. */
  readonly firstPage: bigint;
}
