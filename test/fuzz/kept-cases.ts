/** Cases that failed once, with their files, so that they stay what they were; every bounded run tries them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { MemoryFiles } from '../support/memory-files.ts';

export interface KeptCase {
  readonly name: string;
  readonly files: MemoryFiles;
}

interface StoredCase {
  /** What was wrong. */
  readonly about: string;
  /** gzip, then base64. */
  readonly files: Readonly<Record<string, string>>;
}

export function keptCases(folder: string): KeptCase[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const { files } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredCase;
    const bytes = Object.entries(files).map(
      ([path, packed]) => [path, new Uint8Array(gunzipSync(Buffer.from(packed, 'base64')))] as const,
    );
    return { name: name.slice(0, -'.json'.length), files: new Map(bytes) };
  });
}

/** Writes a case; gives its path. */
export function keepCase(folder: string, name: string, about: string, files: MemoryFiles): string {
  mkdirSync(folder, { recursive: true });
  const packed = [...files].map(([path, bytes]) => [path, gzipSync(bytes).toString('base64')]);
  const stored: StoredCase = { about, files: Object.fromEntries(packed) as Record<string, string> };
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify(stored, undefined, 2)}\n`);
  return path;
}
