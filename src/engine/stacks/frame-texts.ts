/** What frames are called: their function, else where they are in their module. */
import { textAt } from '../base/text-column.ts';
import type { SymbolFiles } from '../symbols/symbol-files.ts';
import { resolveFrames } from './resolve-frames.ts';
import type { LoadedModule, StackTables } from './stack-tables.ts';

/** A frame in no module: an absolute address is another one in each run, so that it is no name. */
const UNKNOWN_FRAME = '[unknown]';

/**
 * By row of `Frames`. Files that cannot be used are faults of `files`.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function frameTexts(
  tables: StackTables,
  files: SymbolFiles,
  isMangled = false,
): Promise<string[]> {
  const { frames, modules, names } = tables;
  const { offsets, symbols } = await resolveFrames(tables, files, isMangled);
  return symbols.map((symbol, row) => {
    const name = frames.name[row];
    if (name >= 0) return textAt(names, name);
    if (symbol?.function !== undefined) return symbol.function;
    const module = frames.module[row];
    return module < 0 ? UNKNOWN_FRAME : `${moduleName(modules[module])}+${hexadecimal(offsets[row])}`;
  });
}

/** Of its file, without folders. */
function moduleName({ path }: LoadedModule): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hexadecimal(value: number): string {
  return `0x${value.toString(16)}`;
}
