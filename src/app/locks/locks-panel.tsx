/** The Locks tab: problems, then tables of locks, of threads, and of single waits. */
import { IconButton } from '../controls/button.tsx';
import './locks.css';
import type { FunctionComponent } from 'preact';
import { spanValue, waitValue } from '../../engine/layers/contract/span-values.ts';
import type { LocksAnswer, CriticalSectionLine } from '../../engine/protocol/locks.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { Findings } from './findings.tsx';
import { FutexTables } from './futex-tables.tsx';
import { LockTable } from './lock-table.tsx';
import { type LocksPage, type LockViewProps, showLock } from './locks-page.ts';
import { PlaceView } from './place-view.tsx';
import { ThreadTable } from './thread-table.tsx';
import { VIEW_CHOICE } from './wait-filter.ts';
import { ChainTable, WaitTable } from './wait-table.tsx';
import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { drawCodeOf } from '../draw/draw-codes.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import { flameTree } from '../widgets/flame/flame-tree.ts';
import type { LocksState } from './locks-state.ts';

const NO_LINES: readonly CriticalSectionLine[] = [];

function SectionsView({ page, children }: LockViewProps) {
  const { locks, app, view } = page;
  const answer = useLiveAnswer(
    () => ({ known: locks.answer.value }),
    () => app.session.ask('criticalSections', {}),
  );
  const numbered = useRef(NO_LINES);
  const tree = useComputed(() => {
    const lines = answer.value ?? NO_LINES;
    // An answer with the same lines, when rows came or names changed, keeps the numbers of the frames.
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
        <FlameGraph
          label="Critical sections"
          tree={tree}
          format={formatDuration}
          covers={() => 'Whole trace'}
          onOpen={open}
        >
          {children}
        </FlameGraph>
      )}
    </section>
  );
}

function frameOf({ threads, lockById }: LocksState, { parent, kind, thread, lock, ns }: CriticalSectionLine) {
  if (kind === 'thread') return { parent, text: threads.value[thread].shownName, code: 0, value: ns };
  const known = lockById.value.get(lock);
  const name = known?.shortName ?? visibleText(lock);
  const isWait = kind === 'wait';
  const colour = known?.colour ?? 0;
  const value = isWait ? waitValue(colour, 0) : spanValue(colour, 0, 0);
  return { parent, text: isWait ? `waits for ${name}` : name, code: drawCodeOf('layer', value), value: ns };
}

interface View {
  readonly id: 'locks' | 'threads' | 'waits' | 'chains' | 'places' | 'sections' | 'futexes';
  readonly title: string;
  readonly Table: FunctionComponent<LockViewProps>;
  isThere(answer: LocksAnswer): boolean;
}

const VIEWS: readonly View[] = [
  { id: 'locks', title: 'Locks', Table: LockTable, isThere: hasLocks },
  { id: 'threads', title: 'Threads', Table: ThreadTable, isThere: hasLocks },
  { id: 'waits', title: 'Waits', Table: WaitTable, isThere: hasAny },
  { id: 'chains', title: 'Chains', Table: ChainTable, isThere: ({ chains }) => chains.count > 0 },
  { id: 'places', title: 'Places', Table: PlaceView, isThere: hasAny },
  {
    id: 'sections',
    title: 'Sections',
    Table: SectionsView,
    isThere: ({ locks }) => locks.some(({ hold }) => hold.totalNs > 0),
  },
  {
    id: 'futexes',
    title: 'Kernel',
    Table: FutexTables,
    isThere: ({ futexes, kernelLocks }) => futexes.length + kernelLocks.length > 0,
  },
];

function hasLocks({ locks }: LocksAnswer): boolean {
  return locks.length > 0;
}

function hasAny({ locks, futexes, kernelLocks }: LocksAnswer): boolean {
  return locks.length + futexes.length + kernelLocks.length > 0;
}

export function LocksPanel(page: LocksPage) {
  const chosen = useChoice(VIEW_CHOICE, VIEWS);
  const answer = page.locks.answer.value;
  if (answer === undefined) return null;
  const views = VIEWS.filter(({ isThere }) => isThere(answer));
  // Without locks of programs, the other tables are shown first.
  const shown = views.find(({ id }) => id === chosen.value) ?? views.at(hasLocks(answer) ? 0 : -1);
  if (shown === undefined) return null;
  return (
    <div class="locks">
      <Findings page={page} answer={answer} />
      <shown.Table key={shown.id} page={page}>
        {views.length > 1 && (
          <Segmented label="Of locks" options={views} chosen={shown.id} onChoose={chosen.choose} />
        )}
        <IconButton
          icon="lock"
          label="Lock events"
          title="Choose which events are about locks"
          onClick={() => (page.app.dialog.value = { kind: 'lock-events' })}
        />
      </shown.Table>
    </div>
  );
}
