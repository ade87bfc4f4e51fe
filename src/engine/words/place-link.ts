/** Links to the places of the page that show findings, as parameters of its address (`app/address`). Pure. */
import type { FindingPlace } from '../protocol/summary.ts';

type Definition = Extract<FindingPlace, { readonly tab: 'compare' }>['definition'];

export interface LinkedTrace {
  /** Fingerprint of the trace. */
  readonly trace: string;
  readonly name: string;
  /** Where it was fetched from. */
  readonly url?: string;
}

/** @returns a URL fragment that the page understands */
export function linkOfPlace({ trace, name, url }: LinkedTrace, place: FindingPlace): string {
  const parts = new URLSearchParams({ trace, name });
  if (url !== undefined) parts.set('url', url);
  switch (place.tab) {
    case 'path':
      parts.set('row', place.row);
      parts.set('path', place.row);
      if (place.criterion !== 'main-task') parts.set('criterion', place.criterion);
      if (place.range !== undefined) parts.set('range', `${place.range.from}~${place.range.to}`);
      break;
    case 'statistics':
      parts.set('statistics.section', place.section);
      break;
    case 'compare':
      writeDefinition(place.definition, parts);
      break;
    case 'locks':
      if (place.wait !== undefined) {
        const { row, range, at } = place.wait;
        parts.set('view', `${Math.round(range.from)}~${Math.round(range.to)}`);
        parts.set('row', row);
        parts.set('at', String(Math.round(at)));
      }
      if (place.lock !== undefined) {
        parts.set('locks.lock', place.lock);
        // For futexes and locks of the kernel only waits are known.
        parts.set('locks.view', /^\d+:(futex|kernel):/.test(place.lock) ? 'waits' : 'locks');
      }
  }
  parts.set('tab', place.tab);
  return `#${parts.toString()}`;
}

export function writeDefinition(definition: Definition, parts: URLSearchParams): void {
  const { begin, end, key, acrossThreads, where, minNs } = definition;
  parts.set('begin', begin);
  parts.set('end', end);
  for (const field of key) parts.append('key', field);
  if (acrossThreads) parts.set('across', '1');
  for (const { field, value } of where) parts.append('where', `${field}=${value}`);
  if (minNs > 0) parts.set('min', String(minNs));
}
