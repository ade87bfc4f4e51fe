/** Whether the GPU draws bars, and the code by which it does: found out and loaded once for the page. */

type PixiBars = typeof import('./pixi-bars.ts');

let loaded: Promise<PixiBars | undefined> | undefined;

/** undefined: there is no GPU, or its code did not come. */
export function loadGpuBars(): Promise<PixiBars | undefined> {
  return (loaded ??= hasGpu() ? import('./pixi-bars.ts').catch(() => undefined) : Promise.resolve(undefined));
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
