/** Paints notes: a faint band behind the bars for a range, and lines over them where it begins and ends. */
import type { SceneFrame } from '../tiles/draw-list.ts';
import type { Palette } from '../../draw/palette.ts';
import { xOfTime, type TimeRange } from '../view/viewport.ts';

interface NotesPicture {
  readonly context: CanvasRenderingContext2D;
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly notes: readonly TimeRange[];
}

export function paintNoteBands(picture: NotesPicture): void {
  const { context } = picture;
  paint(picture, 0.12, (left, right, bottom) => context.fillRect(left, 0, right - left, bottom));
}

export function paintNoteLines(picture: NotesPicture): void {
  const { context } = picture;
  paint(picture, 0.8, (left, right, bottom) => {
    context.fillRect(left, 0, 1, bottom);
    if (right > left) context.fillRect(right, 0, 1, bottom);
  });
}

/** @param draw gets CSS pixels; an edge out of sight lies just outside */
function paint(
  { context, frame, palette, notes }: NotesPicture,
  alpha: number,
  draw: (left: number, right: number, bottom: number) => void,
): void {
  const { view, width, height, layout, scrollTop } = frame;
  const bottom = Math.min(height, layout.height - scrollTop);
  context.globalAlpha = alpha;
  context.fillStyle = palette.note.css;
  for (const { from, to } of notes) {
    const left = Math.max(-1, Math.round(xOfTime(view, width, from)));
    const right = Math.min(width, Math.round(xOfTime(view, width, to)));
    if (right >= 0 && left <= width) draw(left, right, bottom);
  }
  context.globalAlpha = 1;
}
