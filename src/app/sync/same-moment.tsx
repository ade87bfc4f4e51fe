/** Two events of two hosts that are the same moment, such as a message that both logged: they give the offset of a clock. */
import { useSignal } from '@preact/signals';
import type { SyncHostInfo } from '../../engine/protocol/sync.ts';
import { parseTime } from '../format/time-entry.ts';
import { offsetByMoment } from './offset-entry.ts';

interface SameMomentProps {
  /** Host whose clock gets the offset. */
  readonly clock: SyncHostInfo;
  readonly onOffset: (offset: bigint) => void;
}

export function SameMoment({ clock, onOffset }: SameMomentProps) {
  const own = useSignal('');
  const other = useSignal('');
  if (clock.source === 'packets')
    return <p class="muted">Packets say how its clock runs; two events would say less.</p>;
  const offset = offsetByMoment(clock, parseTime(own.value), parseTime(other.value));
  return (
    <form
      class="sync-form"
      aria-label="Two events that are the same moment"
      onSubmit={(event) => {
        event.preventDefault();
        if (offset !== undefined) onOffset(offset);
      }}
    >
      <label>Or by two events that are the same moment, with their times as the tab Events shows them</label>
      <TimeField label="Time of its event" entry={own} />
      is
      <TimeField label="Time of the other host's event" entry={other} />
      <button class="button outlined" disabled={offset === undefined}>
        Apply
      </button>
    </form>
  );
}

function TimeField({ label, entry }: { readonly label: string; readonly entry: { value: string } }) {
  return (
    <input
      class="field mono"
      type="text"
      size={16}
      placeholder="0.262 862 557 s"
      aria-label={label}
      aria-invalid={entry.value !== '' && parseTime(entry.value) === undefined}
      value={entry.value}
      onInput={(event) => (entry.value = event.currentTarget.value)}
      onKeyDown={(event) => event.stopPropagation()}
    />
  );
}
