/** Names of frames without symbols. */
import { textAt } from '../../base/text-column.ts';
import { wideOf } from './module-log.ts';
import type { StackTables } from './stack-tables.ts';

/** A frame in no module: an absolute address is another one in each run, so that it is no name. */
export const UNKNOWN_FRAME = '[unknown]';

/** A name that the trace has itself, else `MODULE+0xOFFSET` with the name of the module's file. */
export function moduleText({ frames, modules, names }: Omit<StackTables, 'threads'>, frame: number): string {
  const { name, module, high, low } = frames;
  if (name[frame] >= 0) return textAt(names, name[frame]);
  if (module[frame] < 0) return UNKNOWN_FRAME;
  const { path, base } = modules[module[frame]];
  const offset = wideOf(low[frame], high[frame]) - base;
  return `${path.slice(path.lastIndexOf('/') + 1)}+0x${offset.toString(16)}`;
}
