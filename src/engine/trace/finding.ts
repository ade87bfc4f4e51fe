/** Text of a finding beside its part of a trace (`answers/export/finding-file.ts`). */
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import { FINDING, splitPath } from './find-traces.ts';

/** Bytes; notes and a link have fewer. */
const LONGEST = 1_000_000;

/** Text of the finding, which anybody may have written; undefined: there is none among the files, or more than one. */
export async function readFinding(
  files: readonly SourceRef[],
  open: SourceOpener,
): Promise<string | undefined> {
  const found = files.filter(({ path }) => splitPath(path).name === FINDING);
  if (found.length !== 1 || found[0].size > LONGEST) return undefined;
  const source = await open(found[0]);
  if (!source.ok) return undefined;
  const bytes = await source.value.read(0, source.value.size);
  await source.value.close?.();
  return bytes.ok ? new TextDecoder().decode(bytes.value) : undefined;
}
