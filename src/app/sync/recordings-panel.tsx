/** The Recordings tab: several recordings of one machine, at the times when they were made or side by side. */
import { TextButton } from '../controls/button.tsx';
import './sync.css';
import type { ReadonlySignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import type { RecordingLine } from '../../engine/protocol/summary.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration, formatExact } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
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
        <TextButton
          text={isSideBySide ? 'Show as recorded' : 'Lay side by side'}
          class={isSideBySide ? 'button outlined' : 'button primary'}
          disabled={!experiment.hasFiles.value}
          onClick={() => void experiment.layOut(!isSideBySide)}
        />
        {compare.isThere.value && (
          <button class="button outlined" onClick={() => drawer.show('compare')}>
            Compare their executions
          </button>
        )}
        {!experiment.hasFiles.value && (
          <span class="muted">This needs the files of the trace: drop its folders here again.</span>
        )}
      </div>
      <RecordingTable recordings={recordings} isSideBySide={isSideBySide} />
    </section>
  );
}

interface RecordingTableProps {
  readonly recordings: readonly Recording[];
  readonly isSideBySide: boolean;
}

/** Numbers of a recording, in the order of the columns; NaN: not known. */
type Numbers = readonly number[];

const COLUMNS: readonly {
  readonly title: string;
  readonly about: string;
  readonly format: (value: number) => string;
}[] = [
  { title: 'Length', about: 'From its first event to its last', format: formatDuration },
  { title: 'CPU time', about: 'Time of all threads on a CPU', format: formatDuration },
  {
    title: 'Ready, no CPU',
    about: 'Time in which threads could have run and had no CPU',
    format: formatDuration,
  },
  {
    title: 'Blocked, D',
    about: 'Time in which threads were blocked without being interruptible, mostly by a disk',
    format: formatDuration,
  },
  { title: 'Executions', about: 'Pieces of work between two events of a program', format: formatCount },
  { title: 'Mean', about: 'Mean length of an execution', format: formatDuration },
  { title: 'Longest', about: 'Length of the longest execution', format: formatDuration },
];

function RecordingTable({ recordings, isSideBySide }: RecordingTableProps) {
  const { experiment, session } = useApp();
  const answer = useLiveAnswer(
    () => [isReading(experiment.progress.value), experiment.rows.value] as const,
    ([isBusy], signal) => (isBusy ? undefined : session.ask('recordings', {}, { signal })),
  );
  const lines = recordings.map(({ from, to }, i) => numbersOf(to - from, answer.value?.recordings[i]));
  const [first, last] = [lines[0], lines[lines.length - 1]];
  const definition = answer.value?.definition;
  return (
    <>
      <table class="recording-table">
        <thead>
          <tr>
            <th>Recording</th>
            {COLUMNS.map(({ title, about }) => (
              <th key={title} class="numeric" title={about}>
                {title}
              </th>
            ))}
            <th>Shown</th>
          </tr>
        </thead>
        <tbody>
          {recordings.map(({ name, from, shiftNs }, i) => (
            <tr key={i}>
              <th scope="row">{visibleText(name)}</th>
              <Cells numbers={lines[i]} />
              <td class="muted nowrap">{isSideBySide ? shiftText(shiftNs) : `from ${formatExact(from)}`}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{recordings.length === 2 ? 'Difference' : 'Difference, last and first'}</th>
            <Cells numbers={last.map((value, i) => value - first[i])} isDifference />
            <td />
          </tr>
        </tbody>
      </table>
      {definition && (
        <p class="muted">
          Executions from <span class="mono">{visibleText(definition.begin)}</span> to{' '}
          <span class="mono">{visibleText(definition.end)}</span>.
        </p>
      )}
    </>
  );
}

function numbersOf(lengthNs: number, line: RecordingLine | undefined): Numbers {
  const { cpuNs = NaN, readyNs = NaN, blockedNs = NaN, executions } = line ?? {};
  const { count = NaN, totalNs = NaN, longestNs = NaN } = executions ?? {};
  return [lengthNs, cpuNs, readyNs, blockedNs, count, totalNs / count, longestNs];
}

function Cells({
  numbers,
  isDifference = false,
}: {
  readonly numbers: Numbers;
  readonly isDifference?: boolean;
}) {
  return (
    <>
      {numbers.map((value, i) => (
        <td key={i} class="numeric">
          {Number.isNaN(value) ? '' : `${signOf(value, isDifference)}${COLUMNS[i].format(Math.abs(value))}`}
        </td>
      ))}
    </>
  );
}

function signOf(value: number, isDifference: boolean): string {
  if (value < 0) return '−';
  return isDifference && value > 0 ? '+' : '';
}

function shiftText(ns: number): string {
  if (Number.isNaN(ns)) return '';
  return ns === 0 ? 'at its own times' : `shifted by ${ns < 0 ? '−' : '+'}${formatExact(Math.abs(ns))}`;
}
