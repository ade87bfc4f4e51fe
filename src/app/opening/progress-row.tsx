/** Progress of reading (bytes, events, speed, time left), and a button to stop. */
import type { Progress } from '../../engine/protocol/session.ts';
import { Icon } from '../controls/icon.tsx';
import { THIN, formatBytes, formatShort } from '../format/numbers.ts';

interface ProgressRowProps {
  /** Undefined until the session answers for the first time. */
  readonly progress: Progress | undefined;
  onStop(): void;
}

const PHASES: Record<Progress['phase'], string> = {
  fetching: 'Fetching',
  unpacking: 'Unpacking',
  indexing: 'Indexing',
  reading: 'Reading',
  finishing: 'Finishing',
  done: 'Done',
  cancelled: 'Stopped',
  failed: 'Stopped',
};

/** Phases in which stopping keeps what was read. */
const KEEPS: ReadonlySet<Progress['phase']> = new Set(['indexing', 'reading', 'finishing']);

const ENDED: ReadonlySet<Progress['phase']> = new Set(['done', 'cancelled', 'failed']);

export function isReading(progress: Progress | undefined): boolean {
  return progress !== undefined && !ENDED.has(progress.phase);
}

export function ProgressRow({ progress, onStop }: ProgressRowProps) {
  return (
    <div class="progress-row">
      <ProgressState progress={progress} />
      <button class="button outlined" onClick={onStop}>
        <Icon name="stop" />
        {progress !== undefined && KEEPS.has(progress.phase) ? 'Stop, keep what is here' : 'Stop'}
      </button>
    </div>
  );
}

/** Progress in one line: phase, bar and numbers. */
export function ProgressState({ progress }: Pick<ProgressRowProps, 'progress'>) {
  const { bytes = 0, totalBytes = 0, events = 0, seconds = 0 } = progress ?? {};
  const percent = totalBytes > 0 ? Math.min(100, (100 * bytes) / totalBytes) : 0;
  return (
    <>
      <strong>{progress === undefined ? 'Opening' : PHASES[progress.phase]}</strong>
      <div
        class="progress"
        role="progressbar"
        aria-label="Read"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      <span class="progress-facts">
        {totalBytes > 0 && (
          <span>
            {formatBytes(bytes)} of {formatBytes(totalBytes)}
          </span>
        )}
        {seconds > 0.2 && bytes > 0 && <span class="progress-speed">{formatBytes(bytes / seconds)}/s</span>}
        {seconds > 0.2 && events > 0 && (
          <span class="progress-speed">{formatShort(events / seconds)} events/s</span>
        )}
        {events > 0 && <span class="progress-speed">{formatShort(events)} events</span>}
        {progress?.phase === 'reading' && <strong>{timeLeft(bytes, totalBytes, seconds)}</strong>}
      </span>
    </>
  );
}

/** Time left at the speed so far; '' before there is one. */
function timeLeft(bytes: number, totalBytes: number, seconds: number): string {
  if (bytes === 0 || seconds < 0.5) return '';
  const left = ((totalBytes - bytes) / bytes) * seconds;
  if (left < 1) return 'nearly done';
  return left < 90 ? `${Math.ceil(left)}${THIN}s left` : `${Math.ceil(left / 60)}${THIN}min left`;
}
