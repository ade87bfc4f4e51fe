/** Sentences of Compare beside their tables: times added up anew from the stacks of executions, means of the histograms. */
import { contrastText } from '../../src/app/compare/lock-reasons.tsx';
import { metricColumns } from '../../src/app/compare/metric-columns.ts';
import { meanText } from '../../src/app/compare/histogram-columns.tsx';
import { formatDuration } from '../../src/app/format/numbers.ts';
import type { ExecutionsAnswer } from '../../src/engine/layers/executions/answer.ts';
import { isThreadFrame, threadFrame, threadOfFrame } from '../../src/engine/layers/executions/frames.ts';
import { causes, causeSentence, causeSets } from '../../src/engine/layers/executions/ranking/cause-words.ts';
import { comparedOf } from '../../src/engine/layers/executions/ranking/compared.ts';
import type { Groups } from '../../src/engine/layers/executions/ranking/groups.ts';
import type { RankedNode } from '../../src/engine/layers/executions/ranking/node-ranking.ts';
import { rank } from '../../src/engine/layers/executions/ranking/ranking.ts';
import { ShownNumbers, strangeTexts } from './shown-numbers.ts';

/** Time of an execution in one stack. */
interface StackTime {
  readonly execution: number;
  readonly frames: readonly string[];
  readonly ns: number;
}

/** Each sentence of Compare that has a number which its table has not; what a mean is of is in no table of the page. */
export function strangeComparison(answer: ExecutionsAnswer, groups: Groups): unknown[] {
  const compared = comparedOf(answer);
  const ranking = rank(compared, groups);
  if (ranking === undefined) return [];
  const stacks = stacksOf(answer);
  const [sizeA, sizeB] = [groups.a.length, groups.b.length];
  const inGroups = new Map([
    ...Array.from(groups.a, (i) => [i, 0] as const),
    ...Array.from(groups.b, (i) => [i, 1] as const),
  ]);
  /** Means of both groups, their difference, and how many executions have any. */
  const tableOf = (isOf: (frames: readonly string[]) => boolean) => {
    const sums = [0, 0];
    const those: readonly Set<number>[] = [new Set(), new Set()];
    for (const { execution, frames, ns } of stacks) {
      const group = inGroups.get(execution);
      if (group === undefined || !isOf(frames)) continue;
      sums[group] += ns;
      if (ns > 0) those[group].add(execution);
    }
    const [meanA, meanB] = [sums[0] / sizeA, sums[1] / sizeB];
    return { meanA, meanB, difference: meanB - meanA, inA: those[0].size, inB: those[1].size };
  };
  const wrong: unknown[] = [];
  const check = (said: string, shown: ShownNumbers, counts: readonly number[]) => {
    const numbers = said.match(/(?<![\w.+-])\d+ of \d+/g) ?? [];
    const known = counts.flatMap((count) => [sizeA, sizeB].map((size) => `${count} of ${size}`));
    const found = [...strangeTexts(said, shown), ...numbers.filter((number) => !known.includes(number))];
    if (found.length > 0) wrong.push({ said, found });
  };
  const { nodes, threads, unexplained } = ranking;
  const [whole, durations] = [tableOf(() => true), comparedOf(answer).durations];
  for (const group of ['a', 'b'] as const) {
    const mean = meanOf(Array.from(groups[group], (i) => durations[i]));
    const ofGroup = group === 'a' ? whole.meanA : whole.meanB;
    if (formatDuration(mean) !== formatDuration(ofGroup)) wrong.push({ group, mean, told: ofGroup });
  }
  if (formatDuration(ranking.difference) !== formatDuration(whole.difference))
    wrong.push({ difference: ranking.difference, whole });
  const named = causes(nodes, answer.isElapsed);
  nodes.forEach((node, i) => {
    const before = nodes.slice(0, i).filter((other) => isWithin(other.frames, node.frames));
    const isOwn = (frames: readonly string[]) =>
      isWithin(frames, node.frames) && !before.some((other) => isWithin(frames, other.frames));
    const table = tableOf(isOwn);
    const below = node.parts.map(({ frames: [child] }) => {
      const isBelow = (frames: readonly string[]) => isOwn(frames) && frames[node.frames.length] === child;
      return tableOf(isBelow).difference;
    });
    const shown = new ShownNumbers().add(table).add([...below, ...sumsOfAlike(below)]);
    // Of many things some may be a cause of their own that explains no execution, and is not told: no more than all there is.
    if (node.kind === 'spread' && node.meanA <= table.meanA + 1 && node.meanB <= table.meanB + 1)
      shown.add([node.meanA, node.meanB, ...node.parts.map(({ ns }, k) => Math.min(ns, below[k]))]);
    // The column "Cause" of group B, in which causes may be called the same.
    const wordsOf = (one: RankedNode) => [...causes([one], answer.isElapsed).values()].at(0) ?? '';
    const rows = [...named].filter(([, cell]) => cell.split('; ').includes(wordsOf(node)));
    const alike = nodes.filter((one) => wordsOf(one) === wordsOf(node));
    const explained = new Set(alike.flatMap(({ explains }) => explains));
    if (rows.length !== explained.size || rows.some(([execution]) => !explained.has(execution)))
      wrong.push({ cause: wordsOf(node), rows, explained });
    const sentence = causeSentence(node, { sizeB, isElapsed: answer.isElapsed }, formatSigned);
    check(sentence, shown, [alike.length === 1 ? rows.length : node.explains.length]);
  });
  const alone = new Set(groups.b.filter((execution) => !named.has(execution)));
  if (unexplained.some((execution) => !alone.has(execution))) wrong.push({ unexplained });
  for (const { executions, causes: names } of causeSets(nodes, answer.isElapsed)) {
    const rows = [...named.values()].filter((cell) => cell.split('; ').length >= Math.min(names.length, 2));
    if (rows.length < executions) wrong.push({ executions, names });
  }
  for (const thread of threads) {
    const table = tableOf((frames) => (frames.findLast(isThreadFrame) ?? 'own') === thread.thread);
    check(contrastText(thread, { sizeA, sizeB }), new ShownNumbers().add(table), [table.inA, table.inB]);
  }
  for (const column of metricColumns(answer.metrics, answer.definition.key)) {
    const values = (group: Int32Array) =>
      Array.from(group, (i) => column.values[i]).filter((value) => !Number.isNaN(value));
    for (const group of [groups.a, groups.b].filter((own) => values(own).length > 0)) {
      const [said, mean] = [meanText(column, group), column.format(meanOf(values(group)))];
      if (said !== mean) wrong.push({ metric: column.name, said, mean });
    }
  }
  return wrong;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function formatSigned(ns: number): string {
  return `${ns < 0 ? '−' : ''}${formatDuration(Math.abs(ns))}`;
}

/** Sums of parts that are told together, as they are called the same: of all sets of the largest ones. */
function sumsOfAlike(ns: readonly number[]): number[] {
  return ns.slice(0, 8).reduce((sums: number[], part) => [...sums, ...sums.map((sum) => sum + part)], [0]);
}

function isWithin(frames: readonly string[], around: readonly string[]): boolean {
  return around.every((frame, i) => frames[i] === frame);
}

/** Stacks with the names of pools instead of those of their threads, as sentences name them. */
function stacksOf({ tree, start, nodes, ns, length, threads, thread, pools }: ExecutionsAnswer): StackTime[] {
  const pooled = (frame: string) => {
    const pool = pools.get(threadOfFrame(frame) ?? '');
    return pool === undefined ? frame : threadFrame(pool.name);
  };
  const stacks: StackTime[] = [];
  for (let execution = 0; execution < length; execution++) {
    const { name } = threads[thread[execution]];
    for (let i = start[execution]; i < start[execution + 1]; i++) {
      const frames: string[] = [];
      for (let at = nodes[i]; at > 0; at = tree.parent[at]) frames.unshift(tree.frames[tree.frame[at]]);
      const own = frames[0] === name ? (pools.get(name)?.name ?? name) : undefined;
      stacks.push({
        execution,
        frames: frames.map((frame, k) => (k === 0 && own) || pooled(frame)),
        ns: ns[i],
      });
    }
  }
  return stacks;
}
