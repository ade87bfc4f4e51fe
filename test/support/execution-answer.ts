/** Answers about executions as a session gives them, made from folded stacks. */
import { UnionTree } from '../../src/engine/layers/executions/union-tree.ts';
import type { ExecutionsAnswer } from '../../src/engine/protocol/executions.ts';

/** As `inspect executions` prints them; default: all of them, of threads, with no metrics. */
interface PrintedExecutions {
  readonly definition?: Partial<ExecutionsAnswer['definition']>;
  readonly counts?: ExecutionsAnswer['counts'];
  readonly metrics?: readonly string[];
  readonly stacks: readonly string[];
  readonly executions: readonly {
    readonly worker: string;
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    readonly metrics: readonly (number | null)[];
    /** Stack and ns. */
    readonly ecct: readonly (readonly [number, number])[];
  }[];
}

export function executionsAnswer(printed: PrintedExecutions): ExecutionsAnswer {
  const { executions, metrics = [], stacks } = printed;
  const counts = { executions: executions.length, withoutBegin: 0, withoutEnd: 0, nested: 0 };
  const tree = new UnionTree();
  const nodeOf = stacks.map((stack) => stack.split(';').reduce((node, text) => tree.child(node, text), 0));
  const workers = [...new Set(executions.map(({ worker }) => worker))];
  const pairs = executions.map(({ ecct }) =>
    ecct.map(([stack, ns]) => ({ node: nodeOf[stack], ns })).sort((a, b) => a.node - b.node),
  );
  const start = new Uint32Array(executions.length + 1);
  pairs.forEach((own, i) => (start[i + 1] = start[i] + own.length));
  return {
    definition: {
      ...{ begin: 'b', end: 'e', key: [], acrossThreads: false, where: [], minNs: 0 },
      ...printed.definition,
    },
    counts: printed.counts ?? counts,
    withoutThread: 0,
    pools: new Map(),
    isElapsed: false,
    threads: workers.map((worker) => ({
      row: `thread:0:${worker}`,
      name: executions.find((execution) => execution.worker === worker)?.name ?? '',
      tid: Number(worker),
      host: 0,
    })),
    length: executions.length,
    thread: Int32Array.from(executions, ({ worker }) => workers.indexOf(worker)),
    from: Float64Array.from(executions, ({ begin }) => begin),
    to: Float64Array.from(executions, ({ end }) => end),
    metrics: metrics.map((name, metric) => ({
      name,
      values: Float64Array.from(executions, (execution) => execution.metrics[metric] ?? NaN),
    })),
    tree: { frames: tree.frames, parent: Int32Array.from(tree.parent), frame: Int32Array.from(tree.frame) },
    start,
    nodes: Int32Array.from(pairs.flat(), ({ node }) => node),
    ns: Float64Array.from(pairs.flat(), ({ ns }) => ns),
  };
}

/** Executions of one thread, one after the other, that spend some ns in each of some stacks. */
export function executionsIn(executions: readonly (readonly string[])[], ns: number): ExecutionsAnswer {
  const stacks = [...new Set(executions.flat())];
  return executionsAnswer({
    metrics: ['begin', 'duration'],
    stacks,
    executions: executions.map((own, i) => ({
      ...{ worker: '7', name: 'worker', begin: 100 * i, end: 100 * i + ns * own.length },
      metrics: [100 * i, ns * own.length],
      ecct: own.map((stack) => [stacks.indexOf(stack), ns] as const),
    })),
  });
}
