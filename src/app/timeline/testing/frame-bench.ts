/** What frames cost while one pans and zooms: a page function for the frame bench. */
import type { FrameStats } from '../scene.ts';
import type { ViewModel } from '../view-model.ts';

export interface FrameBench {
  readonly frames: number;
  /** ms of script a frame. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  readonly mostInstances: number;
  /** Bytes of geometry uploaded while panning within tiles that are there. */
  readonly panUploadBytes: number;
}

const PAN_FRAMES = 120;
const ZOOM_FRAMES = 120;
const SCROLL_FRAMES = 60;

/** `stats` receives what every frame cost. */
export async function benchFrames(view: ViewModel, stats: FrameStats[]): Promise<FrameBench> {
  view.setRange(view.extent.peek(), false);
  view.zoomBy(3.1);
  await settled(stats);
  // There and back: the second time everything is loaded.
  await sweep(PAN_FRAMES, (i) => view.panBy(i < PAN_FRAMES / 2 ? 0.004 : -0.004));
  await settled(stats);
  const uploaded = last(stats).uploadedBytes;
  stats.length = 0;
  await sweep(PAN_FRAMES, (i) => view.panBy(i < PAN_FRAMES / 2 ? 0.004 : -0.004));
  const panUploadBytes = last(stats).uploadedBytes - uploaded;
  await sweep(ZOOM_FRAMES, (i) => view.zoomBy(i < ZOOM_FRAMES / 2 ? 1.06 : 1 / 1.06, 0.4));
  await sweep(SCROLL_FRAMES, () => view.rows.scrollTo(view.rows.scrollTop.peek() + 37));
  const times = stats.map((frame) => frame.scriptMs).sort((a, b) => a - b);
  return {
    frames: times.length,
    medianMs: times[Math.floor(times.length / 2)],
    p95Ms: times[Math.floor(times.length * 0.95)],
    mostMs: times[times.length - 1],
    mostInstances: stats.reduce((most, frame) => Math.max(most, frame.instances), 0),
    panUploadBytes,
  };
}

async function sweep(frames: number, step: (i: number) => void): Promise<void> {
  for (let i = 0; i < frames; i++) {
    step(i);
    await nextFrame();
  }
  await nextFrame();
}

/** Until nothing that the view wants is missing. */
async function settled(stats: readonly FrameStats[]): Promise<void> {
  for (let quiet = 0, i = 0; quiet < 5 && i < 600; i++) {
    await nextFrame();
    quiet = stats.at(-1)?.complete ? quiet + 1 : 0;
  }
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

function last(stats: readonly FrameStats[]): FrameStats {
  const frame = stats.at(-1);
  if (!frame) throw new Error('no frame was drawn');
  return frame;
}
