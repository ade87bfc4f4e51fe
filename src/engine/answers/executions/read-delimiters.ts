/** The events of definitions in an open trace. */
import { type ExecutionDefinition, THREAD_CONDITIONS } from '../../layers/executions/definition.ts';
import { type Delimiters, NO_DELIMITERS } from '../../layers/executions/delimiters/delimiters.ts';
import { type DelimiterSettings, MOST_DEFINITIONS } from '../../layers/executions/delimiters/settings.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { OpenLayers, QueryContext } from '../context/query.ts';
import type { HostDelimiters } from '../../layers/executions/executions.ts';
import { type ProgramHost, programHosts } from '../rows/program-threads.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import type { PathGraph } from '../paths/path-finder.ts';

export interface ReadDelimiters {
  readonly settings: DelimiterSettings;
  /** Delimiters by index of the host. */
  readonly hosts: readonly (Delimiters | undefined)[];
  /** Index in the settings' definitions. */
  indexOf(definition: ExecutionDefinition): number;
}

/** Last reading that was asked for, by the layers of a trace. A change would cancel the one before. */
const readings = cachedByKey((_: OpenLayers) => ({ last: Promise.resolve<unknown>(undefined) }));

/**
 * Reads what was not read. What was read for others stays, the latest of it, as long as there is room for it.
 * @param definitions at most `MOST_DEFINITIONS`
 * @returns undefined: the files are not there, or nobody waits for the answer any more
 */
export function readDelimiters(
  { layers, signal }: QueryContext,
  definitions: readonly ExecutionDefinition[],
): Promise<ReadDelimiters | undefined> {
  if (layers === undefined) return Promise.resolve(undefined);
  const reading = readings(layers);
  const delimiters = reading.last.then(() =>
    signal?.aborted === true ? undefined : read(layers, definitions),
  );
  reading.last = delimiters.catch(() => undefined);
  return delimiters;
}

async function read(
  layers: OpenLayers,
  definitions: readonly ExecutionDefinition[],
): Promise<ReadDelimiters | undefined> {
  const { wanted: before = [] } = layers.info('execution') ?? {};
  if (definitions.some((definition) => indexOf(before, definition) < 0)) {
    const others = before.filter((definition) => indexOf(definitions, definition) < 0);
    const wanted = [...definitions, ...others].slice(0, MOST_DEFINITIONS);
    if (!(await layers.change('execution', wanted))) return undefined;
  }
  const { wanted = [], settings, hosts = [] } = layers.info('execution') ?? {};
  if (settings === undefined) return undefined;
  const byHost: (Delimiters | undefined)[] = [];
  for (const { index, tables } of hosts) byHost[index] = tables;
  return { settings, hosts: byHost, indexOf: (definition) => indexOf(wanted, definition) };
}

function indexOf(definitions: readonly ExecutionDefinition[], definition: ExecutionDefinition): number {
  const events = eventsText(definition);
  return definitions.findIndex((other) => eventsText(other) === events);
}

/** Text of what decides which events are read, and what of them; the rest says how they are paired, and in whom. */
function eventsText({ begin, end, key, where }: ExecutionDefinition): string {
  const ofFields = where.filter(({ field }) => !THREAD_CONDITIONS.includes(field));
  return JSON.stringify([begin, end, key, ofFields.map(({ field, value }) => [field, value])]);
}

/** The hosts whose executions are looked for: those with a kernel's trace, or where there is none all of them. */
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
