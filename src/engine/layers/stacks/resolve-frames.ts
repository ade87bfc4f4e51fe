/** Places of frames of call stacks: module, function and line of each, as far as there are files. */
import { readableNames } from '../../symbols/readable-names.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';
import type { ModuleSymbols, SymbolAt } from '../../symbols/symbols.ts';
import type { Frames, StackTables } from './stack-tables.ts';

export interface ResolvedFrames {
  /** Bytes from the base of its module by row of `Frames`; NaN: it is in none. */
  readonly offsets: Float64Array;
  /** Symbols by row of `Frames`; undefined: there is no file that would say. */
  readonly symbols: readonly (SymbolAt | undefined)[];
  /** Whether its file is there, by row of `StackTables.modules`. */
  readonly isFound: readonly boolean[];
}

/** `Frames.process` of frames in the kernel. */
const KERNEL = -1;

/** Rows of frames with the places that they are looked up at. */
interface Asked {
  readonly rows: number[];
  readonly places: number[];
}

/**
 * Files that cannot be used are faults of `files`.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function resolveFrames(
  { frames, modules }: Pick<StackTables, 'frames' | 'modules'>,
  files: SymbolFiles,
  isMangled = false,
): Promise<ResolvedFrames> {
  const found: (ModuleSymbols | undefined)[] = [];
  for (const module of modules) found.push(await files.module(module));
  const offsets = new Float64Array(frames.length).fill(NaN);
  const asked = new Map<ModuleSymbols, Asked>();
  for (let row = 0; row < frames.length; row++) {
    if (frames.name[row] >= 0) continue;
    const at = frames.module[row];
    const module = at < 0 ? undefined : modules[at];
    if (module !== undefined) offsets[row] = bytesFrom(module.base, frames, row);
    const symbols = module === undefined ? await listOf(frames.process[row], files) : found[at];
    if (symbols === undefined) continue;
    const { rows, places } = asked.get(symbols) ?? { rows: [], places: [] };
    asked.set(symbols, { rows, places });
    rows.push(row);
    // A program that may be loaded anywhere has its first page at its base.
    const begin = module?.isPic === true ? module.base : symbols.firstPage;
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

/** Functions outside of all modules. */
function listOf(process: number, files: SymbolFiles): Promise<ModuleSymbols | undefined> {
  return process === KERNEL ? files.kernel() : files.process(process);
}

/** Exact for all addresses within 2^53 bytes. */
function bytesFrom(base: bigint, { high, low }: Frames, row: number): number {
  return (high[row] - Number(base >> 32n)) * 2 ** 32 + (low[row] - Number(base & 0xffff_ffffn));
}
