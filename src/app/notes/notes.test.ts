import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { stubSettings } from '../../../test/support/stored-settings.ts';
import { MOST_NOTES } from './note.ts';
import { notesFile } from './notes-file.ts';
import { createNotes } from './notes.ts';

const storage = stubSettings();
const KEY = 'wakepath.notes.k';
const openTab = () => {
  const trace = signal<string | undefined>('k');
  const notes = createNotes(trace);
  const texts = () => notes.all.value.map(({ text }) => text);
  const put = (from: number, text: string) => {
    const note = notes.add({ from, to: from });
    notes.write(note?.id ?? '', text);
    return note?.id ?? '';
  };
  return { trace, notes, texts, put };
};
describe('a file of notes', () => {
  const note = (id: string) => ({ id, from: 1, to: 2, text: id });

  it('says how many notes of it were not added, and why', () => {
    const { notes, texts } = openTab();
    notes.take(notesFile('k', [null, 5, { id: 'x' }, []]));
    expect(notes.said.value).toBe('0 of 4 notes in the file added, 4 unreadable');
    notes.take(notesFile('k', [note('a'), note('b')]));
    expect(notes.said.value).toBe('2 of 2 notes in the file added');
    notes.take(notesFile('k', [note('a'), note('c'), null]));
    expect(notes.said.value).toBe('1 of 3 notes in the file added, 1 there already, 1 unreadable');
    const many = Array.from({ length: MOST_NOTES + 5 }, (_, i) => note(`n${i}`));
    notes.take(notesFile('k', many));
    expect(notes.said.value).toBe(
      `${MOST_NOTES - 3} of ${MOST_NOTES + 5} notes in the file added, 8 beyond the limit of ${MOST_NOTES}`,
    );
    expect(texts()).toHaveLength(MOST_NOTES);
  });
});

describe('notes', () => {
  it('stand in order of time, and are those of the experiment that is open', () => {
    const { trace, notes, texts, put } = openTab();
    put(20, 'b');
    put(10, 'a');
    notes.add({ from: 15.4, to: 17.6, row: 'thread:0:1' });
    expect(texts()).toEqual(['a', '', 'b']);
    expect(notes.all.value[1]).toMatchObject({ from: 15, to: 18, row: 'thread:0:1' });
    trace.value = 'another';
    expect(texts()).toEqual([]);
    put(1, 'elsewhere');
    trace.value = 'k';
    expect(texts()).toEqual(['a', '', 'b']);
    trace.value = undefined;
    expect(texts()).toEqual([]);
    expect(notes.add({ from: 1, to: 1 })).toBeUndefined();
    expect([...storage().items.keys()].sort()).toEqual(['wakepath.notes.another', KEY]);
  });

  it('are there on the next visit, and gone when they were removed', () => {
    const { put } = openTab();
    const id = put(4_026_477_182, 'here');
    const again = openTab();
    expect(again.notes.all.value).toMatchObject([
      { id, from: 4_026_477_182, to: 4_026_477_182, text: 'here' },
    ]);
    again.notes.current.value = { id, shown: 'card' };
    again.notes.remove(id);
    expect(again.notes.current.value).toBeUndefined();
    expect(openTab().texts()).toEqual([]);
    expect(storage().items.size).toBe(0);
  });

  it('of two tabs stay, and of one note the last text', () => {
    const [one, two] = [openTab(), openTab()];
    const a = one.put(1, 'a');
    two.put(2, 'b');
    expect(two.texts()).toEqual(['a', 'b']);
    expect(one.texts()).toEqual(['a']);
    storage().tell(KEY);
    expect(one.texts()).toEqual(['a', 'b']);
    two.notes.write(a, 'changed there');
    one.notes.write(a, 'changed here');
    storage().tell(KEY);
    expect(two.texts()).toEqual(['changed here', 'b']);
    one.notes.remove(a);
    two.notes.write(a, 'too late');
    expect(two.texts()).toEqual(['changed here', 'b']);
    storage().tell(KEY);
    expect([one.texts(), two.texts()]).toEqual([['b'], ['b']]);
  });

  it('are gone when another tab cleared the storage', () => {
    const { texts, put } = openTab();
    put(1, 'a');
    storage().items.clear();
    storage().tell(null);
    expect(texts()).toEqual([]);
  });

  it('in sight are kept again by the next change when the storage was cleared and nobody told', () => {
    const { notes, texts, put } = openTab();
    const a = put(1, 'a');
    put(2, 'b');
    storage().items.clear();
    put(3, 'c');
    expect(texts()).toEqual(['a', 'b', 'c']);
    storage().items.clear();
    notes.write(a, 'changed');
    expect(texts()).toEqual(['changed', 'b', 'c']);
    storage().items.clear();
    notes.remove(a);
    expect(openTab().texts()).toEqual(['b', 'c']);
  });

  it('are no more than a trace may have', () => {
    const { notes } = openTab();
    for (let i = 0; i < MOST_NOTES; i++) expect(notes.add({ from: i, to: i })).toBeDefined();
    expect(notes.add({ from: 0, to: 0 })).toBeUndefined();
    expect(notes.all.value.length).toBe(MOST_NOTES);
  });

  it('which the browser does not keep live as long as the page, and are kept when it does again', () => {
    const { trace, notes, texts, put } = openTab();
    put(1, 'kept');
    storage().isFull = true;
    put(2, 'not kept');
    expect(notes.areKept.value).toBe(false);
    storage().tell(KEY);
    trace.value = undefined;
    trace.value = 'k';
    expect(texts()).toEqual(['kept', 'not kept']);
    expect(openTab().texts()).toEqual(['kept']);
    storage().isFull = false;
    put(3, 'kept again');
    expect(notes.areKept.value).toBe(true);
    expect(openTab().texts()).toEqual(['kept', 'not kept', 'kept again']);
  });

  it('work where there is no storage at all', () => {
    vi.stubGlobal('localStorage', undefined);
    const { notes, texts, put } = openTab();
    const id = put(1, 'a');
    expect([texts(), notes.areKept.value]).toEqual([['a'], false]);
    notes.remove(id);
    expect(texts()).toEqual([]);
  });

  it('are none where something else is stored', () => {
    storage().items.set(KEY, '{"no":"list"}');
    expect(openTab().texts()).toEqual([]);
    storage().items.set(KEY, '[{"id":"a"');
    const { texts, put } = openTab();
    put(1, 'a');
    expect(texts()).toEqual(['a']);
  });
});
