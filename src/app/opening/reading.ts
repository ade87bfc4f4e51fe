/** Progress of reading, also when it was stopped. */
import type { Progress } from '../../engine/protocol/session.ts';
import { isReading } from './progress-row.tsx';

/** Display ns up to which rows are read, at least 0; Infinity when all is read. */
export function readTo(progress: Progress | undefined): number {
  return Math.max(0, progress?.watermarkNs ?? Infinity);
}

/** Whether reading has ended and no more rows come, though the trace may still be being stored. */
export function isOver(progress: Progress | undefined): boolean {
  return progress !== undefined && (progress.phase === 'finishing' || !isReading(progress));
}

/** Whether reading was stopped before its end. */
export function wasStopped(progress: Progress | undefined): boolean {
  return isOver(progress) && readTo(progress) < Infinity;
}
