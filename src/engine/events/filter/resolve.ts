/** Meaning of a filter for a trace: names, hosts, times and threads become what the trace has of them. */
import { matcherOf } from '../../base/glob.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { type EventOfStream, FIELD_KINDS, type FieldName, hasField } from './field-wants.ts';
import { integerClassOf } from './field-tests.ts';
import { comparesNumber, type FieldNode, type HostThreads, type ResolvedFilter } from './resolved.ts';
import type { Compare, FieldTest, Filter, FilterProblem, Literal } from './filter.ts';
import { acceptedRanges, integerOf } from './integer-ranges.ts';
import { Refusal } from './tokens.ts';

/** Scope of a filter: what is known of a trace. */
export interface FilterScope {
  readonly events: readonly EventOfStream[];
  /** Names of the hosts, by index. */
  readonly hosts: readonly string[];
  /** Display time as the clock of a host tells it. */
  toHost(host: number, timeNs: DisplayNs): HostNs;
  /** Interval that is selected; undefined: nothing is. */
  readonly selection: { readonly from: DisplayNs; readonly to: DisplayNs } | undefined;
  /** Where the threads ran that are meant, by host; null: it has no kernel trace. */
  threads(wanted: WantedThreads): Promise<readonly (HostThreads | null)[]>;
}

/** Threads by number or name, or by that of their process. */
export interface WantedThreads {
  readonly by: 'tid' | 'pid' | 'thread' | 'process';
  isWanted(value: number | string): boolean;
}

export type Resolved =
  | { readonly ok: true; readonly filter: ResolvedFilter }
  | { readonly ok: false; readonly problem: FilterProblem };

/** The contexts that tell the same where no kernel trace does. */
const CONTEXT_OF = { tid: 'vtid', pid: 'vpid', thread: 'procname', process: 'procname' } as const;

export async function resolveFilter(filter: Filter, scope: FilterScope): Promise<Resolved> {
  try {
    return { ok: true, filter: await new Resolver(scope).resolve(filter) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

class Resolver {
  readonly #scope: FilterScope;

  constructor(scope: FilterScope) {
    this.#scope = scope;
  }

  async resolve(filter: Filter): Promise<ResolvedFilter> {
    switch (filter.kind) {
      case 'and':
      case 'or':
        return {
          kind: filter.kind,
          parts: await Promise.all(filter.parts.map((part) => this.resolve(part))),
        };
      case 'not':
        return { kind: 'not', part: await this.resolve(filter.part) };
      case 'text':
        return { kind: 'text', text: filter.text };
      case 'field':
        return this.#test(filter);
    }
  }

  #test(test: FieldTest): ResolvedFilter | Promise<ResolvedFilter> {
    switch (test.field) {
      case 'name':
        return this.#names(test);
      case 'host':
        return this.#hosts(test);
      case 'cpu':
        return { kind: 'cpus', compare: test.compare, values: numbersOf(test) };
      case 'time':
        return this.#times(test);
      case 'tid':
      case 'pid':
      case 'thread':
      case 'process':
        return this.#threads(test, test.field);
      default:
        return this.#field(test);
    }
  }

  #names(test: FieldTest): ResolvedFilter {
    const isMeant = textMatcher(test);
    const known = new Set(this.#scope.events.map(({ event }) => event.name ?? ''));
    const names = [...known].filter(isMeant);
    if (names.length === 0) throw new Refusal(test.values[0], 'The trace declares no event of this name.');
    return negatedIf(test, { kind: 'names', names });
  }

  #hosts(test: FieldTest): ResolvedFilter {
    const isMeant = textMatcher(test);
    const hosts = [...this.#scope.hosts.keys()].filter((host) => isMeant(this.#scope.hosts[host]));
    if (hosts.length === 0) throw new Refusal(test.values[0], 'No host has this name.');
    return negatedIf(test, { kind: 'hosts', hosts });
  }

  #times(test: FieldTest): ResolvedFilter {
    const intervals = test.values.map((value) => this.#interval(test.compare, value));
    const parts = intervals.map(({ from, to }): ResolvedFilter => {
      const hosts = this.#scope.hosts.map(
        (_, host) => [hostTime(this.#scope, host, from), hostTime(this.#scope, host, to)] as const,
      );
      return { kind: 'times', hosts };
    });
    return negatedIf(test, parts.length === 1 ? parts[0] : { kind: 'or', parts });
  }

  #interval(compare: Compare, value: Literal): { readonly from: DisplayNs; readonly to: DisplayNs } {
    if (value.text === 'sel' && !value.isQuoted) {
      if (this.#scope.selection === undefined) throw new Refusal(value, 'Nothing is selected.');
      return this.#scope.selection;
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

  async #threads(test: FieldTest, by: WantedThreads['by']): Promise<ResolvedFilter> {
    const compare = test.compare === '!=' ? '=' : test.compare;
    const isNumber = by === 'tid' || by === 'pid';
    const numbers = isNumber ? numbersOf(test) : [];
    const isMeant = isNumber ? () => false : textMatcher(test);
    const isWanted = (value: number | string) =>
      typeof value === 'string' ? isMeant(value) : comparesNumber(value, compare, numbers);
    const hosts = await this.#scope.threads({ by, isWanted });
    const { values } = test;
    const otherwise: FieldNode = {
      kind: 'field',
      name: CONTEXT_OF[by],
      only: 'context',
      compare,
      values,
    };
    return negatedIf(test, { kind: 'threads', hosts, otherwise });
  }

  #field(test: FieldTest): ResolvedFilter {
    const field = fieldNameOf(test.field);
    const having = this.#scope.events.filter((of) => FIELD_KINDS.some((kind) => hasField(of, field, kind)));
    if (having.length === 0)
      throw new Refusal({ at: test.at, length: test.field.length }, this.#whyNoField(test.field));
    const integers = having.flatMap((of) => integerClassOf(of, field) ?? []);
    if (integers.length === having.length) {
      for (const value of test.values)
        if (!integers.some((type) => acceptedRanges(type, test.compare, [value]) !== undefined))
          throw new Refusal(value, `${test.field} is a number, and has no name like this.`);
    } else if (integers.length === 0) textMatcher(test);
    const { compare, values } = test;
    return { kind: 'field', ...field, compare, values };
  }

  #whyNoField(name: string): string {
    const isThere = this.#scope.events.some(({ event }) =>
      event.payload?.members.some((member) => member.name === name),
    );
    if (isThere) return `${name} is neither a whole number nor a text: it cannot be compared yet.`;
    return `No event has a field called ${name}.`;
  }
}

const FOREVER = Number.MAX_SAFE_INTEGER;

function hostTime({ toHost }: FilterScope, host: number, timeNs: DisplayNs): HostNs {
  return Math.abs(timeNs) === FOREVER ? Number(timeNs) : toHost(host, timeNs);
}

/** `payload.` and `context.` say where a field is. */
function fieldNameOf(text: string): FieldName {
  const [, only, name] = /^(payload|context)\.(.+)$/.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, only: only as 'payload' | 'context' };
}

function negatedIf({ compare }: FieldTest, filter: ResolvedFilter): ResolvedFilter {
  return compare === '!=' ? { kind: 'not', part: filter } : filter;
}

/** Without negation. */
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

/** ns; without a unit they are ns. */
function durationOf({ text, isQuoted }: Literal): number | undefined {
  const [, number, unit = 'ns'] =
    (isQuoted ? null : /^([+-]?\d+(?:\.\d+)?)(ns|us|µs|ms|s)?$/.exec(text)) ?? [];
  return number === undefined ? undefined : Math.round(Number(number) * UNITS[unit]);
}
