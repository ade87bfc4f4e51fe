/** Progress before anything is read: while files are fetched and unpacked. */
import type { Progress, UpdateListener } from '../protocol/session.ts';

/** ms between two reports of what is there. */
const PROGRESS_MS = 200;

export function gatheringProgress(
  phase: Progress['phase'],
  onUpdate: UpdateListener,
): (bytes: number, totalBytes: number) => void {
  const begin = performance.now();
  let told = -Infinity;
  return (bytes, totalBytes) => {
    const now = performance.now();
    if (now - told < PROGRESS_MS) return;
    // Before anything is there nothing is held back.
    if (bytes > 0) told = now;
    const seconds = (now - begin) / 1000;
    onUpdate({ progress: { phase, bytes, totalBytes, events: 0, seconds, watermarkNs: 0 } });
  };
}
