/** The lane of notes below the ruler, when there are any: their flags, and at one of them its card or field. */
import './notes.css';
import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { plural } from '../format/text.ts';
import { ElementSize } from '../timeline/element-size.ts';
import { repaintOn } from '../timeline/paint/repaint.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { xOfTime } from '../timeline/viewport.ts';
import { layFlags, type Flag } from './flags.ts';
import { NoteSheet } from './note-sheet.tsx';
import { placeText, shownText } from './note-words.ts';
import type { Notes } from './notes.ts';

export function NoteLane({ view }: { readonly view: ViewModel }) {
  const { notes, drawer } = useApp();
  const count = notes.all.value.length;
  if (count === 0) return null;
  return (
    <>
      <div class="note-count">
        <button class="link quiet" onClick={() => drawer.show('notes')}>
          {plural(count, 'note')}
        </button>
      </div>
      <Lane view={view} />
    </>
  );
}

function Lane({ view }: { readonly view: ViewModel }) {
  const { notes, experiment } = useApp();
  /** Ids of the notes of the flag that is pointed at or has the focus. */
  const pointed = useSignal<readonly string[]>([]);
  const { lane, flags } = usePlacing(notes, view, pointed);
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
    // From nearer, each of several has a flag of its own.
    if (to > from && currentId !== id) view.fit({ from, to });
    else notes.current.value = { id, shown: 'field' };
  };
  const point = (index: number) => (pointed.value = notesAt(index).map(({ id }) => id));
  return (
    <div class="note-lane" role="group" aria-label="Notes" ref={lane}>
      <div class="note-flags">
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
      <NoteSheet view={view} pointed={pointed} />
    </div>
  );
}

interface Placing {
  readonly lane: RefObject<HTMLDivElement | null>;
  /** As they were placed last. */
  readonly flags: RefObject<readonly Flag[]>;
}

/** Moves flags and sheet along with the view, without rendering anything. */
function usePlacing(notes: Notes, view: ViewModel, pointed: Signal<readonly string[]>): Placing {
  const lane = useRef<HTMLDivElement>(null);
  const flags = useRef<readonly Flag[]>([]);
  useLayoutEffect(() => {
    const box = lane.current;
    if (box === null) return;
    const size = new ElementSize(box, () => placing.invalidate());
    const place = () => {
      const [all, viewport, id] = [notes.all.peek(), view.viewport.peek(), notes.current.peek()?.id];
      const { width } = size;
      flags.current = layFlags(all, viewport, width, id);
      placeFlags(box, flags.current, (note) => xOfTime(viewport, width, all[note].to));
      const told = all.find((note) => note.id === (pointed.peek().at(0) ?? id));
      if (told !== undefined) placeSheet(box, xOfTime(viewport, width, told.from), width);
    };
    const placing = repaintOn(
      () => [view.viewport, notes.all, notes.current, pointed].forEach((s) => s.value),
      place,
    );
    place();
    return () => {
      placing.dispose();
      size.dispose();
    };
  }, [notes, view]);
  return { lane, flags };
}

/** The card of the note gone to leaves with the next click, wherever that is. */
function useClosing(notes: Notes): void {
  useLayoutEffect(() => {
    const leave = () => {
      if (notes.current.peek()?.shown === 'card') notes.close();
    };
    window.addEventListener('pointerdown', leave, true);
    return () => window.removeEventListener('pointerdown', leave, true);
  }, [notes]);
}

/** CSS pixels of a flag in which words can be read. */
const LEAST_TEXT = 56;

/** @param endOf CSS pixels from the lane's left edge to the end of a note's stretch */
function placeFlags(lane: HTMLElement, flags: readonly Flag[], endOf: (note: number) => number): void {
  const byFace = new Map(flags.map((flag) => [flag.face, flag]));
  lane.querySelectorAll<HTMLElement>('.note-flag').forEach((button, index) => {
    const flag = byFace.get(index);
    // While one pans nothing but their place changes: all else would have styles computed anew for each frame.
    if (button.hidden !== (flag === undefined)) button.hidden = flag === undefined;
    if (flag === undefined) return;
    button.style.transform = `translateX(${Math.round(flag.x)}px)`;
    button.style.maxWidth = `${Math.round(flag.room)}px`;
    const stretch = Math.round(endOf(index) - flag.x);
    button.classList.toggle('stretch', stretch > 0);
    if (stretch > 0) button.style.setProperty('--stretch', `${stretch}px`);
    button.classList.toggle('short', flag.room < LEAST_TEXT);
    const more = flag.notes.length > 1 ? `+${flag.notes.length - 1}` : undefined;
    if (more === button.dataset.more) return;
    if (more === undefined) delete button.dataset.more;
    else button.dataset.more = more;
  });
}

/** Below its flag, within the lane's width. */
function placeSheet(lane: HTMLElement, x: number, width: number): void {
  const sheet = lane.querySelector<HTMLElement>('.note-sheet');
  if (sheet === null) return;
  const left = Math.max(0, Math.min(x, width - sheet.offsetWidth));
  sheet.style.transform = `translateX(${Math.round(left)}px)`;
}
