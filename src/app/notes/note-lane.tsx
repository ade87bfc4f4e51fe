/** The lane of notes below the ruler, when there are any: their flags, and at one of them its card or field. */
import './notes.css';
import { useComputed, useSignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { plural } from '../format/text.ts';
import { ElementSize } from '../timeline/element-size.ts';
import { repaintOn } from '../timeline/paint/repaint.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { xOfTime } from '../timeline/viewport.ts';
import { layFlags, type Flag } from './flags.ts';
import { NoteField } from './note-field.tsx';
import { placeText, shownText } from './note-words.ts';
import type { Note } from './note.ts';
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
      <Lane notes={notes} view={view} />
    </>
  );
}

interface LaneProps {
  readonly notes: Notes;
  readonly view: ViewModel;
}

function Lane({ notes, view }: LaneProps) {
  const lane = useRef<HTMLDivElement>(null);
  /** As they were placed last. */
  const flags = useRef<readonly Flag[]>([]);
  /** Ids of the notes of the flag that is pointed at or has the focus. */
  const pointed = useSignal<readonly string[]>([]);
  useLayoutEffect(() => {
    const box = lane.current;
    if (box === null) return;
    const size = new ElementSize(box, () => placing.invalidate());
    const place = () => {
      const [all, viewport, id] = [notes.all.peek(), view.viewport.peek(), notes.current.peek()?.id];
      flags.current = layFlags(all, viewport, size.width, id);
      placeFlags(box, flags.current, (note) => xOfTime(viewport, size.width, all[note].to));
      const shown = all.find((note) => note.id === (pointed.peek().at(0) ?? id));
      if (shown !== undefined) placeSheet(box, xOfTime(viewport, size.width, shown.from), size.width);
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
  // A card leaves with the next click, wherever that goes; a field when it loses the focus.
  useLayoutEffect(() => {
    const leave = () => {
      const current = notes.current.peek();
      if (current?.shown === 'card') notes.close(current.id);
    };
    window.addEventListener('pointerdown', leave, true);
    return () => window.removeEventListener('pointerdown', leave, true);
  }, [notes]);

  const all = notes.all.value;
  const flagOf = (index: number) => flags.current.find(({ face }) => face === index);
  const open = (index: number) => {
    const { id } = all[index];
    const near = flagOf(index)?.notes.map((i) => all[i]) ?? [];
    const [from, to] = [near.at(0)?.from ?? 0, near.at(-1)?.from ?? 0];
    // Of several that stand for themselves when they are looked at from nearer.
    if (to > from && notes.current.peek()?.id !== id) return view.fit({ from, to });
    notes.current.value = { id, shown: 'field' };
  };
  const point = (index: number) => (pointed.value = flagOf(index)?.notes.map((i) => all[i].id) ?? []);
  const leave = () => (pointed.value = []);
  return (
    <div class="note-lane" role="group" aria-label="Notes" ref={lane}>
      <div class="note-flags">
        {all.map((note, index) => (
          <button
            key={note.id}
            class="note-flag"
            aria-current={notes.current.value?.id === note.id}
            onPointerEnter={() => point(index)}
            onPointerLeave={leave}
            onFocus={() => point(index)}
            onBlur={leave}
            onClick={() => open(index)}
          >
            <span class="said">Note at {placeText(note, [], view.timeStyle.value)}: </span>
            <span class="ellipsis">{shownText(note)}</span>
          </button>
        ))}
      </div>
      <Sheet notes={notes} view={view} pointed={pointed} />
    </div>
  );
}

interface SheetProps extends LaneProps {
  readonly pointed: Signal<readonly string[]>;
}

/** Texts on a card; those of the others are told when one looks from nearer. */
const MOST_TEXTS = 6;

/** At a flag: the field of the note that is written, else a card of the notes pointed at, or of the one gone to. */
function Sheet({ notes, view, pointed }: SheetProps) {
  const { rows } = useApp().experiment;
  const current = useComputed(() => notes.all.value.find(({ id }) => id === notes.current.value?.id));
  const place = (note: Note) => placeText(note, rows.value, view.timeStyle.value);
  const { shown = 'flag', isNew = false } = notes.current.value ?? {};
  const note = current.value;
  if (note !== undefined && shown === 'field') {
    return <NoteField key={note.id} notes={notes} note={note} isNew={isNew} place={place(note)} />;
  }
  const isRead = note !== undefined && shown === 'card';
  const near = notes.all.value.filter(({ id }) => pointed.value.includes(id));
  const told = near.length > 0 ? near : isRead ? [note] : [];
  return (
    <>
      {told.length > 0 && (
        <div class="note-sheet note-card">
          {told.slice(0, MOST_TEXTS).map((one) => (
            <p key={one.id}>
              <span class="note-place">{place(one)}</span>
              {shownText(one)}
            </p>
          ))}
          {told.length > MOST_TEXTS && <p class="note-place">and {told.length - MOST_TEXTS} more</p>}
        </div>
      )}
      <p class="said" role="status">
        {isRead && `Note at ${place(note)}: ${shownText(note)}`}
      </p>
    </>
  );
}

/** CSS pixels of a flag in which words can be read. */
const LEAST_TEXT = 56;

/** @param endOf CSS pixels from the lane's left edge to the end of a note's stretch */
function placeFlags(lane: HTMLElement, flags: readonly Flag[], endOf: (note: number) => number): void {
  const buttons = lane.querySelectorAll<HTMLElement>('.note-flag');
  const byFace = new Map(flags.map((flag) => [flag.face, flag]));
  buttons.forEach((button, index) => {
    const flag = byFace.get(index);
    button.hidden = flag === undefined;
    if (flag === undefined) return;
    const others = flag.notes.length - 1;
    if (others > 0) button.dataset.more = `+${others}`;
    else delete button.dataset.more;
    button.classList.toggle('short', flag.room < LEAST_TEXT);
    button.style.transform = `translateX(${flag.x}px)`;
    button.style.maxWidth = `${flag.room}px`;
    button.style.setProperty('--stretch', `${Math.max(0, endOf(index) - flag.x)}px`);
  });
}

/** Below its flag, within the lane's width. */
function placeSheet(lane: HTMLElement, x: number, width: number): void {
  const sheet = lane.querySelector<HTMLElement>('.note-sheet');
  if (sheet === null) return;
  const left = Math.max(0, Math.min(x, width - sheet.offsetWidth));
  sheet.style.transform = `translateX(${Math.round(left)}px)`;
}
