/**
 * Puts the flags of notes over the rows. While one pans, all of them move as one: only what changes beside that, at the
 * edges of the view, is written, since each change of an element costs time in the frame.
 */
import { xOfTime, type Viewport } from '../timeline/view/viewport.ts';
import type { Flag } from './flags.ts';

/** How a flag's element is styled; undefined: it is hidden. Places and lengths in whole CSS pixels. */
interface Look {
  readonly x: number;
  readonly room: number;
  /** Length of the stretch that the note is about; 0: it is about a moment. */
  readonly stretch: number;
  /** Notes that it stands for beside its own. */
  readonly more: number;
}

/** CSS pixels of a flag in which words can be read. */
const LEAST_TEXT = 56;

export class FlagPlaces {
  readonly #lane: HTMLElement;
  readonly #looks = new WeakMap<Element, Look | undefined>();
  /** View, and width of the lane, in which nothing is moved: all flags move as one from there. */
  #origin: { readonly view: Viewport; readonly width: number } | undefined;

  /** @param lane holds the elements, in the order of the notes */
  constructor(lane: HTMLElement) {
    this.#lane = lane;
  }

  /** @param endOf CSS pixels from the lane's left edge to the end of a note's stretch */
  place(flags: readonly Flag[], view: Viewport, width: number, endOf: (note: number) => number): void {
    const moved = this.#move(view, width);
    const byFace = new Map(flags.map((flag) => [flag.face, flag]));
    Array.from(this.#lane.children).forEach((element, note) => {
      const flag = byFace.get(note);
      const look = flag && {
        x: Math.round(flag.x) - moved,
        room: Math.round(flag.room),
        stretch: Math.max(0, Math.round(endOf(note) - flag.x)),
        more: flag.notes.length - 1,
      };
      this.#dress(element as HTMLElement, look);
    });
  }

  /** Whole CSS pixels by which all flags are moved. */
  #move(view: Viewport, width: number): number {
    if (this.#origin?.view.span !== view.span || this.#origin.width !== width) this.#origin = { view, width };
    const { start, fraction, span } = this.#origin.view;
    const moved = Math.round(xOfTime(view, width, start) + fraction * (width / span));
    this.#lane.style.transform = `translateX(${moved}px)`;
    return moved;
  }

  #dress(element: HTMLElement, look: Look | undefined): void {
    const before = this.#looks.get(element);
    this.#looks.set(element, look);
    if (element.hidden !== (look === undefined)) element.hidden = look === undefined;
    if (look === undefined) return;
    const { x, room, stretch, more } = look;
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
  }
}
