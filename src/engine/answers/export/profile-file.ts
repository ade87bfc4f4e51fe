/** A profile as a file of pprof. */
import { pprofFile } from '../../export/pprof.ts';
import type { ProfileAnswer } from '../../protocol/profile.ts';
import type { ExportSource } from './export-source.ts';

export function profileFile({ trace }: ExportSource, { tree, sources, from, to }: ProfileAnswer) {
  const begin = Math.ceil(from);
  return pprofFile(
    tree,
    trace.time.originNs + BigInt(begin),
    Math.floor(to) - begin,
    (frame) => sources[frame]?.file,
  );
}
