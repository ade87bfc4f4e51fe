/** Legend of the colours and forms of the rows. A click highlights one state. */
import { capitalised } from '../../engine/base/first-letter.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { useApp } from '../context/app-context.ts';
import { DRAW_STYLES, type Form, LEGEND } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import { threadAt } from '../path/path-target.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

export function Legend({ view, hasStates }: { readonly view: ViewModel; readonly hasStates: boolean }) {
  const { mac, experiment } = useApp();
  const entries = [...LEGEND].map(([code, about]) => ({ code, about, ...DRAW_STYLES[code] }));
  const item = ({ code, label, about, form, word }: (typeof entries)[number]) => (
    <button
      key={code}
      class="legend-item"
      aria-pressed={view.isolated.value === code}
      title={`${label}: ${about}.\nClick to show it alone.`}
      onClick={() => (view.isolated.value = view.isolated.value === code ? undefined : code)}
    >
      <Swatch code={code} />
      {form === 'wait' ? word : capitalised(word)}
    </button>
  );
  const itemsOf = (isIn: (form: Form) => boolean) => entries.filter(({ form }) => isIn(form)).map(item);
  return (
    <div class="legend">
      {hasStates && (
        <div
          class="legend-items"
          role="group"
          aria-label="States"
          data-isolated={view.isolated.value !== undefined}
        >
          {itemsOf((form) => form !== 'wait' && form !== 'hatch')}
          <span class="legend-group">Blocked on</span>
          {itemsOf((form) => form === 'wait')}
          {itemsOf((form) => form === 'hatch')}
        </div>
      )}
      {!hasStates && <span>Events per time. No kernel events: states of threads are not known</span>}
      <div class="legend-keys">
        <span />
        {keysFor(view, experiment.rows.value, mac).map(([key, what]) => (
          <span key={key}>
            <kbd class="key">{key}</kbd> {what}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The three most useful keys in the current situation. */
function keysFor(
  view: ViewModel,
  rows: readonly RowInfo[],
  mac: boolean,
): readonly (readonly [key: string, what: string])[] {
  if (view.path.value !== undefined)
    return [
      ['[ ]', 'previous, next segment'],
      ['F', 'fit selection'],
      ['Esc', 'leave path'],
    ];
  const { row = '', interval } = view.question.value;
  if (threadAt(rows, row) !== undefined)
    return [
      ['P', interval?.info?.causeText === undefined ? 'where did the time go' : 'why did this wait'],
      ['F', 'fit selection'],
      [mac ? '⌘ K' : 'Ctrl K', 'commands'],
    ];
  return [
    ['W A S D', 'zoom, move'],
    ['F', 'fit selection'],
    [mac ? '⌘ K' : 'Ctrl K', 'commands'],
  ];
}
