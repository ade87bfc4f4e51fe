import { describe, expect, test } from 'vitest';
import { withCappedMemory } from '../base/capped-memory.ts';
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

test('a module with a memory of one page cannot grow beyond its limit', () => {
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const wasm = Uint8Array.from([...head, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x6d, 2, 0]);
  const capped = withCappedMemory(wasm, 2) ?? new Uint8Array(0);
  const { m } = new WebAssembly.Instance(new WebAssembly.Module(capped)).exports as { m: WebAssembly.Memory };
  m.grow(2);
  expect(() => m.grow(1)).toThrow();
  expect(withCappedMemory(Uint8Array.from(head), 2)).toBeUndefined();
});
