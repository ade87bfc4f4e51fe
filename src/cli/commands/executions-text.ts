/** Executions for people: what explains the slow ones first, then the longest of them. */
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { type Compared, withPoolCounts } from '../../engine/layers/executions/ranking/compared.ts';
import { causeSentence, causeSets } from '../../engine/layers/executions/ranking/cause-words.ts';
import type { Ranking, RankedLock } from '../../engine/layers/executions/ranking/ranking.ts';
import type { Groups, SlowGroups } from '../../engine/layers/executions/ranking/groups.ts';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import { foldedStack } from '../../engine/layers/executions/union-tree.ts';
import { print, percent } from '../output.ts';
import { printTable } from './table.ts';

/** The executions of one trace. */
export interface Side {
  readonly originNs: string;
  readonly answer: ExecutionsAnswer;
  readonly compared: Compared;
  /** Names of the answer's threads, as other commands have them. */
  readonly workers: readonly string[];
}

/** Executions as they are printed. */
export interface Found {
  readonly definition: ExecutionDefinition;
  /** One, or with `--against` two. */
  readonly sides: readonly Side[];
  readonly compared: Compared;
  readonly rule: string | undefined;
  readonly groups: (Groups & Partial<SlowGroups>) | undefined;
  readonly ranking: Ranking | undefined;
  /** Locks for which the executions of group B wait longer, where one trace was read. */
  readonly locks: readonly RankedLock[];
}

/** Executions that are listed. */
const MOST_LISTED = 20;

export function printExecutions(found: Found): void {
  for (const { answer } of found.sides) {
    const { executions, withoutBegin, withoutEnd, nested } = answer.counts;
    const times = answer.isElapsed ? ' (no kernel was recorded: elapsed time)' : '';
    print(
      `${executions} executions${times} from ${found.definition.begin} to ${found.definition.end}, ${nested} of them within ` +
        `another; without begin: ${withoutBegin}, without end: ${withoutEnd}`,
    );
  }
  if (found.ranking !== undefined) printRanking(found, found.ranking);
  else if (found.rule === 'slow auto')
    print(
      'Nothing stands out: no execution takes much longer than the others. The slowest tenth: --slow p90',
    );
  else if (found.groups !== undefined) print('Nothing to compare: a group is empty.');
  printLongest(found);
}

function printRanking(found: Found, ranking: Ranking): void {
  print(groupsText(found, ranking));
  print();
  print('What explains the difference:');
  const { isElapsed } = found.sides[0].answer;
  const of = { sizeB: found.groups?.b.length ?? 0, isElapsed };
  for (const node of ranking.nodes)
    print(
      withPoolCounts(
        causeSentence(node, of, (ns) => `${ns} ns`),
        found.compared.pools,
      ),
    );
  for (const { executions, causes } of causeSets(ranking.nodes, isElapsed))
    print(`Several causes at once, ${executions} executions: ${causes.join('; ')}`);
  print();
  printTable(
    ['ns', 'share', 'effect', 'explains', 'frames'],
    ranking.nodes.flatMap(({ frames, parts, difference, share, effect, explains }) => [
      [difference, percent(share), effectText(effect), explains.length, frames.join(';')],
      ...parts.map((part) => [part.ns, '', '', '', `  ${part.frames.join(';')}`]),
    ]),
  );
  if (ranking.unexplained.length > 0) print(`Not explained: ${ranking.unexplained.length} executions`);
  print();
  printTable(
    ['ns', 'share', 'effect', 'thread'],
    ranking.threads.map(({ difference, share, effect, thread }) => [
      ...[difference, percent(share), effectText(effect)],
      withPoolCounts(thread, found.compared.pools),
    ]),
  );
  printLocks(found);
  print();
  printTable(
    ['A', 'B', 'difference', 'effect', 'metric'],
    ranking.metrics.map(({ meanA, meanB, difference, effect, metric }) => [
      ...[meanA, meanB, difference, effectText(effect), metric],
    ]),
  );
}

function printLocks({ locks }: Found): void {
  if (locks.length === 0) return;
  print();
  print('For which locks B waits longer, on average:');
  printTable(
    ['A', 'B', 'difference', 'effect', 'in A', 'in B', 'lock'],
    locks.map(({ meanA, meanB, difference, effect, inA, inB, name }) => [
      ...[meanA, meanB, difference, effectText(effect), inA, inB],
      name,
    ]),
  );
}

function groupsText({ groups, sides }: Found, { difference }: Ranking): string {
  const [a, b] = [groups?.a.length ?? 0, groups?.b.length ?? 0];
  const longer = `${Math.abs(difference)} ns ${difference < 0 ? 'shorter' : 'longer'} on average`;
  if (sides.length > 1)
    return `The ${b} executions of the second trace (B) take ${longer} than the ${a} of the first (A)`;
  return (
    `${b} slow executions (B, more than ${groups?.above} ns) take ${longer} than the ${a} of the faster half ` +
    `(A, up to ${groups?.atMost} ns)`
  );
}

function printLongest({ sides, compared }: Found): void {
  const lines = sides.flatMap(({ answer, workers }, trace) =>
    Array.from(answer.from, (from, i) => ({
      ns: answer.to[i] - answer.from[i],
      number: (trace === 0 ? 0 : sides[0].answer.length) + i,
      from,
      worker: workers[answer.thread[i]],
      name: answer.threads[answer.thread[i]].name,
    })),
  );
  if (lines.length === 0) return;
  lines.sort((a, b) => b.ns - a.ns || a.number - b.number);
  print();
  print(lines.length > MOST_LISTED ? `The longest ${MOST_LISTED}:` : 'Longest first:');
  printTable(
    ['ns', 'number', 'begin', 'thread', 'name', 'most of its time'],
    lines
      .slice(0, MOST_LISTED)
      .map(({ ns, number, from, worker, name }) => [
        ns,
        number,
        from,
        worker,
        name,
        mostTime(compared, number),
      ]),
  );
}

/** The frames in which an execution spent most of its time. */
function mostTime({ tree, eccts: { start, nodes, ns } }: Found['compared'], number: number): string {
  let most = start[number];
  for (let i = start[number]; i < start[number + 1]; i++) if (ns[i] > ns[most]) most = i;
  return most === start[number + 1] ? '' : foldedStack(tree, nodes[most]);
}

function effectText(effect: number | null): string {
  return effect === null ? '-' : effect.toFixed(2);
}
