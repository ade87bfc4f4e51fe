/** The Recordings tab: several recordings of one machine, at the times when they were made or side by side. */
import './sync.css';
import type { ReadonlySignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import { formatDuration, formatExact } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { recordingsIn, type Recording } from './recordings.ts';

interface RecordingsPanelProps {
  /** Whether there are executions that can be compared. */
  readonly compare: { readonly isThere: ReadonlySignal<boolean> };
}

export function RecordingsPanel({ compare }: RecordingsPanelProps) {
  const { experiment, drawer } = useApp();
  const info = experiment.info.value;
  const recordings = recordingsIn(info);
  const isSideBySide = info?.sideBySide === true;
  return (
    <section class="recordings" aria-label="Recordings">
      <h3>{recordings.length} recordings of one machine</h3>
      <p class="path-sentence">
        {isSideBySide
          ? 'Each is shown from its own first event, with rows and statistics of its own, as if it were opened alone. Things at the same place in two of them did not happen at the same time.'
          : 'They are shown at the times when they were made. The time between them was not recorded. Side by side, each begins at 0, with rows and statistics of its own, so that they can be compared.'}
      </p>
      <div class="line">
        <button
          class={isSideBySide ? 'button outlined' : 'button primary'}
          disabled={!experiment.hasFiles.value}
          onClick={() => void experiment.layOut(!isSideBySide)}
        >
          {isSideBySide ? 'Show as recorded' : 'Lay side by side'}
        </button>
        {compare.isThere.value && (
          <button class="button outlined" onClick={() => drawer.show('compare')}>
            Compare their executions
          </button>
        )}
        {!experiment.hasFiles.value && (
          <span class="muted">This needs the files of the trace: drop its folders here again.</span>
        )}
      </div>
      <RecordingList recordings={recordings} isSideBySide={isSideBySide} />
    </section>
  );
}

interface RecordingListProps {
  readonly recordings: readonly Recording[];
  readonly isSideBySide: boolean;
}

function RecordingList({ recordings, isSideBySide }: RecordingListProps) {
  return (
    <ol class="recording-list">
      {recordings.map(({ name, from, to, shiftNs }, i) => (
        <li key={i}>
          <b>{name === '' ? `Recording ${i + 1}` : visibleText(name)}</b>
          <span class="nowrap">{formatDuration(to - from)} long</span>
          <span class="muted">{isSideBySide ? shiftText(shiftNs) : `from ${formatExact(from)}`}</span>
        </li>
      ))}
    </ol>
  );
}

function shiftText(ns: number): string {
  if (Number.isNaN(ns)) return '';
  return ns === 0 ? 'at its own times' : `shifted by ${ns < 0 ? '−' : '+'}${formatExact(Math.abs(ns))}`;
}
