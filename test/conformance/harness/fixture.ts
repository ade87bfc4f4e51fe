/** Golden vectors of execution graphs and paths, as their file has them, and both sides as lines that compare. */
import { LABELS } from '../../../src/engine/graph/path-codes.ts';

export interface VectorVertex {
  readonly worker: string;
  readonly ts: number;
}

interface VectorEdge {
  readonly kind: 'horizontal' | 'vertical';
  /** `WORKER@TS`. */
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly qualifier: string | null;
}

export interface VectorGraph {
  readonly edges: readonly VectorEdge[];
}

export interface VectorEvent {
  readonly host: string;
  readonly ts: number;
  readonly cpu: number;
  readonly name: string;
  readonly fields: Readonly<Record<string, number | string>>;
}

export interface VectorPath {
  readonly algorithm: 'bounded' | 'unbounded';
  readonly start_worker: string;
  readonly path: readonly {
    readonly from: VectorVertex;
    readonly to: VectorVertex;
    readonly type: string;
    readonly qualifier: string | null;
    readonly kind: 'horizontal' | 'vertical';
  }[];
}

export interface VectorFixture {
  readonly id: string;
  readonly kind: 'graph' | 'trace' | 'graph-structure' | 'trace-structure';
  readonly graph?: VectorGraph;
  readonly events?: readonly VectorEvent[];
  readonly expected_graph?: VectorGraph;
  readonly expected?: readonly VectorPath[];
}

/** Labels of the vectors' types, and why those wait that have a reason. */
const TYPES: Readonly<Record<string, readonly [label: (typeof LABELS)[number], cause: string]>> = {
  RUNNING: ['running', ''],
  INTERRUPTED: ['running', ''],
  PREEMPTED: ['preempted', ''],
  UNKNOWN: ['unknown', ''],
  BLOCKED: ['blocked', ''],
  NETWORK: ['blocked', 'network'],
  TIMER: ['blocked', 'timer'],
  BLOCK_DEVICE: ['blocked', 'disk'],
  USER_INPUT: ['blocked', 'user input'],
  IPI: ['blocked', 'ipi'],
};

/** Label of a type of horizontal edges, and its cause, which a qualifier refines. */
export function labelOfType(
  type: string,
  qualifier: string | null,
): readonly [label: (typeof LABELS)[number], cause: string] {
  const [label, cause] = TYPES[type] ?? ['unknown', type];
  return [label, label === 'blocked' ? (qualifier ?? cause) : ''];
}

export function vertexOf(id: string): VectorVertex {
  const at = id.lastIndexOf('@');
  return { worker: id.slice(0, at), ts: Number(id.slice(at + 1)) };
}

export interface PathLine {
  readonly worker: string;
  readonly from: number;
  to: number;
  readonly label: string;
  readonly cause: string;
}

/**
 * A path as lines: vertical edges without duration are no time of anybody, those with one are a transit. Pieces of one
 * worker, label and cause that touch are one.
 */
export function linesOfVector({ path }: VectorPath): string[] {
  const lines: PathLine[] = [];
  for (const { from, to, type, qualifier, kind } of path) {
    const [label, cause] = kind === 'vertical' ? (['network', ''] as const) : labelOfType(type, qualifier);
    addLine(lines, { worker: from.worker, from: from.ts, to: to.ts, label, cause });
  }
  return lines.map(lineText);
}

export function addLine(lines: PathLine[], line: PathLine): void {
  if (line.from === line.to) return;
  const last = lines.at(-1);
  const joins =
    last !== undefined &&
    last.to === line.from &&
    last.worker === line.worker &&
    last.label === line.label &&
    last.cause === line.cause;
  if (joins) last.to = line.to;
  else lines.push({ ...line });
}

export function lineText({ worker, from, to, label, cause }: PathLine): string {
  return `${worker} ${from}-${to} ${label}${cause === '' ? '' : ` (${cause})`}`;
}
