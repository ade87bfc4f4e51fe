/** The timeline as one picture to be saved: names of the rows, ruler, and the visible rows. */
import { visibleText } from '../format/text.ts';
import { tidText } from '../format/tid.ts';
import { LEGEND } from '../draw/draw-codes.ts';
import type { Palette } from '../draw/palette.ts';
import type { Picture } from '../draw/pictures.ts';
import { fillBox } from '../draw/pixels.ts';
import { visibleLaid, type SceneFrame } from './tiles/draw-list.ts';
import { indentOf } from './parts/gutter.tsx';
import { paintRuler } from './paint/ruler.ts';
import type { Scene } from './scene.ts';
import type { ViewModel } from './view/view-model.ts';

/** Width of the names, CSS pixels. */
const NAMES = 240;
const RULER = 28;
const GAP = 6;

/** @param hasStates whether rows show states, which the legend explains */
export function timelinePicture(
  scene: Scene,
  view: ViewModel,
  palette: () => Palette,
  hasStates: () => boolean,
): Picture {
  const size = () => {
    const { width, height, layout, scrollTop } = scene.frame();
    return { width: NAMES + width, height: RULER + Math.min(height, layout.height - scrollTop) };
  };
  const paint = (context: CanvasRenderingContext2D) => {
    const frame = scene.frame();
    const { width, height } = size();
    const colours = palette();
    fillBox(context, colours.canvas, 0, 0, width, height);
    within(context, [NAMES, 0, frame.width, RULER], () =>
      paintRuler({
        context,
        view: view.viewport.peek(),
        width: frame.width,
        height: RULER,
        palette: colours,
        style: view.timeStyle.peek(),
        hoverNs: undefined,
        range: view.range.peek(),
      }),
    );
    within(context, [0, RULER, NAMES, height - RULER], () => paintNames(context, frame, colours));
    within(context, [NAMES, RULER, frame.width, height - RULER], () => scene.paint(context));
  };
  return {
    title: 'Timeline',
    get legend() {
      return hasStates() ? [...LEGEND.keys()] : [];
    },
    palette,
    size,
    paint,
  };
}

/** Paints in a box of the picture, clipped to it. */
function within(
  context: CanvasRenderingContext2D,
  [x, y, width, height]: readonly [number, number, number, number],
  paint: () => void,
): void {
  context.save();
  context.translate(x, y);
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  paint();
  context.restore();
}

function paintNames(context: CanvasRenderingContext2D, frame: SceneFrame, palette: Palette): void {
  context.textBaseline = 'middle';
  for (const laid of visibleLaid(frame)) {
    const { row, height } = laid;
    const middle = laid.y - frame.scrollTop + height / 2;
    const left = indentOf(laid);
    const name = visibleText(row.name);
    context.font = `${row.kind === 'host' ? '600 ' : ''}12px ${palette.font}`;
    context.fillStyle = palette.text.css;
    context.fillText(name, left, middle);
    const id = tidText(row);
    if (id === undefined) continue;
    const right = left + context.measureText(name).width + GAP;
    context.fillStyle = palette.faint.css;
    context.fillText(id, right, middle);
  }
}
