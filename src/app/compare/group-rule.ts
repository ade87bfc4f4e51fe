/** How executions are divided into two groups: A is what is usual, B is what is to be explained. Pure. */
import { slowGroups } from '../../engine/executions/ranking/groups.ts';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { ExecutionsAnswer } from '../../workers/session-api.ts';
import { readTime } from '../browser/link-parts.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

export type GroupRule =
  /** The slowest tenth against the faster half. */
  | { readonly kind: 'slow' }
  /** Those that begin at a time or later against those before. */
  | { readonly kind: 'time'; readonly at: DisplayNs }
  /** Those of a thread, by its row, against those of all others. */
  | { readonly kind: 'thread'; readonly row: string }
  /** Those in the ranges chosen for B against the rest. */
  | { readonly kind: 'brush' };

export type GroupName = 'a' | 'b';
export const GROUP_NAMES: readonly GroupName[] = ['a', 'b'];

/** The group that an execution is in by the rule alone; 0: none, 1: A, 2: B, 3: either, as ranges say. */
export type Membership = Uint8Array;
export const IN_A = 1;
export const IN_B = 2;

const SLOW_PERCENT = 90;

export function membershipOf(rule: GroupRule, answer: ExecutionsAnswer): Membership {
  const { length, from, to, thread, threads } = answer;
  const members = new Uint8Array(length);
  if (rule.kind === 'slow') {
    const { a, b } = slowGroups(durationsOf(from, to), SLOW_PERCENT);
    for (const i of a) members[i] = IN_A;
    for (const i of b) members[i] = IN_B;
    return members;
  }
  if (rule.kind === 'brush') return members.fill(IN_A | IN_B);
  const chosen = rule.kind === 'thread' ? threads.findIndex(({ row }) => row === rule.row) : -1;
  const isInB = (i: number) => (rule.kind === 'time' ? from[i] >= rule.at : thread[i] === chosen);
  for (let i = 0; i < length; i++) members[i] = isInB(i) ? IN_B : IN_A;
  return members;
}

interface GroupWords {
  readonly title: string;
  /** Which executions that are. */
  readonly about: string;
}

export function groupWords(
  rule: GroupRule,
  { from, to, threads }: ExecutionsAnswer,
): Record<GroupName, GroupWords> {
  switch (rule.kind) {
    case 'slow': {
      const { atMost, above } = slowGroups(durationsOf(from, to), SLOW_PERCENT);
      return {
        a: { title: 'fast half', about: `up to ${formatDuration(atMost)}` },
        b: { title: 'slow tail', about: `over ${formatDuration(above)}` },
      };
    }
    case 'time':
      return {
        a: { title: 'before', about: `begun before ${formatDuration(rule.at)}` },
        b: { title: 'after', about: `begun from ${formatDuration(rule.at)} on` },
      };
    case 'thread': {
      const { name, tid } = threads.find(({ row }) => row === rule.row) ?? {
        name: 'no thread',
        tid: undefined,
      };
      return {
        a: { title: 'others', about: 'all other threads' },
        b: { title: visibleText(name), about: tid === undefined ? '' : `thread ${tid}` },
      };
    }
    case 'brush':
      return {
        a: { title: 'rest', about: 'not in B' },
        b: { title: 'ranges', about: 'in the ranges chosen here' },
      };
  }
}

export function durationsOf(from: ArrayLike<number>, to: ArrayLike<number>): Float64Array {
  return Float64Array.from(from, (begin, i) => to[i] - begin);
}

/** A range of a metric that executions of a group have to be in. */
export interface Brush {
  readonly group: GroupName;
  readonly metric: string;
  /** From it on, and below it; infinite: open. */
  readonly from: number;
  readonly to: number;
}

export function ruleText(rule: GroupRule): string {
  if (rule.kind === 'time') return `time~${Math.round(rule.at)}`;
  return rule.kind === 'thread' ? `thread~${rule.row}` : rule.kind;
}

/** What makes no sense is the default. */
export function readRule(text: string | null): GroupRule {
  const [, kind, rest = ''] = /^(time|thread|brush)~?(.*)$/s.exec(text ?? '') ?? [];
  const at = kind === 'time' ? readTime(rest) : undefined;
  if (at !== undefined) return { kind: 'time', at };
  if (kind === 'thread') return { kind, row: rest };
  return kind === 'brush' ? { kind } : { kind: 'slow' };
}

export function brushText({ group, metric, from, to }: Brush): string {
  const ends = [from, to].map((end) => (Number.isFinite(end) ? String(end) : ''));
  return [group, metric, ...ends].join('~');
}

export function readBrush(text: string): Brush | undefined {
  const [, group, metric, low, high] = /^([ab])~(.+)~([^~]*)~([^~]*)$/s.exec(text) ?? [];
  if (metric === undefined) return undefined;
  const from = low === '' ? -Infinity : Number(low);
  const to = high === '' ? Infinity : Number(high);
  return from <= to ? { group: group as GroupName, metric, from, to } : undefined;
}
