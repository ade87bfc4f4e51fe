/** The executions of one definition, divided into two groups by a rule and by ranges of metrics. Pure. */
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import {
  answersTogether,
  comparedOf,
  renamedFrames,
  type Renames,
} from '../../engine/layers/executions/ranking/compared.ts';
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import { rank, type Ranking } from '../../engine/layers/executions/ranking/ranking.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { OffCpuTimes } from '../../engine/protocol/profile.ts';
import { visibleText } from '../format/text.ts';
import type { FlameTree } from '../widgets/flame/flame-tree.ts';
import { type BrushedGroup, createBrushedGroup } from './brushed-group.ts';
import { differenceTree } from './difference-tree.ts';
import { inverted, topDown } from '../widgets/flame/call-trees.ts';
import {
  type Brush,
  type Compared,
  durationsOf,
  GROUP_NAMES,
  type GroupName,
  type GroupRule,
  IN_A,
  IN_B,
  membershipOf,
} from './group-rule.ts';
import { createGroupSums } from './group-sums.ts';
import { metricColumns } from './metric-columns.ts';

export type Direction = 'down' | 'up';

/** Sums of executions' times by node of a tree of frames, for two groups, as a flame graph. */
export function summedTrees(times: OffCpuTimes) {
  const texts = times.tree.frames.map(visibleText);
  const summed = (direction: Direction) => {
    const tree = (direction === 'down' ? topDown : inverted)(times.tree);
    return { tree, a: createGroupSums(times, tree), b: createGroupSums(times, tree) };
  };
  const trees: Partial<Record<Direction, ReturnType<typeof summed>>> = {};
  return {
    flame(direction: Direction, groups: Groups): FlameTree {
      const { tree, a, b } = (trees[direction] ??= summed(direction));
      a.set(groups.a);
      b.set(groups.b);
      return differenceTree(tree, texts, a, b);
    },
  };
}

/** The executions of a trace, behind those of another one if there is one. */
export function comparedWith(
  answer: ExecutionsAnswer,
  hosts: readonly string[],
  against: ExecutionDatabase | undefined,
): Compared {
  if (against === undefined) return { answer, hosts, others: 0, otherName: '' };
  return {
    answer: answersTogether(against.answer, answer, against.hosts.length),
    hosts: [...against.hosts, ...hosts],
    others: against.answer.length,
    otherName: against.name,
  };
}

export type Comparison = ReturnType<typeof createComparison>;

/** @param renamed frames of group A, by this rule, that have other names in group B */
export function createComparison(
  compared: Compared,
  renamed?: { readonly renames: Renames; readonly rule: GroupRule },
) {
  const { answer: found, others } = compared;
  const members = renamed && membershipOf(renamed.rule, found, others);
  const answer =
    renamed && members
      ? renamedFrames(found, renamed.renames, (execution) => members[execution] === IN_A)
      : found;
  const columns = metricColumns(answer.metrics, answer.definition.key);
  let divided: { readonly rule: GroupRule; readonly groups: Record<GroupName, BrushedGroup> } | undefined;
  const dividedBy = (rule: GroupRule) => {
    if (divided?.rule === rule) return divided.groups;
    const all = membershipOf(rule, answer, others);
    const those = (bit: number) =>
      createBrushedGroup(
        all.map((member) => Number((member & bit) !== 0)),
        columns,
      );
    divided = { rule, groups: { a: those(IN_A), b: those(IN_B) } };
    return divided.groups;
  };
  return {
    ...compared,
    ...{ answer, columns, durations: durationsOf(answer.from, answer.to) },
    ...summedTrees(answer),
    groups(rule: GroupRule, brushes: readonly Brush[]): Groups {
      const brushed = dividedBy(rule);
      for (const name of GROUP_NAMES) {
        columns.forEach(({ name: metric }, column) => {
          brushed[name].choose(
            column,
            brushes.find((brush) => brush.group === name && brush.metric === metric),
          );
        });
      }
      const b = brushed.b.passing();
      if (rule.kind === 'brush') {
        const rest = new Uint8Array(answer.length).fill(1);
        for (const i of b) rest[i] = 0;
        brushed.a.setMembers(rest);
      }
      return { a: brushed.a.passing(), b };
    },
    /** Executions in the ranges of all other columns, by column and bin, of the groups that were asked for last. */
    counts: (group: GroupName): readonly Uint32Array[] => divided?.groups[group].counts() ?? [],
    /** Undefined: a group is empty. */
    ranking: (groups: Groups): Ranking | undefined => rank(comparedOf(answer), groups),
  };
}
