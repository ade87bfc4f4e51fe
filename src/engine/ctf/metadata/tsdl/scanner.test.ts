import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Scanner } from './scanner.ts';
import { Refusal } from '../source.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

function tokens(text: string): (string | number | bigint)[] {
  const scanner = new Scanner({ text, file: 'metadata' });
  const { token } = scanner;
  const found: (string | number | bigint)[] = [];
  for (scanner.next(); token.kind !== 'end'; scanner.next()) {
    found.push(
      token.kind === 'number' ? token.value : token.kind === 'string' ? `"${token.text}` : token.kind,
    );
  }
  return found;
}

function faultOf(text: string) {
  try {
    tokens(text);
  } catch (error) {
    if (error instanceof Refusal) return error.fault;
    throw error;
  }
  return undefined;
}

describe('scanner', () => {
  test('punctuation takes the longest token', () => {
    expect(tokens(':= : ... . -> - = , ; { } [ ] ( ) < > * +')).toEqual(
      ':= : ... . -> - = , ; { } [ ] ( ) < > * +'.split(' '),
    );
    expect(tokens('a...b')).toEqual(['name', '...', 'name']);
  });

  test('comments and blanks are passed, CRLF too', () => {
    expect(tokens('a /* b \r\n ** */\r\n// c\r\nd // e')).toEqual(['name', 'name']);
  });

  test('integers: decimal, octal, hexadecimal, binary, with suffixes', () => {
    expect(tokens('0 42 017 0x1F 0XfF 0b101 1u 2UL 3llu')).toEqual([0, 42, 15, 31, 255, 5, 1, 2, 3]);
    expect(tokens('18446744073709551615')).toEqual([0xffff_ffff_ffff_ffffn]);
    expect(faultOf('18446744073709551616')).toMatchObject({ code: 'metadata-syntax' });
    expect(faultOf('9'.repeat(5_000_000))).toMatchObject({ code: 'metadata-syntax' });
  });

  test('strings with escapes; an unknown one is refused at its place', () => {
    expect(tokens(String.raw`"a\n\"b\\" L"w" '\x41\101'`)).toEqual(['"a\n"b\\', '"w', '"AA']);
    expect(faultOf(String.raw`x = "ab\q"`)).toMatchObject({ place: { line: 1, column: 8 }, found: '\\q' });
  });

  test('escapes are bytes of UTF-8; a null ends the string', () => {
    expect(tokens(String.raw`"\xc3\xa9" "\303\251é" "\x041" "\777" "ab\0c" "\0"`)).toEqual([
      '"é',
      '"éé',
      '"A',
      '"\ufffd',
      '"ab',
      '"',
    ]);
  });

  test('a string or a comment without an end is refused where it begins', () => {
    expect(faultOf('a\n  "bc')).toMatchObject({ place: { line: 2, column: 3, excerpt: '  "bc' } });
    expect(faultOf('a\n /* bc')).toMatchObject({
      place: { line: 2, column: 2 },
      expected: 'a comment that ends',
    });
  });

  test('a character of no token is refused', () => {
    expect(faultOf('trace { @ };')).toMatchObject({ expected: 'a token of TSDL', place: { column: 9 } });
  });

  test('very long words and blanks need no stack', () => {
    expect(tokens('a'.repeat(3_000_000))).toEqual(['name']);
    expect(tokens(`${' '.repeat(3_000_000)}b${'/**/'.repeat(500_000)}`)).toEqual(['name']);
    expect(tokens(`"${'\\n'.repeat(3_000_000)}"`)).toEqual([`"${'\n'.repeat(3_000_000)}`]);
  });

  test('any quoted string is read back', () =>
    forAll(100, [fc.string()], (text) => {
      const quoted = text.replace(/[\\"]/g, (character) => `\\${character}`);
      expect(tokens(`"${quoted}"`)).toEqual([`"${text}`]);
    }));
});
