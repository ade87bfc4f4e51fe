/** Names of frames: their function, else their place in the module; and where functions are in the source. */
import { compare } from '../../base/compare.ts';
import type { SymbolAt, ModuleSymbols } from '../../symbols/symbols.ts';
import { lineOf, moduleText, type StackTables, type Frames, type LoadedModule } from './stack-tables.ts';
import { addTo } from '../../base/group-by.ts';
import { readableNames } from '../../symbols/readable-names.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';

/** Lines of a source file at which a function's frames are. */
export interface SourceLines {
  /** Name of the file, as in the debug information. */
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** A function that contains a frame. */
export interface NamedFrame {
  readonly text: string;
  /** Lines in the source of the frame or of its call of the next one; undefined: no file tells. */
  readonly source: SourceLines | undefined;
  /** Whether the compiler inlined it into its caller, so that it has no frame of its own. */
  readonly isInlined: boolean;
}

/** Extent to which a function is inlined: in all its frames, or in some. */
export type Inlining = 'all' | 'some';

export interface FrameNames {
  /** Names by row of `Frames`. */
  readonly texts: readonly string[];
  /** Symbols by row of `Frames`, as far as files have them. */
  readonly symbols: readonly (SymbolAt | undefined)[];
  /** Function of the frame and those inlined there, outermost first, by row of `Frames`. */
  readonly expanded: readonly (readonly NamedFrame[])[];
  /** Inlining by text, without functions that are never inlined. */
  readonly inlined: ReadonlyMap<string, Inlining>;
  /** Functions by the names of frames without symbols. */
  readonly byPlace: ReadonlyMap<string, string>;
  /** Source by text, without functions that have no debug information. */
  readonly sources: ReadonlyMap<string, SourceLines>;
}

/** Names frames; unusable files are faults of `files`. @param isMangled leaves names of C++ and Rust unchanged */
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

/** Symbol of interpreted code, which records its line itself. */
function symbolOf(place: ReturnType<typeof lineOf>): SymbolAt | undefined {
  return place && { function: undefined, ...place };
}

/** Name as a frame, without semicolons and line ends, which separate in folded stacks. */
export function frameWords(name: string): string {
  return name.replaceAll(';', ':').replace(/\r\n|[\r\n]/g, ' ');
}

/** @param text name of the frame */
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

/**
 * Source by function. Code without own entries in the debug information may be from other files: the file of most
 * frames counts.
 */
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
  const [{ file, first, last }] = [...files].sort((a, b) => b.frames - a.frames || compare(a.file, b.file));
  return { file, first, last };
}

interface ResolvedFrames {
  /** Offset from the module's base by row of `Frames`, bytes; NaN: it is in no module. */
  readonly offsets: Float64Array;
  /** Symbols by row of `Frames`; undefined: no file has it. */
  readonly symbols: readonly (SymbolAt | undefined)[];
  /** Whether its file is there, by row of `StackTables.modules`. */
  readonly isFound: readonly boolean[];
}

/** `Frames.process` of frames in the kernel. */
const KERNEL = -1;

/** Rows of frames with the places at which they are looked up. */
interface Asked {
  readonly rows: number[];
  readonly places: number[];
}

/** Resolves frames; unusable files are faults of `files`. @param isMangled leaves names of C++ and Rust unchanged */
export async function resolveFrames(
  { frames, modules, inside }: Pick<StackTables, 'frames' | 'modules' | 'inside'>,
  files: SymbolFiles,
  isMangled = false,
): Promise<ResolvedFrames> {
  const found: (ModuleSymbols | undefined)[] = [];
  for (const module of modules) found.push(await files.module(module));
  const begins = modules.map((module, row) => beginOf(module, found[row]));
  const lists = new ProcessLists(frames, inside, files);
  const offsets = new Float64Array(frames.length).fill(NaN);
  const asked = new Map<ModuleSymbols, Asked>();
  for (let row = 0; row < frames.length; row++) {
    if (frames.name[row] >= 0) continue;
    const at = frames.module[row];
    const module = at < 0 ? undefined : modules[at];
    if (module !== undefined) offsets[row] = bytesFrom(module.isPic ? begins[at] : module.base, frames, row);
    const symbols = module === undefined ? await lists.of(frames.process[row]) : found[at];
    if (symbols === undefined) continue;
    const { rows, places } = asked.get(symbols) ?? { rows: [], places: [] };
    asked.set(symbols, { rows, places });
    rows.push(row);
    const begin = module === undefined ? symbols.firstPage : begins[at];
    places.push(bytesFrom(begin, frames, row) - frames.isReturn[row]);
  }
  const symbols = new Array<SymbolAt | undefined>(frames.length).fill(undefined);
  for (const [module, { rows, places }] of asked) {
    const answers = await module.at(new Float64Array(places));
    rows.forEach((row, i) => (symbols[row] = answers[i]));
  }
  const isFound = found.map((module) => module !== undefined);
  return { offsets, symbols: isMangled ? symbols : await withReadableNames(symbols), isFound };
}

async function withReadableNames(
  symbols: readonly (SymbolAt | undefined)[],
): Promise<(SymbolAt | undefined)[]> {
  const names = await readableNames(
    symbols.flatMap((symbol) => [
      ...(symbol?.function === undefined ? [] : [symbol.function]),
      ...(symbol?.inlined?.map((call) => call.function) ?? []),
    ]),
  );
  return symbols.map((symbol) => {
    if (symbol === undefined) return undefined;
    const inlined = symbol.inlined?.map((call) => ({
      ...call,
      function: names.get(call.function) ?? call.function,
    }));
    const { function: name } = symbol;
    return { ...symbol, function: name === undefined ? undefined : (names.get(name) ?? name), inlined };
  });
}

/** Address of the first page of a module's file: its base if it is position independent; for a mapping by its segment. */
function beginOf({ base, isPic, mapping }: LoadedModule, symbols: ModuleSymbols | undefined): bigint {
  if (symbols === undefined) return base;
  if (!isPic) return symbols.firstPage;
  if (mapping === undefined) return base;
  const end = mapping.offset + mapping.length;
  const load = symbols.loads.find(({ offset }) => mapping.offset <= offset && offset < end);
  return load === undefined ? base : mapping.at - BigInt(load.from - (load.offset - mapping.offset));
}

/** Functions outside of all modules: of the kernel, and those that processes compiled at run time. */
class ProcessLists {
  readonly #files: SymbolFiles;
  /** Numbers that a process may have, and processes with stacks by such a number. */
  readonly #numbers = new Map<number, number[]>();
  readonly #processes = new Map<number, Set<number>>();
  readonly #lists = new Map<number, Promise<ModuleSymbols | undefined>>();

  constructor({ process, name }: Frames, inside: StackTables['inside'], files: SymbolFiles) {
    this.#files = files;
    for (const [own, number] of inside) addTo(this.#numbers, own, number);
    // Interpreted code is not compiled.
    for (const own of new Set(process.filter((_, row) => name[row] < 0)))
      for (const number of this.#numbersOf(own))
        this.#processes.set(number, (this.#processes.get(number) ?? new Set()).add(own));
  }

  /** Undefined: there is none, or its process is ambiguous, which is a fault. */
  of(process: number): Promise<ModuleSymbols | undefined> {
    const known =
      this.#lists.get(process) ?? (process === KERNEL ? this.#files.kernel() : this.#find(process));
    this.#lists.set(process, known);
    return known;
  }

  #numbersOf(process: number): readonly number[] {
    return this.#numbers.get(process) ?? [process];
  }

  async #find(process: number): Promise<ModuleSymbols | undefined> {
    for (const number of this.#numbersOf(process)) {
      const list = await this.#files.process(number);
      if (list === undefined) continue;
      if ((this.#processes.get(number)?.size ?? 0) <= 1) return list;
      this.#files.noteShared(number);
      return undefined;
    }
    return this.#processes.has(process) ? undefined : this.#files.process(process);
  }
}

/** Offset from a base, exact for all addresses within 2^53 bytes. */
function bytesFrom(base: bigint, { high, low }: Frames, row: number): number {
  return (high[row] - Number(base >> 32n)) * 2 ** 32 + (low[row] - Number(base & 0xffff_ffffn));
}
