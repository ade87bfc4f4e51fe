/** Completion of a filter of events: the options for what is typed next. Pure; the language is in `engine/events/filter/parse.ts`. */
import { matcherOf } from '../../engine/base/glob.ts';
import { type Token, tokensOf } from '../../engine/events/filter/parse.ts';
import type { EventNames } from '../../engine/events/event-names.ts';
import { plural } from '../format/text.ts';
import { quoted } from './show-events.ts';

export interface Completion {
  /** Part of the text that an option replaces, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly text: string;
  readonly detail: string;
  /** Whether it is not in the trace: such options come last. */
  readonly isAbsent?: boolean;
}

export interface NamesWithCounts extends EventNames {
  /** Events by name; absent: not counted yet. */
  readonly counts?: ReadonlyMap<string, number>;
}

const MOST = 50;
/** Fields of every event: the first four are its own numbers and texts, the others those of the thread it happened in. */
const KNOWN: readonly CompletionOption[] = [
  { text: 'name', detail: 'text, every event' },
  { text: 'cpu', detail: 'number, every event' },
  { text: 'host', detail: 'text, every event' },
  { text: 'time', detail: '1.5s, 20ms, every event' },
  { text: 'tid', detail: 'number, every event' },
  { text: 'pid', detail: 'number, every event' },
  { text: 'thread', detail: 'text, every event' },
  { text: 'process', detail: 'text, every event' },
];
const KNOWN_TEXTS = new Set(['name', 'host', 'thread', 'process']);
const NOT = { text: 'not', detail: 'the opposite' };
const JOINS: readonly CompletionOption[] = [
  { text: 'and', detail: 'both' },
  { text: 'or', detail: 'one of both' },
];
const OF_TEXTS: readonly CompletionOption[] = [
  { text: '=', detail: 'is' },
  { text: '!=', detail: 'is another' },
  { text: ' in (', detail: 'is one of' },
];
const OF_NUMBERS: readonly CompletionOption[] = [
  ...OF_TEXTS,
  { text: '<', detail: 'less than' },
  { text: '<=', detail: 'at most' },
  { text: '>', detail: 'more than' },
  { text: '>=', detail: 'at least' },
];
const COMPARES = new Set(['=', '!=', '<', '<=', '>', '>=']);

/** @param caret in UTF-16 units; only the rest of the word behind it matters */
export function complete(text: string, caret: number, names: NamesWithCounts): Completion {
  const { tokens, problem } = tokensOf(text.slice(0, caret));
  // The caret is within quotes, or behind a mistake.
  if (problem !== undefined) return { from: caret, to: caret, options: [] };
  const last = tokens.at(-1);
  const isTyping = last?.kind === 'word' && last.at + last.length === caret;
  const before = isTyping ? tokens.slice(0, -1) : tokens;
  const word = isTyping ? last.text : '';
  const from = isTyping ? last.at : caret;
  const to = isTyping ? caret + (/^[^\s=<>!(),"&|]*/.exec(text.slice(caret))?.[0].length ?? 0) : caret;
  const place = placeAfter(before);
  const all = optionsAt(place, tokens, names);
  const options = ranked(all, word);
  const isComplete = options.length > 0 && options[0].text === word && to === caret;
  if (!isComplete) return { from, to, options };
  const longer = options.slice(1).filter(({ text: name }) => name.startsWith(word));
  if (longer.length > 0) return { from, to, options: longer };
  // The field is complete, and a comparison is next.
  if (place.expects !== 'field' || word === 'not') return { from, to, options: [] };
  return { from: caret, to, options: comparisonsOf(word, names) };
}

interface Place {
  readonly expects: 'field' | 'comparison' | 'value' | 'join';
  /** Field of a comparison or value. */
  readonly field: string;
}

/** Kind of text that may follow these tokens. */
function placeAfter(tokens: readonly Token[]): Place {
  let place: Place = { expects: 'field', field: '' };
  let isList = false;
  for (const { kind, text } of tokens) {
    const { expects, field } = place;
    if (kind === 'sign') {
      if (COMPARES.has(text)) place = { expects: 'value', field };
      else if (text === '(') isList = expects === 'value';
      else if (text === ',') place = { expects: 'value', field };
      else if (text === ')') {
        isList = false;
        place = { expects: 'join', field: '' };
      } else place = { expects: 'field', field: '' };
    } else if (expects === 'value') place = { expects: isList ? 'value' : 'join', field };
    else if (kind === 'quoted') place = { expects: 'join', field: '' };
    else if (expects === 'comparison' && text === 'in') place = { expects: 'value', field };
    else if (text === 'and' || text === 'or') place = { expects: 'field', field: '' };
    else if (text !== 'not') place = { expects: 'comparison', field: text };
    else if (expects !== 'comparison') place = { expects: 'field', field: '' };
  }
  return place;
}

function optionsAt(
  { expects, field }: Place,
  tokens: readonly Token[],
  names: NamesWithCounts,
): readonly CompletionOption[] {
  switch (expects) {
    case 'field':
      return [...fieldOptions(tokens, names), NOT];
    case 'comparison':
      return [...comparisonsOf(field, names), ...JOINS];
    case 'value':
      return valueOptions(field, names);
    case 'join':
      return JOINS;
  }
}

/** Fields of the events that the filter names first, then those of every event, then others. */
function fieldOptions(tokens: readonly Token[], { events, fields }: EventNames): CompletionOption[] {
  const isNamed = namedEvents(tokens);
  const named = new Set(isNamed === undefined ? [] : events.flatMap((name, i) => (isNamed(name) ? i : [])));
  const optionOf = ({ name, type, events: having }: EventNames['fields'][number]): CompletionOption => {
    const [first] = having;
    const where =
      having.length === 0 ? 'context' : having.length === 1 ? events[first] : plural(having.length, 'event');
    // Without the scope, the name means a field of every event.
    const text = KNOWN.some((known) => known.text === name) ? `payload.${name}` : name;
    return { text, detail: `${type}, ${where}` };
  };
  const own = fields.filter((field) => field.events.some((event) => named.has(event)));
  const isOwn = new Set(own);
  const others = fields.filter(
    (field) => !isOwn.has(field) && !KNOWN.some(({ text }) => text === field.name),
  );
  return [...own.map(optionOf), ...KNOWN, ...others.map(optionOf)];
}

/** Test for the events that the filter names by `name=…` or `name in (…)`; undefined: it names none. */
function namedEvents(tokens: readonly Token[]): ((name: string) => boolean) | undefined {
  const patterns: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i].text !== 'name' || tokens[i].kind !== 'word') continue;
    const [sign, value] = [tokens.at(i + 1), tokens.at(i + 2)];
    if (sign?.text === '=' && value !== undefined) patterns.push(value.text);
    for (let at = i + 3; sign?.text === 'in' && at < tokens.length && tokens[at].text !== ')'; at++)
      if (tokens[at].kind !== 'sign') patterns.push(tokens[at].text);
  }
  if (patterns.length === 0) return undefined;
  const matchers = patterns.map(matcherOf);
  return (name) => matchers.some((matches) => matches(name));
}

function comparisonsOf(field: string, { fields }: EventNames): readonly CompletionOption[] {
  const name = field.replace(/^(?:payload|context)\./, '');
  const isText = KNOWN_TEXTS.has(field) || fields.find((one) => one.name === name)?.type === 'text';
  return isText ? OF_TEXTS : OF_NUMBERS;
}

function valueOptions(field: string, { events, fields, counts }: NamesWithCounts): CompletionOption[] {
  if (field === 'name') return eventOptions(events, counts);
  if (field === 'time') return [{ text: 'sel', detail: 'what is selected' }];
  const name = field.replace(/^(?:payload|context)\./, '');
  const { labels = [], type = '' } = fields.find((one) => one.name === name) ?? {};
  return labels.map((label) => ({ text: typed(label), detail: type }));
}

/** Names of events, the most frequent first. */
function eventOptions(
  events: readonly string[],
  counts: NamesWithCounts['counts'] = new Map(),
): CompletionOption[] {
  const countOf = (name: string) => counts.get(name) ?? 0;
  return events
    .toSorted((a, b) => countOf(b) - countOf(a))
    .map((name) => {
      const text = typed(name);
      if (counts.size === 0) return { text, detail: 'event' };
      const isAbsent = countOf(name) === 0;
      return {
        text,
        detail: isAbsent ? 'never' : plural(countOf(name), 'event'),
        ...(isAbsent && { isAbsent }),
      };
    });
}

/** The value as it is typed, in quotes if it would mean something else without. */
function typed(value: string): string {
  return /^[^\s=<>!(),"&|]+$/.test(value) && !/^(?:and|or|not|in)$/.test(value) ? value : quoted(value);
}

/** Options that begin with the word, then those that contain it, then those that are in no event; case does not matter. */
function ranked(options: readonly CompletionOption[], word: string): CompletionOption[] {
  const wanted = word.toLowerCase();
  const rankOf = ({ text, isAbsent = false }: CompletionOption): number => {
    const at = text.toLowerCase().replace(/^"/, '').trim().indexOf(wanted);
    if (at < 0) return NaN;
    return text === word ? 0 : (at === 0 ? 1 : 2) + (isAbsent ? 2 : 0);
  };
  const found = options.map((option) => ({ option, rank: rankOf(option) })).filter(({ rank }) => rank >= 0);
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ option }) => option);
}
