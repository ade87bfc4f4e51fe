import { describe, expect, test } from 'vitest';
import { withLimits } from '../base/wasm-limits.ts';
import { readableNames } from './readable-names.ts';

async function readable(name: string): Promise<string | undefined> {
  return (await readableNames([name])).get(name);
}

describe('names', () => {
  test.each([
    ['_ZL11main_threadPv', 'main_thread(void*)'],
    ['_ZN2wk5store3mixILi7EEEmm', 'wk::store::mix<7>(unsigned long)'],
    ['_ZN3foo3barEv.cold', 'foo::bar() [clone .cold]'],
    ['_RNvCs1234_7mycrate3foo', 'mycrate::foo'],
    ['_ZN4core3fmt9Formatter3pad17h0123456789abcdefE', 'core::fmt::Formatter::pad'],
  ])('%s', async (mangled, name) => expect(await readable(mangled)).toBe(name));

  test.each(['main', '_start', '_init', '_Read', '_Zebra', '_R', '_Z', 'Z3foov', '?f@@YAHXZ', ''])(
    'that are not mangled have no other one: "%s"',
    async (name) => expect(await readable(name)).toBeUndefined(),
  );

  test('that stand for billions of characters are left as they are, and others are read behind them', async () => {
    const bombs = Array.from({ length: 3 }, (_, i) => bomb(40 + i));
    const names = await readableNames([...bombs, '_ZL11main_threadPv']);
    expect([...names]).toEqual([['_ZL11main_threadPv', 'main_thread(void*)']]);
  });

  test('of damaged bytes never fail', async () => {
    const names = ['N', 'P', 'LZ', 'F', 'dpds', 'IX', 'S_'].map((part) => `_Z1f${part.repeat(2000)}`);
    for (const name of names) expect(await readable(name)).not.toBe('');
  });
});

/** Each argument is a template of the argument before, twice. */
function bomb(levels: number): string {
  let name = '_Z1f1AIiiE';
  for (let i = 0; i < levels; i++) {
    const before = i === 0 ? 'S0_' : `S${i.toString(36).toUpperCase()}_`;
    name += `S_I${before}${before}E`;
  }
  return name;
}

test.each([
  ...(['da', 'dl', 'na', 'nw'] as const).map((part) => `_Z1f${part.repeat(32)}`),
  ...(['da', 'dl', 'na', 'nw', 'psda', 'dt', 'ps', 'sz', 'cv', 'gsdl'] as const).map(
    (part) => `_Z1fDT${part.repeat(40)}`,
  ),
  `_Z1fDT${'psda'.repeat(40)}`,
])('names that take the library exponential time end soon: %s', { timeout: 10_000 }, async (name) => {
  const begin = performance.now();
  await readable(name);
  expect(performance.now() - begin).toBeLessThan(5000);
});

test('a module cannot grow or go on beyond its limits', () => {
  // Its memory is `m`; `f` calls itself for ever.
  const wasm = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 4, 1, 0x60, 0, 0],
    ...[3, 2, 1, 0],
    ...[5, 3, 1, 0, 1],
    ...[6, 6, 1, 0x7f, 1, 0x41, 7, 0x0b],
    ...[7, 9, 2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0],
    ...[10, 9, 1, 7, 0, 0x03, 0x40, 0x10, 0, 0x0b, 0x0b],
  ]);
  const limited = withLimits(wasm, { growth: 2, steps: 'left' }) ?? new Uint8Array(0);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(limited));
  const { m, f, left } = instance.exports as {
    readonly m: WebAssembly.Memory;
    readonly f: () => void;
    readonly left: WebAssembly.Global<'i32'>;
  };
  m.grow(2);
  expect(() => m.grow(1)).toThrow();
  left.value = 100;
  expect(f).toThrow(/unreachable/);
  expect(left.value).toBe(0);
  expect(withLimits(wasm.subarray(0, 8), { growth: 2, steps: 'left' })).toBeUndefined();
});
