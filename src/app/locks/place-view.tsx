/** Locks by place in the code: functions and system calls that ask for locks, and those that make others wait. */
import { TextButton } from '../controls/button.tsx';
import { useComputed } from '@preact/signals';
import type { LockPlaceLine } from '../../engine/protocol/locks.ts';
import { useChoices } from '../controls/choices.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { NO_FLAME, profileFlame } from '../profile/profile-flame.ts';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  durationColumn,
  explained,
  msColumn,
  nameCell,
  numberColumn,
  textColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { LocksPage, LockViewProps } from './locks-page.ts';
import { lockBars } from './marks.tsx';
import { LOCK_CHOICE } from './wait-filter.ts';

export function PlaceView({ page, children }: LockViewProps) {
  const { locks, app } = page;
  const choices = useChoices();
  const lock = choices.text(LOCK_CHOICE);
  const answer = useLiveAnswer(
    () => ({ lock: choices.text(LOCK_CHOICE), known: locks.answer.value }),
    ({ lock: wanted }, signal) => app.session.ask('lockPlaces', { lock: wanted }, { signal }),
  );
  const rows = useComputed(() => answer.value?.places);
  const flame = useComputed(() =>
    answer.value === undefined
      ? NO_FLAME
      : profileFlame(
          { tree: answer.value.tree, measure: 'blocked', samples: 0, withoutStack: undefined },
          'down',
          false,
        ),
  );
  return (
    <div class="locks-halves">
      <StatTable
        title="Places"
        scope={`whole trace, ${plural(rows.value?.length ?? 0, 'place')}`}
        columns={columnsOf(page, rows.value ?? [])}
        rows={rows}
        order={{ column: 'waited', descending: true }}
        empty="No place is known from which a lock was asked for."
        keyOf={({ lock: id, place }) => `${id} ${place}`}
        onActivate={({ lock: id }) => choices.choose(LOCK_CHOICE, id === lock ? undefined : id)}
        isSelected={({ lock: id }) => id === lock}
      >
        {children}
        {lock !== undefined && (
          <TextButton text="All locks" onClick={() => choices.choose(LOCK_CHOICE, undefined)} />
        )}
      </StatTable>
      <section class="locks-flame" aria-label="Waits by place">
        <FlameGraph
          label="Waits by place"
          title="Waits by place"
          tree={flame}
          format={formatDuration}
          covers={() => 'Whole trace'}
        />
      </section>
    </div>
  );
}

function columnsOf({ locks }: LocksPage, rows: readonly LockPlaceLine[]): readonly Column<LockPlaceLine>[] {
  const lockName = ({ lock, name }: LockPlaceLine) =>
    locks.lockById.value.get(lock)?.shownName ?? visibleText(name);
  return [
    explained(
      'Innermost function of the call stack, and the system call. A stack counts that was recorded with the request or in its system call',
      nameCell<LockPlaceLine>('Place', ({ place }) => visibleText(place), undefined, 'minmax(120px, 1.5fr)'),
    ),
    textColumn<LockPlaceLine>('lock', 'Lock', 'minmax(112px, 1.2fr)', lockName),
    numberColumn('requests', 'Requests', '60px', ({ requests }) => requests),
    numberColumn('waits', 'Waits', '52px', ({ waits }) => waits),
    explained(
      'Waits for the lock that was asked for there',
      lockBars(
        rows,
        msColumn('waited', 'Waited, ms', 'minmax(92px, 0.8fr)', ({ waitNs }) => waitNs),
      ),
    ),
    durationColumn('longest', 'Longest', '72px', ({ maxNs }) => maxNs),
    explained(
      'Time for which the lock was held that was got there; not known of futexes and locks of the kernel',
      {
        ...msColumn<LockPlaceLine>('held', 'Held, ms', '72px', ({ holdNs }) => holdNs),
        cell: ({ holds, holdNs }) => (holds === 0 ? '' : (holdNs / 1e6).toFixed(3)),
      },
    ),
    explained(
      'Waits of others for the lock that was got there, or until it was released from there',
      barred(
        rows,
        () => 'var(--c-load-line)',
        msColumn('blame', 'Others waited, ms', 'minmax(104px, 0.8fr)', ({ blameNs }) => blameNs),
      ),
    ),
  ];
}
