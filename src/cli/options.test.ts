import { describe, expect, it } from 'vitest';
import { parseCommandLine, UsageError } from './options.ts';
import { parseRange } from './trace-session.ts';

describe('the command line', () => {
  it('has defaults', () => {
    const { command, operands, options } = parseCommandLine(['info', 'a', 'b'], 4);
    expect({ command, operands }).toEqual({ command: 'info', operands: ['a', 'b'] });
    expect(options).toMatchObject({ workers: 4, json: false, strict: false, chunkBytes: undefined });
    expect(parseCommandLine([], 1).command).toBe('help');
  });

  it('takes options anywhere', () => {
    const args = [
      '--workers',
      '0',
      'states',
      '--json',
      'x',
      '--chunk-bytes=1',
      '--offset',
      'a=5',
      '--offset',
      'b=-7',
      '--guest=a=b:12',
      '--guest=c:d=none',
    ];
    const { options } = parseCommandLine(args, 4);
    expect(options).toMatchObject({ workers: 0, json: true, chunkBytes: 1 });
    expect([...options.offsets]).toEqual([
      ['a', 5n],
      ['b', -7n],
    ]);
    expect([...options.guests]).toEqual([
      ['a', { host: 'b', pid: 12 }],
      ['c:d', undefined],
    ]);
  });

  it.each(['wasm', 'ts'] as const)('takes the decoder %s', (decoder) => {
    expect(parseCommandLine(['info', '--decoder', decoder], 1).options.decoder).toBe(decoder);
  });

  it.each([
    ['--workers', 'two'],
    ['--workers', '-1'],
    ['--chunk-bytes', '0'],
    ['--offset', 'a'],
    ['--guest', 'a=b'],
    ['--what'],
    ['--decoder', 'x'],
  ])('refuses %s %s', (...args) => {
    expect(() => parseCommandLine(['info', ...args.filter((arg) => arg !== undefined)], 1)).toThrow(
      UsageError,
    );
  });
});

describe('a range', () => {
  // 2026-11-21 01:37:23.737704787 UTC.
  const origin = 1795225043737704787n;

  it.each([
    ['5..10', 5, 10],
    ['..10', -Infinity, 10],
    ['7..', 7, Infinity],
    ['1795225043737704787..1795225043737704797', 0, 10],
    ['+0s..+1.5s', 0, 1_500_000_000],
    ['01:37:23.737704787..01:37:24.737704788', 0, 1_000_000_001],
  ])('%s', (text, from, to) => {
    expect(parseRange(text, origin)).toEqual({ from, to });
  });

  it('that passes midnight', () => {
    const late = 1795305599_000000000n; // 23:59:59 of the same day
    expect(parseRange('23:59:59..00:00:01', late)).toEqual({ from: 0, to: 2_000_000_000 });
  });

  it.each(['5', '10..5', 'a..b', '1..2..3', '25:00:00..', '12:60:00..', '..12:00:60', '12:00..'])(
    '%s is none',
    (text) => {
      expect(() => parseRange(text, origin)).toThrow(UsageError);
    },
  );
});
