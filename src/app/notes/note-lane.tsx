/** The lane of notes below the ruler, if there are any: their flags, and the card or field of one. */
import { TextButton } from '../controls/button.tsx';
import './notes.css';
import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../context/app-context.ts';
import { plural } from '../format/text.ts';
import { ElementSize } from '../browser/element-size.ts';
import { repaintOn } from '../browser/repaint.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { xOfTime } from '../timeline/view/viewport.ts';
import { createFlagPlaces, layFlags, type Flag } from './flag-places.ts';
import { NoteSheet, placeText, shownText } from './note-sheet.tsx';
import type { Notes } from './notes.ts';

interface NoteLaneProps {
  readonly view: ViewModel;
  readonly notes: Notes;
}

export function NoteLane({ view, notes }: NoteLaneProps) {
  const { drawer } = useApp();
  const count = notes.all.value.length;
  if (count === 0) return null;
  return (
    <>
      <div class="note-count">
        <TextButton class="link quiet" text={plural(count, 'note')} onClick={() => drawer.show('notes')} />
      </div>
      <Lane view={view} notes={notes} />
    </>
  );
}

function Lane({ view, notes }: NoteLaneProps) {
  const { experiment } = useApp();
  /** Ids of the notes of the flag that is hovered or has the focus. */
  const pointed = useSignal<readonly string[]>([]);
  const { lane, moved, flags } = usePlacing(notes, view, pointed);
  useClosing(notes);
  const all = notes.all.value;
  const rows = experiment.rows.value;
  const style = view.timeStyle.value;
  const currentId = notes.current.value?.id;
  const notesAt = (index: number) =>
    flags.current.find(({ face }) => face === index)?.notes.map((i) => all[i]) ?? [];
  const leave = () => (pointed.value = []);
  const open = (index: number) => {
    const { id } = all[index];
    const near = notesAt(index);
    leave();
    const [from, to] = [near.at(0)?.from ?? 0, near.at(-1)?.from ?? 0];
    // Zoomed in, each of several notes has a flag of its own.
    if (to > from && currentId !== id) view.fit({ from, to });
    else notes.current.value = { id, shown: 'field' };
  };
  const point = (index: number) => (pointed.value = notesAt(index).map(({ id }) => id));
  return (
    <div class="note-lane" role="group" aria-label="Notes" ref={lane}>
      <div class="note-flags">
        <div class="note-flags-moved" ref={moved}>
          {all.map((note, index) => (
            <button
              key={note.id}
              class="note-flag"
              aria-label={`Note at ${placeText(note, rows, style)}: ${shownText(note)}`}
              aria-current={note.id === currentId}
              onPointerEnter={() => point(index)}
              onPointerLeave={leave}
              onFocus={() => point(index)}
              onBlur={leave}
              onClick={() => open(index)}
            >
              <span class="ellipsis">{shownText(note)}</span>
            </button>
          ))}
        </div>
      </div>
      <NoteSheet view={view} notes={notes} pointed={pointed} />
    </div>
  );
}

interface Placing {
  readonly lane: RefObject<HTMLDivElement | null>;
  /** Holds the flags. */
  readonly moved: RefObject<HTMLDivElement | null>;
  /** Flags as they were placed last. */
  readonly flags: RefObject<readonly Flag[]>;
}

/** Moves flags and sheet with the view, without rendering. */
function usePlacing(notes: Notes, view: ViewModel, pointed: Signal<readonly string[]>): Placing {
  const lane = useRef<HTMLDivElement>(null);
  const moved = useRef<HTMLDivElement>(null);
  const flags = useRef<readonly Flag[]>([]);
  useLayoutEffect(() => {
    const box = lane.current;
    if (box === null || moved.current === null) return;
    const placeFlags = createFlagPlaces(moved.current);
    const size = new ElementSize(box, () => placing.invalidate());
    const place = () => {
      const [all, viewport, id] = [notes.all.peek(), view.viewport.peek(), notes.current.peek()?.id];
      const { width } = size;
      flags.current = layFlags(all, viewport, width, id);
      placeFlags(flags.current, viewport, width, (note) => xOfTime(viewport, width, all[note].to));
      const foundNote = all.find((note) => note.id === (pointed.peek().at(0) ?? id));
      if (foundNote !== undefined) placeSheet(box, xOfTime(viewport, width, foundNote.from), width);
    };
    const placing = repaintOn([view.viewport, notes.all, notes.current, pointed], place);
    place();
    return () => {
      placing.dispose();
      size.dispose();
    };
  }, [notes, view]);
  return { lane, moved, flags };
}

/** Closes the card of the current note with the next click anywhere. */
function useClosing(notes: Notes): void {
  useLayoutEffect(() => {
    const leave = () => {
      if (notes.current.peek()?.shown === 'card') notes.close();
    };
    window.addEventListener('pointerdown', leave, true);
    return () => window.removeEventListener('pointerdown', leave, true);
  }, [notes]);
}

/** Places the sheet below its flag, within the lane's width. */
function placeSheet(lane: HTMLElement, x: number, width: number): void {
  const sheet = lane.querySelector<HTMLElement>('.note-sheet');
  if (sheet === null) return;
  // By a percentage of its own width, since reading the width would cause a layout.
  sheet.style.transform = `translateX(max(0px, min(${Math.round(x)}px, ${Math.round(width)}px - 100%)))`;
}
