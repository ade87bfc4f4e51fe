import { describe, expect, it } from 'vitest';
import { formatDay } from '../start/recent-traces.tsx';
import {
  fixedDigits,
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatRange,
  formatShort,
} from './numbers.ts';
import { fieldsText, plural, visibleCharacters, visibleText } from './text.ts';
import { roundStep } from '../../engine/words/scale.ts';
import { parseTime } from './time-entry.ts';

const plain = (text: string) => text.replaceAll('\u2009', ' ');

it('steps are the least of 1-2-5', () => {
  expect([0.3, 1, 3, 12, 70, 600].map(roundStep)).toEqual([0.5, 1, 5, 20, 100, 1000]);
});

describe('numbers', () => {
  it('have thin spaces between thousands', () => {
    expect(formatCount(44365)).toBe('44\u2009365');
  });

  it.each<[string, (value: number) => string, Readonly<Record<string, number | readonly number[]>>]>([
    ['are written in full', formatCount, { 999: 999, '1 234 567': 1_234_567 }],
    [
      'are shortened with a prefix from ten thousand on',
      formatShort,
      { '9 999': 9_999, '3.1 M': 3_141_592, '523 k': 523_000 },
    ],
    [
      'name bytes',
      formatBytes,
      {
        ...{ '0 B': 0, '999 B': [999, 999.4], '1.0 kB': 999.6, '999 kB': 999_499 },
        ...{ '1.0 MB': [999_500, 999_999], '1.7 MB': 1_738_064, '920 MB': 920_000_000 },
      },
    ],
    [
      'take the unit of time that fits',
      formatDuration,
      {
        ...{ '0 s': 0, '17 ns': 17, '4.25 µs': 4_250, '591.2 µs': 591_234 },
        ...{ '3.412 ms': 3_412_000, '5.850 s': 5_850_000_000 },
      },
    ],
    [
      'take it by what is shown, which is rounded',
      formatDuration,
      {
        ...{ '999 ns': 999.4, '1.00 µs': 999.5, '99.99 µs': 99_994, '100.0 µs': 99_995 },
        ...{ '999.9 µs': 999_949, '1.000 ms': [999_950, 999_999], '999.999 ms': 999_999_499 },
        '1.000 s': 999_999_999,
      },
    ],
    [
      'have a minus sign, no hyphen, where they go back',
      formatDuration,
      { '−2.071 ms': -2_071_000, '−5 ns': -5 },
    ],
    [
      'are exact to the nanosecond when asked',
      formatExact,
      {
        ...{ '4.026 477 182 s': 4_026_477_182, '3.412 345 ms': 3_412_345 },
        ...{ '4.250 µs': 4_250, '−3.412 345 ms': -3_412_345 },
      },
    ],
    [
      'keep every digit of large and negative times',
      (value) => fixedDigits(value, 9),
      { '9 007 199.254 740 991': 9_007_199_254_740_991, '−0.000 000 005': -5 },
    ],
  ])('%s', (_, format, texts) => {
    for (const [text, values] of Object.entries(texts))
      for (const value of [values].flat()) expect(plain(format(value))).toBe(text);
  });

  it.each([
    [0, 1_528_123_456, '0 s to 1.528 s'],
    [262_000_000, 267_000_000, '262.000 ms to 267.000 ms'],
    [1_528_120_000, 1_528_124_000, '1.528 120 00 s to 1.528 124 00 s'],
    [1_528_123_456, 1_528_123_464, '1.528 123 456 s to 1.528 123 464 s'],
    [999_999_999_995, 1_000_000_000_003, '999.999 999 995 s to 1 000.000 000 003 s'],
    [-40, 360, '−40 ns to 360 ns'],
  ])('tell the ends of a range apart: %d to %d ns', (from, to, text) =>
    expect(plain(formatRange(from, to))).toBe(text),
  );
});

describe('typed times', () => {
  it('are seconds unless they name a unit', () => {
    expect(parseTime('4.2')).toBe(4_200_000_000);
    expect(parseTime(' 350 ms ')).toBe(350_000_000);
    expect(parseTime('12us')).toBe(12_000);
    expect(parseTime('4.026\u2009477\u2009182 s')).toBe(4_026_477_182);
    expect(parseTime('-1.5 ms')).toBe(-1_500_000);
    expect(parseTime('74,928 ms')).toBe(74_928_000);
    expect(parseTime(',5 s')).toBe(500_000_000);
    expect(parseTime(formatExact(-1_500_000))).toBe(-1_500_000);
  });

  it('are nothing otherwise', () => {
    for (const text of ['', 'now', '1 2 x', '.', ',', '1,2,3', '1.234,5', '1e9'])
      expect(parseTime(text)).toBeUndefined();
  });
});

describe('text of a trace', () => {
  it('shows what would be invisible or reorder', () => {
    expect(visibleText('a\u0007b')).toBe('a⟨07⟩b');
    expect(visibleText('a\u202eb')).toBe('a⟨202e⟩b');
    expect(visibleText('plain näme')).toBe('plain näme');
  });

  it('is capped', () => {
    expect(visibleText('x'.repeat(10_000)).length).toBeLessThan(300);
  });

  it('is all there where its length has a limit of its own', () => {
    expect(visibleCharacters(`${'x'.repeat(500)}\u202e`)).toBe(`${'x'.repeat(500)}⟨202e⟩`);
  });

  it('counts in words', () => {
    expect(plural(1, 'host')).toBe('1 host');
    expect(plural(2, 'host')).toBe('2 hosts');
  });
});

describe('fields of an event', () => {
  it.each([
    ['{"irq":31,"name":"eth0"}', 'irq=31, name="eth0"'],
    ['{"comm":"a, \\"b\\": {","list":[1,2],"in":{"x":-1}}', 'comm="a, \\"b\\": {", list=[1, 2], in={x=-1}'],
    ['{}', ''],
    ['-', ''],
  ])('%s are read as %s', (canonical, text) => expect(fieldsText(canonical)).toBe(text));

  it('are read with what integers mean', () => {
    const meant = (name: string, integer: string) => (name === 'a' ? `<${integer}>` : undefined);
    const canonical = '{"a":-12,"b":1,"c":"\\"a\\":3","a":0x1f,"a":2["x"],"a":[1,2],"a":1.5,"d":{"a":7}}';
    expect(fieldsText(canonical, meant)).toBe(
      'a=<-12>, b=1, c="\\"a\\":3", a=<0x1f>, a=2["x"], a=[1, 2], a=1.5, d={a=<7>}',
    );
  });
});

describe('days', () => {
  const now = new Date(2026, 10, 21, 9, 30).getTime();

  it('are named from today backwards', () => {
    expect(formatDay(new Date(2026, 10, 21, 1, 17).getTime(), now)).toBe('today, 01:17');
    expect(formatDay(new Date(2026, 10, 20, 23, 59).getTime(), now)).toBe('yesterday');
    expect(formatDay(new Date(2026, 10, 18).getTime(), now)).toBe('18 Nov');
    expect(formatDay(new Date(2025, 10, 18).getTime(), now)).toBe('18 Nov 2025');
  });
});
