/** Card for a stopped reading: how much was read, and a button to read the rest. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { TextButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatDuration } from '../format/numbers.ts';
import { plural } from '../format/text.ts';

interface StoppedCardProps {
  readonly info: ExperimentInfo;
  /** Display ns. */
  readonly readTo: number;
  onReadAll(): void;
}

export function StoppedCard({ info, readTo, onReadAll }: StoppedCardProps) {
  return (
    <section class="notice" role="status">
      <Icon name="stop" />
      <div class="fault">
        <h3>
          Stopped at {formatDuration(readTo)} of {formatDuration(info.lengthNs)}:{' '}
          {plural(info.events, 'event')} {info.events === 1 ? 'is' : 'are'} here
        </h3>
        <p class="muted">
          The rest is estimated from packet headers alone. A trace that was read in part is not kept in this
          browser: open it again to read the rest.
        </p>
        <div class="line">
          <TextButton class="button outlined" onClick={onReadAll} text="Read all" />
        </div>
      </div>
    </section>
  );
}
