import { gzipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { packedTar, packTarGz, packZip } from '../../../test/support/pack-archive.ts';
import { unpackToMemory } from '../../../test/support/unpack-to-memory.ts';
import { writeZip, type ZipMember } from '../../../test/support/zip-writer.ts';
import { joinBytes } from '../base/byte-arrays.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { WINDOW_BYTES } from '../io/window-reader.ts';
import { LIMITS } from './types.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Does not get smaller by packing. */
const noise = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(i * i, 0x85ebca6b)) >>> 13);

const TRACE = new Map([
  ['t/metadata', bytes('/* CTF 1.8 */')],
  ['t/stream_0', noise(20_000)],
  ['t/index/stream_0.idx', bytes('index')],
]);
const metadata: ZipMember = { name: 't/metadata', bytes: bytes('/* CTF 1.8 */') };
const stream: ZipMember = { name: 't/stream_0', bytes: noise(1000) };

/** The files of `TRACE` as they are called in an archive. */
const inside = (archive: string) => new Map([...TRACE].map(([path, value]) => [`${archive}/${path}`, value]));

describe('an archive is replaced by its files', () => {
  it('whatever its kind, without a copy of what is stored as it is', async () => {
    const archives = {
      'a.zip': packZip(TRACE),
      'b.zip': packZip(TRACE, 0),
      'c.tar': await packedTar(TRACE),
      'd.tar.gz': await packTarGz(TRACE),
      'e.TGZ': await packTarGz(TRACE),
    };
    for (const [name, archive] of Object.entries(archives)) {
      const { files, refs, codes } = await unpackToMemory({ [name]: archive });
      expect(files).toEqual(inside(name));
      expect(codes).toEqual([]);
      const inPlace = refs.every((ref) => ref.kind === 'part' && ref.of.kind === 'memory');
      expect(inPlace).toBe(name === 'b.zip' || name === 'c.tar');
    }
  });

  it('beside other files, which stay', async () => {
    const { files } = await unpackToMemory({
      'x/metadata': bytes('m'),
      'x/y.zip': packZip(TRACE),
      'x/z.zip': bytes('no'),
    });
    expect([...files.keys()]).toEqual(['x/metadata', ...inside('x/y.zip').keys(), 'x/z.zip']);
  });

  it('whatever it is called, when it is all there is', async () => {
    expect((await unpackToMemory({ download: packZip(TRACE) })).files).toEqual(inside('download'));
    expect(
      (await unpackToMemory({ download: packZip(TRACE), metadata: bytes('m') })).files.has('download'),
    ).toBe(true);
  });

  it('in another archive, but not in that one again', async () => {
    const inner = packZip(TRACE, 0);
    const once = packZip(new Map([['in.zip', inner]]));
    const twice = await packTarGz(new Map([['once.zip', once]]));
    expect((await unpackToMemory({ 'once.zip': once })).files).toEqual(inside('once.zip/in.zip'));
    const deep = await unpackToMemory({ 'twice.tgz': twice });
    expect(deep.files).toEqual(new Map([['twice.tgz/once.zip/in.zip', inner]]));
  });

  it('of which only traces and what gives names to addresses are unpacked', async () => {
    const { files } = await unpackToMemory({
      'a.zip': packZip(new Map([...TRACE, ['films/long.mkv', noise(9)]])),
    });
    expect(files).toEqual(inside('a.zip'));
    // Files of programs give names, whatever they are called.
    const program = joinBytes([bytes('\x7fELF'), noise(9000)]);
    const named = new Map([
      ['t/elf/prog', program],
      ['t/kallsyms', bytes('f T g')],
      ['t/perf-7.map', bytes('1 2 f')],
    ]);
    for (const level of [0, 6] as const) {
      const all = await unpackToMemory({
        'a.zip': packZip(new Map([...named, ['films/long.mkv', noise(9)], ...TRACE]), level),
      });
      expect(all.codes).toEqual([]);
      expect(all.files).toEqual(
        new Map([
          ...inside('a.zip'),
          ...[...named].map(([path, value]) => [`a.zip/${path}`, value] as const),
        ]),
      );
    }
  });
});

describe('zip archives', () => {
  it.each([0, 8])('whose size of a file is wrong say so, and give the file: method %i', async (method) => {
    const lying = { ...stream, method, is64: true, size: 2 ** 62 };
    const { files, faults } = await unpackToMemory({ 'a.zip': writeZip([metadata, lying], { is64: true }) });
    expect(files.get('a.zip/t/stream_0')).toEqual(stream.bytes);
    expect(faults).toMatchObject([
      {
        code: 'archive-damaged',
        place: { file: 'a.zip/t/stream_0' },
        expected: `${2 ** 62} bytes`,
        found: '1000 bytes',
      },
    ]);
  });

  it('whose headers and directory have other sizes of a file, or of the directory, say so', async () => {
    const sound = writeZip([metadata, { ...stream, method: 0 }], { is64: true });
    const view = new DataView(sound.buffer);
    const find = (signature: number, from = 0) => {
      for (let at = from; at < sound.length; at++) if (view.getUint32(at, true) === signature) return at;
      return -1;
    };
    const inHeader = sound.slice();
    const second = find(0x04034b50, 4);
    new DataView(inHeader.buffer).setUint32(second + 22, 999_999, true);
    const header = await unpackToMemory({ 'a.zip': inHeader });
    expect(header.faults).toMatchObject([{ expected: '1000 bytes', found: '999999 bytes' }]);
    const inEnd = sound.slice();
    new DataView(inEnd.buffer).setBigUint64(find(0x06064b50) + 40, 2n ** 62n, true);
    const end = await unpackToMemory({ 'a.zip': inEnd });
    expect(end.faults).toMatchObject([{ code: 'archive-damaged', found: `one of ${2 ** 62} bytes` }]);
    for (const { files } of [header, end]) expect(files.get('a.zip/t/stream_0')).toEqual(stream.bytes);
  });

  it('with fields of 64 bits', async () => {
    const is64 = true;
    const members = [
      { ...metadata, is64 },
      { ...stream, is64, method: 0 },
      { name: 't/b', bytes: noise(5), is64 },
    ];
    const { files, codes } = await unpackToMemory({ 'a.zip': writeZip(members, { is64 }) });
    expect([...files.values()].sort((a, b) => a.length - b.length)).toEqual([
      noise(5),
      metadata.bytes,
      noise(1000),
    ]);
    expect(codes).toEqual([]);
  });

  it.each(['PK\x03\x04', 'MZ', '#!/bin/sh\n', '\0'.repeat(600)])(
    'with something before them: %j',
    async (begin) => {
      const program = bytes(`${begin} a program that unpacks itself`);
      const { files, codes } = await unpackToMemory({ 'a.zip': joinBytes([program, packZip(TRACE)]) });
      expect(files).toEqual(inside('a.zip'));
      expect(codes).toEqual([]);
    },
  );

  it('with something before them and fields of 64 bits, or a damaged directory', async () => {
    const members = [metadata, stream];
    const names = ['a/t/metadata', 'a/t/stream_0'];
    const large = writeZip(
      members.map((member) => ({ ...member, is64: true })),
      { is64: true },
    );
    const prefix = bytes('a program');
    expect([...(await unpackToMemory({ a: joinBytes([prefix, large]) })).files.keys()]).toEqual(names);
    const damaged = writeZip(members);
    damaged[directoryOf(damaged) + 46 + metadata.name.length] ^= 0xff;
    const found = await unpackToMemory({ a: joinBytes([prefix, damaged]) });
    expect([...found.files.keys()]).toEqual(names);
    expect(found.codes).toEqual(['archive-damaged']);
  });

  it('are none for an end record alone', async () => {
    const archive = packZip(TRACE);
    const end = archive.subarray(archive.length - 22);
    const { files } = await unpackToMemory({ a: joinBytes([bytes('text '.repeat(200)), end]) });
    expect([...files.keys()]).toEqual(['a']);
  });

  it('whose begin is cut off keep what is behind it', async () => {
    const archive = writeZip([stream, metadata]);
    const { files, codes, faults } = await unpackToMemory({ 'a.zip': archive.subarray(8) });
    expect([...files.keys()]).toEqual(['a.zip/t/metadata']);
    expect(codes).toEqual(['archive-damaged']);
    // The header of the other one would lie before the first byte.
    expect(faults[0].place.byte).toBeUndefined();
  });

  it.each([
    { hasDescriptor: false, is64: false },
    { hasDescriptor: true, is64: false },
    { hasDescriptor: true, is64: true },
  ])('without their directory: %o', async (options) => {
    const archive = writeZip(
      [metadata, stream, { name: 't/empty', bytes: noise(0) }].map((m) => ({ ...m, ...options })),
    );
    const cut = archive.subarray(0, directoryOf(archive));
    const { files, codes } = await unpackToMemory({ 'a.zip': cut });
    expect(codes).toEqual(['archive-truncated']);
    expect(files.get('a.zip/t/metadata')).toEqual(metadata.bytes);
    expect(files.get('a.zip/t/stream_0')).toEqual(stream.bytes);
    expect(files.get('a.zip/t/empty')).toEqual(noise(0));
  });

  it('without their directory, wherever a descriptor lies to the pieces that are read', async () => {
    const is64 = true;
    for (let length = WINDOW_BYTES - 26; length <= WINDOW_BYTES; length++) {
      const long: ZipMember = { name: 't/long', bytes: noise(length), method: 0, hasDescriptor: true, is64 };
      const archive = writeZip([long, metadata]);
      const { files } = await unpackToMemory({ 'a.zip': archive.subarray(0, directoryOf(archive)) });
      expect(files.get('a.zip/t/long')?.length).toBe(length);
      expect(files.get('a.zip/t/metadata')).toEqual(metadata.bytes);
    }
  });

  it('cut within a file keep what is before the cut', async () => {
    const counted = bytes(Array.from({ length: 1000 }, (_, i) => `event ${i}\n`).join(''));
    for (const method of [0, 8]) {
      const archive = writeZip([metadata, { ...stream, bytes: counted, method }]);
      const cut = await unpackToMemory({ 'a.zip': archive.subarray(0, directoryOf(archive) - 500) });
      const part = cut.files.get('a.zip/t/stream_0') ?? noise(0);
      expect(part.length).toBeGreaterThan(5000);
      expect(part).toEqual(counted.subarray(0, part.length));
      expect(cut.codes).toEqual(['archive-truncated', 'archive-truncated']);
    }
  });

  it('with a wrong checksum or size keep the file, and say so', async () => {
    for (const wrong of [{ crc: 1 }, { size: 999 }]) {
      const { files, codes, places } = await unpackToMemory({
        'a.zip': writeZip([metadata, { ...stream, ...wrong }]),
      });
      expect(codes).toEqual(['archive-damaged']);
      expect(places).toEqual(['a.zip/t/stream_0']);
      expect(files.get('a.zip/t/stream_0')).toEqual(stream.bytes);
      expect(files.get('a.zip/t/metadata')).toEqual(metadata.bytes);
    }
  });

  it('that are encrypted or packed in another way are refused file by file', async () => {
    const members = [metadata, { ...stream, flags: 1 }, { ...stream, name: 't/other', method: 93 }];
    const { files, codes } = await unpackToMemory({ 'a.zip': writeZip(members) });
    expect(codes).toEqual(['archive-unsupported', 'archive-unsupported']);
    expect([...files.keys()]).toEqual(['a.zip/t/metadata']);
  });

  it('whose files share their bytes are damaged', async () => {
    const alias = { ...stream, isAlias: true };
    const members = [metadata, stream, { ...alias, name: 't/b' }, { ...alias, name: 't/c' }];
    const { files, codes } = await unpackToMemory({ 'a.zip': writeZip(members) });
    expect(codes).toEqual(['archive-damaged', 'archive-damaged']);
    expect(files.size).toBe(2);
  });

  it('without a trace are named by what they hold', async () => {
    const { codes } = await unpackToMemory({ 'a.zip': packZip(new Map([['sea.jpg', noise(9)]])) });
    expect(codes).toEqual(['not-a-trace']);
    expect((await unpackToMemory({ 'a.zip': writeZip([]) })).codes).toEqual(['not-a-trace']);
  });
});

describe('tar archives', () => {
  it('with names too long for their headers', async () => {
    const folder = 'folder/'.repeat(60);
    const files = new Map([[`${folder}metadata`, bytes('m')]]);
    expect((await unpackToMemory({ 'a.tar': await packedTar(files) })).files).toEqual(
      new Map([[`a.tar/${folder}metadata`, bytes('m')]]),
    );
  });

  it('of links and folders hold only files', async () => {
    const archive = await packTar([
      { header: { name: 't/', type: 'directory', size: 0 } },
      { header: { name: 't/link', type: 'symlink', linkname: '/etc/passwd', size: 0 } },
      { header: { name: 't/metadata', size: 1 }, body: 'm' },
    ]);
    expect([...(await unpackToMemory({ 'a.tar': archive })).files.keys()]).toEqual(['a.tar/t/metadata']);
  });

  it('hold a file once for each of its names', async () => {
    const folder = 'folder/'.repeat(20);
    const link = (name: string, linkname: string) => {
      return { header: { name, type: 'link' as const, linkname, size: 0 } };
    };
    const archive = await packTar([
      { header: { name: 't/metadata', size: 1 }, body: 'm' },
      link('t/again', 't/metadata'),
      { header: { name: `${folder}stream`, size: 1 }, body: 's' },
      link('t/stream', `${folder}stream`),
      link('t/elsewhere', 'not/in/this/archive'),
    ]);
    const { files, codes } = await unpackToMemory({ 'a.tar': archive });
    expect(Object.fromEntries(files)).toEqual({
      'a.tar/t/metadata': bytes('m'),
      'a.tar/t/again': bytes('m'),
      [`a.tar/${folder}stream`]: bytes('s'),
      'a.tar/t/stream': bytes('s'),
    });
    expect(codes).toEqual([]);
  });

  it('with a sparse file of many holes (GNU) have all others', async () => {
    const map = new Uint8Array(1024).fill(0x31);
    [map[504], map[1024 - 8]] = [1, 0];
    const size = 700;
    const archive = await packTar([
      { header: { name: 't/sparse', size: map.length + size }, body: joinBytes([map, noise(size)]) },
      ...[...TRACE].map(([name, body]) => ({ header: { name, size: body.length }, body })),
    ]);
    makeSparse(archive.subarray(0, 512), size);
    const { files, codes } = await unpackToMemory({ 'a.tar': archive });
    expect(files).toEqual(inside('a.tar'));
    expect(codes).toEqual(['archive-unsupported']);
    const cut = await unpackToMemory({ 'a.tar': archive.subarray(0, 512 + 600) });
    expect(cut.codes).toEqual(['archive-unsupported', 'archive-truncated']);
  });

  it('whose names go up stay below the archive', async () => {
    const names = ['/t/metadata', './t/../t/./stream', '../../t/other'];
    const archive = await packTar(names.map((name) => ({ header: { name, size: 1 }, body: 'x' })));
    expect([...(await unpackToMemory({ 'a.tar': archive })).files.keys()]).toEqual([
      'a.tar/t/metadata',
      'a.tar/t/stream',
      'a.tar/t/other',
    ]);
  });

  it('cut off or damaged keep what is before', async () => {
    const archive = await packedTar(TRACE);
    const cut = await unpackToMemory({ 'a.tar': archive.subarray(0, 1024 + 512 + 5000) });
    expect(cut.codes).toEqual(['archive-truncated']);
    expect(cut.files.get('a.tar/t/stream_0')).toEqual(noise(20_000).subarray(0, 5000));
    const damaged = archive.slice();
    damaged[1024 + 3] ^= 0xff;
    const rest = await unpackToMemory({ 'a.tar': damaged });
    expect(rest.codes).toEqual(['archive-damaged']);
    expect([...rest.files.keys()]).toEqual(['a.tar/t/metadata']);
  });

  it('packed by gzip in several pieces are one', async () => {
    const archive = await packedTar(TRACE);
    const pieces = joinBytes([gzipSync(archive.subarray(0, 9_000)), gzipSync(archive.subarray(9_000))]);
    const { files, codes } = await unpackToMemory({ 'a.tar.gz': pieces });
    expect(files).toEqual(inside('a.tar.gz'));
    expect(codes).toEqual([]);
  });

  it.each([1, 3, 4, 512, 200_000])('with %i zeros behind their gzip are whole', async (count) => {
    const zeros = new Uint8Array(count);
    const archive = await packTarGz(TRACE);
    const { files, codes } = await unpackToMemory({ 'a.tgz': joinBytes([archive, zeros]) });
    expect(files).toEqual(inside('a.tgz'));
    expect(codes).toEqual([]);
    const wrong = archive.slice();
    wrong[wrong.length - 6] ^= 1;
    for (const damaged of [wrong, archive.subarray(0, -4), archive.subarray(0, -9)])
      expect((await unpackToMemory({ 'a.tgz': joinBytes([damaged, zeros]) })).codes).toHaveLength(1);
    const foreign = await unpackToMemory({ 'a.tgz': joinBytes([archive, zeros, bytes('not gzip')]) });
    expect(foreign.files).toEqual(inside('a.tgz'));
    expect(foreign.codes).toHaveLength(1);
  });

  it('whose gzip is cut off or damaged keep what is before', async () => {
    const counted = bytes(Array.from({ length: 9000 }, (_, i) => `event ${i}\n`).join(''));
    const archive = await packTarGz(new Map([...TRACE, ['t/stream_1', counted]]));
    const cut = await unpackToMemory({ 'a.tar.gz': archive.subarray(0, archive.length - 4000) });
    expect(cut.codes).toEqual(['archive-truncated']);
    const part = cut.files.get('a.tar.gz/t/stream_1') ?? noise(0);
    expect(part.length).toBeGreaterThan(20_000);
    expect(part).toEqual(counted.subarray(0, part.length));
    const changed = await packTarGz(TRACE);
    changed[changed.length - 6] ^= 1;
    const wrong = await unpackToMemory({ 'a.tar.gz': changed });
    expect(wrong.codes).toEqual(['archive-damaged']);
    expect(wrong.files).toEqual(inside('a.tar.gz'));
  });

  it('are not what a gzip holds always', async () => {
    const { codes, files } = await unpackToMemory({ 'a.gz': gzipSync(bytes('{"a": 1}')) });
    expect(codes).toEqual(['not-a-trace']);
    expect(files.size).toBe(0);
  });
});

describe('what an archive may do is bounded', () => {
  const limits = { members: 3, freeBytes: 100_000, ratio: 20 };

  it('in bytes: a small one does not fill the disk', async () => {
    const bomb = new Map([...TRACE, ['t/zeros', new Uint8Array(5_000_000)]]);
    for (const archive of [packZip(bomb), await packTarGz(bomb)]) {
      const kind = archive[0] === 0x50 ? 'a.zip' : 'a.tar.gz';
      const { codes, files } = await unpackToMemory(
        { [kind]: archive },
        { limits: { ...limits, members: 9 } },
      );
      expect(codes).toEqual(['archive-too-large']);
      expect(files.get(`${kind}/t/metadata`)).toEqual(metadata.bytes);
      const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
      expect(total).toBeLessThanOrEqual(Math.max(limits.freeBytes, limits.ratio * archive.length));
    }
  });

  it('in bytes of archives within it, too', async () => {
    const zeros = packZip(new Map([['t/metadata', new Uint8Array(5_000_000)]]));
    const { codes } = await unpackToMemory({ 'a.zip': packZip(new Map([['in.zip', zeros]])) }, { limits });
    expect(codes).toEqual(['archive-too-large']);
  });

  it('in files', async () => {
    const many = new Map([...TRACE, ['t/stream_1', noise(5)], ['t/stream_2', noise(5)]]);
    for (const archive of [packZip(many), await packedTar(many)]) {
      const { codes, files } = await unpackToMemory({ 'a.zip': archive }, { limits });
      expect(codes).toEqual(['archive-too-large']);
      expect(files.size).toBe(3);
    }
    expect(LIMITS.members).toBeGreaterThan(1000);
  });

  it('in files of all archives together', async () => {
    const archive = await packedTar(new Map([...TRACE].slice(0, 2)));
    const { files, faults } = await unpackToMemory(
      { 'a.tar': archive, 'b.tar': archive, 'c.tar': archive, note: bytes('no archive') },
      { limits },
    );
    expect([...files.keys()]).toEqual(['a.tar/t/metadata', 'a.tar/t/stream_0', 'b.tar/t/metadata', 'note']);
    const found = 'more than 3 files';
    expect(faults).toMatchObject([
      { code: 'archive-too-large', place: { file: 'b.tar' }, found },
      { code: 'archive-too-large', place: { file: 'c.tar' }, found },
    ]);
  });

  it('in files of archives within it, together', async () => {
    const inner = await packedTar(new Map([...TRACE].slice(0, 2)));
    const again = (name: string) => {
      return { header: { name, type: 'link' as const, linkname: '0.tar', size: 0 } };
    };
    const archive = await packTar([
      { header: { name: '0.tar', size: inner.length }, body: inner },
      ...['1.tar', '2.tar'].map(again),
    ]);
    let opened = 0;
    const open: SourceOpener = (ref) => {
      opened++;
      return openSource(ref);
    };
    const { codes, files } = await unpackToMemory({ 'a.tar': archive }, { limits, open });
    expect([...files.keys()]).toEqual([
      'a.tar/0.tar/t/metadata',
      'a.tar/0.tar/t/stream_0',
      'a.tar/1.tar/t/metadata',
    ]);
    expect(codes).toEqual(['archive-too-large', 'archive-too-large']);
    // To see what they are the outer one and the three in it, to unpack them those that fit.
    expect(opened).toBe(1 + 3 + 3);
  });

  it('in names, which lead nowhere', async () => {
    const names = ['../../metadata', '/etc/../../stream', 'C:\\..\\stream_1', 'a/./b//\u202estream'];
    const members = names.map((name) => ({ ...stream, name }));
    const { files } = await unpackToMemory({
      'a.zip': writeZip([...members, { ...stream, name: 'a/b/metadata' }]),
    });
    const inFolder = ['metadata', 'stream', 'stream_1', 'a/b/\u202estream', 'a/b/metadata'];
    expect([...files.keys()]).toEqual(inFolder.map((name) => `a.zip/${name}`));
  });

  it('in time: it can be stopped, and what is there stays', async () => {
    const stop = new AbortController();
    stop.abort();
    const { codes } = await unpackToMemory({ 'a.tar.gz': await packTarGz(TRACE) }, { signal: stop.signal });
    expect(codes).toContain('cancelled');
  });
});

/** A header of a file becomes that of a sparse one of which `size` bytes are stored, and whose map goes on behind it. */
function makeSparse(header: Uint8Array, size: number): void {
  header[156] = 'S'.charCodeAt(0);
  header[482] = 1;
  const put = (at: number, value: number): void => header.set(bytes(value.toString(8).padStart(6, '0')), at);
  header.fill(0, 124, 136);
  put(124, size);
  header.fill(0x20, 148, 156);
  put(
    148,
    header.reduce((sum, byte) => sum + byte, 0),
  );
}

function directoryOf(archive: Uint8Array): number {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  return view.getUint32(archive.length - 6, true);
}
