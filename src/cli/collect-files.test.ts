import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectFiles } from './collect-files.ts';

let base: string;
beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'collect-'))));
afterEach(() => rmSync(base, { recursive: true }));

function put(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), path);
  }
}
const link = (target: string, path: string) => symlinkSync(target, join(base, path));

async function collected(most?: number, ...roots: readonly string[]) {
  const { files, faults } = await collectFiles(
    roots.length > 0 ? roots.map((root) => join(base, root)) : [join(base, 't')],
    most,
  );
  return { paths: files.map(({ path }) => path), faults };
}

describe('files at and below a path', () => {
  it('are those of all folders, in order', async () => {
    put('t/b/2', 't/a/1', 't/metadata', 't/a/c/3');
    expect(await collected()).toEqual({ paths: ['t/metadata', 't/a/1', 't/a/c/3', 't/b/2'], faults: [] });
  });

  it('are read once where links lead to the folder itself, however many there are', async () => {
    put('t/metadata', 't/sub/1');
    link('.', 't/b');
    link('../t', 't/a');
    link('../../t/sub', 't/sub/again');
    for (let i = 0; i < 100; i++) link('..', `t/sub/up${i}`);
    expect(await collected()).toEqual({ paths: ['t/metadata', 't/sub/1'], faults: [] });
  });

  it('have their own place, whatever link has an earlier name', async () => {
    put('t/z/metadata');
    link('z', 't/a');
    expect((await collected()).paths).toEqual(['t/z/metadata']);
  });

  it('are those of other folders too, by links, and by links there', async () => {
    put('t/metadata', 'far/1', 'farther/2');
    link('../far', 't/far');
    link('../farther', 'far/on');
    link('../t', 'farther/back');
    link('../far/1', 't/one');
    expect(await collected()).toEqual({
      paths: ['t/metadata', 't/far/1', 't/one', 't/far/on/2'],
      faults: [],
    });
  });

  it('are not those of a folder above: the link is named', async () => {
    put('t/metadata', 'other/1');
    link('..', 't/up');
    link('/', 't/root');
    expect(await collected()).toEqual({
      paths: ['t/metadata'],
      faults: [
        { code: 'link-not-followed', place: { file: 't/root' }, found: expect.stringContaining('above') },
        { code: 'link-not-followed', place: { file: 't/up' }, found: expect.stringContaining('above') },
      ],
    });
  });

  it('are none of a link that leads to too many: it is named', async () => {
    put('t/metadata', ...Array.from({ length: 30 }, (_, i) => `many/${i % 3}/${i}`), 'few/1');
    link('../many', 't/a');
    link('../few', 't/b');
    const found = 'more than 20 files and folders behind all links';
    const { paths, faults } = await collected(20);
    expect(paths).toEqual(['t/metadata']);
    expect(faults).toEqual(
      ['t/a', 't/b'].map((file) => ({ code: 'link-not-followed', place: { file }, found })),
    );
    expect((await collected(40)).paths).toHaveLength(32);
  });

  it('are those of each root, given twice too', async () => {
    put('t/metadata', 'u/t/metadata');
    expect((await collected(undefined, 't', 'u/t', 't')).paths).toEqual([
      't/metadata',
      't#2/metadata',
      't#3/metadata',
    ]);
  });

  it('are told where they cannot be read', async () => {
    put('t/metadata');
    link('nowhere', 't/a');
    link('b', 't/b');
    const { paths, faults } = await collected(undefined, 't', 'missing');
    expect(paths).toEqual(['t/metadata']);
    expect(faults.map(({ code, place }) => [code, place.file])).toEqual([
      ['file-unreadable', 't/a'],
      ['file-unreadable', 't/b'],
      ['file-unreadable', 'missing'],
    ]);
  });

  it('are no pipes and devices, which are told by their names', async () => {
    execFileSync('mkfifo', [join(base, 'pipe')]);
    const { files, faults } = await collectFiles([join(base, 'pipe'), '/dev/null', '/dev/zero']);
    expect(files).toEqual([]);
    expect(faults.map(({ code, place, found }) => [code, place.file, found])).toEqual([
      ['file-unreadable', 'pipe', 'a pipe (FIFO)'],
      ['file-unreadable', 'null', 'a device'],
      ['file-unreadable', 'zero', 'a device'],
    ]);
  });
});
