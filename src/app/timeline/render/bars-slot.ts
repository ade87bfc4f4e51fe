/** Chooses the renderer: Canvas 2D until there is a picture and while the GPU's context is lost, else WebGL. */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { Instances } from '../tiles/instances.ts';
import type { Palette } from '../../draw/palette.ts';
import { isSameFrame, type BarFrame, type BarRenderer } from './bars.ts';
import { createCanvasBars } from './canvas-bars.ts';

/** Time until a drawn frame is on the screen, ms. */
const AFTER_PAINT_MS = 50;
/** Longest time that reading delays the start of the GPU, ms. */
const LONGEST_WAIT_MS = 3000;

export class BarsSlot {
  readonly #holder: HTMLElement;
  readonly #busy: ReadonlySignal<boolean>;
  readonly #onChange: () => void;
  readonly #plain: BarRenderer;
  #palette: Palette;
  #gpu: BarRenderer | undefined;
  #isLost = false;
  /** Whether a GPU was looked for. */
  #isAsked = false;
  #isDisposed = false;
  #hasDrawn = false;
  /** Frame that the current renderer has drawn in the current colours. */
  #last: BarFrame | undefined;
  #stopWaiting = () => {};

  /**
   * Puts the renderer's canvas into `holder`, whose `data-renderer` names it.
   * @param busy whether a trace is being read: a software WebGL context would take seconds from that
   * @param onChange called when another renderer took over and has to draw
   */
  constructor(holder: HTMLElement, palette: Palette, busy: ReadonlySignal<boolean>, onChange: () => void) {
    this.#holder = holder;
    this.#palette = palette;
    this.#busy = busy;
    this.#onChange = onChange;
    this.#plain = createCanvasBars(palette);
    this.#show();
  }

  get uploadedBytes(): number {
    return this.#current.uploadedBytes;
  }

  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#last = undefined;
    this.#current.setPalette(palette);
  }

  draw(frame: BarFrame): void {
    if (this.#last !== undefined && isSameFrame(this.#last, frame)) return;
    this.#last = frame;
    this.#current.draw(frame);
    if (this.#hasDrawn || frame.items.length === 0) return;
    this.#hasDrawn = true;
    this.#startGpuSoon();
  }

  release(instances: Instances): void {
    this.#gpu?.release(instances);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stopWaiting();
    this.#gpu?.dispose();
    this.#plain.dispose();
  }

  get #current(): BarRenderer {
    return this.#gpu !== undefined && !this.#isLost ? this.#gpu : this.#plain;
  }

  #show(): void {
    const [holder, gpu, current] = [this.#holder, this.#gpu, this.#current];
    holder.replaceChildren(current.canvas);
    // The lost canvas has to stay in the document to get the event when its context is restored.
    if (gpu !== undefined && this.#isLost) holder.append(gpu.canvas);
    if (gpu !== undefined) gpu.canvas.style.visibility = this.#isLost ? 'hidden' : 'visible';
    holder.dataset.renderer = current === gpu ? 'webgl' : 'canvas';
    current.setPalette(this.#palette);
    this.#last = undefined;
    this.#onChange();
  }

  #startGpuSoon(): void {
    this.#stopWaiting = effect(() => {
      // After the first picture, since creating a WebGL context blocks the page.
      if (!this.#busy.value) setTimeout(() => this.#startGpu(), AFTER_PAINT_MS);
    });
    setTimeout(() => this.#startGpu(), LONGEST_WAIT_MS);
  }

  #startGpu(): void {
    if (this.#isAsked || this.#isDisposed) return;
    this.#isAsked = true;
    // If Pixi cannot start, Canvas 2D stays.
    loadGpuBars()
      .then((pixi) => pixi?.createPixiBars())
      .then(
        (renderer) => renderer && this.#take(renderer),
        () => undefined,
      );
  }

  #take(renderer: BarRenderer): void {
    if (this.#isDisposed) return renderer.dispose();
    this.#gpu = renderer;
    const turn = (isLost: boolean) => () => {
      this.#isLost = isLost;
      this.#show();
    };
    renderer.canvas.addEventListener('webglcontextlost', turn(true));
    renderer.canvas.addEventListener('webglcontextrestored', turn(false));
    this.#show();
  }
}

type PixiBars = typeof import('./pixi-bars.ts');

let loaded: Promise<PixiBars | undefined> | undefined;

/** The code that draws bars on the GPU, loaded once; undefined: there is no GPU, or loading failed. */
export function loadGpuBars(): Promise<PixiBars | undefined> {
  return (loaded ??= hasGpu() ? import('./pixi-bars.ts').catch(() => undefined) : Promise.resolve(undefined));
}

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Whether there is a GPU. Software WebGL reads every frame back, which costs more than drawing with Canvas 2D;
 * `?renderer=webgl` uses it anyway, for tests.
 */
function hasGpu(): boolean {
  if (new URLSearchParams(location.search).get('renderer') === 'webgl') return true;
  // The browser creates no context if it knows that it would be software.
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info === null ? '' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(name);
}
