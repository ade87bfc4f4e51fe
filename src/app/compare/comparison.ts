/** The executions of one definition, divided into two groups: what follows from a rule and from ranges of metrics. Pure. */
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import {
  answersTogether,
  comparedOf,
  renamedFrames,
  type Renames,
} from '../../engine/layers/executions/ranking/compared.ts';
import { rank, type Ranking } from '../../engine/layers/executions/ranking/ranking.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { OffCpuTimes } from '../../engine/protocol/profile.ts';
import { visibleText } from '../format/text.ts';
import type { FlameTree } from '../widgets/flame/flame-tree.ts';
import { BrushedGroup } from './brushed-group.ts';
import { differenceTree } from './difference-tree.ts';
import { type FrameTree, inverted, topDown } from '../widgets/flame/call-trees.ts';
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
import { GroupSums } from './group-sums.ts';
import { metricColumns, type MetricColumn } from './metric-columns.ts';

/** Numbers of executions, ascending. */
export type Groups = Readonly<Record<GroupName, Int32Array>>;

export type Direction = 'down' | 'up';

/** Times of executions by a tree of frames, of two groups as a flame graph. */
export class SummedTrees {
  readonly #times: OffCpuTimes;
  readonly #texts: readonly string[];
  readonly #trees: Partial<Record<Direction, Summed>> = {};

  /** @param texts by frame, safe to show */
  constructor(times: OffCpuTimes, texts: readonly string[] = times.tree.frames.map(visibleText)) {
    this.#times = times;
    this.#texts = texts;
  }

  flame(direction: Direction, { a, b }: Groups): FlameTree {
    const { tree, sums } = (this.#trees[direction] ??= this.#summed(direction));
    sums.a.set(a);
    sums.b.set(b);
    return differenceTree(tree, this.#texts, sums.a, sums.b);
  }

  #summed(direction: Direction): Summed {
    const tree = (direction === 'down' ? topDown : inverted)(this.#times.tree);
    return { tree, sums: { a: new GroupSums(this.#times, tree), b: new GroupSums(this.#times, tree) } };
  }
}

interface Summed {
  readonly tree: FrameTree;
  readonly sums: Readonly<Record<GroupName, GroupSums>>;
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

export class Comparison implements Compared {
  readonly answer: ExecutionsAnswer;
  readonly hosts: readonly string[];
  readonly others: number;
  readonly otherName: string;
  readonly columns: readonly MetricColumn[];
  readonly durations: Float64Array;
  /** Texts of the frames, by frame; safe to show. */
  readonly texts: readonly string[];
  readonly #trees: SummedTrees;
  #rule: GroupRule | undefined;
  #brushed: Readonly<Record<GroupName, BrushedGroup>> | undefined;

  /** @param renamed frames of group A, by this rule, that group B calls otherwise */
  constructor(
    { answer: found, hosts, others, otherName }: Compared,
    renamed?: { readonly renames: Renames; readonly rule: GroupRule },
  ) {
    const members = renamed && membershipOf(renamed.rule, found, others);
    const answer =
      renamed && members
        ? renamedFrames(found, renamed.renames, (execution) => members[execution] === IN_A)
        : found;
    this.hosts = hosts;
    this.others = others;
    this.otherName = otherName;
    this.answer = answer;
    this.columns = metricColumns(answer.metrics, answer.definition.key);
    this.durations = durationsOf(answer.from, answer.to);
    this.texts = answer.tree.frames.map(visibleText);
    this.#trees = new SummedTrees(answer, this.texts);
  }

  groups(rule: GroupRule, brushes: readonly Brush[]): Groups {
    const brushed = this.#brushedBy(rule);
    for (const name of GROUP_NAMES) {
      this.columns.forEach(({ name: metric }, column) => {
        brushed[name].choose(
          column,
          brushes.find((brush) => brush.group === name && brush.metric === metric),
        );
      });
    }
    const b = brushed.b.passing();
    if (rule.kind === 'brush') {
      const rest = new Uint8Array(this.answer.length).fill(1);
      for (const i of b) rest[i] = 0;
      brushed.a.setMembers(rest);
    }
    return { a: brushed.a.passing(), b };
  }

  /** Executions in the ranges of all other columns, by column and bin, of the groups that were asked for last. */
  counts(group: GroupName): readonly Uint32Array[] {
    return this.#brushed?.[group].counts() ?? [];
  }

  flame(direction: Direction, groups: Groups): FlameTree {
    return this.#trees.flame(direction, groups);
  }

  /** Undefined: a group is empty. */
  ranking(groups: Groups): Ranking | undefined {
    return rank(comparedOf(this.answer), groups);
  }

  #brushedBy(rule: GroupRule): Readonly<Record<GroupName, BrushedGroup>> {
    if (this.#brushed !== undefined && this.#rule === rule) return this.#brushed;
    const members = membershipOf(rule, this.answer, this.others);
    const those = (bit: number) =>
      new BrushedGroup(
        members.map((member) => Number((member & bit) !== 0)),
        this.columns,
      );
    this.#rule = rule;
    return (this.#brushed = { a: those(IN_A), b: those(IN_B) });
  }
}
