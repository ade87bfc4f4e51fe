/** `profile PATH… --thread TID`: where the time of a thread went, by frames; `--path`: that of its active path. */
import { compareText } from '../../engine/base/compare-text.ts';
import { EcctReader } from '../../engine/executions/ecct/ecct-reader.ts';
import { frameTimes } from '../../engine/executions/frame-times.ts';
import { type Ecct, foldedStack, UnionTree } from '../../engine/executions/union-tree.ts';
import { pathNames } from '../../engine/graph/path-names.ts';
import { NO_STACKS } from '../../engine/stacks/stacks-in-force.ts';
import { reportFaults } from '../messages.ts';
import { namedHosts, workerNamed } from '../named-threads.ts';
import { type Options, UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { openTraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { printTable } from './table.ts';

export const profile: Command = async (paths, options) => {
  if (options.thread === undefined) throw new UsageError('profile: --thread TID is expected');
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const known = await session.trace.paths.graph();
  const hosts = namedHosts(known, session);
  const names = pathNames(known.graph, hosts);
  const worker = workerNamed(known, names, options.thread, session);
  const question = {
    worker,
    range: session.range,
    criterion: 'main task',
    marked: new Set<number>(),
    foldLoops: false,
  } as const;
  const path = await session.trace.paths.find(known, question, () => true);
  if (path === undefined) throw new Error('the path was wanted');
  const tree = new UnionTree();
  const stacks = hosts.map(({ name }) => ({ name, stacks: NO_STACKS }));
  const reader = new EcctReader({ graph: known.graph, hosts: stacks }, tree);
  const times = await (options.path ? reader.of(path) : reader.running(path));
  const { host, thread } = known.graph.place(worker);
  const found = {
    worker: names.worker(worker),
    name: hosts[host].tables.threads.name[thread],
    from: path.from - session.firstNs,
    to: path.to - session.firstNs,
    tree,
    times,
  };
  if (options.json) printJson({ originNs: String(session.originNs), ...jsonOf(found, options) });
  else printProfile(found, options);
  return reportFaults(faults, options.strict);
};

interface Found {
  readonly worker: string;
  readonly name: string;
  /** ns since the first event. */
  readonly from: number;
  readonly to: number;
  readonly tree: UnionTree;
  readonly times: Ecct;
}

function jsonOf(found: Found, { path }: Options) {
  const { worker, name, from, to, tree, times } = found;
  const stacks = stacksOf(found);
  const time = stacks.reduce((sum, [, ns]) => sum + ns, 0);
  return {
    worker,
    name,
    from,
    to,
    of: path ? 'path' : 'thread',
    time,
    stacks,
    functions: frameTimes(tree, times),
  };
}

/** Folded stacks with their time, in order of text. */
function stacksOf({ tree, times: { nodes, ns } }: Found): [string, number][] {
  return Array.from(nodes, (node, i): [string, number] => [foldedStack(tree, node), ns[i]]).sort(([a], [b]) =>
    compareText(a, b),
  );
}

function printProfile(found: Found, { folded }: Options): void {
  if (folded) {
    for (const [stack, ns] of stacksOf(found)) print(`${stack} ${ns}`, Infinity);
    return;
  }
  printTable(
    ['total ns', 'self ns', 'frame'],
    frameTimes(found.tree, found.times).map(({ name, self, total }) => [total, self, name]),
  );
}
