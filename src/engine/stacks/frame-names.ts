/** What frames are called: their function, else where they are in their module; and where functions are in the source. */
import { compareText } from '../base/compare-text.ts';
import type { SymbolFiles } from '../symbols/symbol-files.ts';
import type { SymbolAt } from '../symbols/symbols.ts';
import { moduleText } from './module-texts.ts';
import { resolveFrames } from './resolve-frames.ts';
import type { StackTables } from './stack-tables.ts';

/** Lines of a source file that frames of a function are at. */
export interface SourceLines {
  /** As in the debug information. */
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

export interface FrameNames {
  /** By row of `Frames`. */
  readonly texts: readonly string[];
  /** By row of `Frames`: as far as there are files that say. */
  readonly symbols: readonly (SymbolAt | undefined)[];
  /** Functions by what frames are called without symbols. */
  readonly byPlace: ReadonlyMap<string, string>;
  /** By text; those without debug information are missing. */
  readonly sources: ReadonlyMap<string, SourceLines>;
}

/**
 * Files that cannot be used are faults of `files`.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function frameNames(
  tables: StackTables,
  files: SymbolFiles,
  isMangled = false,
): Promise<FrameNames> {
  const { symbols } = await resolveFrames(tables, files, isMangled);
  const byPlace = new Map<string, string>();
  const texts = symbols.map((symbol, row) => {
    const place = moduleText(tables, row);
    if (symbol?.function !== undefined) byPlace.set(place, symbol.function);
    return symbol?.function ?? place;
  });
  return { texts, symbols, byPlace, sources: sourcesOf(symbols) };
}

/** What was put into a function from elsewhere has the lines of that place: the file that most frames are in is its own. */
function sourcesOf(symbols: readonly (SymbolAt | undefined)[]): Map<string, SourceLines> {
  const found = new Map<string, Map<string, CountedLines>>();
  for (const symbol of symbols) {
    const { function: name, file, line } = symbol ?? {};
    if (name === undefined || file === undefined || line === undefined) continue;
    const files = found.get(name) ?? new Map<string, CountedLines>();
    const { frames, first, last } = files.get(file) ?? { frames: 0, first: line, last: line };
    found.set(
      name,
      files.set(file, {
        file,
        frames: frames + 1,
        first: Math.min(first, line),
        last: Math.max(last, line),
      }),
    );
  }
  return new Map(Array.from(found, ([name, files]) => [name, mostOf(files.values())]));
}

interface CountedLines extends SourceLines {
  readonly frames: number;
}

function mostOf(files: Iterable<CountedLines>): SourceLines {
  const [{ file, first, last }] = [...files].sort(
    (a, b) => b.frames - a.frames || compareText(a.file, b.file),
  );
  return { file, first, last };
}
