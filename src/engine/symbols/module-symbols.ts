/** Symbols of a program or library, from its file and another one with its debug information. */
import type { Fault, Result } from '../base/fault.ts';
import { hasLines, linesAt } from './debug-lines.ts';
import { type ElfFile, unreadable } from './elf-file.ts';
import { hasEntries, inlinedAt } from './inlined-calls.ts';
import { codePlaces, readSymbolTable, type SymbolSort, type SymbolTable } from './symbol-table.ts';
import type { ProgramSymbols, SymbolAt } from './symbols.ts';

/** An ELF file with names of local functions, packed with xz, as in Fedora ("MiniDebugInfo"). */
const MINI_DEBUG_INFO = '.gnu_debugdata';

/**
 * Reads nothing of the files until asked.
 * @param files of one build
 * @param onFault called with reasons why functions, objects or lines may be missing
 */
export function moduleSymbols(
  files: readonly [ElfFile, ...ElfFile[]],
  onFault: (fault: Fault) => void,
): ProgramSymbols {
  const [{ firstPage, loads }] = files;
  let functionTable: Promise<SymbolTable | undefined> | undefined;
  let objectTable: Promise<SymbolTable | undefined> | undefined;
  const lined = files.find(hasLines);
  const entered = files.find(hasEntries);
  return {
    firstPage,
    loads,
    async at(addresses) {
      const places = codePlaces(files[0], addresses);
      functionTable ??= bestTable(files, 'functions', onFault);
      const functions = await (await functionTable)?.symbolsAt(places);

      const distinct = new Float64Array(new Set(places)).sort();
      const found = lined && (await linesAt(lined, distinct));
      const entries = entered && (await inlinedAt(entered, distinct));
      for (const fault of [found?.fault, entries?.fault]) if (fault !== undefined) onFault(fault);
      const inlined = new Map(Array.from(distinct, (place, i) => [place, entries?.calls[i] ?? []]));
      const lines = new Map(Array.from(distinct, (place, i) => [place, found?.lines[i]]));
      return Array.from(places, (place, i): SymbolAt => {
        const line = lines.get(place);
        const calls = inlined.get(place) ?? [];
        const own = functions?.[i];
        const symbol = { function: own?.name, file: line?.file, line: line?.line, begin: own?.from };
        return calls.length > 0 ? { ...symbol, inlined: calls } : symbol;
      });
    },
    async objectsAt(places) {
      objectTable ??= bestTable(files, 'objects', onFault);
      const objects = await (await objectTable)?.symbolsAt(places);
      return Array.from(places, (place, i) => {
        const object = objects?.[i];
        return object && { name: object.name, offset: place - object.from };
      });
    },
  };
}

/** The table of all symbols, else the one of exported symbols. */
async function bestTable(
  files: readonly ElfFile[],
  sort: SymbolSort,
  onFault: (fault: Fault) => void,
): Promise<SymbolTable | undefined> {
  let dynamic: SymbolTable | undefined;
  for (const file of files) {
    const table: Result<SymbolTable | undefined> = await readSymbolTable(file, sort);
    if (!table.ok) onFault(table.fault);
    else if (table.value?.isDynamic === false) return table.value;
    else dynamic ??= table.value;
  }
  const packed = files.find(({ sections }) => sections.some(({ name }) => name === MINI_DEBUG_INFO));
  if (packed !== undefined && sort === 'functions') {
    const fault = unreadable(
      packed.source,
      'a table of all functions',
      `one within ${MINI_DEBUG_INFO}, packed by xz`,
    );
    onFault({ ...fault, code: 'symbols-packed' });
  }
  return dynamic;
}
