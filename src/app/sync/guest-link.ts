/** Virtual machines as the user states them, in the parameters of a link: `GUEST~HOST~PID`, or `GUEST` for none. */
import type { GuestChoice } from '../../engine/graph/guests.ts';

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
