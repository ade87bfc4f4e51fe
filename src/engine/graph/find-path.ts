/** Runs a walk to its end, loading what it needs, and lets others run now and then. */
import { nextTask } from '../base/next-task.ts';
import type { PathRequest, Path } from './path.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { Walk } from './walk.ts';

/** Edges between two looks at `isWanted`. */
const STEPS = 200_000;

/** @param isWanted asked every `steps` edges and whenever something was loaded @returns undefined when nobody wanted it */
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
