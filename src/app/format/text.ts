/** Texts of names from traces, of counts and of lists. */
import { visibleText } from '../../engine/base/visible-text.ts';
import type { HostInfo } from '../../engine/protocol/session.ts';
import { formatCount } from './numbers.ts';

export { visibleCharacters, visibleText } from '../../engine/base/visible-text.ts';

/** Name of the host with an index, safe to show. */
export function hostName(hosts: readonly HostInfo[], index: number): string {
  return visibleText(hosts.find((host) => host.index === index)?.name ?? '');
}

/** "1 host", "2 hosts". */
export function plural(count: number, one: string, many = `${one}${one.endsWith('s') ? 'es' : 's'}`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The texts that are neither undefined, false nor empty, with a separator between them. */
export function joined(texts: readonly (string | false | undefined)[], separator = ', '): string {
  return texts.filter(Boolean).join(separator);
}

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/**
 * A readable form of the canonical text of a scope's fields: `{"irq":31,"name":"eth0"}` as `irq=31, name="eth0"`.
 * @param meant text in place of the integer in a field of this name; undefined: the integer
 */
export function fieldsText(
  canonical: string,
  meant: (name: string, integer: string) => string | undefined = () => undefined,
): string {
  const text = canonical.replace(/^[{]|[}]$/g, '');
  if (text === '-') return '';
  return text.replace(MEMBER, (found, name: string, colon?: string, integer?: string) => {
    if (found === ',') return ', ';
    if (colon === undefined) return found;
    return `${name}=${integer === undefined ? '' : (meant(name, integer) ?? integer)}`;
  });
}

/** A comma, a text, or the name of a field, with its value if that is an integer without labels. */
const MEMBER = /"((?:[^"\\]|\\.)*)"(?:(:)(-?[0-9][0-9a-fx]*(?=[,}\]]|$))?)?|,/g;
