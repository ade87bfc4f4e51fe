/** Where the flags of notes stand over the rows: side by side, those too near to each other as one. */
import { append } from '../../engine/base/append.ts';
import { xOfTime, type Viewport } from '../timeline/view/viewport.ts';
import type { Note } from './note.ts';

export interface Flag {
  /**
   * CSS pixels from the left edge of the view, not rounded: what is between flags stays the same while one pans. A
   * stretch that began before the view has its flag at the edge.
   */
  readonly x: number;
  /** CSS pixels to the next flag, or to the right edge. */
  readonly room: number;
  /** Positions in the list of the notes that it stands for, and of the one among them whose text it has. */
  readonly notes: readonly number[];
  readonly face: number;
}

/** CSS pixels of the least flag: in a narrower one nobody could read how many notes it stands for. @internal */
export const LEAST_FLAG = 30;

/**
 * The flags of notes that are in sight, from left to right.
 * @param notes in order
 * @param width of the view in CSS pixels
 * @param current id of the note whose text is shown where it is one of several
 */
export function layFlags(
  notes: readonly Note[],
  view: Viewport,
  width: number,
  current: string | undefined,
): readonly Flag[] {
  const begin = (note: number) => xOfTime(view, width, notes[note].from);
  const isSeen = (note: number) => begin(note) <= width && xOfTime(view, width, notes[note].to) >= 0;
  const everywhere = heaped(
    notes.map((_, note) => [note]),
    ([first]) => begin(first),
  );
  // Those that the left edge brings together: stretches that began before the view.
  const seen = heaped(
    everywhere.map((heap) => heap.filter(isSeen)).filter((heap) => heap.length > 0),
    ([first]) => Math.max(0, begin(first)),
  );
  const places = seen.map(([first]) => Math.max(0, begin(first)));
  return seen.map((heap, i) => ({
    x: places[i],
    room: (places[i + 1] ?? width) - places[i],
    notes: heap,
    face: heap.find((note) => notes[note].id === current) ?? heap[0],
  }));
}

/**
 * Puts heaps together whose places are too near to that of the first. Heaps are made of all notes, seen or not: while
 * one pans, they stay the same.
 */
function heaped(heaps: readonly (readonly number[])[], placeOf: (heap: readonly number[]) => number) {
  const made: number[][] = [];
  let place = -Infinity;
  for (const heap of heaps) {
    if (placeOf(heap) < place + LEAST_FLAG) {
      append(made[made.length - 1], heap);
      continue;
    }
    place = placeOf(heap);
    made.push([...heap]);
  }
  return made;
}
