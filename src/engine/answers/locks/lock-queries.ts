/** Answers about locks; loaded with the first such question. */
import type { QueryOf } from '../context/query.ts';
import { lockWaits as waitsOf, NO_WAITS } from './lock-waits.ts';
import { locksWithin as locksIn, NO_LOCKS_WITHIN } from './locks-within.ts';

export {
  criticalSectionLines as criticalSections,
  lockAnswer as lock,
  lockProviders,
  locksAnswer as locks,
} from './lock-answers.ts';
export { lockRanks } from './lock-ranks.ts';
export const lockWaits: QueryOf<'lockWaits'> = { nothing: () => NO_WAITS, answer: waitsOf };
export const locksWithin: QueryOf<'locksWithin'> = { nothing: () => NO_LOCKS_WITHIN, answer: locksIn };
