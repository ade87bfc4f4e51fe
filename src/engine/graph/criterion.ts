/** Criteria of the active path (Giraldeau 2015, section 4.3.1); `walk.ts` says how each comes back from a jump. */
import type { GraphWorker } from './execution-graph.ts';

export const CRITERIA = ['main task', 'reconvergence', 'marked unrelated', 'exact', 'lock holder'] as const;

/** `lock holder` needs a graph with lock waits (`lock-graph.ts`). */
export type Criterion = (typeof CRITERIA)[number];

export interface PathRequest {
  readonly worker: GraphWorker;
  /** ns on the graph's axis. */
  readonly from: number;
  readonly to: number;
  readonly criterion: Criterion;
  /** Workers of `marked unrelated`. */
  readonly marked?: ReadonlySet<GraphWorker>;
  /** Folds the waits of event loops that end by timers (`folding.ts`). */
  readonly foldLoops?: boolean;
}

/** A criterion by its name, written with spaces or hyphens; undefined: there is none of that name. */
export function criterionOf(name: string): Criterion | undefined {
  const wanted = name.replaceAll('-', ' ');
  return CRITERIA.find((criterion) => criterion === wanted);
}
