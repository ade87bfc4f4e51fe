/** A filter that accepts, of what another one accepts, only events with a value. Pure. */
import type { EventScope } from '../../engine/protocol/events.ts';
import { quoted } from './show-events.ts';

/** Names of the fields of every event: a payload's fields that are called so are named with their scope. */
const KNOWN = new Set(['name', 'cpu', 'host', 'time', 'tid', 'pid', 'thread', 'process']);
const WORDS = new Set(['and', 'or', 'not', 'in']);
/** Longer values are not compared with: a filter has a longest. */
const LONGEST = 1000;

/**
 * @param json the value: a whole number, or a text in quotes
 * @returns undefined: the field cannot be compared
 */
export function filterWith(
  filter: string,
  scope: EventScope,
  field: string,
  json: string,
): string | undefined {
  const name = nameIn(scope, field);
  if (name === undefined || json.length > LONGEST || !/^(?:-?\d+$|")/.test(json)) return undefined;
  const value = json.startsWith('"') ? quoted(JSON.parse(json) as string) : json;
  return filter.trim() === '' ? `${name}=${value}` : `${inBrackets(filter.trim())} and ${name}=${value}`;
}

/** Name of the field in filters; undefined: they have none for it. */
function nameIn(scope: EventScope, field: string): string | undefined {
  if (!/^[^\s=<>!(),"&|]+$/.test(field)) return undefined;
  if (scope === 'context' || scope === 'common') return `context.${field}`;
  if (scope !== 'payload') return undefined;
  return KNOWN.has(field) || WORDS.has(field) ? `payload.${field}` : field;
}

/** The filter as one step of a longer one: `or` binds less than `and` does. */
function inBrackets(filter: string): string {
  return /\bor\b|\|\|/.test(filter) ? `(${filter})` : filter;
}
