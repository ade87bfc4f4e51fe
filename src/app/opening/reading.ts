/** How far a trace is read, while it is being read and when that was stopped. */
import type { Progress } from '../../engine/protocol/session.ts';
import { isReading } from './progress-row.tsx';

/** Display ns up to which rows are read, not before the begin; Infinity when all is. */
export function readTo(progress: Progress | undefined): number {
  return Math.max(0, progress?.watermarkNs ?? Infinity);
}

/** Nothing more is read, though it may still be being stored: no rows come after these. */
export function isOver(progress: Progress | undefined): boolean {
  return progress !== undefined && (progress.phase === 'finishing' || !isReading(progress));
}

/** Reading ended before all was read. */
export function wasStopped(progress: Progress | undefined): boolean {
  return isOver(progress) && readTo(progress) < Infinity;
}
