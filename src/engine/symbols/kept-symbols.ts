/**
 * Symbols found for places in programs, by build: plain data that is kept, so that frames have their names again where
 * the files are not there.
 */
import type { LoadedSegment, ModuleSymbols, ProgramSymbols, SymbolAt } from './symbols.ts';

export interface KeptModule {
  /** Build id, or name where there is none. */
  readonly key: string;
  readonly firstPage: bigint;
  /** Absent: kept by an older version. */
  readonly loads?: readonly LoadedSegment[];
  /** Places as in `ModuleSymbols.at`. */
  readonly places: Float64Array;
  readonly symbols: readonly SymbolAt[];
}

type WhereLoaded = Pick<ModuleSymbols, 'firstPage' | 'loads'>;

interface Places extends WhereLoaded {
  readonly symbols: Map<number, SymbolAt>;
}

/** Places that are kept of a trace, of all modules together: what is beyond is found out again from the files. */
const MOST_PLACES = 2 ** 20;

/** Nothing is known of a place. */
export const NOTHING: SymbolAt = { function: undefined, file: undefined, line: undefined };

export class KeptSymbols {
  readonly #modules = new Map<string, Places>();
  readonly #readers = new Map<string, ProgramSymbols>();
  #places = 0;

  constructor(modules: readonly KeptModule[] = []) {
    for (const { key, firstPage, loads = [], places, symbols } of modules)
      this.note(key, { firstPage, loads }, places, symbols);
  }

  /** undefined: nothing is kept of it. */
  module(key: string): ProgramSymbols | undefined {
    const kept = this.#modules.get(key);
    if (kept === undefined) return undefined;
    const known = this.#readers.get(key);
    if (known !== undefined) return known;
    const reader: ProgramSymbols = {
      firstPage: kept.firstPage,
      loads: kept.loads,
      at: (places) => Promise.resolve(Array.from(places, (place) => kept.symbols.get(place) ?? NOTHING)),
      objectsAt: (places) => Promise.resolve(Array.from(places, (place) => kept.symbols.get(place)?.object)),
    };
    this.#readers.set(key, reader);
    return reader;
  }

  note(
    key: string,
    { firstPage, loads }: WhereLoaded,
    places: Float64Array,
    symbols: readonly SymbolAt[],
  ): void {
    const kept = this.#modules.get(key) ?? { firstPage, loads, symbols: new Map<number, SymbolAt>() };
    this.#modules.set(key, kept);
    places.forEach((place, i) => {
      const { function: name, line, object } = symbols[i];
      if (name === undefined && line === undefined && object === undefined) return;
      if (!kept.symbols.has(place) && this.#places++ >= MOST_PLACES) return;
      kept.symbols.set(place, symbols[i]);
    });
  }

  list(): KeptModule[] {
    return Array.from(this.#modules, ([key, { firstPage, loads, symbols }]) => ({
      ...{ key, firstPage, loads },
      places: Float64Array.from(symbols.keys()),
      symbols: [...symbols.values()],
    }));
  }
}
