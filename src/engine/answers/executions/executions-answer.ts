/** Executions as the page gets them: of a definition as plain columns, and definitions that event names suggest. */
import { threadOfFrame } from '../../layers/executions/frames.ts';
import type { Pools } from '../../layers/executions/pools.ts';
import type {
  ExecutionsAnswer,
  ExecutionsRequest,
  ExecutionThread,
  ExecutionProposal,
} from '../../protocol/executions.ts';
import { findExecutions, type FoundExecutions } from './find-executions.ts';
import { keep, readKept } from './kept-executions.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import {
  beginningProcesses,
  type HostDelimiters,
  previewOf,
  weight,
} from '../../layers/executions/executions.ts';
import { callExit } from '../../trace/event-kinds.ts';
import { ecctTable } from '../../layers/executions/union-tree.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import { executionHosts, readDelimiters } from './read-delimiters.ts';

/** Executions, stored or found now; undefined: see `findExecutions`. */
export const executionsAnswer: AnswerTo<'executions'> = async (context, request) => {
  const kept = await readKept(context, request);
  if (kept !== undefined) return kept;
  const found = await findExecutions(context, request);
  if (found === undefined) return undefined;
  const answer = columnsOf(found, request);
  // The answer does not wait for it.
  void keep(context, request, answer, found.locks);
  return answer;
};

function columnsOf(found: FoundExecutions, { definition }: ExecutionsRequest): ExecutionsAnswer {
  const { executions, metrics, tree, eccts, isElapsed } = found;
  const { list, thread } = threadsOf(found);
  return {
    definition,
    counts: executions.counts,
    withoutThread: executions.withoutThread,
    threads: list,
    length: executions.length,
    thread,
    from: executions.begin,
    to: executions.end,
    metrics,
    pools: poolsWithin(found, list),
    isElapsed,
    tree: {
      frames: tree.frames,
      parent: Int32Array.from(tree.parent),
      frame: Int32Array.from(tree.frame),
    },
    ...ecctTable(eccts),
  };
}

/** Threads in which executions end, each once, and for each execution its index among them. */
function threadsOf({ executions: { length, host, thread }, threadOf }: FoundExecutions): {
  readonly list: ExecutionThread[];
  readonly thread: Int32Array;
} {
  const list: ExecutionThread[] = [];
  const indices: number[][] = [];
  const index = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const ofHost = (indices[host[i]] ??= []);
    index[i] = ofHost[thread[i]] ??= list.push(threadOf(host[i], thread[i])) - 1;
  }
  return { list, thread: index };
}

/** The pools of threads in which executions end or that their frames name. */
function poolsWithin({ pools, tree }: FoundExecutions, threads: readonly ExecutionThread[]): Pools {
  const used = new Set([...threads.map(({ name }) => name), ...tree.frames.map(threadOfFrame)]);
  return new Map([...pools].filter(([name]) => used.has(name)));
}

/** Minimum number of executions for a comparison. */
const FEWEST = 2;

/** Maximum number of processes whose requests are proposed separately. */
const MOST_PROCESSES = 3;

/**
 * Proposals by kind, then by `weight`. Empty: nothing is suggested, the question was given up, or files are missing.
 */
export async function executionProposals(context: QueryContext): Promise<ExecutionProposal[]> {
  const { candidates = [] } = (await context.layers?.find('execution')) ?? {};
  const definitions = candidates.flat();
  const delimiters = definitions.length === 0 ? undefined : await readDelimiters(context, definitions);
  if (delimiters === undefined) return [];
  const { hosts } = await executionHosts(context.trace, delimiters);
  return candidates.flatMap((sort) =>
    sort
      .flatMap((definition) => {
        const index = delimiters.indexOf(definition);
        return byProcess(hosts, definition, index).map((each) => previewOf(hosts, each, index));
      })
      .filter(({ counts }) => counts.executions >= FEWEST)
      .sort((a, b) => weight(b.counts) - weight(a.counts)),
  );
}

/**
 * Splits proposals made of system calls by process: client and server make the same calls, but their executions differ.
 */
function byProcess(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): ExecutionDefinition[] {
  const isRequest = definition.begin.startsWith(callExit(''));
  const processes = isRequest ? beginningProcesses(hosts, index) : [];
  if (processes.length < 2) return [definition];
  return processes
    .slice(0, MOST_PROCESSES)
    .map((value) => ({ ...definition, where: [{ field: 'process', value }] }));
}
