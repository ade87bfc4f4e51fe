/** Names out of traces, made safe to show: they may hold anything, of any length. */
import type { HostInfo } from '../../workers/session-api.ts';
import { formatCount } from './numbers.ts';

const LONGEST = 256;
// Control characters, and those that reorder or hide text.
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Control and bidirectional characters become visible as their code points; the length is capped. */
export function visibleText(text: string): string {
  return visibleCharacters(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** As `visibleText`, of a text whose length has a limit of its own. */
export function visibleCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `⟨${(c.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}⟩`);
}

/** Of the host with an index, safe to show. */
export function hostName(hosts: readonly HostInfo[], index: number): string {
  return visibleText(hosts.find((host) => host.index === index)?.name ?? '');
}

/** "1 host", "2 hosts". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** The canonical text of a scope's fields for reading: `{"irq":31,"name":"eth0"}` as `irq=31, name="eth0"`. */
export function fieldsText(canonical: string): string {
  const text = canonical.replace(/^[{]|[}]$/g, '');
  return text === '-'
    ? ''
    : text.replace(/"((?:[^"\\]|\\.)*)"(:?)|,/g, (found, name: string, colon: string) =>
        found === ',' ? ', ' : colon === ':' ? `${name}=` : found,
      );
}
