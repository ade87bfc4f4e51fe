/** Pairs of events that delimit a piece of work, found by their names, such as `request_begin` and `request_end`. */
import { capitalised } from '../../base/first-letter.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { EventShape } from './event-shapes.ts';

export interface EventPair {
  readonly begin: EventShape;
  readonly end: EventShape;
  readonly common: string;
  /** Fields of both whose values identify a piece of work. */
  readonly key: readonly string[];
}

/** Words that begin something, with the words that end it; the first with an event is taken. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  begin: ['end', 'done', 'finish'],
  start: ['stop', 'end', 'done', 'finish', 'complete'],
  entry: ['exit', 'return', 'leave'],
  enter: ['exit', 'return', 'leave'],
  before: ['after'],
  req: ['acq'],
};

/** A begin word among others: `job_begin`, `BEGIN job`, `jobBegin`. */
const BEGIN_WORD = new RegExp(
  Object.keys(PAIRS)
    .flatMap((word) => {
      const capital = capitalised(word);
      const apart = (text: string) => `(?<![A-Za-z0-9])${text}(?![A-Za-z0-9])`;
      return [apart(word), apart(word.toUpperCase()), `(?<![A-Z])${capital}(?![a-z0-9])`];
    })
    .join('|'),
  'g',
);
/** Events of the tracer about itself. */
const OF_TRACER = /statedump/;
const IDENTITY = /(^|_)(id|seq|cookie|handle|tag|addr|mutex)$/i;
/** Identity without an underscore: `requestId`. */
const CAMEL_IDENTITY = /[a-z](Id|ID|Seq|Cookie|Handle|Tag|Addr|Mutex)$/;

/** Tables that decide which events are pairs. */
export const PAIR_TABLES: readonly unknown[] = [PAIRS, OF_TRACER, IDENTITY, CAMEL_IDENTITY];

/** Pairs of user-space events, in order of the begins' names. The meaning of kernel events is known, except marks of programs. */
export function eventPairs(shapes: readonly EventShape[]): EventPair[] {
  const events = new Map(
    shapes
      .filter(({ domain, name }) => domain !== 'kernel' || isKind('mark', name))
      .map((shape) => [shape.name, shape]),
  );
  return [...events.values()].flatMap((begin) => {
    const found = OF_TRACER.test(begin.name) ? undefined : endOf(begin.name, events);
    if (found === undefined) return [];
    const { shape: end, common } = found;
    const key = begin.fields.filter((field) => isIdentity(field) && end.fields.includes(field));
    return { begin, end, common, key };
  });
}

/** The event that ends what `name` begins, and the common part of their names. */
function endOf(
  name: string,
  events: ReadonlyMap<string, EventShape>,
): { readonly shape: EventShape; readonly common: string } | undefined {
  // The last word that matches: `start_job_begin` begins `start_job`.
  for (const match of [...name.matchAll(BEGIN_WORD)].reverse()) {
    const before = name.slice(0, match.index);
    const after = name.slice(match.index + match[0].length);
    for (const word of PAIRS[match[0].toLowerCase()]) {
      const shape = events.get(before + asWritten(word, match[0]) + after);
      if (shape !== undefined) return { shape, common: commonOf(before, after) || name };
    }
  }
  return undefined;
}

function isIdentity(field: string): boolean {
  return IDENTITY.test(field) || CAMEL_IDENTITY.test(field);
}

/** A word in the letter case of another: `end`, `End` or `END`. */
function asWritten(word: string, other: string): string {
  if (other === other.toLowerCase()) return word;
  return other === other.toUpperCase() ? word.toUpperCase() : capitalised(word);
}

function commonOf(before: string, after: string): string {
  const separators = /^[^a-z0-9]+|[^a-z0-9]+$/gi;
  const parts = [before, after].map((part) => part.replace(separators, '')).filter((part) => part !== '');
  return parts.join('_').replace(/^lttng_ust_/, '');
}
