/** A note in words: where it is, and its text. */
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleCharacters, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { rowById } from '../timeline/rows/row-by-id.ts';
import { exactTime, type TimeStyle } from '../timeline/timeline.tsx';
import type { Note } from './note.ts';

/** "0.261 820 170 s, 6.019 ms of imb-80, tid 2061". */
export function placeText(note: Note, rows: readonly RowInfo[], style: TimeStyle): string {
  const length = note.to > note.from ? `, ${formatDuration(note.to - note.from)}` : '';
  const row = note.row === undefined ? '' : ` of ${rowText(note.row, rows)}`;
  return `${exactTime(note.from, style)}${length}${row}`;
}

/** Its row by name, as far as it is there: those of overlays come and go. */
export function rowText(id: string, rows: readonly RowInfo[]): string {
  const row = rowById(rows, id);
  if (row === undefined) return visibleText(id);
  return `${visibleText(row.name)}${row.tid === undefined ? '' : `, tid ${tidWords(row)}`}`;
}

/** All of its text, safe to show. */
export function shownText({ text }: Note): string {
  return visibleCharacters(text);
}
