/** Resolves a filter for a trace: names, hosts, times and threads are replaced by what the trace has of them. */
import { matcherOf } from '../../base/glob.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { type EventOfStream, FIELD_KINDS, type FieldName, hasField } from './field-wants.ts';
import {
  type Compare,
  comparesNumber,
  type FieldNode,
  type FieldTest,
  type Filter,
  type FilterProblem,
  type HostThreads,
  type Literal,
  type ResolvedFilter,
} from './filter.ts';
import { acceptedRanges, integerClassOf, integerOf } from './field-tests.ts';
import { Refusal } from './parse.ts';

/** Facts of a trace against which a filter is resolved. */
export interface FilterScope {
  readonly events: readonly EventOfStream[];
  /** Names of the hosts, by index. */
  readonly hosts: readonly string[];
  /** Display time as the clock of a host tells it. */
  toHost(host: number, timeNs: DisplayNs): HostNs;
  /** Selected interval; undefined: none. */
  readonly selection: Interval | undefined;
  /** Where the wanted threads ran, by host; null: no kernel trace. */
  threads(wanted: WantedThreads): Promise<readonly (HostThreads | null)[]>;
}

interface Interval {
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/** Threads by number or name, their own or their process's. */
export interface WantedThreads {
  readonly by: 'tid' | 'pid' | 'thread' | 'process';
  isWanted(value: number | string): boolean;
}

export type Resolved =
  | { readonly ok: true; readonly filter: ResolvedFilter }
  | { readonly ok: false; readonly problem: FilterProblem };

/** Contexts that name threads where there is no kernel trace. */
const CONTEXT_OF = { tid: 'vtid', pid: 'vpid', thread: 'procname', process: 'procname' } as const;

export async function resolveFilter(filter: Filter, scope: FilterScope): Promise<Resolved> {
  try {
    return { ok: true, filter: await resolved(filter, scope) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

async function resolved(filter: Filter, scope: FilterScope): Promise<ResolvedFilter> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return {
        kind: filter.kind,
        parts: await Promise.all(filter.parts.map((part) => resolved(part, scope))),
      };
    case 'not':
      return { kind: 'not', part: await resolved(filter.part, scope) };
    case 'text':
      return { kind: 'text', text: filter.text };
    case 'field':
      return resolvedTest(filter, scope);
  }
}

function resolvedTest(test: FieldTest, scope: FilterScope): ResolvedFilter | Promise<ResolvedFilter> {
  switch (test.field) {
    case 'name':
      return namesOf(test, scope);
    case 'host':
      return hostsOf(test, scope);
    case 'cpu':
      return { kind: 'cpus', compare: test.compare, values: numbersOf(test) };
    case 'time':
      return timesOf(test, scope);
    case 'tid':
    case 'pid':
    case 'thread':
    case 'process':
      return threadsOf(test, test.field, scope);
    default:
      return fieldOf(test, scope);
  }
}

function namesOf(test: FieldTest, scope: FilterScope): ResolvedFilter {
  const isMeant = textMatcher(test);
  const known = new Set(scope.events.map(({ event }) => event.name ?? ''));
  const names = [...known].filter(isMeant);
  if (names.length === 0) throw new Refusal(test.values[0], 'The trace declares no event of this name.');
  return negatedIf(test, { kind: 'names', names });
}

function hostsOf(test: FieldTest, scope: FilterScope): ResolvedFilter {
  const isMeant = textMatcher(test);
  const hosts = [...scope.hosts.keys()].filter((host) => isMeant(scope.hosts[host]));
  if (hosts.length === 0) throw new Refusal(test.values[0], 'No host has this name.');
  return negatedIf(test, { kind: 'hosts', hosts });
}

function timesOf(test: FieldTest, scope: FilterScope): ResolvedFilter {
  const intervals = test.values.map((value) => intervalOf(test.compare, value, scope));
  const parts = intervals.map(({ from, to }): ResolvedFilter => {
    const hosts = scope.hosts.map(
      (_, host) => [hostTime(scope, host, from), hostTime(scope, host, to)] as const,
    );
    return { kind: 'times', hosts };
  });
  return negatedIf(test, parts.length === 1 ? parts[0] : { kind: 'or', parts });
}

function intervalOf(compare: Compare, value: Literal, { selection }: FilterScope): Interval {
  if (value.text === 'sel' && !value.isQuoted) {
    if (selection === undefined) throw new Refusal(value, 'Nothing is selected.');
    return selection;
  }
  const time = durationOf(value);
  if (time === undefined) throw new Refusal(value, 'A time is expected, as 1.5s, 20ms or 300ns.');
  switch (compare) {
    case '<':
      return { from: -FOREVER, to: time };
    case '<=':
      return { from: -FOREVER, to: time + 1 };
    case '>':
      return { from: time + 1, to: FOREVER };
    case '>=':
      return { from: time, to: FOREVER };
    default:
      return { from: time, to: time + 1 };
  }
}

async function threadsOf(
  test: FieldTest,
  by: WantedThreads['by'],
  scope: FilterScope,
): Promise<ResolvedFilter> {
  const compare = test.compare === '!=' ? '=' : test.compare;
  const isNumber = by === 'tid' || by === 'pid';
  const numbers = isNumber ? numbersOf(test) : [];
  const isMeant = isNumber ? () => false : textMatcher(test);
  const isWanted = (value: number | string) =>
    typeof value === 'string' ? isMeant(value) : comparesNumber(value, compare, numbers);
  const hosts = await scope.threads({ by, isWanted });
  const name = CONTEXT_OF[by];
  const otherwise: FieldNode = { kind: 'field', name, only: 'context', compare, values: test.values };
  return negatedIf(test, { kind: 'threads', hosts, otherwise });
}

function fieldOf(test: FieldTest, scope: FilterScope): ResolvedFilter {
  const field = fieldNameOf(test.field);
  const having = scope.events.filter((of) => FIELD_KINDS.some((kind) => hasField(of, field, kind)));
  if (having.length === 0)
    throw new Refusal({ at: test.at, length: test.field.length }, whyNoField(test.field, scope));
  const integers = having.flatMap((of) => integerClassOf(of, field) ?? []);
  if (integers.length === having.length) {
    for (const value of test.values)
      if (!integers.some((type) => acceptedRanges(type, test.compare, [value]) !== undefined))
        throw new Refusal(value, `${test.field} is a number, and has no name like this.`);
  } else if (integers.length === 0) textMatcher(test);
  const { compare, values } = test;
  return { kind: 'field', ...field, compare, values };
}

function whyNoField(name: string, scope: FilterScope): string {
  if (scope.events.some(({ event }) => event.payload?.members.some((member) => member.name === name)))
    return `${name} is neither a whole number nor a text: it cannot be compared yet.`;
  return `No event has a field called ${name}.`;
}

const FOREVER = Number.MAX_SAFE_INTEGER;

function hostTime({ toHost }: FilterScope, host: number, timeNs: DisplayNs): HostNs {
  return Math.abs(timeNs) === FOREVER ? Number(timeNs) : toHost(host, timeNs);
}

/** A field, whose scope may be given by `payload.` or `context.`. */
function fieldNameOf(text: string): FieldName {
  const [, only, name] = /^(payload|context)\.(.+)$/.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, only: only as 'payload' | 'context' };
}

function negatedIf({ compare }: FieldTest, filter: ResolvedFilter): ResolvedFilter {
  return compare === '!=' ? { kind: 'not', part: filter } : filter;
}

/** Matcher of a text test, without its negation. */
function textMatcher({ compare, values, at, field }: FieldTest): (text: string) => boolean {
  if (compare !== '=' && compare !== '!=')
    throw new Refusal({ at, length: field.length }, `${field} is a text: it is compared by = and != alone.`);
  const matchers = values.map(({ text }) => matcherOf(text));
  return (text) => matchers.some((matches) => matches(text));
}

function numbersOf({ values, field }: FieldTest): number[] {
  return values.map((value) => {
    const number = integerOf(value);
    if (number === undefined) throw new Refusal(value, `${field} is a number.`);
    return Number(number);
  });
}

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** A duration in ns; without a unit it is in ns. */
function durationOf({ text, isQuoted }: Literal): number | undefined {
  const [, number, unit = 'ns'] =
    (isQuoted ? null : /^([+-]?\d+(?:\.\d+)?)(ns|us|µs|ms|s)?$/.exec(text)) ?? [];
  return number === undefined ? undefined : Math.round(Number(number) * UNITS[unit]);
}
