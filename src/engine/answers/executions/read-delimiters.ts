/** The events of definitions in an open trace. */
import { type ExecutionDefinition, THREAD_CONDITIONS } from '../../layers/executions/definition.ts';
import type { Delimiters } from '../../layers/executions/delimiters/delimiters.ts';
import { type DelimiterSettings, MOST_DEFINITIONS } from '../../layers/executions/delimiters/settings.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { OpenLayers } from '../context/open-layers.ts';
import type { QueryContext } from '../context/query.ts';

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
