/** How far a trace is read. */
import type { Progress } from '../../workers/session-api.ts';
import { isReading } from '../opening/progress-row.tsx';

/** Display ns up to which rows are read; Infinity when all is. */
export function readTo(progress: Progress | undefined): number {
  return progress && isReading(progress) ? progress.watermarkNs : Infinity;
}
