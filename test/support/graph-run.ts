/** The execution graph of one trace, as a session has it: histories in segments, edges decoded from them. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryGraph } from '../../src/engine/graph/history-graph.ts';
import { pathNames, type PathNames } from '../../src/engine/graph/path-names.ts';
import type { Path } from '../../src/engine/graph/path.ts';
import { LABELS } from '../../src/engine/graph/execution-graph.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import type { HistoryQuery } from '../../src/engine/history/types.ts';
import type { KernelTables } from '../../src/engine/kernel/kernel-tables.ts';
import { kernelState } from '../../src/engine/kernel/kernel-state.ts';
import { kernelSchemeOf } from '../../src/engine/kernel/schemes.ts';
import { threadKey } from '../../src/engine/kernel/thread-table.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { kernelTables, runEngine } from './engine-run.ts';
import { matchNaively } from './naive-matching.ts';

export interface GraphRun {
  readonly graph: HistoryGraph;
  readonly names: PathNames;
  readonly tables: KernelTables;
  readonly query: HistoryQuery;
  /** Worker by name; throws for one that is not there. */
  workerOf(key: string): number;
}

/** Times of the graph count from the first event of the trace. */
export async function runGraph(files: TraceFiles, segmentTiles?: number): Promise<GraphRun> {
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentTiles });
  const tables = kernelTables(await runEngine(files, [kernelState as AnyAnalysis], builder));
  builder.finish(tables.end);
  const query = createQuery(builder);
  const origin = Math.min(...tables.cpus.map((cpu) => cpu.first));
  const snapshot = await query.snapshot();
  const toGraph = (time: number): number => time - origin;
  const text = (index: number): string => query.text(index);
  const graph = new HistoryGraph([
    { tables, snapshot, text, toGraph, packets: matchNaively([tables.packets])[0] },
  ]);
  const rows = new Map(
    Array.from({ length: tables.threads.length }, (_, i) => [threadKey(tables.threads, i), i]),
  );
  return {
    graph,
    names: pathNames(graph, [{ tables, prefix: '' }]),
    tables,
    query,
    workerOf(key) {
      const row = rows.get(key);
      if (row === undefined) throw new Error(`no thread ${key}`);
      return graph.workerOfThread(0, row);
    },
  };
}

/** `WORKER FROM TO LABEL CAUSE` of each segment. */
export function segmentLines({ segments: s }: Path, names: PathNames): string[] {
  return Array.from({ length: s.length }, (_, i) => {
    const cause = names.cause(s.worker[i], s.label[i], s.cause[i]);
    return `${names.worker(s.worker[i])} ${s.from[i]} ${s.to[i]} ${LABELS[s.label[i]]} ${cause}`;
  });
}
