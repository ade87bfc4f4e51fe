/**
 * Any tree of files comes out of an archive as it went in; of a damaged archive comes out what can, and never an
 * exception, an endless loop or more than was allowed.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryFiles } from '../support/memory-files.ts';
import { packedTar, packTarGz, packZip } from '../support/pack-archive.ts';
import { unpackToMemory } from '../support/unpack-to-memory.ts';
import { writeZip } from '../support/zip-writer.ts';
import { forAll } from '../support/for-all.ts';

/** Half of it repeats, as traces do. */
const content = fc
  .tuple(fc.uint8Array({ maxLength: 3000 }), fc.nat(2000))
  .map(([bytes, zeros]) => Uint8Array.from([...bytes, ...new Uint8Array(zeros), ...bytes]));
const segment = fc
  .oneof(fc.constantFrom('kernel', 'ust', 'é'), fc.string({ minLength: 1, maxLength: 40 }))
  .map((name) => name.replace(/[/\\\0]/g, '-'))
  .filter((name) => !/^\.{1,2}$/.test(name) && !/\.(zip|tar|tgz|gz)$/i.test(name));
const folder = fc.array(segment, { maxLength: 4 }).map((names) => names.join('/'));

/** Folders that are traces, so that all files of a zip are wanted. */
const tree: fc.Arbitrary<MemoryFiles> = fc
  .dictionary(folder, fc.dictionary(segment, content, { maxKeys: 4 }), { minKeys: 1, maxKeys: 4 })
  .map((folders) => {
    const files = new Map<string, Uint8Array>();
    for (const [path, members] of Object.entries(folders)) {
      const all = { metadata: new Uint8Array([1]), ...members };
      for (const [name, bytes] of Object.entries(all))
        files.set(path === '' ? name : `${path}/${name}`, bytes);
    }
    // A file that is also a folder is in no tree.
    return new Map(
      [...files].filter(([path]) => ![...files.keys()].some((other) => other.startsWith(`${path}/`))),
    );
  })
  .filter((files) => files.size > 0 && [...files.keys()].some((path) => /(^|\/)metadata$/.test(path)))
  // fflate packs the values of an object, which cannot have this one.
  .filter((files) => !files.has('__proto__'));

const FORMATS = ['stored zip', 'deflated zip', 'streamed zip', 'tar', 'gzip'] as const;
type Format = (typeof FORMATS)[number];

async function pack(format: Format, files: MemoryFiles): Promise<Uint8Array> {
  switch (format) {
    case 'stored zip':
      return packZip(files, 0);
    case 'deflated zip':
      return packZip(files);
    case 'streamed zip':
      return writeZip([...files].map(([name, bytes]) => ({ name, bytes, hasDescriptor: true, is64: true })));
    case 'tar':
      return packedTar(files);
    case 'gzip':
      return packTarGz(files);
  }
}

const wantedOf = (files: MemoryFiles): [string, Uint8Array][] => {
  const traces = [...files.keys()].flatMap((path) => /^(?:(.*)\/)?metadata$/.exec(path)?.[1] ?? []);
  return [...files].filter(([path]) => traces.includes(path.slice(0, Math.max(0, path.lastIndexOf('/')))));
};

describe('a tree of files', () => {
  it.each(FORMATS)('comes out of a %s as it went in', (format) =>
    forAll(50, [tree], async (files) => {
      const { files: found, codes } = await unpackToMemory({ a: await pack(format, files) });
      expect(codes).toEqual([]);
      for (const [path, bytes] of wantedOf(files)) expect(same(found.get(`a/${path}`), bytes)).toBe(true);
      expect(found.size).toBeLessThanOrEqual(files.size);
    }),
  );
});

it.each(['streamed zip', 'tar', 'gzip'] as const)('a %s may have a file of any name', async (format) => {
  const files = new Map(['metadata', '__proto__'].map((name) => [name, Uint8Array.of(1)]));
  const { files: found, codes } = await unpackToMemory({ a: await pack(format, files) });
  expect([[...found.keys()].sort(), codes]).toEqual([['a/__proto__', 'a/metadata'], []]);
});

const damage = fc.record({
  /** Share of the bytes that are kept. */
  keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  changes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 12 }),
});

describe('a damaged archive', () => {
  it.each(FORMATS)('(%s) gives what can be read, and never an exception', async (format) => {
    const limits = { members: 30, freeBytes: 200_000, ratio: 20 };
    await forAll(150, [tree, damage], async (files, { keep, changes }) => {
      const whole = await pack(format, files);
      const archive = whole.slice(0, Math.floor(whole.length * keep));
      for (const [at, value] of changes) archive[Math.floor(at * (archive.length - 1))] = value;
      const { files: found, codes } = await unpackToMemory({ 'a.zip': archive }, { limits });
      expect(found.size).toBeLessThanOrEqual(limits.members);
      const bytes = [...found.values()].reduce((sum, { length }) => sum + length, 0);
      expect(bytes).toBeLessThanOrEqual(limits.freeBytes + limits.members * archive.length);
      // A cut alone changes nothing that comes before it.
      if (changes.length === 0) {
        for (const [path, value] of files) {
          const part = found.get(`a.zip/${path}`);
          if (part !== undefined) expect(same(part, value.subarray(0, part.length))).toBe(true);
        }
        // What is shorter than a header is no archive.
        if (archive.length >= 512 && archive.length < whole.length - 1024) expect(codes).not.toEqual([]);
      }
    });
  });
});

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
