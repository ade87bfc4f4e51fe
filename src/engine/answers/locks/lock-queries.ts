/** Answers about locks, as one part that is loaded with the first question. */
import type { QueryOf } from '../context/query.ts';
import {
  criticalSectionLines,
  lockAnswer,
  locksAnswer,
  lockProviders as providersOf,
} from './lock-answers.ts';
import { lockRanks as ranksOf } from './lock-ranks.ts';
import { lockWaits as waitsOf, NO_WAITS } from './lock-waits.ts';
import { locksWithin as locksIn, NO_LOCKS_WITHIN } from './locks-within.ts';

export const locks: QueryOf<'locks'> = { answer: locksAnswer };
export const lock: QueryOf<'lock'> = { answer: lockAnswer };
export const lockProviders: QueryOf<'lockProviders'> = { answer: providersOf };
export const lockRanks: QueryOf<'lockRanks'> = { answer: ranksOf };
export const criticalSections: QueryOf<'criticalSections'> = { answer: criticalSectionLines };
export const lockWaits: QueryOf<'lockWaits'> = { nothing: () => NO_WAITS, answer: waitsOf };
export const locksWithin: QueryOf<'locksWithin'> = { nothing: () => NO_LOCKS_WITHIN, answer: locksIn };
