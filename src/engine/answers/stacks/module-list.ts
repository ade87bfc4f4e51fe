/** Programs and libraries in whose memory call stacks have frames, and what is known of their functions. */
import type { ModuleLine } from '../../protocol/profile.ts';
import type { QueryContext } from '../context/query.ts';
import { tablesByNow } from './stacks-of.ts';

/** Modules, most frames first; undefined: the trace has no call stacks, or they have not been read yet. */
export async function moduleList(context: QueryContext): Promise<readonly ModuleLine[] | undefined> {
  const { trace } = context;
  const lines = new Map<string, ModuleLine>();
  const all = trace.hosts.flatMap(({ index }) => tablesByNow(context, index) ?? []);
  if (all.length === 0) return undefined;
  for (const tables of all) {
    const { symbols } = await trace.frameNames(tables);
    const { module: modules, name } = tables.frames;
    const counts = tables.modules.map(() => ({ frames: 0, named: 0 }));
    modules.forEach((module, row) => {
      if (module < 0 || name[row] >= 0) return;
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
  return [...lines.values()]
    .filter(({ frames }) => frames > 0)
    .sort((a, b) => b.frames - a.frames || (a.path < b.path ? -1 : 1));
}
