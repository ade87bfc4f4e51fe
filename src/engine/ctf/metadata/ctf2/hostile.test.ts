/** Whatever the text, reading ends soon, with a model or a fault. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCtf2 } from './read-ctf2.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

const HEAD = '\u001e{"type":"preamble","version":2}\n';
const STREAM = '\u001e{"type":"data-stream-class"}\n';
const U8 = '{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian"}';

function codeOf(text: string): string {
  const result = readCtf2({ text, file: 'metadata' });
  return result.ok ? 'read' : result.fault.code;
}

function alias(name: string, fieldClass: string): string {
  return `\u001e{"type":"field-class-alias","name":"${name}","field-class":${fieldClass}}\n`;
}

function struct(...classes: readonly string[]): string {
  const members = classes.map((type, index) => `{"name":"m${index}","field-class":${type}}`);
  return `{"type":"structure","member-classes":[${members.join(',')}]}`;
}

function eventsWith(count: number, more: string): string[] {
  const event = '"type":"event-record-class"';
  return Array.from({ length: count }, (_, id) => `\u001e{${event},"id":${id}${more}}\n`);
}

describe('hostile metadata', () => {
  test('JSON nested without end', () => {
    expect(codeOf(`${HEAD}\u001e${'['.repeat(100_000)}`)).toBe('over-limit');
    expect(codeOf(`${HEAD}\u001e${'{"a":'.repeat(100_000)}`)).toBe('over-limit');
  });

  test('numbers without end', () => {
    const digits = '9'.repeat(1_000_000);
    expect(codeOf(`${HEAD}\u001e{"type":"data-stream-class","id":${digits}}`)).toBe('metadata-semantic');
  });

  test('aliases that double or nest each other', () => {
    const doubled = Array.from({ length: 64 }, (_, i) => alias(`s${i + 1}`, struct(`"s${i}"`, `"s${i}"`)));
    expect(codeOf(HEAD + alias('s0', U8) + doubled.join(''))).toBe('over-limit');
    const chained = Array.from({ length: 500 }, (_, i) => alias(`s${i + 1}`, struct(`"s${i}"`)));
    expect(codeOf(HEAD + alias('s0', U8) + chained.join(''))).toBe('over-limit');
  });

  test('a large class in many events', () => {
    const large = alias('large', struct(...Array.from({ length: 20_000 }, () => U8)));
    const events = eventsWith(1_000, ',"payload-field-class":"large"');
    expect(codeOf(HEAD + large + STREAM + events.join(''))).toBe('over-limit');
  });

  test('a name of a megabyte', () => {
    const member = `{"name":"${'m'.repeat(2 ** 20)}","field-class":${U8}}`;
    const large = alias('large', `{"type":"structure","member-classes":[${member}]}`);
    const events = eventsWith(1_000, ',"payload-field-class":"large"');
    expect(codeOf(HEAD + large + STREAM + events.slice(0, 200).join(''))).toBe('read');
    expect(codeOf(HEAD + large + STREAM + events.join(''))).toBe('over-limit');
  });

  test('a large context that many events have', () => {
    const context = struct(...Array.from({ length: 20_000 }, () => U8));
    const stream = `\u001e{"type":"data-stream-class","event-record-common-context-field-class":${context}}`;
    const events = eventsWith(1_000, `,"payload-field-class":${struct(U8)}`);
    expect(codeOf(HEAD + stream + events.slice(0, 100).join(''))).toBe('read');
    expect(codeOf(HEAD + stream + events.join(''))).toBe('over-limit');
  });

  test('more events than rows can tell apart', () => {
    const events = eventsWith(2 ** 16 + 1, '');
    expect(codeOf(HEAD + STREAM + events.slice(1).join(''))).toBe('read');
    expect(codeOf(HEAD + STREAM + events.join(''))).toBe('over-limit');
  });

  test('many locations that lead to many options', () => {
    const options = Array.from(
      { length: 10_000 },
      () => `{"field-class":${U8},"selector-field-ranges":[[0,0]]}`,
    );
    const variant = `{"type":"variant","selector-field-location":{"path":["m0"]},"options":[${options.join(',')}]}`;
    const text = '{"type":"dynamic-length-string","length-field-location":{"path":["m1"]}}';
    const texts = Array.from({ length: 10_000 }, () => text);
    const payload = struct(U8, variant, ...texts);
    const event = `\u001e{"type":"event-record-class","payload-field-class":${payload}}`;
    expect(codeOf(HEAD + STREAM + event)).toBe('over-limit');
  });

  test('any text, and any change of a text, gives a model or a fault', async () => {
    const payload = struct(
      U8,
      '{"type":"dynamic-length-array","length-field-location":{"path":["m0"]},"element-field-class":"u8"}',
      `{"type":"optional","selector-field-location":{"path":[null,"m0"]},"field-class":${U8}}`,
      '{"type":"null-terminated-string","encoding":"utf-16le"}',
    );
    const event = `\u001e{"type":"event-record-class","payload-field-class":${payload}}`;
    const whole = `${HEAD}${alias('u8', U8)}\u001e{"type":"trace-class","uid":"u"}\n${STREAM}${event}`;
    const words = `\u001e { } [ ] , : " - 1 1e9 null true \\u "type" "path"`.split(' ');
    const pieces = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 })));
    await forAll(500, [pieces, fc.nat(whole.length), fc.nat(20)], (parts, at, cut) => {
      codeOf(whole.slice(0, at) + parts.join('') + whole.slice(at + cut));
      codeOf(HEAD + parts.join(''));
    });
  });

  test('bytes that are no text: a place without a byte, which nobody can tell', () => {
    const refused = readCtf2({ text: `${HEAD}\u001e{"\ufffd\ufffd": 1}`, file: 'metadata' });
    expect(refused).toMatchObject({ ok: false, fault: { place: { line: 1 } } });
    if (!refused.ok) expect(refused.fault.place.byte).toBeDefined();
    const behind = readCtf2({ text: `${HEAD}\u001e{"\ufffd": 1, "type": "none"}`, file: 'metadata' });
    if (!behind.ok) expect(behind.fault.place.byte).toBeUndefined();
    expect(behind.ok).toBe(false);
  });
});
