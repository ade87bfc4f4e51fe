/** The graph of a fixture of kind `graph`. */
import { LiteralGraph } from './literal-graph.ts';
import { LABELS } from '../../engine/graph/path-codes.ts';
import { labelOfType, vertexOf, type VectorGraph } from './fixture.ts';

export interface NamedLiteralGraph {
  readonly graph: LiteralGraph;
  /** Worker by number. */
  readonly names: readonly string[];
}

export function literalGraphOf({ edges }: VectorGraph): NamedLiteralGraph {
  const graph = new LiteralGraph();
  const names: string[] = [];
  const numberOf = (worker: string): number => {
    const known = names.indexOf(worker);
    return known >= 0 ? known : names.push(worker) - 1;
  };
  const ends = new Map<string, string>();
  const begins = new Set<string>();
  for (const { kind, from, to, type, qualifier } of edges) {
    if (kind !== 'horizontal') continue;
    const { worker, ts: begin } = vertexOf(from);
    const [label, cause] = labelOfType(type, qualifier);
    graph.edges(numberOf(worker), { begin, end: vertexOf(to).ts, label: LABELS.indexOf(label), cause });
    ends.set(to, label);
    begins.add(from);
  }
  for (const { kind, from, to } of edges) {
    if (kind !== 'vertical') continue;
    const [source, target] = [vertexOf(from), vertexOf(to)];
    const [giver, taker] = [numberOf(source.worker), numberOf(target.worker)];
    const ended = ends.get(to);
    if (ended === 'blocked') graph.wakeUp(giver, source.ts, taker, target.ts);
    else if (ended !== undefined) graph.packet(giver, source.ts, taker, target.ts);
    else if (begins.has(to)) graph.fork(giver, target.ts, taker);
  }
  return { graph, names };
}
