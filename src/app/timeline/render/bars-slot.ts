/**
 * The renderer in use: Canvas 2D at once, WebGL once there is a picture, Canvas 2D again while the GPU's context
 * is lost.
 */
import type { Instances } from '../instances.ts';
import type { Palette } from '../palette.ts';
import type { BarFrame, BarRenderer } from './bars.ts';
import { createCanvasBars } from './canvas-bars.ts';

/** ms in which the frame that was just drawn comes on screen. */
const AFTER_PAINT_MS = 50;

export interface BarsSlot {
  readonly uploadedBytes: number;
  setPalette(palette: Palette): void;
  draw(frame: BarFrame): void;
  release(instances: Instances): void;
  dispose(): void;
}

/** Puts the renderer's canvas into `holder`, whose `data-renderer` names it; `onChange` when another one took over and has to draw. */
export function createBarsSlot(holder: HTMLElement, palette: Palette, onChange: () => void): BarsSlot {
  const plain = createCanvasBars(palette);
  let colours = palette;
  let gpu: BarRenderer | undefined;
  let lost = false;
  let disposed = false;
  const current = () => (gpu && !lost ? gpu : plain);
  const show = () => {
    holder.replaceChildren(current().canvas);
    if (gpu && lost) {
      // The lost canvas has to stay in the document to hear of its return.
      holder.append(gpu.canvas);
    }
    if (gpu) gpu.canvas.style.visibility = lost ? 'hidden' : 'visible';
    holder.dataset.renderer = current() === gpu ? 'webgl' : 'canvas';
    current().setPalette(colours);
    onChange();
  };
  const take = (renderer: BarRenderer) => {
    if (disposed) return renderer.dispose();
    gpu = renderer;
    const turn = (isLost: boolean) => () => {
      lost = isLost;
      show();
    };
    renderer.canvas.addEventListener('webglcontextlost', turn(true));
    renderer.canvas.addEventListener('webglcontextrestored', turn(false));
    show();
  };
  show();
  const startGpu = () => {
    if (disposed || !hasWebGl()) return;
    // Where Pixi cannot start after all, Canvas 2D stays.
    import('./pixi-bars.ts').then(({ createPixiBars }) => createPixiBars()).then(take, () => undefined);
  };
  let started = false;
  return {
    get uploadedBytes() {
      return current().uploadedBytes;
    },
    setPalette: (next) => {
      colours = next;
      current().setPalette(next);
    },
    draw: (frame) => {
      current().draw(frame);
      if (started || frame.items.length === 0) return;
      started = true;
      // A WebGL context blocks the page while it is made, for seconds where it is software: after the first picture.
      setTimeout(startGpu, AFTER_PAINT_MS);
    },
    release: (instances) => gpu?.release(instances),
    dispose: () => {
      disposed = true;
      gpu?.dispose();
      plain.dispose();
    },
  };
}

function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}
