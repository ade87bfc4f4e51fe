/** Offsets that the user gave to the clocks of hosts, in the parameters of a link: `HOST~NS` each. */
import type { ClockSettings } from '../../engine/sync/host-clocks.ts';

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
