import { describe, expect, it } from 'vitest';
import { fileName } from '../../engine/base/file-name.ts';
import { gatherDropped, nameOf } from './dropped-files.ts';

type Tree = { readonly [name: string]: Tree | string };

/** A dropped folder as Chromium gives it: entries in batches of 100, then an empty one. */
function entryOf(path: string, tree: Tree | string): FileSystemEntry {
  const name = fileName(path);
  if (typeof tree === 'string') {
    const file = (found: (file: File) => void) => found(new File([tree], name));
    return { name, fullPath: path, isFile: true, isDirectory: false, file } as unknown as FileSystemEntry;
  }
  const children = Object.entries(tree).map(([child, below]) => entryOf(`${path}/${child}`, below));
  const createReader = () => {
    let at = 0;
    return {
      readEntries: (found: (entries: FileSystemEntry[]) => void) => {
        found(children.slice(at, at + 100));
        at += 100;
      },
    };
  };
  return {
    name,
    fullPath: path,
    isFile: false,
    isDirectory: true,
    createReader,
  } as unknown as FileSystemEntry;
}

function drop(...entries: FileSystemEntry[]): DataTransfer {
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }));
  return { items } as unknown as DataTransfer;
}

describe('dropped folders', () => {
  it('are walked to the bottom, in order of paths', async () => {
    const tree = { ust: { uid: { metadata: 'u' } }, kernel: { metadata: 'k', index: { 'a.idx': '' } } };
    const { files, roots } = await gatherDropped(drop(entryOf('/trace', tree)));
    expect(files.map((file) => file.path)).toEqual([
      'trace/kernel/index/a.idx',
      'trace/kernel/metadata',
      'trace/ust/uid/metadata',
    ]);
    expect(roots).toEqual(['trace']);
    expect(files[1].size).toBe(1);
  });

  it('may hold more files than one batch', async () => {
    const tree = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`stream_${i}`, 'x']));
    const { files, tooMany } = await gatherDropped(drop(entryOf('/many', tree)));
    expect(files.length).toBe(250);
    expect(tooMany).toBe(false);
  });

  it('are given up when they hold a whole disk', async () => {
    const folder = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, '']));
    const disk = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`d${i}`, folder]));
    const { tooMany } = await gatherDropped(drop(entryOf('/disk', disk)));
    expect(tooMany).toBe(true);
  });

  it('may be several', async () => {
    const { files, roots } = await gatherDropped(
      drop(entryOf('/b', { metadata: '' }), entryOf('/a', { metadata: '' })),
    );
    expect(files.map((file) => file.path)).toEqual(['a/metadata', 'b/metadata']);
    expect(nameOf(roots)).toBe('b, a');
  });

  it('lose what cannot be read', async () => {
    const broken = {
      name: 'x',
      fullPath: '/x',
      isDirectory: false,
      isFile: true,
      file: (_found: unknown, failed: (error: Error) => void) => failed(new Error('gone')),
    } as unknown as FileSystemEntry;
    expect((await gatherDropped(drop(broken))).files).toEqual([]);
  });
});

it('names what is opened', () => {
  expect(nameOf(['trace'])).toBe('trace');
  expect(nameOf(['a', 'b', 'c', 'd'])).toBe('a, b and 2 more');
});
