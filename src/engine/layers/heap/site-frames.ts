/** The places that called the allocator as frames, whose names are found as those of call stacks. */
import { packTexts } from '../../base/text-column.ts';
import { ModuleFinder } from '../stacks/module-finder.ts';
import { type LoadedModule, type StackTables, wideOf } from '../stacks/stack-tables.ts';
import type { HeapProcess, HeapSite } from './heap-log.ts';

/** An address that several modules had one after the other is taken to be in the first of them. */
export function siteFrames(
  sites: readonly HeapSite[],
  processes: readonly HeapProcess[],
  modules: readonly LoadedModule[],
): StackTables {
  const finder = new ModuleFinder(modules);
  const moduleOf = ({ process, low, high }: HeapSite) =>
    finder.covering(processes[process].pid, wideOf(low, high)).at(0) ?? -1;
  const { length } = sites;
  return {
    frames: {
      length,
      process: Int32Array.from(sites, ({ process }) => processes[process].pid),
      high: Uint32Array.from(sites, ({ high }) => high),
      low: Uint32Array.from(sites, ({ low }) => low),
      isReturn: new Uint8Array(length).fill(1),
      module: Int32Array.from(sites, moduleOf),
      name: new Int32Array(length).fill(-1),
    },
    tree: { length: 0, parent: new Int32Array(0), frame: new Int32Array(0) },
    threads: [],
    modules,
    names: packTexts([]),
  };
}
