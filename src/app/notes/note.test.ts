import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inOrder,
  LONGEST_TEXT,
  MOST_NOTES,
  neighbourOf,
  noteText,
  readNotes as readCounted,
  type Note,
} from './note.ts';
import { forAll } from '../../../test/support/for-all.ts';

const time = fc.integer({ min: -1e15, max: 1e15 });
const note: fc.Arbitrary<Note> = fc
  .record({
    id: fc.string({ minLength: 1 }),
    from: time,
    length: fc.nat(),
    row: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    text: fc.string({ maxLength: 40 }).map(noteText),
  })
  .map(({ from, length, ...rest }) => ({ ...rest, from, to: from + length }));
const notes = fc.uniqueArray(note, { selector: ({ id }) => id, maxLength: 20 }).map(inOrder);
const at = (id: string, from: number, to = from): Note => ({ id, from, to, row: undefined, text: id });

const readNotes = (stored: unknown) => readCounted(stored).notes;

describe('stored notes', () => {
  it('read back as they were written, to the nanosecond', () =>
    forAll(100, [notes], (written) => {
      expect(readNotes(JSON.parse(JSON.stringify(written)))).toEqual(written);
    }));

  it('never throw, and come out within the limits, whatever is stored', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(fc.jsonValue(), note)));
    await forAll(100, [value], (stored) => {
      const read = readNotes(stored);
      expect(read).toEqual(inOrder(read));
      for (const { from, to, text } of read) {
        expect(Number.isSafeInteger(from) && Number.isSafeInteger(to) && to >= from).toBe(true);
        expect(text.length).toBeLessThanOrEqual(LONGEST_TEXT);
      }
    });
  });

  it.each([
    ['no list', { 0: at('a', 1) }],
    ['a fraction of a nanosecond', [{ ...at('a', 1), from: 0.5 }]],
    ['a time beyond what is exact', [at('a', 2 ** 53)]],
    ['an end before the begin', [at('a', 5, 4)]],
    ['no id', [{ ...at('a', 1), id: undefined }]],
    ['an empty id', [at('', 1)]],
    ['no text', [{ ...at('a', 1), text: null }]],
    ['nothing', [null, 7, 'a', []]],
  ])('are none of %s', (_, stored) => expect(readNotes(stored)).toEqual([]));

  it('lose a row that is none, and what is too long or too many', () => {
    expect(readNotes([{ ...at('a', 1), row: 3 }])).toEqual([at('a', 1)]);
    expect(readNotes([{ ...at('a', 1), row: 'r'.repeat(2000) }])).toEqual([at('a', 1)]);
    expect(readNotes([{ ...at('a', 1), text: 'x'.repeat(10_000) }])[0].text.length).toBe(LONGEST_TEXT);
    const many = Array.from({ length: 3 * MOST_NOTES }, (_, i) => at(`${i}`, i));
    expect(readNotes(many)).toEqual(many.slice(0, MOST_NOTES).sort((a, b) => a.from - b.from));
    expect(readNotes([at('a', 1), at('a', 2)])).toEqual([at('a', 1)]);
  });

  it('are counted where they cannot be taken', () => {
    const many = Array.from({ length: MOST_NOTES + 3 }, (_, i) => at(`${i}`, i));
    const read = readCounted([null, ...many, at('0', 5), { id: 'x' }]);
    expect(read).toMatchObject({ unreadable: 3, tooMany: 3 });
    expect(read.notes).toHaveLength(MOST_NOTES);
    expect(readCounted('none')).toEqual({ notes: [], unreadable: 0, tooMany: 0 });
  });
});

it('a text is one line', () => expect(noteText('a\nb\tc')).toBe('a b c'));

describe('the next note', () => {
  const all = [at('a', 10), at('b', 20, 30), at('c', 20, 40)];
  const next = (id: string | undefined, timeNs: number) => neighbourOf(all, id, timeNs, 1)?.id;
  const before = (id: string | undefined, timeNs: number) => neighbourOf(all, id, timeNs, -1)?.id;

  it('follows in time, and round at the ends', () => {
    expect([next('a', 0), next('b', 0), next('c', 0)]).toEqual(['b', 'c', 'a']);
    expect([before('a', 0), before('b', 0), before('c', 0)]).toEqual(['c', 'a', 'b']);
  });

  it('is that after or before a time where none was gone to', () => {
    expect([next(undefined, 0), next(undefined, 10), next(undefined, 20)]).toEqual(['a', 'b', 'a']);
    expect([before(undefined, 50), before(undefined, 20), before(undefined, 10)]).toEqual(['c', 'a', 'c']);
    expect(next('gone', 15)).toBe('b');
  });

  it('is none where there is none', () => expect(neighbourOf([], undefined, 0, 1)).toBeUndefined());
});
