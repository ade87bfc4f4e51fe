/** Locks and threads by name, each with the mark of its colour: a square for locks, a disc for threads. */
import { lockTitle } from './lock-words.ts';
import type { NamedLock, NamedThread } from './locks-state.ts';

export function LockName({ lock }: { readonly lock: NamedLock }) {
  return (
    <span class="lock-name">
      <span class="lock-mark" style={{ background: lock.mark }} />
      <span class="table-name ellipsis" title={lockTitle(lock)}>
        {lock.shortName}
      </span>
      {lock.isIdle === true && <span class="lock-idle">idle</span>}
    </span>
  );
}

/** @param thread undefined: nobody is known */
export function ThreadName({ thread }: { readonly thread: NamedThread | undefined }) {
  if (thread === undefined) return <span class="faint">not known</span>;
  return (
    <span class="lock-name">
      <span class="lock-thread-mark" style={{ background: thread.mark }} />
      <span class="table-name ellipsis">{thread.shownName}</span>
    </span>
  );
}
