import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_NOTES, type Note } from './note.ts';
import { notesFile, readNotesFile } from './notes-file.ts';

const NOTE: Note = { id: 'a', from: 5, to: 9, row: 'thread:0:7', text: '<b>slow</b> \u202e' };

describe('a file of notes', () => {
  it('is read back as it was written', () => {
    expect(readNotesFile(notesFile('k', [NOTE]), 'k')).toEqual([NOTE]);
  });

  it('of another trace or of something else gives none', () => {
    expect(readNotesFile(notesFile('k', [NOTE]), 'other')).toBe('These notes are of another trace.');
    for (const text of ['', '[]', 'null', '{"wakepath":"executions"}', 'x'.repeat(1_000_001)])
      expect(readNotesFile(text, 'k')).toBe('This is not a file of notes.');
  });

  it('may hold anything: what is no note is left out, and there are never too many', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const text = JSON.stringify({ wakepath: 'notes', trace: 'k', notes: values });
        expect(readNotesFile(text, 'k')).toEqual([]);
      }),
    );
    const many = Array.from({ length: 2 * MOST_NOTES }, (_, i) => ({ ...NOTE, id: `n${i}` }));
    expect(readNotesFile(notesFile('k', many), 'k')).toHaveLength(MOST_NOTES);
  });
});
