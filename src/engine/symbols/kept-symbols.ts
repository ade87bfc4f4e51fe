/** Symbols found for places in programs, by build: plain data that is kept, so that frames keep their names without the files. */
import type { LoadedSegment, ModuleSymbols, ProgramSymbols, SymbolAt } from './symbols.ts';

export interface KeptModule {
  /** Build id, or name without one. */
  readonly key: string;
  readonly firstPage: bigint;
  /** Absent: kept by an older version. */
  readonly loads?: readonly LoadedSegment[];
  /** Places as in `ModuleSymbols.at`. */
  readonly places: Float64Array;
  readonly symbols: readonly SymbolAt[];
}

type WhereLoaded = Pick<ModuleSymbols, 'firstPage' | 'loads'>;

interface KeptPlaces extends ProgramSymbols {
  readonly symbols: Map<number, SymbolAt>;
}

/** Places kept of a trace, of all modules together; others are looked up again in the files. */
const MOST_PLACES = 2 ** 20;

/** Symbol of a place of which nothing is known. */
export const NOTHING: SymbolAt = { function: undefined, file: undefined, line: undefined };

function keptPlaces({ firstPage, loads }: WhereLoaded): KeptPlaces {
  const symbols = new Map<number, SymbolAt>();
  return {
    ...{ firstPage, loads, symbols },
    at: (places) => Promise.resolve(Array.from(places, (place) => symbols.get(place) ?? NOTHING)),
    objectsAt: (places) => Promise.resolve(Array.from(places, (place) => symbols.get(place)?.object)),
  };
}

export class KeptSymbols {
  readonly #modules = new Map<string, KeptPlaces>();
  #places = 0;

  constructor(modules: readonly KeptModule[] = []) {
    for (const { key, firstPage, loads = [], places, symbols } of modules)
      this.note(key, { firstPage, loads }, places, symbols);
  }

  /** Undefined: nothing is kept of it. */
  module(key: string): ProgramSymbols | undefined {
    return this.#modules.get(key);
  }

  note(key: string, where: WhereLoaded, places: Float64Array, symbols: readonly SymbolAt[]): void {
    const kept = this.#modules.get(key) ?? keptPlaces(where);
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
