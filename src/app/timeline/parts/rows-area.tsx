/** The rows over time: the scene's canvases, the pointer, the card. */
import { computed, useSignal, type ReadonlySignal } from '@preact/signals';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { HoverCard } from './hover-card.tsx';
import { densityAt, hitTest, plotIn } from './hit-test.ts';
import { BarsSlot } from '../render/bars-slot.ts';
import { listenRowsPointer } from './rows-pointer.ts';
import { Scene, type FrameStats } from '../scene.ts';
import { PicturesContext } from '../../draw/pictures.ts';
import { PaletteContext } from '../../draw/swatch.tsx';
import { timelinePicture } from '../timeline-picture.ts';
import type { TimelineSource } from '../timeline-source.ts';
import type { ViewModel } from '../view/view-model.ts';
import { repaintOn } from '../../browser/repaint.ts';

interface RowsAreaProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
  readonly scene: ReadonlySignal<Scene | undefined>;
  readonly onScene: (scene: Scene | undefined) => void;
  readonly onFrame?: (stats: FrameStats) => void;
}

export function RowsArea({ source, view, scene, onScene, onFrame }: RowsAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const backdrop = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const foreground = useRef<HTMLCanvasElement>(null);
  const palette = useContext(PaletteContext);
  const pictures = useContext(PicturesContext);
  const dragging = useSignal(false);

  const hit = (id: string, timeNs: DisplayNs) => {
    const current = scene.peek();
    const laid = view.rows.layout.peek().find(id);
    if (!current || !laid) return undefined;
    const row = current.tilesOf(laid.row);
    const { view: viewport, width } = current.frame();
    const pixelNs = viewport.span / width;
    switch (row.series.kind) {
      case 'density':
        return densityAt(row, timeNs);
      case 'plot':
        return plotIn(row, timeNs, timeNs + Math.max(1, pixelNs));
      case 'states':
        return hitTest(row, timeNs, pixelNs);
      default:
        return undefined;
    }
  };

  useLayoutEffect(() => {
    const [box, back, bars, over] = [area.current, backdrop.current, holder.current, foreground.current];
    const colours = palette.peek();
    if (!box || !back || !bars || !over || !colours) return;
    const reading = computed(() => source.progress.value?.phase === 'reading');
    const slot = new BarsSlot(bars, colours, reading, () => scene.peek()?.invalidate());
    const made = new Scene(
      source,
      view,
      { backdrop: back, foreground: over, bars: slot },
      () => palette.peek() ?? colours,
      onFrame,
    );
    onScene(made);
    const recolour = repaintOn([palette], () => {
      slot.setPalette(palette.peek() ?? colours);
      made.invalidate();
    });
    const resize = ({ width, height }: DOMRectReadOnly) => {
      view.rows.height.value = height;
      made.resize(width, height);
    };
    const observer = new ResizeObserver(([{ contentRect }]) => resize(contentRect));
    observer.observe(box);
    // Sized at once, so that drawing asks for tiles two frames before the observer runs.
    resize(box.getBoundingClientRect());
    made.draw();
    const forget = pictures.add(
      timelinePicture(
        made,
        view,
        () => palette.peek() ?? colours,
        () => source.info.peek()?.hasKernel === true,
      ),
    );
    const stopPointer = listenRowsPointer(box, { view, hit, dragging });
    return () => {
      forget();
      stopPointer();
      observer.disconnect();
      recolour.dispose();
      made.dispose();
      slot.dispose();
      onScene(undefined);
    };
  }, [source, view, palette]);

  return (
    <div class="rows-area" ref={area}>
      <canvas ref={backdrop} aria-hidden="true" />
      <div class="rows-bars" ref={holder} aria-hidden="true" />
      <canvas ref={foreground} aria-hidden="true" />
      <HoverCard source={source} view={view} scene={scene} hit={hit} shown={!dragging.value} />
    </div>
  );
}
