/** Definitions of plots, events whose field gives a number over time: plain data, stored, and part of the analysis's id. */
import { EVENT_KINDS, type EventKind, firstName, isPerfName } from '../../trace/event-kinds.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { PlotUnit } from './plot-values.ts';

/** Source of a plot's numbers. */
export interface PlotSource {
  /** Names of events; of several that are recorded the first alone is read: they tell the same. */
  readonly events: readonly string[];
  /** Field with the number: an integer of payload or context. */
  readonly field: string;
  /** Field by which rows are distinguished, `BY_CPU`: the CPU of the event; '': there is one row. */
  readonly by: string;
  /** Number that the event tells whatever its field has. */
  readonly tells?: number;
}

export interface PlotDefinition extends PlotSource {
  /** Name of its rows; `{}` stands for what distinguishes them. */
  readonly name: string;
  /** Other events that tell the same numbers at other times. */
  readonly more?: readonly PlotSource[];
  /** True: a thread's number on the host distinguishes its rows, and each stands below its thread. */
  readonly isOfThreads?: boolean;
  /** Each number replaces the one before, or is added to it. */
  readonly change: 'set' | 'add';
  /** Numbers are multiplied by it, to be in `unit`. */
  readonly factor: number;
  readonly unit: PlotUnit;
  /** Numbers after which there is no value. */
  readonly ends: readonly number[];
  /** Events in which this field has another value are left out. */
  readonly where?: { readonly field: string; readonly is: number };
  /** Event that names what the field `by` distinguishes. */
  readonly names?: { readonly event: string; readonly key: string; readonly name: string };
}

/** Value of `PlotDefinition.by`; no field is called so. */
export const BY_CPU = '(CPU)';

/** More are not read. */
export const MOST_PLOTS = 64;

const SECTOR = 512;
/** `power_cpu_idle` says so when the CPU is idle no more; whichever sign its field has. */
const NOT_IDLE = [0xffff_ffff, -1];

const plain = { change: 'set', factor: 1, unit: 'number', ends: [] } as const;
const bytes = { change: 'add', factor: 1, unit: 'bytes per second', ends: [] } as const;

/** Plots of the kernel's events wherever they are recorded. */
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

/** Plots of counters as importers of other recorders' files call their events. */
export const COUNTER_PLOTS: readonly PlotDefinition[] = [
  { ...plain, name: '{}', events: ['perfetto:counter'], field: 'value', by: 'name' },
  { ...plain, name: '{}', events: EVENT_KINDS.counter.events, field: 'value', by: 'name' },
  { ...plain, name: '{}', events: ['perfetto:fraction'], field: 'thousandths', by: 'name', factor: 0.001 },
];

/** A source for each event of some kinds, by what it calls the number of a thread: those of perf come last. */
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

/** No thread has it. */
const NO_PRIORITY = 0x7fff_ffff;
const LEAVES = sourcesByThread(['switch'], (id) => ({ field: 'prev_prio', by: `prev_${id}` }));

/**
 * The priority of each thread as the kernel's events tell it: when it leaves a CPU and comes to one, when it is woken, and
 * when a lock lends it another one, until it is freed. LTTng's numbers are 100 less than the kernel's own, which perf has.
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

/** Plots that are read when somebody asks for them alone: they have many events, and many rows. */
export const ASKED_PLOTS: readonly PlotDefinition[] = [PRIORITY];

/** Sources of a plot's numbers, in the order in which those of one event count. */
export function sourcesOf({ events, field, by, more = [] }: PlotDefinition): readonly PlotSource[] {
  return [{ events, field, by }, ...more];
}

/** The plot of a field of an event: its numbers as they are, or their sum per second. */
export function fieldPlot(event: string, field: string, by: string, isSummed: boolean): PlotDefinition {
  const name = `${event}.${field}${by === '' ? '' : ', {}'}`;
  const counted = isSummed ? ({ change: 'add', unit: 'number per second' } as const) : {};
  return { ...plain, ...counted, name, events: [event], field, by };
}

/** Definitions whose events are declared, each source with the one that is read. @param countOf recorded events of a name */
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
