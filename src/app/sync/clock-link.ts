/** Offsets that the user gave to the clocks of hosts, in the parameters of a link: `HOST~NS` each. */
import type { ClockSettings } from '../../engine/sync/host-clocks.ts';
import type { GuestChoice } from '../../engine/graph/guests.ts';

const PART = 'clock';

export function writeClocks(parts: URLSearchParams, clocks: ClockSettings | undefined): void {
  for (const [host, ns] of clocks?.offsets ?? []) parts.append(PART, `${host}~${ns}`);
}

/** undefined: the link says none. */
export function readClocks(parts: URLSearchParams): ClockSettings | undefined {
  const offsets = parts
    .getAll(PART)
    .filter((text) => /^\d{1,9}~-?\d{1,19}$/.test(text))
    .map((text) => {
      const [host, ns] = text.split('~');
      return [Number(host), BigInt(ns)] as const;
    });
  return offsets.length === 0 ? undefined : { offsets: new Map(offsets) };
}

export function writeGuests(parts: URLSearchParams, guests: readonly GuestChoice[]): void {
  for (const { guest, machine } of guests)
    parts.append('guest', [guest, ...(machine ? [machine.host, machine.pid] : [])].join('~'));
}

export function readGuests(parts: URLSearchParams): readonly GuestChoice[] {
  return parts
    .getAll('guest')
    .filter((text) => /^\d{1,9}(~\d{1,9}~\d{1,9})?$/.test(text))
    .map((text) => {
      const [guest, host, pid] = text.split('~').map(Number);
      return { guest, machine: host === undefined ? undefined : { host, pid } };
    });
}
