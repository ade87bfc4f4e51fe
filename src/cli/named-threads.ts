/** Threads by their names in output. */
import type { GraphWorker } from '../engine/graph/execution-graph.ts';
import { type PathNames, pathNames } from '../engine/graph/path-names.ts';
import { threadKey } from '../engine/linux/states/reduce/thread-table.ts';
import type { PathGraph } from '../engine/answers/paths/path-finder.ts';
import { namedHosts } from '../engine/answers/paths/path-report.ts';
import { UsageError } from './options.ts';
import type { TraceSession } from './trace-session.ts';

/**
 * Finds a thread by its name in output, or, where only one host has it, by its key there.
 * @throws UsageError where there is none, or several
 */
function workerNamed(
  { graph, hosts }: PathGraph,
  names: PathNames,
  wanted: string,
  session: TraceSession,
): GraphWorker {
  const found: GraphWorker[] = [];
  hosts.forEach(({ tables, index }, host) => {
    if (!session.hosts.some((other) => other.index === index)) return;
    for (let row = 0; row < tables.threads.length; row++) {
      const worker = graph.workerOfThread(host, row);
      const name = names.worker(worker);
      if (name === wanted || name.endsWith(`:${wanted}`)) found.push(worker);
    }
  });
  if (found.length === 1) return found[0];
  throw new UsageError(
    found.length === 0
      ? `there is no thread ${wanted}`
      : `thread ${wanted}: one of ${found.map(names.worker).join(', ')} is expected`,
  );
}

export interface NamedThread {
  /** Id of the row, as a session has it. */
  readonly row: string;
  /** Name of the thread in output: `1234#2`, with several hosts `HOST:1234#2`. */
  readonly worker: string;
  /** Name that the program gave it. */
  readonly name: string;
}

/**
 * Finds a thread by its name in output, for questions to a session.
 * @throws UsageError where there is none, or several
 */
export async function threadNamed(session: TraceSession, wanted: string): Promise<NamedThread> {
  const known = await session.trace.paths.graph();
  const names = pathNames(known.graph, namedHosts(known));
  const worker = workerNamed(known, names, wanted, session);
  const { host, thread } = known.graph.place(worker);
  const { index, tables } = known.hosts[host];
  return {
    row: `thread:${index}:${threadKey(tables.threads, thread)}`,
    worker: names.worker(worker),
    name: tables.threads.name[thread],
  };
}
