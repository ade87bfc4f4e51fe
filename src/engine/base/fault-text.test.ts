import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAULT_MEANINGS } from './fault-meanings.ts';
import { faultText, placeText } from './fault-text.ts';
import { WARNINGS } from './fault.ts';

describe('fault text', () => {
  test('says place, fault, expected, found, excerpt with a caret, what was read and what to do', () => {
    const text = faultText({
      code: 'metadata-syntax',
      place: { file: 'metadata', line: 12, column: 3, excerpt: '\t perchaude' },
      expected: 'a declaration or a block',
      found: '`perchaude`',
      readSoFar: 'nothing',
    });
    expect(text.split('\n')).toEqual([
      'metadata, line 12, column 3: The metadata have a syntax error: expected a declaration or a block, found `perchaude`. [metadata-syntax]',
      '      perchaude',
      '      ^',
      'Read until then: nothing.',
      FAULT_MEANINGS['metadata-syntax'].advice,
    ]);
  });

  test('a place in a stream file; packets count from 1 for people', () => {
    const place = { file: 'channel0_1', packet: 2, byte: 4096, event: 'sched_switch', field: 'prev_comm' };
    expect(placeText(place)).toBe('channel0_1, packet 3, byte 4096, event sched_switch, field prev_comm');
    expect(faultText({ code: 'cancelled', place: {} })).toMatch(/^Reading was cancelled\. \[cancelled\]\n/);
  });

  test('a long line is cut around its column', () => {
    const excerpt = `${'a'.repeat(100)}X${'b'.repeat(100)}`;
    const [, line, caret] = faultText({
      code: 'metadata-syntax',
      place: { line: 1, column: 101, excerpt },
    }).split('\n');
    expect(line[caret.indexOf('^')]).toBe('X');
    expect(line.length).toBeLessThan(120);
  });

  test('hidden characters of a trace are written out, and its text is bounded', () => {
    const text = faultText({
      code: 'unknown-event-id',
      place: { event: 'a\u202eb\u0007' },
      found: 'x'.repeat(10_000),
    });
    expect(text).toContain('event a\\u202eb\\u0007');
    expect(text.length).toBeLessThan(1_000);
  });

  test('the documentation has every code once', () => {
    const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const [tables] = document.split('## Places in metadata');
    const codes = [...tables.matchAll(/^\| `([a-z-]+)` +\|/gm)].map((match) => match[1]);
    expect(codes.sort()).toEqual(Object.keys(FAULT_MEANINGS).sort());
  });

  test('the documentation has every warning', () => {
    const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const list = /^Warnings, after which [^]*?\.\n/m.exec(document)?.[0] ?? '';
    expect([...list.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code)).toEqual([...WARNINGS]);
  });
});
