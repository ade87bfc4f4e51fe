/** Settings for reading a trace's executions, derived from their definitions. */
import type { EventClass } from '../../../ctf/model.ts';
import { matcherOf } from '../../../base/glob.ts';
import type { LayerTrace } from '../../contract/layer.ts';
import { type IsRead, type Switches, switchesFor } from '../../contract/switches.ts';
import { type ExecutionDefinition, isPeriod } from '../definition.ts';
import { type Counted, COUNTED, countedEvents } from './counted.ts';

/** Definitions that are read at once at most. */
export const MOST_DEFINITIONS = 16;
/** Most fields of the key of one definition, and most conditions. */
const MOST_FIELDS = 8;

export interface DelimiterSettings {
  readonly definitions: readonly ReadDefinition[];
  /** Counts in threads, those for which the trace has events. */
  readonly counted: readonly Counted[];
  readonly switches: Switches;
}

export interface ReadDefinition extends ExecutionDefinition {
  /** Names of the events that begin and end executions. */
  readonly begins: readonly string[];
  readonly ends: readonly string[];
  /** Numbers in the payloads of its begins and ends. */
  readonly beginValues: readonly NumberField[];
  readonly endValues: readonly NumberField[];
}

export interface NumberField {
  readonly name: string;
  readonly isSigned: boolean;
}

const MOST_EVENTS = 256;
/** Most numbers of the events that begin, or end, executions. */
const MOST_NUMBERS = 32;

export function delimiterSettings(
  trace: LayerTrace,
  wanted: readonly ExecutionDefinition[],
): DelimiterSettings {
  const definitions = wanted
    .slice(0, MOST_DEFINITIONS)
    .map((definition) => readDefinition(trace, definition));
  const counted = COUNTED.filter((kind) => countedEvents(kind, trace.events, trace.countOf).length > 0);
  return { definitions, counted, switches: switchesOf(trace, definitions, counted) };
}

function readDefinition(trace: LayerTrace, definition: ExecutionDefinition): ReadDefinition {
  const named = (pattern: string) =>
    trace.events
      .map(({ name }) => name)
      .filter(matcherOf(pattern))
      .slice(0, MOST_EVENTS);
  const [begins, ends] = [named(definition.begin), named(definition.end)];
  return {
    ...definition,
    key: definition.key.slice(0, MOST_FIELDS),
    where: definition.where.slice(0, MOST_FIELDS),
    begins,
    ends,
    beginValues: numbersOf(trace, begins),
    // The event that ends a period begins the next one, which has them.
    endValues: isPeriod(definition) ? [] : numbersOf(trace, ends),
  };
}

/** Numbers in the payload of user-space events, without lengths of arrays. */
function numbersOf({ experiment }: LayerTrace, events: readonly string[]): NumberField[] {
  const fields = new Map<string, NumberField>();
  for (const { domain, model } of experiment.traces) {
    if (domain === 'kernel') continue;
    for (const eventClass of model.streams.flatMap(({ events }) => events))
      if (events.includes(eventClass.name ?? ''))
        for (const field of numbersOfClass(eventClass))
          if (!fields.has(field.name)) fields.set(field.name, field);
  }
  return [...fields.values()].slice(0, MOST_NUMBERS);
}

function numbersOfClass({ payload }: EventClass): NumberField[] {
  const members = payload?.members ?? [];
  const lengths = new Set(
    members.flatMap(({ type }) =>
      type.kind === 'array' && typeof type.length !== 'number' && type.length.scope === 'event-payload'
        ? [type.length.steps[0]]
        : [],
    ),
  );
  return members.flatMap(({ name, type }, index) =>
    type.kind === 'integer' && !lengths.has(index) ? [{ name, isSigned: type.signed }] : [],
  );
}

function switchesOf(
  trace: LayerTrace,
  definitions: readonly ReadDefinition[],
  counted: readonly Counted[],
): Switches {
  const delimiting = new Set(definitions.flatMap(({ begins, ends }) => [...begins, ...ends]));
  const events = trace.events.map(({ name }) => name);
  const inThreads = new Set(
    counted.flatMap((kind) => countedEvents(kind, trace.events, (event) => Number(events.includes(event)))),
  );
  const ofKernel = new Set(
    trace.experiment.traces.filter(({ domain }) => domain === 'kernel').flatMap(({ model }) => model.streams),
  );
  const isOfKernel: IsRead = ({ name = '' }, stream) =>
    ofKernel.has(stream) && (delimiting.has(name) || inThreads.has(name));
  return switchesFor(
    trace,
    ({ name = '' }, stream) => !ofKernel.has(stream) && delimiting.has(name),
    isOfKernel,
  );
}
