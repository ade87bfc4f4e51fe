import { describe, expect, it } from 'vitest';
import type { Note } from './note.ts';
import { notesFile, notesIn, readNotesFile } from './notes-file.ts';

const NOTE: Note = { id: 'a', from: 5, to: 9, row: 'thread:0:7', text: '<b>slow</b> \u202e' };

describe('a file of notes', () => {
  it('is read back as it was written', () => {
    expect(readNotesFile(notesFile('k', [NOTE]), 'k')).toMatchObject({ notes: [NOTE], unreadable: 0 });
  });

  it('of another trace or of something else gives none', () => {
    expect(readNotesFile(notesFile('k', [NOTE]), 'other')).toBe('These notes are of another trace.');
    for (const text of ['', '[]', 'null', '{"wakepath":"executions"}', 'x'.repeat(1_000_001)])
      expect(readNotesFile(text, 'k')).toBe('This is not a file of notes.');
    expect(readNotesFile('{"wakepath":"notes","trace":"k","notes":7}', 'k')).toBe(
      'This is not a file of notes.',
    );
  });

  it('that is too long says so, and is not read to its end', async () => {
    const long = notesFile('k', [{ ...NOTE, text: 'x'.repeat(15_000_000) }]);
    const file = new File([long], 'notes.json');
    const files = [{ kind: 'file', path: 'notes.json', size: file.size, file }] as const;
    const text = await notesIn({ files, roots: [], tooMany: false });
    expect(text?.length).toBe(3_000_003);
    for (const read of [text ?? '', long])
      expect(readNotesFile(read, 'k')).toBe(
        'This file of notes is too long: it has more than 1000000 characters.',
      );
  });
});
