/** Stacks of threads by entries and exits of functions, once it is known which functions their call sites are in. */
import { TupleIndex } from '../../base/tuple-index.ts';
import type { SymbolAt } from '../../symbols/symbols.ts';
import { EnteredFunctions } from './entered-functions.ts';
import { ALL_LEFT, exitOf, type FunctionEntries, type StackTables } from './stack-tables.ts';

/**
 * The tables with these stacks in place of those without names; themselves where no entry has a call site.
 * @param symbols by row of frames
 */
export function withCallSites(
  tables: StackTables,
  symbols: readonly (Pick<SymbolAt, 'begin'> | undefined)[],
): StackTables {
  if (tables.threads.every(({ entries }) => entries === undefined)) return tables;
  const { parent, frame } = tables.tree;
  const tree = new TupleIndex();
  for (let stack = 0; stack < parent.length; stack++) tree.place(parent[stack], frame[stack], 0, 0);
  const space = {
    on: (below: number, row: number) => tree.place(below, row, 0, 0),
    functionOf: (row: number) => {
      const begin = symbols[row]?.begin;
      return begin === undefined ? undefined : `${tables.frames.module[row]} ${begin}`;
    },
  };
  const threads = tables.threads.map((thread) => {
    const { entries } = thread;
    return entries === undefined ? thread : { ...thread, ...changesOf(entries, new EnteredFunctions(space)) };
  });
  return { ...tables, threads, tree: { length: tree.length, parent: tree.column(0), frame: tree.column(1) } };
}

function changesOf({ times, frames, sites }: FunctionEntries, functions: EnteredFunctions) {
  const stacks = Int32Array.from(times, (_, i) => {
    if (frames[i] === ALL_LEFT) functions.clear();
    else if (frames[i] >= 0) functions.enter(frames[i], sites[i]);
    else functions.leave(exitOf(frames[i]), sites[i]);
    return functions.stack;
  });
  return { times, stacks, inside: new Int32Array(times.length) };
}
