/** What frames cost while one pans, zooms and scrolls: a page function for the frame bench. */
import type { FrameStats } from '../src/app/timeline/scene.ts';
import type { ViewModel } from '../src/app/timeline/view/view-model.ts';

export interface FrameBench {
  readonly frames: number;
  /** ms of script a frame: the command, what renders because of it, and all painting. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  readonly mostInstances: number;
  /** Bytes of geometry uploaded while panning within tiles that are there. */
  readonly panUploadBytes: number;
}

const PAN_FRAMES = 60;
const ZOOM_FRAMES = 60;
const SCROLL_FRAMES = 30;

/** `stats` receives what every frame of the scene cost. */
export async function benchFrames(view: ViewModel, stats: FrameStats[]): Promise<FrameBench> {
  const pan = (i: number) => view.panBy(i < PAN_FRAMES / 2 ? 0.004 : -0.004);
  const zoom = (i: number) => view.zoomBy(i < ZOOM_FRAMES / 2 ? 1.06 : 1 / 1.06, 0.4);
  const scroll = () => view.rows.scrollTo(view.rows.scrollTop.peek() + 37);
  view.setRange(view.extent.peek(), false);
  view.zoomBy(3.1);
  await settled(stats);
  // There and back: the second time everything is loaded.
  await sweep(PAN_FRAMES, pan);
  await settled(stats);
  const uploaded = last(stats).uploadedBytes;
  stats.length = 0;
  const panned = await sweep(PAN_FRAMES, pan);
  const panUploadBytes = last(stats).uploadedBytes - uploaded;
  const times = [...panned, ...(await sweep(ZOOM_FRAMES, zoom)), ...(await sweep(SCROLL_FRAMES, scroll))];
  times.sort((a, b) => a - b);
  return {
    frames: times.length,
    medianMs: times[Math.floor(times.length / 2)],
    p95Ms: times[Math.floor(times.length * 0.95)],
    mostMs: times[times.length - 1],
    mostInstances: stats.reduce((most, frame) => Math.max(most, frame.instances), 0),
    panUploadBytes,
  };
}

/** ms of script of each of some frames: a step and the painting that follows from it. */
async function sweep(frames: number, step: (i: number) => void): Promise<number[]> {
  const meter = meterFrames();
  const times: number[] = [];
  for (let i = 0; i < frames; i++) {
    const begin = performance.now();
    step(i);
    await rendered();
    const stepMs = performance.now() - begin;
    meter.spentMs = 0;
    await meter.frame();
    times.push(stepMs + meter.spentMs);
  }
  meter.stop();
  return times;
}

/** Counts the time spent in callbacks of animation frames. */
function meterFrames() {
  const original = window.requestAnimationFrame;
  const meter = {
    spentMs: 0,
    // After the painting of the frame, whose callbacks were asked for before.
    frame: () => new Promise((resolve) => original(resolve)),
    stop: () => {
      window.requestAnimationFrame = original;
    },
  };
  window.requestAnimationFrame = (callback) =>
    original((now) => {
      const begin = performance.now();
      callback(now);
      meter.spentMs += performance.now() - begin;
    });
  return meter;
}

/** Components render in microtasks after a signal changed. */
async function rendered(): Promise<void> {
  for (let i = 0; i < 4; i++) await Promise.resolve();
}

/** Until nothing that the view wants is missing. */
async function settled(stats: readonly FrameStats[]): Promise<void> {
  for (let quiet = 0, i = 0; quiet < 5 && i < 600; i++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    quiet = stats.at(-1)?.complete ? quiet + 1 : 0;
  }
}

function last(stats: readonly FrameStats[]): FrameStats {
  const frame = stats.at(-1);
  if (!frame) throw new Error('no frame was drawn');
  return frame;
}
