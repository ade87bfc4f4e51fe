import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPath, writePath } from '../path/path-commands.ts';
import { CRITERIA } from '../path/path-words.ts';
import { readClocks, writeClocks, readGuests, writeGuests } from '../sync/clock-link.ts';
import type { FindingPlace } from '../../engine/protocol/summary.ts';
import { linkOfPlace } from '../../engine/words/place-link.ts';
import { placesOf } from './link-places.ts';
import { readAddressOf, readLink, writeLink, type LinkedView } from './link.ts';
import { forAll } from '../../../test/support/for-all.ts';

const time = fc.integer({ min: -1e15, max: 1e15 });
const range = fc
  .tuple(time, fc.integer({ min: 1, max: 1e12 }))
  .map(([from, length]) => ({ from, to: from + length }));
const path = fc.record({
  row: fc.string(),
  at: fc.option(time, { nil: undefined }),
  isCall: fc.constantFrom(true, undefined),
  criterion: fc.constantFrom(...CRITERIA.map(({ id }) => id)),
  marked: fc.array(fc.string()),
  foldLoops: fc.boolean(),
});
const number = fc.nat(999_999_999);
const machine = fc.record({ host: number, pid: number });
const guest = fc.record({ guest: number, machine: fc.option(machine, { nil: undefined }) });
const offset = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const clocks = fc
  .uniqueArray(fc.tuple(number, offset), { minLength: 1, selector: ([host]) => host })
  .map((offsets) => ({ offsets: new Map(offsets) }));
const link: fc.Arbitrary<LinkedView> = fc.record({
  trace: fc.string({ minLength: 1 }),
  name: fc.string(),
  url: fc.option(fc.webUrl(), { nil: undefined }),
  view: fc.option(range, { nil: undefined }),
  range: fc.option(range, { nil: undefined }),
  row: fc.option(fc.string(), { nil: undefined }),
  at: fc.option(time, { nil: undefined }),
  isCall: fc.constantFrom(true, undefined),
  tab: fc.option(fc.constantFrom('selection', 'statistics', 'info'), { nil: undefined }),
  lesson: fc.option(fc.string(), { nil: undefined }),
});

describe('links', () => {
  it('read back as they were written', () =>
    forAll(100, [link, fc.option(path, { nil: undefined }), fc.array(guest)], (written, path, guests) => {
      const text = writeLink(written, (parts) => {
        writePath(parts, path);
        writeGuests(parts, guests);
      });
      const { parts = new URLSearchParams(), ...read } = readLink(text) ?? {};
      expect(read).toEqual(written);
      expect(readPath(parts)).toEqual(path);
      expect(readGuests(parts)).toEqual(guests);
    }));

  it('read back the offsets of clocks, and no others', async () => {
    await forAll(100, [fc.option(clocks, { nil: undefined })], (written) => {
      const parts = new URLSearchParams();
      writeClocks(parts, written);
      expect(readClocks(parts)).toEqual(written);
    });
    expect(readClocks(new URLSearchParams('clock=1&clock=1~x&clock=~5&clock=1~2~3'))).toBeUndefined();
  });

  it('may ask for an address, with a trace or without', () => {
    expect(readAddressOf('#url=https%3A%2F%2Fa.org%2Fb.zip')).toBe('https://a.org/b.zip');
    expect(readAddressOf(writeLink({ trace: 'k', name: '', url: 'https://a.org/?a&b#c' }))).toBe(
      'https://a.org/?a&b#c',
    );
    expect(readAddressOf('#trace=1')).toBeUndefined();
  });

  it('are none without a trace', () => {
    expect(readLink('')).toBeUndefined();
    expect(readLink('#view=1~2')).toBeUndefined();
  });

  it('lose what makes no sense, and keep the rest', () => {
    const { parts, ...read } = readLink('#trace=k&name=n&view=9~1&range=x&at=1e3&guest=1~2') ?? {};
    expect(read).toEqual({ trace: 'k', name: 'n' });
    expect(readGuests(parts ?? new URLSearchParams())).toEqual([]);
    const pathOf = (text: string) => readPath(new URLSearchParams(text));
    expect(pathOf('trace=k&criterion=exact&unrelated=a&fold=1')).toBeUndefined();
    expect(pathOf('trace=k&path=a&path-at=1e3&criterion=toString&fold=yes')).toEqual({
      row: 'a',
      at: undefined,
      criterion: 'main-task',
      marked: [],
      foldLoops: false,
    });
  });

  it('say of a path only what was chosen', () => {
    const plain = { row: 'thread:0:1', criterion: 'main-task', marked: [], foldLoops: false } as const;
    const link = writeLink({ trace: 'k', name: '' }, (parts) => writePath(parts, plain));
    expect(link).toBe('#trace=k&name=&path=thread%3A0%3A1');
  });

  it('never throw', () => forAll(100, [fc.string()], (text) => void readLink(text)));
});

it('keeps times and ids of a link, and nothing that has names', () => {
  const places = 'view=1%7E9&at=5&tab=path&row=thread%3A0%3A7&path=thread%3A0%3A7&path-at=5&criterion=exact';
  const named = 'name=secret&url=https%3A%2F%2Fsecret%2Fa.zip&events.filter=comm%3Dsecret&unrelated=secret';
  expect(placesOf(`#trace=f0&${named}&${places}`)).toBe(`#trace=part&${places}`);
  expect(placesOf('#trace=f0&row=program%3A0%3Asecret&tab=%3Cb%3E')).toBe('#trace=part');
});

describe('a link to the place of a finding', () => {
  const linkOf = (place: FindingPlace) =>
    readLink(linkOfPlace({ trace: 't', name: 'n & m', url: 'https://a.b/c' }, place));

  it('names the trace and the tab', () => {
    const of = { trace: 't', name: 'n & m', url: 'https://a.b/c' };
    expect(linkOf({ tab: 'info' })).toMatchObject({ ...of, tab: 'info' });
    expect(linkOf({ tab: 'statistics', section: 'irq' })?.parts.get('statistics.section')).toBe('irq');
  });

  it('has the path as the page reads it', () => {
    const row = 'thread:0:216';
    const found = linkOf({ tab: 'path', row, range: { from: 3, to: 9 }, criterion: 'lock-holder' });
    expect(found).toMatchObject({ row, range: { from: 3, to: 9 }, tab: 'path' });
    expect(found && readPath(found.parts)).toMatchObject({ row, criterion: 'lock-holder' });
  });

  it('has a wait for a lock, and what is chosen', () => {
    const wait = { row: 'thread:0:2', range: { from: 1, to: 5 }, at: 3 };
    const found = linkOf({ tab: 'locks', lock: '0:kernel:0xff', wait });
    expect(found).toMatchObject({ row: wait.row, view: wait.range, at: 3, tab: 'locks' });
    expect(found?.parts.get('locks.lock')).toBe('0:kernel:0xff');
    expect(found?.parts.get('locks.view')).toBe('waits');
  });
});
