/** Offsets that the user gave to the clocks of hosts, in the parameters of a link: `HOST~NS` each. */
import type { GuestChoice } from '../../engine/graph/guests.ts';
import { MOST_OFFSET_NS } from '../../engine/sync/clock-transform.ts';
import type { ClockSettings } from '../../engine/sync/host-clocks.ts';

const PART = 'clock';
const APART = 'apart';

export function writeClocks(parts: URLSearchParams, clocks: ClockSettings | undefined): void {
  if (clocks?.apart === true) parts.set(APART, '1');
  for (const [host, ns] of clocks?.offsets ?? []) parts.append(PART, `${host}~${ns}`);
}

/** undefined: the link says none. */
export function readClocks(parts: URLSearchParams): ClockSettings | undefined {
  const offsets = parts
    .getAll(PART)
    .filter((text) => /^\d{1,9}~-?\d{1,20}$/.test(text))
    .map((text) => {
      const [host, ns] = text.split('~');
      return [Number(host), BigInt(ns)] as const;
    })
    .filter(([, ns]) => ns <= MOST_OFFSET_NS && ns >= -MOST_OFFSET_NS);
  const apart = parts.get(APART) === '1';
  return offsets.length === 0 && !apart ? undefined : { offsets: new Map(offsets), ...(apart && { apart }) };
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
