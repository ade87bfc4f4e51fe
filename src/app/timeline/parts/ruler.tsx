/** The ruler over the rows: shows ticks and the pointer's time; a drag selects a range. */
import { useContext, useEffect, useRef } from 'preact/hooks';
import { axisScale, listenDrags, pointIn, handleAt, rangeDrag } from './drag.ts';
import { ElementSize } from '../../browser/element-size.ts';
import { beginPaint, pixelRatio } from '../../draw/pixels.ts';
import { repaintOn } from '../../browser/repaint.ts';
import { paintRuler } from '../paint/ruler.ts';
import { PaletteContext } from '../../draw/swatch.tsx';
import type { ViewModel } from '../view/view-model.ts';

export function Ruler({ view }: { readonly view: ViewModel }) {
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = useContext(PaletteContext);
  useEffect(() => {
    const [box, picture] = [holder.current, canvas.current];
    if (!box || !picture) return;
    const size = new ElementSize(box, () => painting.invalidate());
    const scale = axisScale(() => view.viewport.peek(), size);
    const painting = repaintOn([view.viewport, view.hover, view.range, view.timeStyle, palette], () => {
      const { width, height } = size;
      const colours = palette.peek();
      const context = beginPaint(picture, width, height, pixelRatio());
      if (!context || !colours) return;
      paintRuler({
        context,
        view: view.viewport.peek(),
        width,
        height,
        palette: colours,
        style: view.timeStyle.peek(),
        hoverNs: view.hover.peek()?.timeNs,
        range: view.range.peek(),
      });
    });
    const hover = (event: PointerEvent) => {
      const { x } = pointIn(box, event);
      view.hover.value = { timeNs: scale.timeAt(x) };
      box.style.cursor = handleAt(view.range.peek(), scale, x) ? 'ew-resize' : 'crosshair';
    };
    const leave = () => (view.hover.value = undefined);
    box.addEventListener('pointermove', hover);
    box.addEventListener('pointerleave', leave);
    const stopDrags = listenDrags(box, (begin) => rangeDrag(view, scale, begin));
    return () => {
      painting.dispose();
      size.dispose();
      box.removeEventListener('pointermove', hover);
      box.removeEventListener('pointerleave', leave);
      stopDrags();
    };
  }, [view, palette]);
  return (
    <div class="ruler" ref={holder}>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
