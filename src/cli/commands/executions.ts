/** `executions PATH… --begin E --end E`, `executions FILE`: executions of a task, and what explains the slow ones; `--trend FILE…`. */
import { append } from '../../engine/base/append.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { compareCodePoints } from '../../engine/base/compare.ts';
import { encodeDatabase, type ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { type ExecutionDefinition, isSameDefinition } from '../../engine/layers/executions/definition.ts';
import { type Compared, comparedOf, together } from '../../engine/layers/executions/ranking/compared.ts';
import type { OffCpuTimes } from '../../engine/protocol/profile.ts';
import {
  type Groups,
  slowGroups,
  type SlowRule,
  slowText,
  traceGroups,
} from '../../engine/layers/executions/ranking/groups.ts';
import { type LockTimes, rankLocks, rank } from '../../engine/layers/executions/ranking/ranking.ts';
import type { RankedNode } from '../../engine/layers/executions/ranking/node-ranking.ts';
import {
  recordedAt,
  type Recording,
  recordingOf,
  trendOf,
  trendSentence,
} from '../../engine/layers/executions/ranking/trend.ts';
import { foldedStack } from '../../engine/layers/executions/union-tree.ts';
import { reportFaults } from '../messages.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import { JsonList, print, printJson, writeJson, writeOutput } from '../output.ts';
import { readDatabaseFile, type ReadExecutions, readExecutions } from '../read-executions.ts';
import { type Found, printExecutions, type Side } from './executions-text.ts';
import { printTable } from './table.ts';

export const executions: Command = async (paths, options) => {
  const { against, database, slow, trend } = options;
  if (trend) return executionTrend(paths, options);
  if (slow !== undefined && against !== undefined)
    throw new UsageError('executions: --slow or --against, not both');
  if (against === undefined && options.renames.size > 0)
    throw new UsageError('executions: --rename needs --against');
  if (against !== undefined && database !== undefined)
    throw new UsageError('executions: --database is of one trace, without --against');
  if (options.offCpu && (slow === undefined || against !== undefined))
    throw new UsageError('executions: --off-cpu compares groups of one trace, which --slow makes');
  const databases: ExecutionDatabase[] = [];
  let blocked: OffCpuTimes | undefined;
  const locks: (LockTimes | undefined)[] = [];
  const faults: Fault[] = [];
  for (const input of await inputsOf([paths, ...(against === undefined ? [] : [[against]])], options)) {
    const read = await input();
    append(faults, read.faults);
    if (read.database === undefined) return reportFaults(faults, options.strict);
    databases.push(read.database);
    locks.push(read.locks);
    blocked = read.offCpu;
  }
  if (database !== undefined) {
    const encoded = await encodeDatabase(databases[0]);
    if (!encoded.ok) return reportFaults([encoded.fault], options.strict);
    await writeOutput(database, encoded.value);
  }
  const found = foundIn(databases.map(sideOf), locks, databases[0].answer.definition, options);
  if (options.offCpu && blocked === undefined)
    throw new UsageError('executions: --off-cpu needs a trace, a file has no states');
  const offCpu = blocked && found.groups && meansOf(blocked, found.groups);
  if (options.json) await writeJson({ ...jsonOf(found), offCpu });
  else if (offCpu !== undefined && options.folded)
    for (const [text, a, b] of offCpu) print(`${text} ${a} ${b}`, Infinity);
  else {
    printExecutions(found);
    if (offCpu !== undefined) {
      print();
      print('blocked time on average, ns:');
      printTable(
        ['mean in A', 'mean in B', 'stack'],
        offCpu.map(([text, a, b]) => [a, b, text]),
      );
    }
  }
  return reportFaults(faults, options.strict);
};

/** Mean blocked time of each stack in the groups, rounded to ns; the largest difference first. */
function meansOf({ tree, start, nodes, ns }: OffCpuTimes, { a, b }: Groups) {
  const sumsOf = (group: ArrayLike<number>): Float64Array => {
    const sums = new Float64Array(tree.parent.length);
    for (const execution of Array.from(group))
      for (let i = start[execution]; i < start[execution + 1]; i++) sums[nodes[i]] += ns[i];
    return sums;
  };
  const [ofA, ofB] = [sumsOf(a), sumsOf(b)];
  const mean = (sum: number, { length }: ArrayLike<number>) => Math.round(sum / Math.max(1, length));
  return Array.from(tree.parent.keys())
    .filter((node) => ofA[node] + ofB[node] > 0)
    .map((node): [string, number, number] => {
      return [foldedStack(tree, node), mean(ofA[node], a), mean(ofB[node], b)];
    })
    .sort((x, y) => Math.abs(y[2] - y[1]) - Math.abs(x[2] - x[1]) || compareCodePoints(x[0], y[0]));
}

/** Executions of many recordings in order of time, each from a file, and the first recording in which they are slower. */
async function executionTrend(paths: readonly string[], options: Options): Promise<number> {
  const { against, database, slow } = options;
  if (
    paths.length === 0 ||
    [against, database, slow, definitionOf(options)].some((option) => option !== undefined)
  )
    throw new UsageError('executions: --trend takes files of executions alone, which --database writes');
  const recordings: Recording[] = [];
  const faults: Fault[] = [];
  for (const path of paths) {
    const read = await readDatabaseFile([path]);
    if (read === undefined) throw new UsageError(`executions: ${path} is no file of executions`);
    if (!read.ok) faults.push(read.fault);
    else recordings.push(recordingOf(path, read.value));
  }
  const other = recordings.find((one) => !isSameDefinition(one.definition, recordings[0].definition));
  if (other !== undefined)
    throw new UsageError(
      `executions: ${other.file} has those from ${other.definition.begin} to ${other.definition.end}, not those of ${recordings[0].file}`,
    );
  const trend = trendOf(recordings);
  const { points, slower } = trend;
  if (options.json)
    printJson({
      recordings: points.map(({ file, trace, name, originNs, sorted, medianNs, p95Ns, isKnown }) => {
        return { file, trace, name, originNs, executions: sorted.length, medianNs, p95Ns, isKnown };
      }),
      slower: slower && { recording: slower.point, beforeNs: slower.beforeNs, effect: slower.effect },
    });
  else {
    printTable(
      ['recorded (UTC)', 'executions', 'median ns', 'p95 ns', 'recording'],
      points.map((point) => [
        recordedAt(point),
        point.sorted.length,
        point.medianNs,
        point.p95Ns,
        point.file,
      ]),
    );
    print(trendSentence(trend, (ns) => `${ns} ns`));
  }
  return reportFaults(faults, options.strict);
}

type Input = () => Promise<ReadExecutions>;

/**
 * Reads the executions of traces and files. Files say which executions they have, and traces are asked for the same.
 * @throws UsageError for executions that cannot be compared
 */
async function inputsOf(places: readonly (readonly string[])[], options: Options): Promise<readonly Input[]> {
  const files = await Promise.all(places.map(readDatabaseFile));
  let wanted = definitionOf(options);
  for (const [i, file] of files.entries()) {
    if (file?.ok !== true) continue;
    const { definition } = file.value.answer;
    wanted ??= definition;
    if (!isSameDefinition(wanted, definition))
      throw new UsageError(
        `executions: ${places[i].join(' ')} has those from ${definition.begin} to ${definition.end}`,
      );
  }
  return files.map((file, i) => () => {
    if (file?.ok === true) return Promise.resolve({ database: file.value, faults: [] });
    if (file?.ok === false) return Promise.resolve({ faults: [file.fault] });
    if (wanted === undefined) throw new UsageError('executions: --begin EVENT and --end EVENT are expected');
    return readExecutions(places[i], wanted, options);
  });
}

/** undefined: the options say none. */
export function definitionOf({
  begin,
  end,
  key,
  acrossThreads,
  where,
  min = 0,
}: Options): ExecutionDefinition | undefined {
  if (begin === undefined && end === undefined) return undefined;
  if (begin === undefined || end === undefined)
    throw new UsageError('executions: --begin EVENT and --end EVENT are expected');
  if (acrossThreads && key.length === 0) throw new UsageError('executions: --across-threads needs a --key');
  return { begin, end, key, acrossThreads, where, minNs: min };
}

function sideOf({ answer, originNs, hosts }: ExecutionDatabase): Side {
  const prefixOf = (host: number) => (hosts.length === 1 ? '' : `${hosts[host]}:`);
  return {
    ...{ answer, originNs },
    compared: comparedOf(answer),
    workers: answer.threads.map(
      ({ row, tid, host }) =>
        prefixOf(host) + (answer.isElapsed ? String(tid) : row.split(':').slice(2).join(':')),
    ),
  };
}

function foundIn(
  sides: readonly Side[],
  [waits]: readonly (LockTimes | undefined)[],
  definition: ExecutionDefinition,
  { slow, renames }: Options,
): Found {
  const [first, second] = sides as [Side, Side | undefined];
  const compared = second === undefined ? first.compared : together(first.compared, second.compared, renames);
  const groups = groupsOf(compared, second && first.answer.length, slow);
  const rule = slow === undefined ? 'traces' : slowText(slow);
  return {
    definition,
    sides,
    compared,
    rule: groups && rule,
    groups,
    ranking: groups && rank(compared, groups),
    locks:
      groups === undefined || waits === undefined || second !== undefined
        ? []
        : rankLocks(waits, compared.durations.length, groups),
  };
}

/**
 * undefined: there is nothing to compare.
 * @param ofFirst executions of the first of two traces; undefined: there is one
 */
function groupsOf(
  { durations }: Compared,
  ofFirst: number | undefined,
  slow: SlowRule | undefined,
): Found['groups'] {
  if (durations.length === 0) return undefined;
  if (ofFirst !== undefined) return traceGroups(ofFirst, durations.length);
  return slow === undefined ? undefined : slowGroups(durations, slow);
}

/** The executions of one trace or file, each with its metrics by name; and the faults of reading. `begin` and `end` in ns. */
export async function executionList(
  paths: readonly string[],
  options: Options,
): Promise<{ readonly list: readonly object[] | undefined; readonly faults: readonly Fault[] }> {
  const [input] = await inputsOf([paths], options);
  const { database, faults } = await input();
  if (database === undefined) return { list: undefined, faults };
  const { compared, answer, workers } = sideOf(database);
  const list = Array.from({ length: answer.length }, (_, i) => ({
    worker: workers[answer.thread[i]],
    name: answer.threads[answer.thread[i]].name,
    begin: answer.from[i],
    end: answer.to[i],
    metrics: Object.fromEntries(
      compared.metrics.map(({ name, values, texts }) => [name, texts?.get(i) ?? values[i]]),
    ),
  }));
  return { list, faults };
}

function jsonOf(found: Found): object {
  const { definition, sides, compared, rule, groups, ranking } = found;
  const [first, second] = sides as [Side, Side | undefined];
  const { begin, end, key, acrossThreads } = definition;
  const stacks = stackNumbers(compared);
  return {
    originNs: first.originNs,
    ...(first.answer.isElapsed && { time: 'elapsed' }),
    againstOriginNs: second?.originNs,
    definition: { begin, end, key, acrossThreads },
    counts: first.answer.counts,
    againstCounts: second?.answer.counts,
    metrics: compared.metrics.map(({ name }) => name),
    stacks: stacks.texts,
    executions: new JsonList(executionLines(found, stacks.ofNode)),
    groups: groups && {
      rule,
      atMost: groups.atMost,
      above: groups.above,
      A: [...groups.a],
      B: [...groups.b],
    },
    ranking: ranking && { ...ranking, nodes: ranking.nodes.map(nodeLine) },
  };
}

/** A node with folded stacks in place of frames. */
function nodeLine({ frames, parts, ...line }: RankedNode): object {
  return { stack: frames.join(';'), parts: parts.map((part) => [part.frames.join(';'), part.ns]), ...line };
}

/** Folded stacks with time of their own, in order of code points, and by node which one it is. */
function stackNumbers({ tree, eccts }: Compared): {
  readonly texts: readonly string[];
  readonly ofNode: ReadonlyMap<number, number>;
} {
  const used = [...new Set(eccts.nodes)].map((node) => ({ node, text: foldedStack(tree, node) }));
  used.sort((a, b) => compareCodePoints(a.text, b.text));
  return {
    texts: used.map(({ text }) => text),
    ofNode: new Map(used.map(({ node }, number) => [node, number])),
  };
}

function* executionLines({ sides, compared }: Found, stackOf: ReadonlyMap<number, number>) {
  const { start, nodes, ns } = compared.eccts;
  let number = 0;
  for (const [trace, { answer, workers }] of sides.entries()) {
    for (let i = 0; i < answer.length; i++, number++) {
      const ecct: [number, number][] = [];
      for (let j = start[number]; j < start[number + 1]; j++) ecct.push([stackOf.get(nodes[j]) ?? -1, ns[j]]);
      yield {
        worker: workers[answer.thread[i]],
        name: answer.threads[answer.thread[i]].name,
        begin: answer.from[i],
        end: answer.to[i],
        // NaN is written as null.
        metrics: compared.metrics.map(({ values, texts }) => texts?.get(number) ?? values[number]),
        ecct: ecct.sort(([a], [b]) => a - b),
        ...(sides.length > 1 && { trace }),
      };
    }
  }
}
