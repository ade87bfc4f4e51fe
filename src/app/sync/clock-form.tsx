/** Form of offsets to hosts' own clocks, which the user knows better than the packets. */
import { useSignal } from '@preact/signals';
import type { SyncInfo } from '../../engine/protocol/sync.ts';
import { useApp } from '../context/app-context.ts';
import { offsetNsOf } from './offset-entry.ts';
import { SameMoment } from './same-moment.tsx';

interface ClockFormProps {
  readonly info: SyncInfo;
  readonly nameOf: (host: number) => string;
}

export function ClockForm({ info, nameOf }: ClockFormProps) {
  const { experiment } = useApp();
  const host = useSignal(info.hosts.find(({ source }) => source !== 'reference')?.host ?? 0);
  const entry = useSignal('');
  const offset = offsetNsOf(entry.value);
  const isGiven = info.hosts.some(({ source }) => source === 'offset');
  // Exactly as they were given, where this page gave them.
  const given = () => experiment.clocks.peek()?.offsets ?? shownOffsets(info);
  const apply = (ns: bigint) =>
    void experiment.useClocks({ offsets: new Map([...given(), [host.value, ns]]) });
  const clock = info.hosts.find((each) => each.host === host.value);
  return (
    <>
      <form
        class="sync-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (offset !== undefined) apply(offset);
        }}
      >
        <label>
          Add to the clock of{' '}
          <select
            value={host.value}
            onChange={(event) => (host.value = Number(event.currentTarget.value))}
            aria-label="Host"
          >
            {info.hosts.map((each) => (
              <option key={each.host} value={each.host}>
                {nameOf(each.host)}
              </option>
            ))}
          </select>
        </label>
        <input
          class="field mono"
          type="text"
          size={14}
          placeholder="-5.508865 s"
          aria-label="Offset, with its unit"
          aria-invalid={entry.value !== '' && offset === undefined}
          value={entry.value}
          onInput={(event) => (entry.value = event.currentTarget.value)}
          onKeyDown={(event) => event.stopPropagation()}
        />
        <button class="button outlined" disabled={offset === undefined}>
          Apply
        </button>
        {isGiven && (
          <button type="button" class="button" onClick={() => void experiment.useClocks({})}>
            By packets again
          </button>
        )}
      </form>
      {clock && <SameMoment clock={clock} onOffset={apply} />}
    </>
  );
}

function shownOffsets({ hosts }: SyncInfo): ReadonlyMap<number, bigint> {
  const given = hosts.filter(({ source }) => source === 'offset');
  return new Map(given.map((each) => [each.host, BigInt(Math.round(each.offsetNs))]));
}
