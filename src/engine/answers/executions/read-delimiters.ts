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
  readonly hosts: readonly (Delimiters | undefined)[];
  indexOf(definition: ExecutionDefinition): number;
}

/** Latest reading by the layers of a trace: a second change would cancel the first. */
const readings = cachedByKey((_: OpenLayers) => ({ last: Promise.resolve<unknown>(undefined) }));

/**
 * Reads the events of definitions that were not read yet. Events read for other definitions stay, the latest first, as
 * long as there is room.
 * @param definitions at most `MOST_DEFINITIONS`
 * @returns undefined: the files are missing, or the question was given up
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

/** Text of the parts of a definition that decide which events and fields are read; the rest is about pairing. */
function eventsText({ begin, end, key, where }: ExecutionDefinition): string {
  const ofFields = where.filter(({ field }) => !THREAD_CONDITIONS.includes(field));
  return JSON.stringify([begin, end, key, ofFields.map(({ field, value }) => [field, value])]);
}

/** The hosts that are searched for executions: those with a kernel trace, or all where there is none. */
export interface ExecutionHosts {
  /** The graph's hosts in its order, then others; without a kernel trace all hosts in their order. */
  readonly hosts: readonly HostDelimiters[];
  readonly known: PathGraph;
  /** Undefined: a kernel was recorded. */
  readonly programs: readonly ProgramHost[] | undefined;
}

const NO_THREADS: HostDelimiters['threads'] = {
  ...{ length: 0, tid: new Int32Array(0), incarnation: new Int32Array(0), pid: new Int32Array(0) },
  name: [],
};

/**
 * Adds what is known about the threads of delimiters. Where a kernel was recorded, threads of other hosts are unknown.
 */
export async function executionHosts(
  trace: Pick<OpenTrace, 'paths' | 'hosts' | 'threadEvents'>,
  { hosts: read }: ReadDelimiters,
): Promise<ExecutionHosts> {
  const known = await trace.paths.graph();
  const delimitersOf = (index: number) => read[index] ?? NO_DELIMITERS;
  const hostOf = (
    clock: ProgramHost['clock'],
    delimiters: Delimiters,
    threads: HostDelimiters['threads'],
  ): HostDelimiters => ({ delimiters, threads, toDisplay: (time) => clock.toExperiment(time) });
  if (known.hosts.length === 0) {
    const programs = await programHosts(trace);
    return {
      ...{ known, programs },
      hosts: programs.map(({ index, threads, clock, rowOf }) => {
        const { threads: own, ...delimiters } = delimitersOf(index);
        const rows = own.map((thread) => ({ ...thread, row: rowOf(thread) }));
        return hostOf(clock, { ...delimiters, threads: rows }, threads);
      }),
    };
  }
  const ofKernel = known.hosts.map(({ index, tables: { threads }, clock }) =>
    hostOf(clock, delimitersOf(index), threads),
  );
  const isKnown = new Set(known.hosts.map(({ index }) => index));
  const others = trace.hosts
    .filter(({ index }) => !isKnown.has(index))
    .map(({ index, clock }) => hostOf(clock, delimitersOf(index), NO_THREADS));
  return { known, programs: undefined, hosts: [...ofKernel, ...others] };
}
