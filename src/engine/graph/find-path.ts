/** Runs a walk to its end, loads what it needs, and yields to other tasks now and then. */
import { nextTask } from '../base/next-task.ts';
import type { PathRequest, Path } from './path.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { Walk } from './walk.ts';

/** Edges between two looks at `isWanted`. */
const STEPS = 200_000;

/** @param isWanted asked every `steps` edges and after each load @returns undefined: nobody wanted it any more */
export async function findPath(
  graph: ExecutionGraph,
  request: PathRequest,
  isWanted: (edges: number) => boolean = () => true,
  steps = STEPS,
): Promise<Path | undefined> {
  const walk = new Walk(graph, request);
  while (isWanted(walk.visited)) {
    if (walk.run(steps)) return walk.finish();
    if (walk.missing) await graph.load();
    else await nextTask();
  }
  return undefined;
}
