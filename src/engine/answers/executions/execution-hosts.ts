/** The hosts whose executions are looked for: those with a kernel's trace, or where there is none all of them. */
import type { HostDelimiters } from '../../layers/executions/executions.ts';
import { type Delimiters, NO_DELIMITERS } from '../../layers/executions/delimiters/delimiters.ts';
import { type ProgramHost, programHosts } from '../rows/program-threads.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { ReadDelimiters } from './read-delimiters.ts';

export interface ExecutionHosts {
  /** Hosts of the graph in its order, behind them others; without a kernel's trace all in their order. */
  readonly hosts: readonly HostDelimiters[];
  readonly known: PathGraph;
  /** Undefined: a kernel was recorded. */
  readonly programs: readonly ProgramHost[] | undefined;
}

const NO_THREADS: HostDelimiters['threads'] = {
  ...{ length: 0, tid: new Int32Array(0), incarnation: new Int32Array(0), pid: new Int32Array(0) },
  name: [],
};

/** Adds to delimiters what is known about their threads. Where a kernel was recorded, threads of other hosts are not known. */
export async function executionHosts(
  trace: Pick<OpenTrace, 'paths' | 'hosts' | 'threadEvents'>,
  { hosts: read }: ReadDelimiters,
): Promise<ExecutionHosts> {
  const known = await trace.paths.graph();
  const delimitersOf = (index: number) => read[index] ?? NO_DELIMITERS;
  if (known.hosts.length === 0) {
    const programs = await programHosts(trace);
    return {
      ...{ known, programs },
      hosts: programs.map(({ index, threads, clock, rowOf }) => ({
        delimiters: withRows(delimitersOf(index), rowOf),
        threads,
        toDisplay: (time) => clock.toExperiment(time),
      })),
    };
  }
  const ofKernel = known.hosts.map(({ index, tables: { threads }, clock }): HostDelimiters => ({
    delimiters: delimitersOf(index),
    threads,
    toDisplay: (time) => clock.toExperiment(time),
  }));
  const isKnown = new Set(known.hosts.map(({ index }) => index));
  const others = trace.hosts
    .filter(({ index }) => !isKnown.has(index))
    .map(({ index, clock }): HostDelimiters => ({
      delimiters: delimitersOf(index),
      threads: NO_THREADS,
      toDisplay: (time) => clock.toExperiment(time),
    }));
  return { known, programs: undefined, hosts: [...ofKernel, ...others] };
}

function withRows(delimiters: Delimiters, rowOf: ProgramHost['rowOf']): Delimiters {
  return { ...delimiters, threads: delimiters.threads.map((thread) => ({ ...thread, row: rowOf(thread) })) };
}
