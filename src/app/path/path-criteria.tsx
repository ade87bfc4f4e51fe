/** Choice of the criterion by which waits are followed, with the differences of the others, and of unrelated threads. */
import { useMemo } from 'preact/hooks';
import { useApp } from '../context/app-context.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidText } from '../format/tid.ts';
import type { PathAnswer } from '../../engine/protocol/paths.ts';
import { rowById, type ShownPath, type ViewModel } from '../timeline/timeline.tsx';
import type { PathState } from './path-state.ts';
import { CRITERIA } from './path-words.ts';

interface CriteriaProps {
  readonly view: ViewModel;
  readonly path: PathState;
  readonly answer: PathAnswer | undefined;
}

export function PathCriteria({ view, path, answer: shown }: CriteriaProps) {
  const chosen = path.criterion.value;
  const compared = path.compared.value;
  const own = shown?.workers.find(({ row }) => row === shown.row)?.label;
  return (
    <>
      <header class="path-criteria-head">
        <h4>How waits are followed</h4>
        {own !== undefined && <span class="faint ellipsis">time away from {visibleText(own)}</span>}
      </header>
      <div class="path-criteria" role="radiogroup" aria-label="Criterion">
        {CRITERIA.map(({ id, title, about }) => {
          const known = compared.get(id);
          const hindrance = path.hindranceOf(id);
          return (
            <button
              key={id}
              role="radio"
              aria-checked={id === chosen}
              disabled={hindrance !== undefined}
              title={hindrance === undefined ? about : `${about} ${hindrance.text}`}
              onClick={() => (path.criterion.value = id)}
            >
              <span>{title}</span>
              <span class="faint">
                {hindrance?.word}
                {known !== undefined &&
                  (known.isSame && id !== chosen ? 'same path' : formatDuration(known.awayNs))}
              </span>
            </button>
          );
        })}
      </div>
      <p class="path-about">{CRITERIA.find(({ id }) => id === chosen)?.about}</p>
      {view.path.value !== undefined && <Unrelated path={path} shown={view.path.value} />}
      <label class="path-option" title="Short runs between waits that a timer ended are taken as one wait.">
        <input
          type="checkbox"
          checked={path.foldLoops.value}
          onChange={(event) => (path.foldLoops.value = event.currentTarget.checked)}
        />
        Take the waits of an event loop as one
        {path.foldLoops.value && shown !== undefined && (
          <span class="faint">{plural(shown.foldedWaits, 'wait')} folded</span>
        )}
      </label>
    </>
  );
}

const MOST_UNRELATED = 6;

/** Threads that can be marked as unrelated: marked ones first, then those with most time on the path. */
function Unrelated({ path, shown }: { readonly path: PathState; readonly shown: ShownPath }) {
  const { rows } = useApp().experiment;
  const marked = path.marked.value;
  const others = useMemo(() => otherThreads(shown), [shown]);
  const offered = [...marked, ...others.filter((row) => !marked.has(row))].slice(0, MOST_UNRELATED);
  if (offered.length === 0) return null;
  return (
    <div class="path-unrelated" role="group" aria-label="Threads that are unrelated">
      Unrelated:
      {offered.map((id) => {
        const row = rowById(rows.value, id);
        return (
          <button
            key={id}
            class="chip"
            aria-pressed={marked.has(id)}
            title={`From unrelated threads the path comes back to the one that waited. Click to ${marked.has(id) ? 'unmark' : 'mark'} it.`}
            onClick={() => path.toggleMark(id)}
          >
            {visibleText(row?.name ?? id)} <span class="mono">{row && tidText(row)}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Rows of the threads on a path without the one studied, most time first. */
function otherThreads({ answer: { row: own, workers }, timeOn }: ShownPath): string[] {
  return workers
    .flatMap(({ row }) => (row === undefined || row === own ? [] : [row]))
    .sort((a, b) => (timeOn.get(b) ?? 0) - (timeOn.get(a) ?? 0));
}
