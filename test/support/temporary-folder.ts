import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A new folder, which is removed when the tests of the file or of the block that asks for it are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wakepath-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
