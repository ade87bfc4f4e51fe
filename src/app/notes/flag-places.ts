/**
 * Places the flags of notes over the rows. Panning moves all of them together by one style; beside it, only flags that
 * change at the edges of the view are written, since each change of an element costs time in the frame.
 */
import { xOfTime, type Viewport } from '../timeline/view/viewport.ts';
import { append } from '../../engine/base/append.ts';
import type { Note } from './note.ts';

/** Style of a flag's element, in whole CSS pixels. */
interface FlagStyle {
  readonly x: number;
  readonly room: number;
  /** Length of the note's range; 0: it is about a moment. */
  readonly stretch: number;
  /** Number of notes that it stands for besides its own. */
  readonly more: number;
}

/** Least width of a flag with a text, CSS pixels. */
const LEAST_TEXT = 56;

/** @param lane holds the elements, in the order of the notes */
export function createFlagPlaces(lane: HTMLElement) {
  const styles = new WeakMap<Element, FlagStyle | undefined>();
  /** View and width of the lane for which the flags were placed; from there all of them are moved together. */
  let origin: { readonly view: Viewport; readonly width: number } | undefined;

  /** Whole CSS pixels by which all flags are moved. */
  const move = (view: Viewport, width: number): number => {
    if (origin?.view.span !== view.span || origin.width !== width) origin = { view, width };
    const { start, fraction, span } = origin.view;
    const moved = Math.round(xOfTime(view, width, start) + fraction * (width / span));
    lane.style.transform = `translateX(${moved}px)`;
    return moved;
  };
  const setStyle = (element: HTMLElement, style: FlagStyle | undefined): void => {
    const before = styles.get(element);
    styles.set(element, style);
    if (element.hidden !== (style === undefined)) element.hidden = style === undefined;
    if (style === undefined) return;
    const { x, room, stretch, more } = style;
    if (before?.x !== x) element.style.transform = `translateX(${x}px)`;
    if (before?.room !== room) {
      element.style.maxWidth = `${room}px`;
      element.classList.toggle('short', room < LEAST_TEXT);
    }
    if (before?.stretch !== stretch) {
      element.classList.toggle('stretch', stretch > 0);
      element.style.setProperty('--stretch', `${stretch}px`);
    }
    if (before?.more === more) return;
    if (more === 0) delete element.dataset.more;
    else element.dataset.more = `+${more}`;
  };
  /** @param endOf CSS pixels from the lane's left edge to the end of a note's stretch */
  return (flags: readonly Flag[], view: Viewport, width: number, endOf: (note: number) => number): void => {
    const moved = move(view, width);
    const byFace = new Map(flags.map((flag) => [flag.face, flag]));
    Array.from(lane.children).forEach((element, note) => {
      const flag = byFace.get(note);
      const style = flag && {
        x: Math.round(flag.x) - moved,
        room: Math.round(flag.room),
        stretch: Math.max(0, Math.round(endOf(note) - flag.x)),
        more: flag.notes.length - 1,
      };
      setStyle(element as HTMLElement, style);
    });
  };
}

/** A flag over the rows. Flags stand side by side; notes too near to each other share one. */
export interface Flag {
  /**
   * CSS pixels from the left edge of the view, not rounded, so that distances stay the same while panning. A range that
   * began before the view has its flag at the edge.
   */
  readonly x: number;
  /** CSS pixels to the next flag, or to the right edge. */
  readonly room: number;
  /** Positions in the list of the notes that it stands for, and of the one among them whose text it has. */
  readonly notes: readonly number[];
  readonly face: number;
}

/** Least width of a flag, CSS pixels: enough to read the number of its notes. @internal */
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
  // Ranges that began before the view all have their flags at the left edge.
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
 * Joins groups whose places are too near to that of the first. Groups are made of all notes, also those out of sight, so
 * that panning does not change them.
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
