/**
 * Programs and libraries whose memory contains frames of call stacks, or locks, and what is known of their functions.
 */
import { compare } from '../../base/compare.ts';
import type { ModuleLine } from '../../protocol/profile.ts';
import type { QueryContext } from '../context/query.ts';
import { tablesByNow } from './stacks-of.ts';

/** Modules, most frames first; undefined: the trace has neither call stacks nor locks, or they are not read yet. */
export async function moduleList(context: QueryContext): Promise<readonly ModuleLine[] | undefined> {
  const { trace } = context;
  const lines = new Map<string, ModuleLine>();
  const all = trace.hosts.flatMap(({ index }) => tablesByNow(context, index) ?? []);
  const withLocks = context.layers?.info('lock')?.hosts.map(({ tables }) => tables.places) ?? [];
  if (all.length + withLocks.length === 0) return undefined;
  for (const tables of all) {
    const { symbols } = await trace.frameNames(tables);
    const { module: modules, name } = tables.frames;
    // Frames outside of stacks are call sites.
    const inStacks = new Set(tables.tree.frame);
    const counts = tables.modules.map(() => ({ frames: 0, named: 0 }));
    modules.forEach((module, row) => {
      if (module < 0 || name[row] >= 0 || !inStacks.has(row)) return;
      counts[module].frames++;
      if (symbols[row]?.function !== undefined) counts[module].named++;
    });
    for (const [row, { path, buildId }] of tables.modules.entries()) {
      const key = JSON.stringify([path, buildId]);
      const known = lines.get(key) ?? { frames: 0, named: 0 };
      const state = await trace.symbolFiles.stateOf({ path, buildId });
      lines.set(key, {
        ...{ path, buildId, state },
        frames: known.frames + counts[row].frames,
        named: known.named + counts[row].named,
      });
    }
  }
  const ofLocks = new Set<string>();
  for (const { modules, module } of withLocks) {
    for (const row of new Set(module)) {
      if (row < 0) continue;
      const { path, buildId } = modules[row];
      const key = JSON.stringify([path, buildId]);
      ofLocks.add(key);
      if (lines.has(key)) continue;
      const state = await trace.symbolFiles.stateOf({ path, buildId });
      lines.set(key, { path, buildId, state, frames: 0, named: 0 });
    }
  }
  return [...lines]
    .filter(([key, { frames }]) => frames > 0 || ofLocks.has(key))
    .map(([, line]) => line)
    .sort((a, b) => b.frames - a.frames || compare(a.path, b.path));
}
