/** Filter of the listed waits by lock, waiter and holder, as choices, so that links contain them. */
import { useChoices, type Choices } from '../controls/choices.ts';
import type { LockWaitsRequest } from '../../engine/protocol/locks.ts';
import type { MatrixCell } from './blocking-matrix.tsx';
import type { LocksState } from './locks-state.ts';

export const VIEW_CHOICE = 'locks.view';
export const LOCK_CHOICE = 'locks.lock';
export const WAITER_CHOICE = 'locks.waiter';
export const HOLDER_CHOICE = 'locks.holder';

/** Value in place of a holder's row, if the holder is not known. */
const NOBODY = 'nobody';

export type WaitFilter = ReturnType<typeof waitFilter>;

export function useWaitFilter(locks: LocksState): WaitFilter {
  return waitFilter(useChoices(), locks);
}

export function waitFilter(choices: Choices, { threads, lockById }: LocksState) {
  const chooseLock = (lock: string, view: string) => {
    choices.choose(LOCK_CHOICE, lock);
    choices.choose(WAITER_CHOICE, undefined);
    choices.choose(HOLDER_CHOICE, undefined);
    choices.choose(VIEW_CHOICE, view);
  };
  return {
    /** Reads signals. */
    wanted: (): Pick<LockWaitsRequest, 'lock' | 'waiter' | 'holder'> => {
      const holder = choices.text(HOLDER_CHOICE);
      return {
        lock: choices.text(LOCK_CHOICE),
        waiter: choices.text(WAITER_CHOICE),
        holder: holder === NOBODY ? null : holder,
      };
    },
    /** Lists the waits of a cell of the matrix; if a lock is chosen, only those for it. */
    showCell: ({ waiter, holder }: MatrixCell) => {
      choices.choose(WAITER_CHOICE, threads.peek()[waiter].row);
      choices.choose(HOLDER_CHOICE, holder < 0 ? NOBODY : threads.peek()[holder].row);
      choices.choose(VIEW_CHOICE, 'waits');
    },
    showLock: (lock: string) => chooseLock(lock, 'waits'),
    showPlaces: (lock: string) => chooseLock(lock, 'places'),
    /** Chooses a lock: shows its details beside the table, or, if its holders are not known, its waits. */
    choose: (lock: string) => chooseLock(lock, lockById.peek().has(lock) ? 'locks' : 'waits'),
    drop: (name: typeof LOCK_CHOICE | typeof WAITER_CHOICE | typeof HOLDER_CHOICE) =>
      choices.choose(name, undefined),
  };
}
