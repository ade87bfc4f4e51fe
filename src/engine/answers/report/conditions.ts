/**
 * Conditions for gates: `p95(requests) > 5ms`, `lost > 1%`. A condition on an unknown value is neither met nor unmet.
 */
import { isMetric, isTimeMetric, METRICS } from '../../layers/executions/metrics.ts';
import { medianOf, nearestRank } from '../../layers/executions/ranking/groups.ts';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';
import type { CheckedCondition, MetricSums } from '../../protocol/report.ts';
import { RULE_IDS } from '../summary/summary.ts';

type Subject =
  | { readonly of: 'lost' }
  /** rule undefined: all rules. */
  | { readonly of: 'findings'; readonly rule: string | undefined }
  | { readonly of: 'requests'; readonly sum: string; readonly metric: string };

export interface Condition {
  readonly text: string;
  readonly subject: Subject;
  readonly comparison: keyof typeof COMPARISONS;
  readonly limit: number;
  readonly unit: CheckedCondition['unit'];
}

const COMPARISONS = {
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '!=': (a: number, b: number) => a !== b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
  '=': (a: number, b: number) => a === b,
};
const UNITS: Readonly<Record<string, readonly [CheckedCondition['unit'], number]>> = {
  ...{ ns: ['ns', 1], us: ['ns', 1e3], µs: ['ns', 1e3], ms: ['ns', 1e6], s: ['ns', 1e9] },
  ...{ '%': ['share', 0.01], '': ['', 1] },
};
const SUM = /^(count|mean|median|min|max|p(100|\d{1,2}(\.\d{1,6})?))$/;

/** A mistake in a condition, as a message. */
export class ConditionError extends Error {}

/** @throws ConditionError with the place of what is wrong */
export function parseCondition(text: string): Condition {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const [found] = pattern.exec(text.slice(at)) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const expect = (pattern: RegExp, what: string): string => {
    const found = take(pattern);
    if (found !== undefined) return found;
    const rest = at < text.length ? `"${text.slice(at)}"` : 'its end';
    throw new ConditionError(`"${text}", character ${at + 1}: ${what} is expected, not ${rest}`);
  };
  const subjectOf = (): Subject => {
    const name = expect(/^(lost\b|findings\b|[a-z][a-z0-9.]*(?=\s*\())/, 'lost, findings or p95(requests)');
    if (name === 'lost') return { of: name };
    if (name === 'findings') {
      if (take(/^\(/) === undefined) return { of: name, rule: undefined };
      const rule = expect(oneOf(RULE_IDS), `one of ${RULE_IDS.join(', ')}`);
      expect(/^\)/, ')');
      return { of: name, rule };
    }
    if (!SUM.test(name)) {
      at -= name.length;
      expect(/^$/, 'count, mean, median, p50 to p100, min or max');
    }
    expect(/^\(/, '(');
    expect(/^requests\b/, 'requests');
    const metric = take(/^,/) === undefined ? 'duration' : expect(/^[^)]*[^)\s]/, 'the name of a metric');
    if (!isMetric(metric)) {
      at -= metric.length;
      expect(/^$/, `one of ${METRICS.join(', ')}`);
    }
    expect(/^\)/, ')');
    return { of: 'requests', sum: name, metric };
  };
  const subject = subjectOf();
  const comparison = expect(/^(>=|<=|!=|[><=])/, 'one of >, >=, <, <=, =, !=') as Condition['comparison'];
  const number = Number(expect(/^\d+(\.\d+)?/, 'a number'));
  const isTime = subject.of === 'requests' && subject.sum !== 'count' && isTimeMetric(subject.metric);
  const [units, what] = unitsOf(subject, isTime && number !== 0, isTime);
  const [unit, scale] = UNITS[expect(units, what)];
  expect(/^\s*$/, 'nothing more');
  return { text, subject, comparison, limit: number * scale, unit: isTime ? 'ns' : unit };
}

function unitsOf({ of }: Subject, isNeeded: boolean, isTime: boolean): readonly [RegExp, string] {
  if (isTime) return [isNeeded ? /^(ns|us|µs|ms|s)\b/ : /^(ns|us|µs|ms|s|)/, 'ns, us, ms or s'];
  return of === 'lost' ? [/^(%|(?=\s*$))/, '% or nothing'] : [/^(?=\s*$)/, 'no unit'];
}

function oneOf(words: readonly string[]): RegExp {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return new RegExp(`^(${longestFirst.join('|')})(?![\\w-])`);
}

/** Values that conditions can be about. */
export interface Measurable {
  readonly lost: { readonly events: number; readonly packets: number; readonly recorded: number };
  /** Findings by rule, and whether there may be more. */
  readonly findings: ReadonlyMap<string, { readonly count: number; readonly isPart: boolean }>;
  /** undefined: none, or not examined. */
  readonly requests: ExecutionsAnswer | undefined;
}

/** Lower and upper bound of a value. */
type Bounds = readonly [least: number, most: number];

export function checked(
  { text, subject, comparison, limit, unit }: Condition,
  known: Measurable,
): CheckedCondition {
  const [least, most] = boundsOf(subject, unit, known);
  // The condition is undecided where the limit lies between the bounds.
  const isMet = COMPARISONS[comparison](least, limit);
  const isSure =
    least === most || (isMet === COMPARISONS[comparison](most, limit) && !/^!?=$/.test(comparison));
  const value = Number.isNaN(least) ? undefined : least;
  if (!isSure) {
    const metrics = subject.of === 'requests' && value === undefined ? metricsOf(known, subject.metric) : {};
    return { condition: text, outcome: 'unknown', unit, ...(value !== undefined && { value }), ...metrics };
  }
  return { condition: text, outcome: isMet ? 'met' : 'not met', unit, value };
}

/** Names of all metrics if `metric` is not one of them. Fields of events are left out, as in all reports. */
function metricsOf({ requests }: Measurable, metric: string): Pick<CheckedCondition, 'metrics'> {
  const names = requests?.metrics.map(({ name }) => name) ?? [];
  if (names.length === 0 || names.includes(metric)) return {};
  return { metrics: names.filter((name) => !/^(begin|end)\b/.test(name)) };
}

function boundsOf(
  subject: Subject,
  unit: Condition['unit'],
  { lost, findings, requests }: Measurable,
): Bounds {
  switch (subject.of) {
    case 'lost': {
      const { events, packets, recorded } = lost;
      const scale = unit === 'share' ? Math.max(1, recorded + events) : 1;
      // Each packet has at least one event.
      return [(events + packets) / scale, packets > 0 ? Infinity : events / scale];
    }
    case 'findings': {
      const those = subject.rule === undefined ? [...findings.values()] : [findings.get(subject.rule)];
      const count = those.reduce((sum, of) => sum + (of?.count ?? 0), 0);
      return [count, those.some((of) => of?.isPart !== false) ? Infinity : count];
    }
    case 'requests': {
      const isNone = isSurelyNone(subject.metric, findings);
      const value = requests === undefined ? NaN : sumOf(requests, subject.sum, subject.metric, isNone);
      return Number.isNaN(value) ? [NaN, Infinity] : [value, value];
    }
  }
}

const BLOCKED = /^blocked (timer|disk|network|user input|direct|unknown|not ended in the trace)$/;

/** Whether a metric that no execution has is surely 0, as the events that show it were recorded. */
function isSurelyNone(metric: string, findings: Measurable['findings']): boolean {
  const kind = BLOCKED.exec(metric)?.[1];
  const asked = ['cpu-wait', 'interrupts', ...(kind === 'disk' ? [kind] : [])];
  return kind !== undefined && asked.every((rule) => findings.get(rule)?.isPart === false);
}

/**
 * Sum of a metric; NaN: no execution has it.
 * @param isNone whether it is 0 where no execution has it
 */
function sumOf(answer: ExecutionsAnswer, sum: string, metric: string, isNone: boolean): number {
  const { metrics, length, isElapsed } = answer;
  const found = metrics.find(({ name }) => name === metric)?.values;
  const values = found ?? (isNone && !isElapsed ? new Float64Array(length) : undefined);
  const known = values?.filter((value) => !Number.isNaN(value));
  if (sum === 'count') return metric === 'duration' ? length : (known?.length ?? NaN);
  return known === undefined ? NaN : sumOfValues(known, sum);
}

function sumOfValues(values: Float64Array, sum: string): number {
  const sorted = values.toSorted();
  if (sum === 'mean') return sorted.reduce((total, value) => total + value, 0) / sorted.length;
  if (sum === 'min') return nearestRank(sorted, 0);
  if (sum === 'max') return nearestRank(sorted, 100);
  return sum === 'median' ? medianOf(sorted) : nearestRank(sorted, Number(sum.slice(1)));
}

export function sumsOf(values: Float64Array): MetricSums {
  const of = (sum: string): number => sumOfValues(values, sum);
  return { mean: of('mean'), p50: of('p50'), p90: of('p90'), p95: of('p95'), p99: of('p99'), max: of('max') };
}
