/** The key to the colours and forms of the rows. A click shows one state alone. */
import { useApp } from '../app-context.ts';
import { DRAW_STYLES, LEGEND_CODES, Swatch, type ViewModel } from '../timeline/timeline.tsx';

interface LegendProps {
  readonly view: ViewModel;
  readonly hasStates: boolean;
}

export function Legend({ view, hasStates }: LegendProps) {
  const { mac } = useApp();
  const codes = LEGEND_CODES.map((code) => ({ code, style: DRAW_STYLES[code] }));
  const item = ({ code, style }: (typeof codes)[number], word: string) => (
    <button
      key={code}
      class="legend-item"
      aria-pressed={view.isolated.value === code}
      title={`${style.label}. Click to show it alone.`}
      onClick={() => (view.isolated.value = view.isolated.value === code ? undefined : code)}
    >
      <Swatch code={code} />
      {word}
    </button>
  );
  const waits = codes.filter(({ style }) => style.form === 'wait');
  const others = codes.filter(({ style }) => style.form !== 'wait');
  const unknown = others.filter(({ style }) => style.form === 'hatch');
  return (
    <div class="legend">
      {hasStates && (
        <div
          class="legend-items"
          role="group"
          aria-label="States"
          data-isolated={view.isolated.value !== undefined}
        >
          {others
            .filter(({ style }) => style.form !== 'hatch')
            .map((entry) => item(entry, capital(entry.style.word)))}
          <span class="legend-group">Blocked on</span>
          {waits.map((entry) => item(entry, entry.style.word))}
          {unknown.map((entry) => item(entry, capital(entry.style.word)))}
        </div>
      )}
      {!hasStates && <span>Events per time, one row a stream</span>}
      <span class="grow" />
      <span class="legend-keys">
        <kbd class="key">W A S D</kbd> zoom, move
      </span>
      <span class="legend-keys">
        <kbd class="key">F</kbd> fit selection
      </span>
      <span class="legend-keys">
        <kbd class="key">{mac ? '⌘' : 'Ctrl'} K</kbd> commands
      </span>
    </div>
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
