/** Archives made of files in memory, by other programs than those that are tested. */
import { gzipSync, zipSync } from 'fflate';
import { packTar } from 'modern-tar';
import type { MemoryFiles } from './memory-files.ts';

/** @param level 0: stored as they are, 1 to 9: deflated */
export function packZip(files: MemoryFiles, level: 0 | 6 = 6): Uint8Array {
  return zipSync(Object.fromEntries(files), { level, mtime: MODIFIED });
}

export function packedTar(files: MemoryFiles): Promise<Uint8Array> {
  const entries = [...files].map(([name, body]) => {
    return { header: { name, size: body.length, mtime: MODIFIED }, body };
  });
  return packTar(entries);
}

export async function packTarGz(files: MemoryFiles): Promise<Uint8Array> {
  return gzipSync(await packedTar(files), { mtime: MODIFIED });
}

const MODIFIED = new Date('2026-01-01T00:00:00Z');
