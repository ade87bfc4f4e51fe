/** Names of frames: their function, else where they are in their module; and where functions are in the source. */
import { compareText } from '../../base/compare-text.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';
import type { SymbolAt } from '../../symbols/symbols.ts';
import { lineOf, moduleText, type StackTables } from './stack-tables.ts';
import { resolveFrames } from './resolve-frames.ts';

/** Lines of a source file that frames of a function are at. */
export interface SourceLines {
  /** Name of the file, as the debug information has it. */
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** A function that a frame is in. */
export interface NamedFrame {
  readonly text: string;
  /** Lines where it is in the source, or calls the next one; undefined: there is no file that says. */
  readonly source: SourceLines | undefined;
  /** The compiler put it into its caller: it has no frame of its own. */
  readonly isInlined: boolean;
}

/** Extent to which a function is inlined: in all frames that it is in, or in some. */
export type Inlining = 'all' | 'some';

export interface FrameNames {
  /** Names by row of `Frames`. */
  readonly texts: readonly string[];
  /** Symbols by row of `Frames`, as far as there are files that say. */
  readonly symbols: readonly (SymbolAt | undefined)[];
  /** Function of the frame and those that are inlined there, the outermost first, by row of `Frames`. */
  readonly expanded: readonly (readonly NamedFrame[])[];
  /** Inlining by text; functions that are never inlined are missing. */
  readonly inlined: ReadonlyMap<string, Inlining>;
  /** Functions by what frames are called without symbols. */
  readonly byPlace: ReadonlyMap<string, string>;
  /** Source by text; functions without debug information are missing. */
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
  const { symbols, offsets } = await resolveFrames(tables, files, isMangled);
  const byPlace = new Map<string, string>();
  const texts = symbols.map((symbol, row) => {
    const place = moduleText(tables, row);
    if (symbol?.function !== undefined) byPlace.set(place, symbol.function);
    return frameWords(symbol?.function ?? moduleText(tables, row, offsets[row]));
  });
  const expanded = symbols.map((symbol, row) =>
    expandedFrame(texts[row], symbol ?? symbolOf(lineOf(tables, row))),
  );
  const frames = expanded
    .filter(([{ source }], row) => symbols[row] !== undefined || source !== undefined)
    .flat();
  return { texts, symbols, expanded, inlined: inliningOf(frames), byPlace, sources: sourcesOf(frames) };
}

/** Interpreted code tells its line itself. */
function symbolOf(place: ReturnType<typeof lineOf>): SymbolAt | undefined {
  return place && { function: undefined, ...place };
}

/** A name as a frame: in folded stacks semicolons and line ends separate. */
export function frameWords(name: string): string {
  return name.replaceAll(';', ':').replace(/\r\n|[\r\n]/g, ' ');
}

/** @param text what the frame is called */
function expandedFrame(text: string, symbol: SymbolAt | undefined): NamedFrame[] {
  const frames: NamedFrame[] = [];
  let at = sourceOf(symbol);
  for (const call of symbol?.inlined ?? []) {
    frames.unshift({ text: frameWords(call.function), source: at, isInlined: true });
    at = sourceOf(call);
  }
  frames.unshift({ text, source: at, isInlined: false });
  return frames;
}

function sourceOf(place: Pick<SymbolAt, 'file' | 'line'> | undefined): SourceLines | undefined {
  const { file, line } = place ?? {};
  return file === undefined || line === undefined ? undefined : { file, first: line, last: line };
}

function inliningOf(frames: readonly NamedFrame[]): Map<string, Inlining> {
  const own = new Set(frames.filter(({ isInlined }) => !isInlined).map(({ text }) => text));
  const inlined = frames.filter(({ isInlined }) => isInlined);
  return new Map(inlined.map(({ text }) => [text, own.has(text) ? 'some' : 'all']));
}

/** Code that no entry of the debug information tells apart may be of other files: the file that most frames are in is its own. */
function sourcesOf(named: readonly NamedFrame[]): Map<string, SourceLines> {
  const found = new Map<string, Map<string, CountedLines>>();
  for (const { text: name, source } of named) {
    if (source === undefined) continue;
    const { file, first: line } = source;
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
