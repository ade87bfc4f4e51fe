/** Form for offsets of the hosts' clocks, for a user who knows them better than the packets do. */
import { TextButton } from '../controls/button.tsx';
import { type Signal, useSignal } from '@preact/signals';
import type { SyncHostInfo, SyncInfo } from '../../engine/protocol/sync.ts';
import type { SyncProps } from './sync-words.ts';
import { useApp } from '../context/app-context.ts';
import { parseTime } from '../format/time-entry.ts';
import { MOST_OFFSET_NS } from '../../engine/sync/clock-transform.ts';

/** @param nameOf name of a host */
export function ClockForm({ info, nameOf }: SyncProps) {
  const { experiment } = useApp();
  const host = useSignal(info.hosts.find(({ source }) => source !== 'reference')?.host ?? 0);
  const entry = useSignal('');
  const offset = offsetNsOf(entry.value);
  const isGiven = info.hosts.some(({ source }) => source === 'offset');
  // The exact offsets that the user gave, if any.
  const given = () => experiment.clocks.peek()?.offsets ?? shownOffsets(info);
  const apply = (ns: bigint) =>
    void experiment.useClocks({
      ...experiment.clocks.peek(),
      offsets: new Map([...given(), [host.value, ns]]),
    });
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
        <ClockField
          label="Offset, with its unit"
          entry={entry}
          isRead={offset !== undefined}
          size={14}
          placeholder="-5.508865 s"
        />
        <TextButton class="button outlined" text="Apply" disabled={offset === undefined} />
        {isGiven && (
          <TextButton
            text="By packets again"
            type="button"
            onClick={() => void experiment.useClocks({ ...experiment.clocks.peek(), offsets: undefined })}
          />
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

interface SameMomentProps {
  /** Host whose clock gets the offset. */
  readonly clock: SyncHostInfo;
  readonly onOffset: (offset: bigint) => void;
}

/** Form for two events of two hosts at the same moment, such as a message that both logged, which give the offset of a clock. */
function SameMoment({ clock, onOffset }: SameMomentProps) {
  const own = useSignal('');
  const other = useSignal('');
  if (clock.source === 'packets')
    return <p class="muted">Packets say how its clock runs; two events would say less.</p>;
  const offset = offsetByMoment(clock, parseTime(own.value), parseTime(other.value));
  const field = (label: string, entry: Signal<string>) => {
    const isRead = parseTime(entry.value) !== undefined;
    return <ClockField {...{ label, entry, isRead }} size={16} placeholder="0.262 862 557 s" />;
  };
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
      {field('Time of its event', own)}
      is
      {field("Time of the other host's event", other)}
      <TextButton class="button outlined" text="Apply" disabled={offset === undefined} />
    </form>
  );
}

interface ClockFieldProps {
  readonly label: string;
  readonly entry: Signal<string>;
  /** Whether the text is an offset. */
  readonly isRead: boolean;
  readonly size: number;
  readonly placeholder: string;
}

function ClockField({ label, entry, isRead, size, placeholder }: ClockFieldProps) {
  return (
    <input
      class="field mono"
      type="text"
      size={size}
      placeholder={placeholder}
      aria-label={label}
      aria-invalid={entry.value !== '' && !isRead}
      value={entry.value}
      onInput={(event) => (entry.value = event.currentTarget.value)}
      onKeyDown={(event) => event.stopPropagation()}
    />
  );
}

/** Powers of ten of the units of a typed offset; ns if it has none. */
const UNITS: Readonly<Record<string, number>> = { s: 9, ms: 6, us: 3, µs: 3, ns: 0, '': 0 };

/** Reads an offset in whole ns; undefined: it is no number, finer than a ns, or larger than a clock can be off. @internal */
export function offsetNsOf(text: string): bigint | undefined {
  const match = /^\s*([+-]?)(\d+)(?:\.(\d+))?\s*([a-zµ]*)\s*$/.exec(text.replaceAll('−', '-'));
  if (match === null) return undefined;
  const [, sign, whole, part = '', unit] = match;
  const digits = UNITS[unit];
  if (digits === undefined || part.length > digits) return undefined;
  const ns = BigInt(whole + part.padEnd(digits, '0'));
  if (ns > MOST_OFFSET_NS) return undefined;
  return sign === '-' ? -ns : ns;
}

/**
 * The offset of a clock, ns, that moves its event from one time to another, both in display ns of the current clocks.
 * @returns undefined: a time is missing, or the clock follows packets, so that no single offset is right
 * @internal
 */
export function offsetByMoment(
  { source, offsetNs }: { readonly source: string; readonly offsetNs: number },
  ownNs: number | undefined,
  otherNs: number | undefined,
): bigint | undefined {
  if (source === 'packets' || ownNs === undefined || otherNs === undefined) return undefined;
  return BigInt(Math.round(offsetNs)) + BigInt(Math.round(otherNs)) - BigInt(Math.round(ownNs));
}
