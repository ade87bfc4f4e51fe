/** Definitions of plots, which show an event field's number over time: plain data, stored, and part of the analysis's id. */
import { EVENT_KINDS, type EventKind, firstName, isPerfName } from '../../trace/event-kinds.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { PlotUnit } from './plot-values.ts';

/** Source of a plot's numbers. */
export interface PlotSource {
  /** Names of events; if several are recorded, only the first is read, as they tell the same. */
  readonly events: readonly string[];
  /** Field with the number: an integer of payload or context. */
  readonly field: string;
  /** Field that distinguishes rows; `BY_CPU`: the CPU of the event; '': there is one row. */
  readonly by: string;
  /** Constant number of the event in place of the field. */
  readonly tells?: number;
}

export interface PlotDefinition extends PlotSource {
  /** Name of its rows; `{}` stands for the distinguishing value. */
  readonly name: string;
  /** Other events that tell the same numbers at other times. */
  readonly more?: readonly PlotSource[];
  /** Whether rows are distinguished by a thread's number on the host, and each is below its thread. */
  readonly isOfThreads?: boolean;
  /** Whether each number replaces the one before, or is added to it. */
  readonly change: 'set' | 'add';
  /** Factor that converts numbers to `unit`. */
  readonly factor: number;
  readonly unit: PlotUnit;
  /** Numbers that end the value. */
  readonly ends: readonly number[];
  /** Events in which this field has another value are left out. */
  readonly where?: { readonly field: string; readonly is: number };
  /** Event that names the values of the field `by`. */
  readonly names?: { readonly event: string; readonly key: string; readonly name: string };
}

/** Value of `PlotDefinition.by` for the CPU; no field has this name. */
export const BY_CPU = '(CPU)';

/** Plots that are read at most. */
export const MOST_PLOTS = 64;

const SECTOR = 512;
/** State in `power_cpu_idle` for a CPU that is no longer idle, for either sign of its field. */
const NOT_IDLE = [0xffff_ffff, -1];

const plain = { change: 'set', factor: 1, unit: 'number', ends: [] } as const;
const bytes = { change: 'add', factor: 1, unit: 'bytes per second', ends: [] } as const;

/** Plots of kernel events, shown wherever these are recorded. */
export const KERNEL_PLOTS: readonly PlotDefinition[] = [
  {
    ...plain,
    name: 'CPU {} frequency',
    events: EVENT_KINDS.frequency.events,
    field: 'state',
    by: 'cpu_id',
    factor: 1000,
    unit: 'hertz',
  },
  {
    ...plain,
    name: 'CPU {} idle state',
    events: EVENT_KINDS['idle-state'].events,
    field: 'state',
    by: 'cpu_id',
    ends: NOT_IDLE,
  },
  {
    ...bytes,
    name: 'Disk {}',
    events: EVENT_KINDS['request-complete'].events,
    field: 'nr_sector',
    by: 'dev',
    factor: SECTOR,
    names: { event: firstName('disk-dump'), key: 'dev', name: 'diskname' },
  },
  {
    ...bytes,
    name: 'Sent by {}',
    events: EVENT_KINDS['bytes-sent'].events,
    field: 'len',
    by: 'name',
    where: { field: 'rc', is: 0 },
  },
  {
    ...bytes,
    name: 'Received by {}',
    events: EVENT_KINDS['bytes-received'].events,
    field: 'len',
    by: 'name',
  },
];

/** Plots of counters under the event names that importers give them. */
export const COUNTER_PLOTS: readonly PlotDefinition[] = [
  { ...plain, name: '{}', events: ['perfetto:counter'], field: 'value', by: 'name' },
  { ...plain, name: '{}', events: EVENT_KINDS.counter.events, field: 'value', by: 'name' },
  { ...plain, name: '{}', events: ['perfetto:fraction'], field: 'thousandths', by: 'name', factor: 0.001 },
];

/** A source for each event of some kinds, grouped by its name of the thread number: those of perf come last. */
function sourcesByThread(
  kinds: readonly EventKind[],
  source: (id: 'tid' | 'pid') => Omit<PlotSource, 'events'>,
): PlotSource[] {
  const names = kinds.flatMap((kind): readonly string[] => EVENT_KINDS[kind].events);
  const sources = (isOfPerf: boolean) =>
    names
      .filter((name) => isPerfName(name) === isOfPerf)
      .map((name) => ({ events: [name], ...source(isOfPerf ? 'pid' : 'tid') }));
  return [...sources(false), ...sources(true)];
}

/** Priority that no thread has. */
const NO_PRIORITY = 0x7fff_ffff;
const LEAVES = sourcesByThread(['switch'], (id) => ({ field: 'prev_prio', by: `prev_${id}` }));

/**
 * Priority of each thread by kernel events: when it leaves or enters a CPU, when it is woken, and when a lock lends
 * it another one; until it is freed. LTTng's numbers are the kernel's own, which perf has, minus 100.
 */
const PRIORITY: PlotDefinition = {
  ...plain,
  name: 'Priority',
  isOfThreads: true,
  ends: [NO_PRIORITY],
  ...LEAVES[0],
  more: [
    ...LEAVES.slice(1),
    ...sourcesByThread(['switch'], (id) => ({ field: 'next_prio', by: `next_${id}` })),
    ...sourcesByThread(['priority-lent'], (id) => ({ field: 'newprio', by: id })),
    ...sourcesByThread(['waking', 'wakeup', 'wakeup-new'], (id) => ({ field: 'prio', by: id })),
    ...sourcesByThread(['free'], (id) => ({ by: id, field: 'prio', tells: NO_PRIORITY })),
  ],
};

/** Plots read only on request: they have many events and many rows. */
export const ASKED_PLOTS: readonly PlotDefinition[] = [PRIORITY];

/** Sources of a plot's numbers, in order of precedence for one event. */
export function sourcesOf({ events, field, by, more = [] }: PlotDefinition): readonly PlotSource[] {
  return [{ events, field, by }, ...more];
}

/** Plot of an event field: its numbers, or their sum per second. */
export function fieldPlot(event: string, field: string, by: string, isSummed: boolean): PlotDefinition {
  const name = `${event}.${field}${by === '' ? '' : ', {}'}`;
  const counted = isSummed ? ({ change: 'add', unit: 'number per second' } as const) : {};
  return { ...plain, ...counted, name, events: [event], field, by };
}

/** Definitions with declared events, each source with the event that is read. @param countOf recorded events of a name */
export function resolvePlots(
  definitions: readonly PlotDefinition[],
  shapes: readonly EventShape[],
  countOf: (event: string) => number,
): PlotDefinition[] {
  const declared = new Set(shapes.map(({ name }) => name));
  const resolved = (source: PlotSource): PlotSource[] => {
    const known = source.events.filter((event) => declared.has(event));
    const event = known.find((name) => countOf(name) > 0) ?? known[0];
    return event === undefined ? [] : [{ ...source, events: [event] }];
  };
  return definitions.slice(0, MOST_PLOTS).flatMap((definition) => {
    const [first, ...more] = sourcesOf(definition).flatMap(resolved);
    return first === undefined ? [] : [{ ...definition, ...first, ...(definition.more && { more }) }];
  });
}
