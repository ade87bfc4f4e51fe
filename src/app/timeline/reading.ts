/** Whether a trace is still being read: what lies after the watermark is not known yet. */
import type { Progress } from '../../workers/session-api.ts';

export function isReading(progress: Progress | undefined): boolean {
  return (
    progress !== undefined &&
    (progress.phase === 'indexing' || progress.phase === 'reading' || progress.phase === 'finishing')
  );
}

/** Display ns up to which rows are read; Infinity when all is. */
export function readTo(progress: Progress | undefined): number {
  return progress && isReading(progress) ? progress.watermarkNs : Infinity;
}
