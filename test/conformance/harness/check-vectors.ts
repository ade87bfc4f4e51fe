/**
 * Golden vectors of the critical path against the walk: `bounded` is `main task`, `unbounded` is `exact`. Where the
 * rules of the vectors differ from ours, `deviations.ts` has the path that follows from ours.
 */
import type { Criterion, Path } from '../../../src/engine/graph/path.ts';
import { Edge, findLoaded, FOUND } from '../../../src/engine/graph/execution-graph.ts';
import { findPath } from '../../../src/engine/graph/find-path.ts';
import { BLOCKED, LABELS, UNKNOWN } from '../../../src/engine/graph/path-codes.ts';
import type { ConformGroup } from './conform.ts';
import { DEVIATIONS } from './deviations.ts';
import {
  addLine,
  labelOfType,
  linesOfVector,
  lineText,
  vertexOf,
  type PathLine,
  type VectorFixture,
  type VectorPath,
} from './fixture.ts';
import { graphOfEvents, literalGraphOf, type TracedGraph } from './vector-graphs.ts';

interface VectorOutcome {
  /** `FIXTURE` or `FIXTURE ALGORITHM`. */
  readonly name: string;
  readonly outcome: 'equal' | 'deviates' | 'fails';
  readonly reason: string;
}

const CRITERION_OF: Readonly<Record<VectorPath['algorithm'], Criterion>> = {
  bounded: 'main task',
  unbounded: 'exact',
};

/** Deviations that have a reason are none of `total`. */
export async function checkVectors(fixtures: readonly VectorFixture[]): Promise<ConformGroup> {
  const outcomes = (await Promise.all(fixtures.map(checkVector))).flat();
  const failed = outcomes.filter(({ outcome }) => outcome === 'fails');
  const deviations = outcomes.filter(({ outcome }) => outcome === 'deviates');
  const total = outcomes.length - deviations.length;
  return { name: 'vectors', passed: total - failed.length, total, failed, deviations };
}

async function checkVector(fixture: VectorFixture): Promise<VectorOutcome[]> {
  if (fixture.kind === 'graph') return checkGraph(fixture);
  if (fixture.kind === 'trace') return checkTrace(fixture);
  return [judge(fixture.id, [], ['a structure'])];
}

async function checkGraph({ id, graph, expected = [] }: VectorFixture): Promise<VectorOutcome[]> {
  const { graph: literal, names } = literalGraphOf(graph ?? { edges: [] });
  const outcomes: VectorOutcome[] = [];
  for (const vector of expected) {
    const worker = names.indexOf(vector.start_worker);
    const path = await findPath(literal, {
      worker,
      ...rangeOf(vector),
      criterion: CRITERION_OF[vector.algorithm],
    });
    const lines =
      path &&
      linesOf(
        path,
        (each) => names[each],
        (_, label, cause) => {
          return label === UNKNOWN ? '' : literal.causeOf(cause);
        },
      );
    outcomes.push(judge(nameOf(id, vector), lines ?? [], linesOfVector(vector)));
  }
  return outcomes;
}

async function checkTrace({
  id,
  events = [],
  expected = [],
  ...fixture
}: VectorFixture): Promise<VectorOutcome[]> {
  const traced = await graphOfEvents(events);
  const waitCause = (worker: number, label: number, cause: number): string => {
    const kind = label === BLOCKED ? traced.names.kind(worker, label, cause) : '';
    return kind === 'direct' ? '' : kind;
  };
  const outcomes = [await checkEdges(id, traced, fixture.expected_graph?.edges ?? [])];
  for (const vector of expected) {
    const worker = traced.workerOf(vector.start_worker) ?? -1;
    const path = await findPath(traced.graph, {
      worker,
      ...rangeOf(vector),
      criterion: CRITERION_OF[vector.algorithm],
    });
    const lines = path && linesOf(path, traced.names.worker, waitCause);
    const name = `${nameOf(id, vector)} ${vector.start_worker}`;
    outcomes.push(judge(name, lines ?? [], linesOfVector(vector)));
  }
  return outcomes;
}

/** The labels of the graph over the expected horizontal edges of threads; the rest of their lives is left out. */
async function checkEdges(
  id: string,
  { graph, workerOf }: TracedGraph,
  edges: NonNullable<VectorFixture['graph']>['edges'],
): Promise<VectorOutcome> {
  const found: string[] = [];
  const wanted: string[] = [];
  const edge = new Edge();
  for (const { kind, from, to, type } of edges) {
    const [begin, end] = [vertexOf(from), vertexOf(to)];
    const worker = workerOf(begin.worker);
    // Interrupts of all CPUs are one worker of the vectors: what they do has no edges here.
    if (kind !== 'horizontal' || worker === undefined) continue;
    const is =
      (await findLoaded(graph, worker, end.ts, edge)) === FOUND && edge.begin <= begin.ts
        ? LABELS[edge.label]
        : 'cut';
    found.push(`${from}-${end.ts} ${is}`);
    wanted.push(`${from}-${end.ts} ${labelOfType(type, null)[0]}`);
  }
  return judge(`${id} graph`, found, wanted);
}

function nameOf(id: string, { algorithm }: VectorPath): string {
  return `${id} ${algorithm}`;
}

/** From the first vertex of the path to its last. */
function rangeOf({ path }: VectorPath): { readonly from: number; readonly to: number } {
  return { from: path[0]?.from.ts ?? 0, to: path.at(-1)?.to.ts ?? 0 };
}

function linesOf(
  { segments: s }: Path,
  workerName: (worker: number) => string,
  causeOf: (worker: number, label: number, cause: number) => string,
): string[] {
  const lines: PathLine[] = [];
  for (let i = 0; i < s.length; i++) {
    addLine(lines, {
      worker: workerName(s.worker[i]),
      from: s.from[i],
      to: s.to[i],
      label: LABELS[s.label[i]],
      cause: causeOf(s.worker[i], s.label[i], s.cause[i]),
    });
  }
  return lines.map(lineText);
}

function judge(name: string, found: readonly string[], wanted: readonly string[]): VectorOutcome {
  if (equal(found, wanted)) return { name, outcome: 'equal', reason: '' };
  const deviation = DEVIATIONS[name];
  if (deviation !== undefined && equal(found, deviation.found))
    return { name, outcome: 'deviates', reason: deviation.reason };
  return { name, outcome: 'fails', reason: `${wanted.join(', ')} was expected, found ${found.join(', ')}` };
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
