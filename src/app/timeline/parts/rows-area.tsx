/** The rows over time: the scene's canvases, the pointer, the card. */
import { computed, useSignal, type ReadonlySignal } from '@preact/signals';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { HoverCard } from './hover-card.tsx';
import { densityAt, hitTest, plotIn } from './hit-test.ts';
import { levelOf } from '../tiles/levels.ts';
import { BarsSlot } from '../render/bars-slot.ts';
import { RowsPointer } from './rows-pointer.ts';
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

  const hit = (row: string, timeNs: DisplayNs) => {
    const current = scene.peek();
    const laid = view.rows.layout.peek().find(row);
    const series = laid && current?.seriesOf(laid.row);
    if (!current) return undefined;
    const { view: viewport, width, ratio } = current.frame();
    const level = levelOf(viewport, width * ratio);
    if (series?.kind === 'density') return densityAt(current.store, series, level, timeNs);
    const pixelNs = Math.max(1, viewport.span / width);
    if (series?.kind === 'plot') return plotIn(current.store, series, level, timeNs, timeNs + pixelNs);
    if (series?.kind !== 'states') return undefined;
    return hitTest(current.store, series, level, timeNs, viewport.span / width);
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
    // Drawing asks for what there is to draw: not two frames later, when the observer was heard.
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
    const pointer = new RowsPointer(box, { view, hit, dragging });
    return () => {
      forget();
      pointer.dispose();
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
