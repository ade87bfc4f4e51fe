/** Whatever the text, reading ends soon, with a model or a fault. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTsdl } from './read-tsdl.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

const HEAD = 'trace { major = 1; minor = 8; byte_order = le; };\ntypealias integer { size = 8; } := u8;\n';

function codeOf(text: string): string {
  const result = readTsdl({ text, file: 'metadata' });
  return result.ok ? 'read' : result.fault.code;
}

const STREAM = 'stream { event.header := struct { u8 id; }; };';

function eventsWith(count: number, fields: string): string[] {
  return Array.from({ length: count }, (_, i) => `event { name = e; id = ${i}; ${fields} };\n`);
}

describe('hostile metadata', () => {
  test('types nested without end', () => {
    expect(codeOf(HEAD + 'struct { '.repeat(100_000))).toBe('over-limit');
    expect(codeOf(`${HEAD}env { a = ${'('.repeat(100_000)}`)).toBe('over-limit');
    expect(codeOf(`${HEAD}typedef u8 ${'('.repeat(100_000)}`)).toBe('over-limit');
    expect(codeOf(`${HEAD}typedef u8 a${'[2]'.repeat(100_000)};`)).toBe('over-limit');
  });

  test('aliases that double each other', () => {
    const doubled = Array.from(
      { length: 64 },
      (_, i) => `struct s${i + 1} { struct s${i} a; struct s${i} b; };`,
    );
    expect(codeOf(`${HEAD}struct s0 { u8 a; };${doubled.join('\n')}`)).toBe('over-limit');
  });

  test('aliases that nest each other', () => {
    const chained = Array.from({ length: 5_000 }, (_, i) => `struct s${i + 1} { struct s${i} a; };`);
    expect(codeOf(`${HEAD}struct s0 { u8 a; };${chained.join('\n')}`)).toBe('over-limit');
  });

  test('a large type in many events', () => {
    const members = Array.from({ length: 20_000 }, (_, i) => `u8 m${i};`).join('');
    const events = eventsWith(1_000, 'fields := struct s;').join('');
    expect(codeOf(`${HEAD}struct s { ${members} };${STREAM}${events}`)).toBe('over-limit');
  });

  test('a name of a megabyte', () => {
    const long = 'm'.repeat(2 ** 20);
    const type = `struct s { u8 n; u8 ${long}[n]; };`;
    const events = eventsWith(1_000, 'fields := struct s;');
    expect(codeOf(HEAD + type + STREAM + events.slice(0, 200).join(''))).toBe('read');
    expect(codeOf(HEAD + type + STREAM + events.join(''))).toBe('over-limit');
    const four = Array.from({ length: 4 }, (_, i) => `u8 ${long}${i};`).join('');
    expect(codeOf(`${HEAD}struct s { ${four} };`)).toBe('over-limit');
  });

  test('a large context that many events have', () => {
    const members = Array.from({ length: 20_000 }, (_, i) => `u8 m${i};`).join('');
    const events = eventsWith(1_000, 'fields := struct { u8 a; };');
    const stream = `stream { event.header := struct { u8 id; }; event.context := struct { ${members} }; };`;
    expect(codeOf(HEAD + stream + events.slice(0, 100).join(''))).toBe('read');
    expect(codeOf(HEAD + stream + events.join(''))).toBe('over-limit');
  });

  test('more events than rows can tell apart', () => {
    const events = eventsWith(2 ** 16 + 1, '');
    expect(codeOf(HEAD + STREAM + events.slice(1).join(''))).toBe('read');
    expect(codeOf(HEAD + STREAM + events.join(''))).toBe('over-limit');
  });

  test('many unknown attributes', () => {
    const attributes = Array.from({ length: 20_000 }, (_, i) => `\nx${i} = 1;`).join('');
    const result = readTsdl({ text: `${HEAD}event { name = e; ${attributes} };`, file: 'metadata' });
    expect(result.ok && result.value.warnings.length).toBe(100);
  });

  test('any text, and any change of a text, gives a model or a fault', async () => {
    const punctuation = '{ } ; := = < > [ ] ( ) * , . ... - " /* */';
    const words =
      'trace struct enum variant integer string typealias typedef align size event stream env clock';
    const token = fc.constantFrom(...`${punctuation} ${words} a u8 8 0x`.split(' '), '\n');
    const piece = fc.oneof(token, fc.string({ maxLength: 3 }));
    const whole = `${HEAD}stream { event.header := struct { enum : u8 { A = 0 ... 3, B } id; variant <id> { u8 A; } v; }; };
event { name = "e"; id = 1; fields := struct { u8 n; string s[n]; struct { u8 x; } align(8) t[2]; }; };`;
    await forAll(500, [fc.array(piece), fc.nat(whole.length), fc.nat(20)], (pieces, at, cut) => {
      readTsdl({ text: whole.slice(0, at) + pieces.join(' ') + whole.slice(at + cut), file: 'metadata' });
      readTsdl({ text: pieces.join(' '), file: 'metadata' });
    });
  });
});
