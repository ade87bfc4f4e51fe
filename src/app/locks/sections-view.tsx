/** Critical sections as a flame graph: how long threads held locks, and waited for further ones while they held some. */
import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { CriticalSectionLine } from '../../engine/protocol/locks.ts';
import { DRAW_LOCK } from '../draw/draw-codes.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import { flameTree } from '../widgets/flame/flame-tree.ts';
import { type LockViewProps, showLock } from './locks-page.ts';
import type { LocksState } from './locks-state.ts';

const NO_LINES: readonly CriticalSectionLine[] = [];

export function SectionsView({ page, children }: LockViewProps) {
  const { locks, app, view } = page;
  const answer = useLiveAnswer(
    () => ({ known: locks.answer.value }),
    () => app.session.ask('criticalSections', {}),
  );
  const numbered = useRef(NO_LINES);
  const tree = useComputed(() => {
    const lines = answer.value ?? NO_LINES;
    // The same lines in another answer, as rows came, and other names change no place of a frame.
    if (JSON.stringify(lines) !== JSON.stringify(numbered.current)) numbered.current = lines;
    return flameTree(
      lines.map((line) => frameOf(locks, line)),
      numbered.current,
    );
  });
  const open = (frame: number) => {
    const { kind, thread, lock } = answer.peek()?.[frame] ?? {};
    if (kind !== 'thread' && lock !== undefined) showLock(page, lock);
    else if (thread !== undefined) view.show(locks.threads.peek()[thread].row);
  };
  return (
    <section class="locks-whole" aria-label="Critical sections">
      {answer.value?.length === 0 ? (
        <div class="locks-nothing">
          {children}
          <p class="muted">No thread held a lock for any time.</p>
        </div>
      ) : (
        <FlameGraph label="Critical sections" tree={tree} format={formatDuration} onOpen={open}>
          {children}
        </FlameGraph>
      )}
    </section>
  );
}

function frameOf({ threads, lockById }: LocksState, { parent, kind, thread, lock, ns }: CriticalSectionLine) {
  const name = lockById.value.get(lock)?.shortName ?? visibleText(lock);
  const text =
    kind === 'thread' ? threads.value[thread].shownName : kind === 'hold' ? name : `waits for ${name}`;
  return { parent, text, code: kind === 'wait' ? DRAW_LOCK : 0, value: ns };
}
