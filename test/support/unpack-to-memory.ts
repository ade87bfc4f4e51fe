/** What unpacking gives, read back into memory. */
import type { UnpackOptions } from '../../src/engine/archive/types.ts';
import { unpackFiles } from '../../src/engine/importers/unpack-files.ts';
import type { Fault, FaultCode } from '../../src/engine/base/fault.ts';
import { blobTempFiles } from '../../src/engine/io/browser-temp-files.ts';
import type { SourceRef } from '../../src/engine/io/byte-source.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import { type MemoryFiles, memoryRefs } from './memory-files.ts';

export interface UnpackedFiles {
  readonly files: MemoryFiles;
  readonly refs: readonly SourceRef[];
  readonly codes: readonly FaultCode[];
  readonly faults: readonly Fault[];
  /** Files that faults are about. */
  readonly places: readonly (string | undefined)[];
}

export async function unpackToMemory(
  files: Readonly<Record<string, Uint8Array>>,
  options: Partial<UnpackOptions> = {},
): Promise<UnpackedFiles> {
  const refs = memoryRefs(new Map(Object.entries(files)));
  const result = await unpackFiles(refs, { open: openSource, tempFiles: blobTempFiles(), ...options });
  const contents = new Map<string, Uint8Array>();
  for (const ref of result.files) contents.set(ref.path, await readAll(ref));
  return {
    files: contents,
    refs: result.files,
    codes: result.faults.map(({ code }) => code),
    faults: result.faults,
    places: result.faults.map(({ place }) => place.file),
  };
}

async function readAll(ref: SourceRef): Promise<Uint8Array> {
  const source = await openSource(ref);
  if (!source.ok) throw new Error(`${ref.path}: ${source.fault.code}`);
  const bytes = await source.value.read(0, ref.size);
  if (!bytes.ok) throw new Error(`${ref.path}: ${bytes.fault.code}`);
  return bytes.value;
}
