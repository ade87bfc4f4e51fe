/** The executions of a definition in an open trace: the critical path of each, and what it consists of. */
import {
  EcctReader,
  elapsedEcct,
  type ElapsedHost,
  samplesWithin,
} from '../../layers/executions/ecct/ecct-reader.ts';
import { threadName } from '../../layers/executions/ecct/thread-contexts.ts';
import { type Executions, executionsOf } from '../../layers/executions/executions.ts';
import { frameWords } from '../../layers/stacks/frame-names.ts';
import {
  LOCK_WAITS,
  elapsedMetrics,
  type Metric,
  type MetricSources,
  MetricTable,
  threadCounts,
} from '../../layers/executions/metrics.ts';
import { type Pools, poolsOf } from '../../layers/executions/pools.ts';
import { type Ecct, UnionTree } from '../../layers/executions/union-tree.ts';
import { pathNames } from '../../graph/path-names.ts';
import { threadOf } from '../context/thread-rows.ts';
import { locksOf } from '../locks/lock-hosts.ts';
import type { ExecutionsRequest, ExecutionThread } from '../../protocol/executions.ts';
import type { FrameStyle } from '../../protocol/profile.ts';
import type { ProgramHost } from '../rows/program-threads.ts';
import type { QueryContext } from '../context/query.ts';
import { graphStacks, programStacks } from '../stacks/stacks-of.ts';
import {
  type ExecutionHosts,
  executionHosts,
  type ReadDelimiters,
  readDelimiters,
} from './read-delimiters.ts';
import { trimmed } from '../../base/columns.ts';
import { type Counts, NO_DELIMITERS } from '../../layers/executions/delimiters/delimiters.ts';
import { CONTENDED, type LockModel } from '../../layers/locks/model/lock-model.ts';
import type { LocksOfHosts } from '../paths/path-locks.ts';

export interface FoundExecutions {
  readonly executions: Executions;
  readonly metrics: readonly Metric[];
  readonly tree: UnionTree;
  /** Times of the executions in `tree`, by number of the execution. */
  readonly eccts: readonly Ecct[];
  /** Whether no kernel was recorded, so that times are elapsed times. */
  readonly isElapsed: boolean;
  /** Thread pools of all hosts. */
  readonly pools: Pools;
  /** The thread of a host, by the host's place and the thread's row there. */
  readonly threadOf: (host: number, row: number) => ExecutionThread;
  /** Lock events by which waits for locks were counted, see `lockSettingsText`. */
  readonly locks: string;
}

/**
 * Finds the executions; reads the events of the definition first, where that was not done.
 * @returns undefined: the files are missing, the question was given up, or wake-ups are damaged, so that the wrong
 * thread could be blamed
 */
export async function findExecutions(
  context: QueryContext,
  request: ExecutionsRequest,
): Promise<FoundExecutions | undefined> {
  const { definition } = request;
  const delimiters = await readDelimiters(context, [definition]);
  if (delimiters === undefined) return undefined;
  const found = await executionHosts(context.trace, delimiters);
  const index = delimiters.indexOf(definition);
  const executions = executionsOf(found.hosts, definition, index);
  const { settings } = delimiters;
  return found.programs === undefined
    ? onPaths(context, request, { ...found, settings }, executions, index)
    : elapsed(context, request, found.programs, { ...found, settings }, executions, index);
}

type Sources = Pick<ExecutionHosts, 'known' | 'hosts'> & Pick<ReadDelimiters, 'settings'>;

/** Executions with the critical paths of their threads. */
async function onPaths(
  context: QueryContext,
  style: FrameStyle,
  sources: Sources,
  executions: Executions,
  definition: number,
): Promise<FoundExecutions | undefined> {
  const { trace, signal, onProgress } = context;
  const { known } = sources;
  const tree = new UnionTree();
  const reader = new EcctReader(
    { graph: known.graph, hosts: await graphStacks(context, known, style) },
    tree,
  );
  await context.layers?.begun;
  const locks = lockSettingsText(context);
  const table = new MetricTable(metricSources(context, sources), executions);
  const eccts: Ecct[] = [];
  for (let i = 0; i < executions.length; i++) {
    const question = {
      worker: known.graph.workerOfThread(executions.host[i], executions.thread[i]),
      range: { from: executions.begin[i], to: executions.end[i] },
      criterion: 'main task',
      marked: new Set<number>(),
      foldLoops: false,
    } as const;
    const path = await trace.paths.find(known, question, () => signal?.aborted !== true);
    if (path === undefined || trace.isDamaged('signals')) return undefined;
    table.add(i, path);
    eccts.push(await reader.of(path));
    onProgress?.((i + 1) / executions.length);
  }
  const { hosts, names } = known;
  return {
    ...{ executions, tree, eccts, locks, isElapsed: false },
    metrics: table.finish(definition),
    pools: poolsOf(
      hosts.map(({ index, tables: { threads } }) => ({
        threads,
        prefix: hosts.length === 1 ? '' : `${frameWords(names[index])}:`,
      })),
    ),
    threadOf(host, row) {
      const { row: id, tid, host: index } = threadOf(hosts[host], row);
      return { row: id, name: threadName(known.graph.hostData(host), row), tid, host: index };
    },
  };
}

/** Executions of programs where no kernel was recorded. */
async function elapsed(
  context: QueryContext,
  style: FrameStyle,
  programs: readonly ProgramHost[],
  sources: Sources,
  executions: Executions,
  definition: number,
): Promise<FoundExecutions> {
  const hosts = await Promise.all(
    programs.map(async (host): Promise<ElapsedHost> => ({
      names: host.threads.name,
      stacks: (await programStacks(context, host, style))?.atTimes((time) => host.clock.toExperiment(time)),
    })),
  );
  const tree = new UnionTree();
  const numbers = Array.from({ length: executions.length }, (_, number) => number);
  return {
    ...{ executions, tree, locks: '', isElapsed: true },
    eccts: numbers.map((number) => elapsedEcct(executions, hosts, tree, number)),
    metrics: elapsedMetrics(executions, sources, definition, samplesWithin(executions, hosts)),
    pools: poolsOf(programs.map(({ threads }) => ({ threads, prefix: '' }))),
    threadOf(host, row) {
      const { index, threads, rowId } = programs[host];
      return { row: rowId(row), name: threads.name[row], tid: threads.tid[row], host: index };
    },
  };
}

function metricSources({ layers }: QueryContext, { settings, known, hosts }: Sources): MetricSources {
  const lockWaits = lockWaitCounts(locksOf(layers));
  const names = known.hosts.map(({ tables }) => ({ tables, prefix: '' }));
  return {
    graph: known.graph,
    names: pathNames(known.graph, names),
    settings,
    counted: [...settings.counted, ...(lockWaits === undefined ? [] : [LOCK_WAITS])],
    hosts: hosts.map(({ delimiters, threads: { length }, toDisplay }, host) => {
      const ofEvents = settings.counted.map((_, sort) =>
        threadCounts(delimiters.counts, sort, length, toDisplay),
      );
      // Hosts after those of the graph have no executions that end in their threads.
      const ofLocks = host < known.hosts.length ? lockWaits?.(known.hosts[host].index) : undefined;
      return {
        delimiters,
        counts: ofLocks ? [...ofEvents, threadCounts(ofLocks, 0, length, toDisplay)] : ofEvents,
      };
    }),
  };
}

/** Settings by which lock events were read last, as text; '': not read. */
export function lockSettingsText({ layers }: QueryContext): string {
  const { settings } = layers?.info('lock') ?? {};
  return settings === undefined ? '' : JSON.stringify(settings);
}

/**
 * Counts waits for locks, by index of the host. A wait counts at its begin: a request for a lock that another thread
 * held, acquired or not.
 * @param locks undefined: not known
 * @returns undefined: no events tell of locks. Futexes do not count, as not all of their calls are waits for locks
 */
function lockWaitCounts(locks: LocksOfHosts | undefined): ((host: number) => Counts) | undefined {
  if (locks === undefined || locks.every(({ tables: { model } }) => model.locks.length === 0))
    return undefined;
  const models = new Map(locks.map(({ index, tables: { model } }) => [index, model]));
  return (host) => {
    const model = models.get(host);
    return model === undefined ? NO_DELIMITERS.counts : countsOf(model);
  };
}

function countsOf({ threads, waits }: LockModel): Counts {
  const counts = {
    time: new Float64Array(waits.length),
    thread: new Int32Array(waits.length),
    counted: new Uint8Array(waits.length),
    amount: new Float64Array(waits.length).fill(1),
  };
  let length = 0;
  // Waits are in the order of their requests.
  for (let i = 0; i < waits.length; i++) {
    const row = waits.thread[i] < 0 ? -1 : threads[waits.thread[i]].row;
    if ((waits.flags[i] & CONTENDED) === 0 || row < 0) continue;
    counts.time[length] = waits.request[i];
    counts.thread[length++] = row;
  }
  return { length, ...trimmed(counts, length) };
}
