/** What frames are called: their function, else where they are in their module. */
import type { SymbolFiles } from '../symbols/symbol-files.ts';
import { moduleText } from './module-texts.ts';
import { resolveFrames } from './resolve-frames.ts';
import type { StackTables } from './stack-tables.ts';

/**
 * By row of `Frames`. Files that cannot be used are faults of `files`.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function frameTexts(
  tables: StackTables,
  files: SymbolFiles,
  isMangled = false,
): Promise<string[]> {
  const { symbols } = await resolveFrames(tables, files, isMangled);
  return symbols.map((symbol, row) => symbol?.function ?? moduleText(tables, row));
}
