/** Text of a finding beside its part of a trace (`answers/export/finding-file.ts`). */
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import { FINDING, FINDING_SYMBOLS, splitPath } from './find-traces.ts';

/** Bytes; notes and a link have fewer. */
const LONGEST = 1_000_000;
const LONGEST_SYMBOLS = 64_000_000;

/** Text of the finding, which anybody may have written; undefined: there is none among the files, or more than one. */
export function readFinding(files: readonly SourceRef[], open: SourceOpener): Promise<string | undefined> {
  return textOf(FINDING, LONGEST, files, open);
}

/** Text of the symbols of a finding, likewise. */
export function readFindingSymbols(
  files: readonly SourceRef[],
  open: SourceOpener,
): Promise<string | undefined> {
  return textOf(FINDING_SYMBOLS, LONGEST_SYMBOLS, files, open);
}

async function textOf(
  name: string,
  longest: number,
  files: readonly SourceRef[],
  open: SourceOpener,
): Promise<string | undefined> {
  const found = files.filter(({ path }) => splitPath(path).name === name);
  if (found.length !== 1 || found[0].size > longest) return undefined;
  const source = await open(found[0]);
  if (!source.ok) return undefined;
  const bytes = await source.value.read(0, source.value.size);
  await source.value.close?.();
  return bytes.ok ? new TextDecoder().decode(bytes.value) : undefined;
}
