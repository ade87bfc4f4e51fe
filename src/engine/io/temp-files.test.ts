import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blobTempFile, blobTempFiles } from './browser-temp-files.ts';
import type { PartRef, SourceRef } from './byte-source.ts';
import { openNodeSource } from './node-source.ts';
import { nodeTempFiles } from './node-temp-files.ts';
import { type TempFiles, tempFilesOf } from './temp-file.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const folder = temporaryFolder();

const piece = (length: number, first: number) => Uint8Array.from({ length }, (_, i) => (first + i) % 251);

async function written(area: TempFiles, pieces: readonly Uint8Array[]): Promise<SourceRef> {
  const tempFile = await area.begin();
  if (!tempFile.ok) throw new Error(tempFile.fault.code);
  for (const bytes of pieces)
    expect(await tempFile.value.write(bytes)).toEqual({ ok: true, value: undefined });
  const ref = await tempFile.value.finish('a.zip');
  if (!ref.ok) throw new Error(ref.fault.code);
  return ref.value;
}

async function read(ref: SourceRef, offset: number, length: number): Promise<Uint8Array | string> {
  const source = await openNodeSource(ref);
  if (!source.ok) return source.fault.code;
  const bytes = await source.value.read(offset, length);
  await source.value.close?.();
  return bytes.ok ? bytes.value : bytes.fault.code;
}

describe.each([
  ['blobs', blobTempFiles],
  ['temporary files', () => nodeTempFiles(folder)],
])('temporary files in %s', (_name, area) => {
  it('are read as they were written, whole and in parts', async () => {
    const ref = await written(area(), [piece(5_000_000, 0), piece(7, 5_000_000)]);
    expect(ref.size).toBe(5_000_007);
    expect(await read(ref, 4_999_990, 17)).toEqual(piece(17, 4_999_990));
    const part: PartRef = { kind: 'part', path: 'a.zip/m', size: 10, of: ref, offset: 100 };
    expect(await read(part, 2, 8)).toEqual(piece(8, 102));
    expect(await read(part, 2, 9)).toBe('truncated');
  });

  it('keep what was written even when the writer uses its buffer again', async () => {
    const buffer = piece(10, 0);
    const tempFile = await area().begin();
    if (!tempFile.ok) throw new Error(tempFile.fault.code);
    await tempFile.value.write(buffer);
    buffer.fill(0);
    const ref = await tempFile.value.finish('x');
    expect(ref.ok && (await read(ref.value, 0, 10))).toEqual(piece(10, 0));
  });
});

it('a blob as temporary file has a limit', async () => {
  const tempFile = blobTempFile(100);
  expect((await tempFile.write(piece(60, 0))).ok).toBe(true);
  expect(await tempFile.write(piece(60, 0))).toMatchObject({ ok: false, fault: { code: 'spill-full' } });
  expect(tempFile.size).toBe(60);
});

describe('temporary files', () => {
  it('are removed when nothing reads them any more', async () => {
    const area = nodeTempFiles(folder);
    const [first, second] = [await written(area, [piece(5, 0)]), await written(area, [piece(5, 1)])];
    const part: PartRef = { kind: 'part', path: 'a.zip/m', size: 1, of: second, offset: 0 };
    expect(tempFilesOf([part])).toEqual(tempFilesOf([second]));
    await area.keepOnly([part]);
    expect(await read(first, 0, 5)).toBe('file-unreadable');
    expect(await read(part, 0, 1)).toEqual(piece(1, 1));
    await area.keepOnly([]);
    expect(await read(part, 0, 1)).toBe('file-unreadable');
  });

  it('of a process that was killed are removed by the next', async () => {
    // No process has this number: Linux ends at 2^22.
    const abandoned = join(folder, 'wakepath-temp-99999999-x');
    const mine = join(folder, `wakepath-temp-${process.pid}-x`);
    for (const path of [abandoned, mine]) mkdirSync(path);
    await written(nodeTempFiles(folder), [piece(1, 0)]);
    expect(existsSync(abandoned)).toBe(false);
    expect(existsSync(mine)).toBe(true);
  });

  it('that cannot be made are a fault', async () => {
    const area = nodeTempFiles(join(folder, 'nowhere'));
    expect(await area.begin()).toMatchObject({ ok: false, fault: { code: 'spill-full' } });
    expect(readdirSync(folder)).not.toContain('nowhere');
  });
});
