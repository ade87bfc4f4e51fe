/**
 * The renderer in use: Canvas 2D at once, WebGL once there is a picture, Canvas 2D again while the GPU's context
 * is lost.
 */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { Instances } from '../instances.ts';
import type { Palette } from '../palette.ts';
import { isSameFrame, type BarFrame, type BarRenderer } from './bars.ts';
import { createCanvasBars } from './canvas-bars.ts';

/** ms in which the frame that was just drawn comes on screen. */
const AFTER_PAINT_MS = 50;
/** ms that a trace which is still being read may put off the GPU. */
const LONGEST_WAIT_MS = 3000;

export interface BarsSlot {
  readonly uploadedBytes: number;
  setPalette(palette: Palette): void;
  draw(frame: BarFrame): void;
  release(instances: Instances): void;
  dispose(): void;
}

/**
 * Puts the renderer's canvas into `holder`, whose `data-renderer` names it.
 * @param busy a trace is being read: a WebGL context costs seconds of its time where it is software
 * @param onChange another renderer took over and has to draw
 */
export function createBarsSlot(
  holder: HTMLElement,
  palette: Palette,
  busy: ReadonlySignal<boolean>,
  onChange: () => void,
): BarsSlot {
  const plain = createCanvasBars(palette);
  let colours = palette;
  let gpu: BarRenderer | undefined;
  let lost = false;
  let disposed = false;
  /** Drawn by the current renderer in the current colours. */
  let last: BarFrame | undefined;
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
    last = undefined;
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
  let asked = false;
  const startGpu = () => {
    if (asked || disposed) return;
    asked = true;
    if (!hasGpu()) return;
    // Where Pixi cannot start after all, Canvas 2D stays.
    import('./pixi-bars.ts').then(({ createPixiBars }) => createPixiBars()).then(take, () => undefined);
  };
  let drawn = false;
  let stopWaiting = () => {};
  const startGpuSoon = () => {
    stopWaiting = effect(() => {
      // A WebGL context also blocks the page while it is made: after the first picture.
      if (!busy.value) setTimeout(startGpu, AFTER_PAINT_MS);
    });
    setTimeout(startGpu, LONGEST_WAIT_MS);
  };
  return {
    get uploadedBytes() {
      return current().uploadedBytes;
    },
    setPalette: (next) => {
      colours = next;
      last = undefined;
      current().setPalette(next);
    },
    draw: (frame) => {
      if (last !== undefined && isSameFrame(last, frame)) return;
      last = frame;
      current().draw(frame);
      if (drawn || frame.items.length === 0) return;
      drawn = true;
      startGpuSoon();
    },
    release: (instances) => gpu?.release(instances),
    dispose: () => {
      disposed = true;
      stopWaiting();
      gpu?.dispose();
      plain.dispose();
    },
  };
}

/** Names that software renderers give themselves. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Whether there is a GPU. WebGL in software reads every frame back, which costs more than Canvas 2D's whole drawing;
 * `?renderer=webgl` takes it all the same, for tests.
 */
function hasGpu(): boolean {
  if (new URLSearchParams(location.search).get('renderer') === 'webgl') return true;
  // Where the browser knows that it would be software, it makes no context.
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info === null ? '' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(name);
}
