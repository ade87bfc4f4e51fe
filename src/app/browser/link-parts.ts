/** Times in the parameters of a link, in whole display ns. */
import type { DisplayNs } from '../../engine/base/units.ts';

export function setTime(parts: URLSearchParams, name: string, timeNs: DisplayNs | undefined): void {
  if (timeNs !== undefined) parts.set(name, String(Math.round(timeNs)));
}

/** Undefined: it is missing or no time. */
export function readTime(text: string | null): DisplayNs | undefined {
  if (text === null || !/^-?\d{1,16}$/.test(text)) return undefined;
  const time = Number(text);
  return Number.isSafeInteger(time) ? time : undefined;
}
