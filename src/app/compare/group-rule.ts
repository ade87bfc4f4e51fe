/** Rules that divide executions into two groups: A is the usual one, B the one to be explained. Pure. */
import { slowGroups, type SlowRule } from '../../engine/layers/executions/ranking/groups.ts';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { readTime } from '../format/time-entry.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { structuresOf, structureText } from './structures.ts';

export type GroupRule =
  /** Executions of this trace against those of another one. */
  | { readonly kind: 'traces' }
  /** Executions that the durations set apart as slow, or the slowest tenth, against the faster half. */
  | { readonly kind: 'slow' | 'tenth' }
  /** Executions that begin at a time or later against those before. */
  | { readonly kind: 'time'; readonly at: DisplayNs }
  /** Executions of a thread, by its row, against those of all others. */
  | { readonly kind: 'thread'; readonly row: string }
  /** Executions that end on a host, by its index, or in one of several recordings, against those of all others. */
  | { readonly kind: 'host'; readonly host: number }
  /** Executions of a structure, by its place in `structuresOf`, against those of the most frequent one. */
  | { readonly kind: 'structure'; readonly structure: number }
  /** Executions in the ranges chosen for B against the rest. */
  | { readonly kind: 'brush' };

export type GroupName = 'a' | 'b';
export const GROUP_NAMES: readonly GroupName[] = ['a', 'b'];

/** Group of each execution by the rule alone; 0: none, 1: A, 2: B, 3: either, depending on ranges. */
export type Membership = Uint8Array;
export const IN_A = 1;
export const IN_B = 2;

const SLOW: Readonly<Partial<Record<GroupRule['kind'], SlowRule>>> = { slow: 'auto', tenth: 90 };

/** @param others how many executions, the first ones, are of another trace */
export function membershipOf(rule: GroupRule, answer: ExecutionsAnswer, others: number): Membership {
  const { length, from, to, thread, threads } = answer;
  const members = new Uint8Array(length);
  if (rule.kind === 'traces') return members.fill(IN_B).fill(IN_A, 0, others);
  const slow = SLOW[rule.kind];
  if (slow !== undefined) {
    const { a, b } = slowGroups(durationsOf(from, to), slow);
    for (const i of a) members[i] = IN_A;
    for (const i of b) members[i] = IN_B;
    return members;
  }
  if (rule.kind === 'brush') return members.fill(IN_A | IN_B);
  if (rule.kind === 'structure') {
    const { number } = structuresOf(answer);
    return members.map((_, i) => (number[i] === rule.structure ? IN_B : number[i] === 0 ? IN_A : 0));
  }
  const inB = threads.map(({ row, host }) =>
    rule.kind === 'thread' ? row === rule.row : rule.kind === 'host' && host === rule.host,
  );
  const isInB = (i: number) => (rule.kind === 'time' ? from[i] >= rule.at : inB[thread[i]]);
  for (let i = 0; i < length; i++) members[i] = isInB(i) ? IN_B : IN_A;
  return members;
}

interface GroupWords {
  readonly title: string;
  readonly about: string;
}

/**
 * @param ownName of the trace that is not the other one
 * @param usual by which executions are divided at first: by time, it is between two recordings
 * @param recordings their names
 */
export function groupWords(
  rule: GroupRule,
  { answer, hosts, otherName }: Compared,
  ownName: string,
  usual: GroupRule,
  recordings: readonly string[],
): Record<GroupName, GroupWords> {
  const { from, to, threads } = answer;
  const words = (titleA: string, aboutA: string, titleB: string, aboutB: string) => {
    return { a: { title: titleA, about: aboutA }, b: { title: titleB, about: aboutB } };
  };
  switch (rule.kind) {
    case 'traces':
      return words(visibleText(otherName), 'the other trace', visibleText(ownName), 'this trace');
    case 'slow':
    case 'tenth': {
      const { atMost, above } = slowGroups(durationsOf(from, to), SLOW[rule.kind] ?? 'auto');
      const about = (word: string, ns: number | undefined) =>
        ns === undefined ? 'none stand out' : `${word} ${formatDuration(ns)}`;
      const slow = rule.kind === 'slow' ? 'slow tail' : 'slowest tenth';
      return words('fast half', about('up to', atMost), slow, about('over', above));
    }
    case 'time': {
      const isBetween = usual.kind === 'time' && usual.at === rule.at;
      const [first = 'first recording', later = 'later recording'] =
        recordings.length === 2 ? recordings.map(visibleText) : [];
      const [before, after] = isBetween ? [first, later] : ['before', 'after'];
      const at = formatDuration(rule.at);
      return words(before, `begun before ${at}`, after, `begun from ${at} on`);
    }
    case 'thread': {
      const { name = 'no thread', tid } = threads.find(({ row }) => row === rule.row) ?? {};
      const about = tid === undefined ? '' : `thread ${tid}`;
      return words('others', 'all other threads', visibleText(name), about);
    }
    case 'host': {
      const others = hosts.filter((_, index) => index !== rule.host);
      const title = others.length === 1 ? visibleText(others[0]) : 'others';
      return words(title, 'all others', visibleText(hosts[rule.host] ?? 'no host'), 'ended there');
    }
    case 'structure': {
      const about = structureText(structuresOf(answer).structures, rule.structure);
      return words('usual structure', 'the frames that most have', `structure ${rule.structure + 1}`, about);
    }
    case 'brush':
      return words('rest', 'not in B', 'ranges', 'in the ranges chosen here');
  }
}

export function durationsOf(from: ArrayLike<number>, to: ArrayLike<number>): Float64Array {
  return Float64Array.from(from, (begin, i) => to[i] - begin);
}

/** A range of a metric that executions of a group have to be in. */
export interface Brush {
  readonly group: GroupName;
  readonly metric: string;
  /** Bounds of the range, the lower one included, the upper one not; infinite: open. */
  readonly from: number;
  readonly to: number;
}

export function ruleText(rule: GroupRule): string {
  if (rule.kind === 'time') return `time~${Math.round(rule.at)}`;
  if (rule.kind === 'host') return `host~${rule.host}`;
  if (rule.kind === 'structure') return `structure~${rule.structure}`;
  return rule.kind === 'thread' ? `thread~${rule.row}` : rule.kind;
}

/** Reads a rule; invalid text gives the default. */
export function readRule(text: string | null): GroupRule {
  const [, kind, rest = ''] =
    /^(traces|tenth|time|thread|host|structure|brush)~?(.*)$/s.exec(text ?? '') ?? [];
  const at = kind === 'time' ? readTime(rest) : undefined;
  if (at !== undefined) return { kind: 'time', at };
  if (kind === 'thread') return { kind, row: rest };
  if (kind === 'host' && /^\d+$/.test(rest)) return { kind, host: Number(rest) };
  if (kind === 'structure' && /^\d+$/.test(rest)) return { kind, structure: Number(rest) };
  return kind === 'brush' || kind === 'traces' || kind === 'tenth' ? { kind } : { kind: 'slow' };
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

/** The executions that are compared, of one trace or of two. */
export interface Compared {
  readonly answer: ExecutionsAnswer;
  /** Names of the hosts, by their index. */
  readonly hosts: readonly string[];
  /** How many of the executions, the first ones, are of another trace; its name. */
  readonly others: number;
  readonly otherName: string;
}
