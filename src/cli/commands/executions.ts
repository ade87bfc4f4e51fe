/** `executions PATH… --begin E --end E`: executions of a task, and what explains the slow ones. */
import type { Fault } from '../../engine/base/fault.ts';
import { compareCodePoints } from '../../engine/base/compare-text.ts';
import type { ExecutionDefinition } from '../../engine/executions/definition.ts';
import { executionLayer } from '../../engine/executions/layer.ts';
import { together } from '../../engine/executions/ranking/compared.ts';
import {
  type Groups,
  slowGroups,
  type SlowGroups,
  traceGroups,
} from '../../engine/executions/ranking/groups.ts';
import { type Compared, rank, type Ranking } from '../../engine/executions/ranking/ranking.ts';
import { foldedStack } from '../../engine/executions/union-tree.ts';
import { matcherOf } from '../../engine/layers/event-pattern.ts';
import type { ExecutionsAnswer } from '../../engine/session/executions/executions-api.ts';
import { answerOf } from '../../engine/session/queries.ts';
import { stackLayer } from '../../engine/stacks/layer.ts';
import { reportFaults } from '../messages.ts';
import { type Options, UsageError } from '../options.ts';
import { JsonList, printError, writeJson } from '../output.ts';
import { layersOf } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import { printExecutions } from './executions-text.ts';
import type { Command } from './command.ts';

/** The executions of one trace. */
interface Side {
  readonly originNs: bigint;
  readonly answer: ExecutionsAnswer;
  /** Times since the trace's first event. */
  readonly begin: Float64Array;
  readonly compared: Compared;
  /** By index of the answer's threads, as other commands name them. */
  readonly workers: readonly string[];
  readonly faults: readonly Fault[];
}

/** What is printed. */
export interface Found {
  readonly definition: ExecutionDefinition;
  /** One, or with `--against` two. */
  readonly sides: readonly Side[];
  readonly compared: Compared;
  readonly rule: string | undefined;
  readonly groups: (Groups & Partial<SlowGroups>) | undefined;
  readonly ranking: Ranking | undefined;
}

export const executions: Command = async (paths, options) => {
  const definition = definitionOf(options);
  if (options.slow !== undefined && options.against !== undefined)
    throw new UsageError('executions: --slow or --against, not both');
  if (options.against === undefined && options.renames.size > 0)
    throw new UsageError('executions: --rename needs --against');
  const sides: Side[] = [];
  for (const of of [paths, ...(options.against === undefined ? [] : [[options.against]])]) {
    const { side, faults } = await sideOf(of, definition, options);
    if (side === undefined) return reportFaults(faults, options.strict);
    sides.push(side);
  }
  const found = foundIn(sides, definition, options);
  if (options.json) await writeJson(jsonOf(found));
  else printExecutions(found);
  return reportFaults(
    sides.flatMap(({ faults }) => faults),
    options.strict,
  );
};

function definitionOf({ begin, end, key, acrossThreads, where, min = 0 }: Options): ExecutionDefinition {
  if (begin === undefined || end === undefined)
    throw new UsageError('executions: --begin EVENT and --end EVENT are expected');
  if (acrossThreads && key.length === 0) throw new UsageError('executions: --across-threads needs a --key');
  return { begin, end, key, acrossThreads, where, minNs: min };
}

async function sideOf(
  paths: readonly string[],
  definition: ExecutionDefinition,
  options: Options,
): Promise<{ readonly side?: Side; readonly faults: readonly Fault[] }> {
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return { faults };
  const { trace, experiment } = session;
  const layers = await layersOf({ execution: executionLayer, stack: stackLayer }, session, options);
  await layers.begin(true, () => undefined);
  const { events = [] } = layers.info('execution')?.found ?? {};
  for (const pattern of new Set([definition.begin, definition.end])) {
    const isNamed = matcherOf(pattern);
    if (!events.some(({ name }) => isNamed(name)))
      throw new UsageError(`executions: no event of the trace is called "${pattern}"`);
  }
  const answer = await answerOf({ trace, layers }, 'executions', { definition, isMangled: options.mangled });
  if (answer === undefined) throw new UsageError('executions: they cannot be read');
  if (answer.withoutThread > 0)
    printError(
      `${answer.withoutThread} executions end in threads that no kernel trace knows, and are left out`,
    );
  const names =
    experiment.hosts.length === 1 ? () => '' : (host: number) => `${experiment.hosts[host].name}:`;
  const workers = answer.threads.map(({ row, host }) => names(host) + row.split(':').slice(2).join(':'));
  const ofLayer = layers.info('execution')?.faults ?? [];
  return {
    side: {
      ...sinceFirst(answer, session),
      originNs: session.originNs,
      workers,
      faults: [...faults, ...ofLayer],
    },
    faults,
  };
}

function sinceFirst(
  answer: ExecutionsAnswer,
  { firstNs }: TraceSession,
): Pick<Side, 'answer' | 'begin' | 'compared'> {
  const begin = answer.from.map((time) => time - firstNs);
  const durations = answer.from.map((time, i) => answer.to[i] - time);
  const metrics = answer.metrics.map(({ name, values }) => ({
    name,
    values: name === 'begin' ? begin : values,
  }));
  const { tree, start, nodes, ns } = answer;
  return { answer, begin, compared: { tree, eccts: { start, nodes, ns }, durations, metrics } };
}

function foundIn(sides: readonly Side[], definition: ExecutionDefinition, { slow, renames }: Options): Found {
  const [first, second] = sides as [Side, Side | undefined];
  const compared = second === undefined ? first.compared : together(first.compared, second.compared, renames);
  const groups = groupsOf(compared, second && first.answer.length, slow);
  const rule = second !== undefined ? 'traces' : `slow p${slow}`;
  return {
    definition,
    sides,
    compared,
    rule: groups && rule,
    groups,
    ranking: groups && rank(compared, groups),
  };
}

/**
 * undefined: there is nothing to compare.
 * @param ofFirst executions of the first of two traces; undefined: there is one
 */
function groupsOf(
  { durations }: Compared,
  ofFirst: number | undefined,
  slow: number | undefined,
): Found['groups'] {
  if (durations.length === 0) return undefined;
  if (ofFirst !== undefined) return traceGroups(ofFirst, durations.length);
  return slow === undefined ? undefined : slowGroups(durations, slow);
}

function jsonOf(found: Found): object {
  const { definition, sides, compared, rule, groups, ranking } = found;
  const [first, second] = sides as [Side, Side | undefined];
  const { begin, end, key, acrossThreads } = definition;
  const stacks = stackNumbers(compared);
  return {
    originNs: String(first.originNs),
    againstOriginNs: second && String(second.originNs),
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
    ranking: ranking && {
      ...ranking,
      nodes: ranking.nodes.map(({ node, ...line }) => ({ stack: foldedStack(compared.tree, node), ...line })),
    },
  };
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
  for (const [trace, { answer, begin, workers }] of sides.entries()) {
    for (let i = 0; i < answer.length; i++, number++) {
      const ecct: [number, number][] = [];
      for (let j = start[number]; j < start[number + 1]; j++) ecct.push([stackOf.get(nodes[j]) ?? -1, ns[j]]);
      yield {
        worker: workers[answer.thread[i]],
        name: answer.threads[answer.thread[i]].name,
        begin: begin[i],
        end: begin[i] + compared.durations[number],
        // NaN is written as null.
        metrics: compared.metrics.map(({ values }) => values[number]),
        ecct: ecct.sort(([a], [b]) => a - b),
        ...(sides.length > 1 && { trace }),
      };
    }
  }
}
