/** Where the flags of notes stand over the rows: side by side, those too near to each other as one. */
import { xOfTime, type Viewport } from '../timeline/viewport.ts';
import type { Note } from './note.ts';

export interface Flag {
  /** CSS pixels from the left edge of the view. A stretch that began before the view has its flag at the edge. */
  readonly x: number;
  /** CSS pixels to the next flag, or to the right edge. */
  readonly room: number;
  /** Positions in the list of the notes that it stands for, and of the one among them whose text it has. */
  readonly notes: readonly number[];
  readonly face: number;
}

/** In a narrower flag one could not read how many notes it stands for. */
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
  const heaps: { readonly x: number; readonly notes: number[] }[] = [];
  notes.forEach(({ from, to }, i) => {
    const x = Math.max(0, Math.round(xOfTime(view, width, from)));
    if (x > width || xOfTime(view, width, to) < 0) return;
    const heap = heaps.at(-1);
    if (heap !== undefined && x < heap.x + LEAST_FLAG) heap.notes.push(i);
    else heaps.push({ x, notes: [i] });
  });
  return heaps.map((heap, i) => ({
    ...heap,
    room: (heaps[i + 1]?.x ?? width) - heap.x,
    face: heap.notes.find((note) => notes[note].id === current) ?? heap.notes[0],
  }));
}
