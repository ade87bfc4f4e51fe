/** Answers where the time of a thread went, or that of its active path. */
import { EcctReader } from '../../executions/ecct/ecct-reader.ts';
import { foldedStack, UnionTree } from '../../executions/union-tree.ts';
import { findPath } from '../../graph/find-path.ts';
import { profileOf, type ProfileStack } from '../../stacks/profile.ts';
import { threadProfile, threadSamples } from '../../stacks/thread-profile.ts';
import type { QueryContext } from '../query.ts';
import type { ProfileAnswer, ProfileRequest } from './profile-api.ts';
import { graphStacks, stacksOf } from './stacks-of.ts';

/** undefined: there is no such thread, or nobody waits for the answer any more. */
export async function profileAnswer(
  context: QueryContext,
  request: ProfileRequest,
): Promise<ProfileAnswer | undefined> {
  const { trace } = context;
  const known = await trace.paths.graph();
  const { graph, hosts } = known;
  const worker = known.workerOfRow(request.row);
  if (worker === undefined) return undefined;
  const range = await trace.paths.rangeOf(known, worker, request.range);
  const { host, thread } = graph.place(worker);
  const { index, clock, query, tables } = hosts[host];
  const stacks = await stacksOf(context, index, request.isMangled);
  const profiled = { query, threads: tables.threads, thread, stacks };
  const [from, to] = [clock.toHost(range.from), clock.toHost(range.to)];
  if (request.of === 'thread') return { ...range, ...(await threadProfile(profiled, from, to)) };

  const path = await findPath(
    graph,
    { worker, ...range, criterion: 'main task' },
    () => context.signal?.aborted !== true,
  );
  if (path === undefined) return undefined;
  const tree = new UnionTree();
  const sources = await graphStacks(context, known, request.isMangled);
  const { nodes, ns } = await new EcctReader({ graph, hosts: sources }, tree).of(path);
  const times = Array.from(nodes, (node, i): ProfileStack => {
    // No frame has a separator in it.
    return { frames: foldedStack(tree, node).split(';'), ns: ns[i], samples: 0 };
  });
  return { ...range, ...profileOf([...times, ...(await threadSamples(profiled, from, to))]) };
}
