/** Over the bars: a line through all rows at each note that is in sight, and a faint band where it is a stretch. */
import type { SceneFrame } from '../draw-list.ts';
import type { Palette } from '../palette.ts';
import { xOfTime, type TimeRange } from '../viewport.ts';

interface NotesPicture {
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly notes: readonly TimeRange[];
}

const BAND = 0.1;
const LINE = 0.8;

export function paintNotes(context: CanvasRenderingContext2D, picture: NotesPicture): void {
  const { frame, palette, notes } = picture;
  const { view, width, height, layout, scrollTop } = frame;
  const bottom = Math.min(height, layout.height - scrollTop);
  context.fillStyle = palette.note.css;
  for (const { from, to } of notes) {
    // Also the edges of what is seen in part: they lie outside.
    const left = Math.max(-1, Math.round(xOfTime(view, width, from)));
    const right = Math.min(width, Math.round(xOfTime(view, width, to)));
    if (right < 0 || left > width) continue;
    context.globalAlpha = BAND;
    context.fillRect(left, 0, right - left, bottom);
    context.globalAlpha = LINE;
    context.fillRect(left, 0, 1, bottom);
    if (right > left) context.fillRect(right, 0, 1, bottom);
  }
  context.globalAlpha = 1;
}
