import { describe, expect, test } from 'vitest';
import { buildIdSection, codeSection, symbolSections, writeElf } from '../../../test/support/elf-writer.ts';
import { Crc32 } from '../base/crc32.ts';
import type { SourceRef } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { SymbolFiles } from './symbol-files.ts';
import type { ModuleSymbols } from './symbols.ts';

const FORM = { is64: true, isLittle: true };

interface Given {
  readonly id?: string;
  /** The name of its only function. */
  readonly function?: string;
  readonly debugLink?: readonly [name: string, crc: number];
}

function linkBytes([name, crc]: readonly [string, number]): Uint8Array {
  const bytes = new Uint8Array((Math.floor(name.length / 4) + 2) * 4);
  bytes.set(new TextEncoder().encode(name));
  new DataView(bytes.buffer).setUint32(bytes.length - 4, crc, true);
  return bytes;
}

function elf(path: string, { id, function: name, debugLink }: Given): SourceRef {
  const bytes = writeElf(FORM, 0n, [
    codeSection(0x1000n, 16),
    ...(name === undefined ? [] : symbolSections(FORM, [{ name, value: 0x1000n, size: 16n }])),
    ...(id === undefined ? [] : [buildIdSection(FORM, id)]),
    ...(debugLink === undefined ? [] : [{ name: '.gnu_debuglink', type: 1, bytes: linkBytes(debugLink) }]),
  ]);
  return { kind: 'memory', path, size: bytes.length, bytes };
}

async function functionOf(files: SymbolFiles, path: string, buildId?: string): Promise<string | undefined> {
  const symbols = await files.module({ path, buildId });
  return symbols && (await symbols.at(new Float64Array([0x1000])))[0].function;
}

test('a module is the file with its id, whatever it is called', async () => {
  const [own, other] = ['aa'.repeat(20), 'bb'.repeat(20)];
  const files = [
    elf('t/elf/prog', { id: other, function: 'new' }),
    elf('t/old/p', { id: own, function: 'old' }),
  ];
  const found = new SymbolFiles(files, openSource);
  expect(await functionOf(found, '/usr/bin/prog', own)).toBe('old');
  expect(found.faults).toEqual([]);
});

test('a file of its name and another id is a fault, once', async () => {
  const [own, other] = ['aa'.repeat(20), 'bb'.repeat(20)];
  const found = new SymbolFiles([elf('t/elf/prog', { id: other, function: 'new' })], openSource);
  for (let i = 0; i < 2; i++) expect(await functionOf(found, '/usr/bin/prog', own)).toBeUndefined();
  expect(found.faults).toEqual([
    { code: 'symbols-other-build', place: { file: 't/elf/prog' }, expected: `build id ${own}`, found: other },
  ]);
});

test('a debug file of the machine names what no opened file does, if it is of the build', async () => {
  const [own, other] = ['aa'.repeat(20), 'bb'.repeat(20)];
  const asked: string[] = [];
  const installed = (id: string) => (buildId: string) => {
    asked.push(buildId);
    return Promise.resolve(elf('.build-id/aa/aa.debug', { id, function: 'main' }));
  };
  const found = new SymbolFiles([elf('t/prog', { id: own })], openSource, true, undefined, installed(own));
  for (let i = 0; i < 2; i++) expect(await functionOf(found, '/usr/bin/prog', own)).toBe('main');
  expect(asked).toEqual([own]);
  const wrong = new SymbolFiles([], openSource, true, undefined, installed(other));
  expect(await functionOf(wrong, '/usr/bin/prog', own)).toBeUndefined();
  expect(wrong.faults).toMatchObject([{ code: 'symbols-other-build', found: other }]);
  // A recording without ids: the program's own file says it.
  const named = new SymbolFiles([elf('t/prog', { id: own })], openSource, true, undefined, installed(own));
  expect(await functionOf(named, '/usr/bin/prog')).toBe('main');
  expect(await functionOf(wrong, '/usr/bin/prog')).toBeUndefined();
});

test('a folder of debug files by build id names functions of programs that are not there', async () => {
  const id = 'aa'.repeat(20);
  const files = [elf(`debug/.build-id/aa/${id.slice(2)}.debug`, { id, function: 'main' })];
  const found = new SymbolFiles(files, openSource);
  expect(await functionOf(found, '/usr/bin/prog', id)).toBe('main');
  expect(await found.stateOf({ path: '/usr/bin/prog', buildId: id })).toBe('found');
  const withProgram = new SymbolFiles([...files, elf('t/prog', { id })], openSource);
  expect(await functionOf(withProgram, '/usr/bin/prog')).toBe('main');
});

test('without an id it is the file of its name, if files of one build have it', async () => {
  const id = 'aa'.repeat(20);
  const one = elf('a/prog', { id, function: 'main' });
  expect(await functionOf(new SymbolFiles([one], openSource), '/opt/prog')).toBe('main');
  expect(await functionOf(new SymbolFiles([one], openSource), '/opt/prog2')).toBeUndefined();
  const copy = elf('b/prog', { id, function: 'main' });
  expect(await functionOf(new SymbolFiles([one, copy], openSource), '/opt/prog')).toBe('main');
  const other = elf('b/prog', { id: 'bb'.repeat(20), function: 'other' });
  expect(await functionOf(new SymbolFiles([one, other], openSource), '/opt/prog')).toBeUndefined();
});

test('functions may be in the debug file that the program names, if its checksum or its id is right', async () => {
  const debug = elf('debug/prog.debug', { function: 'main' });
  const crc = new Crc32();
  crc.update((debug as { readonly bytes: Uint8Array }).bytes);
  const linked = (value: number) => [elf('prog', { debugLink: ['prog.debug', value] }), debug];
  expect(await functionOf(new SymbolFiles(linked(crc.value), openSource), '/opt/prog')).toBe('main');
  const other = new SymbolFiles(linked(crc.value ^ 1), openSource);
  expect(await functionOf(other, '/opt/prog')).toBeUndefined();
  expect(other.faults.map(({ code, place }) => [code, place.file])).toEqual([
    ['symbols-other-build', 'debug/prog.debug'],
  ]);
  const id = 'aa'.repeat(20);
  const built = [
    elf('prog', { id, debugLink: ['prog.debug', 1] }),
    elf('prog.debug', { id, function: 'main' }),
  ];
  expect(await functionOf(new SymbolFiles(built, openSource), '/opt/prog')).toBe('main');
});

test('other files are left alone; a damaged one is a fault', async () => {
  const bytes = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 9, 9]);
  const text = new TextEncoder().encode('#!/bin/sh');
  const files: SourceRef[] = [
    { kind: 'memory', path: 'prog', size: bytes.length, bytes },
    { kind: 'memory', path: 'script', size: text.length, bytes: text },
    { kind: 'memory', path: 'empty', size: 0, bytes: new Uint8Array(0) },
  ];
  const found = new SymbolFiles(files, openSource);
  expect(await functionOf(found, '/opt/prog')).toBeUndefined();
  expect(found.faults.map(({ code, place }) => [code, place.file])).toEqual([['symbols-unreadable', 'prog']]);
});

function text(path: string, lines: readonly string[]): SourceRef {
  const bytes = new TextEncoder().encode(lines.join('\n'));
  return { kind: 'memory', path, size: bytes.length, bytes };
}

/** Names of functions at some addresses. */
async function namesIn(symbols: ModuleSymbols | undefined, addresses: readonly bigint[]) {
  const places = Float64Array.from(addresses, (address) => Number(address - (symbols?.firstPage ?? 0n)));
  return (await symbols?.at(places))?.map(({ function: name }) => name);
}

describe('lists of functions', () => {
  const kallsyms = text('t/kallsyms', [
    '0000000000000000 A fixed_percpu_data',
    '0000000000033000 A __per_cpu_end',
    'ffffffff81000000 T _text',
    'ffffffff81000040 t do_work',
    'ffffffff81000080 D some_data',
    'ffffffffc0000000 t in_module\t[wk]',
    'ffffffffc0000010 t behind\t[wk]',
    '',
  ]);
  const map = text('t/perf-42.map', [
    '7f0000001000 20 LazyCompile:~f x.js:1',
    '7f0000001000 10 Größe',
    '7f0000000000 8 a',
    '7f0000002000 100 big',
    '7f0000001ff0 20 over its begin',
    '7f0000002080 10 within',
    '',
  ]);

  test('are those of the kernel: a function ends where the next one begins, data of CPUs come first', async () => {
    const found = await new SymbolFiles([kallsyms, map], openSource).kernel();
    const base = 0xffff_ffff_8100_0000n;
    const module = 0xffff_ffff_c000_0000n;
    const addresses = [base, base + 0x7fn, base + 0x80n, base - 1n, module, module + 0x10n];
    expect(await namesIn(found, addresses)).toEqual([
      ...['_text', 'do_work', 'do_work', undefined, 'in_module', 'behind'],
    ]);
  });

  test('are those of a process: the last one that was compiled to a place holds', async () => {
    const files = new SymbolFiles([kallsyms, map], openSource);
    const addresses = [0x7f00_0000_1000n, 0x7f00_0000_1010n, 0x7f00_0000_1020n, 0x7f00_0000_0007n];
    expect(await namesIn(await files.process(42), addresses)).toEqual([
      ...['Größe', 'LazyCompile:~f x.js:1', undefined, 'a'],
    ]);
    const overlaps = [0x1ff0n, 0x200fn, 0x2010n, 0x2080n, 0x2090n, 0x2100n].map(
      (at) => 0x7f00_0000_0000n + at,
    );
    expect(await namesIn(await files.process(42), overlaps)).toEqual([
      ...['over its begin', 'over its begin', 'big', 'within', 'big', undefined],
    ]);
    expect(await files.process(43)).toBeUndefined();
    expect(files.faults).toEqual([]);
  });

  test('are not used where several hosts or files could be meant; hidden addresses are a fault', async () => {
    expect(await new SymbolFiles([kallsyms], openSource, false).kernel()).toBeUndefined();
    expect(
      await new SymbolFiles([kallsyms, { ...kallsyms, path: 'u/kallsyms' }], openSource).kernel(),
    ).toBeUndefined();
    const hidden = new SymbolFiles([text('kallsyms', ['0000000000000000 T _text', ''])], openSource);
    expect(await hidden.kernel()).toBeUndefined();
    expect(hidden.faults.map(({ code, found }) => [code, found])).toEqual([
      ['symbols-unreadable', 'none but 0'],
    ]);
  });
});
