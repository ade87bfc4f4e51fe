/** The kernel state of a few batches in one go: map, merge in the total order, reduce into a history in memory. */
import { callOf } from '../../src/engine/trace/event-kinds.ts';
import type { EventBatch, ReducedHost } from '../../src/engine/analysis/contract.ts';
import { overrule, type Overrules } from '../../src/engine/history/interval-cursor.ts';
import type { HistoryQuery } from '../../src/engine/history/query-types.ts';
import type {
  Attribute,
  AttributeFamily,
  AttributeKind,
  HistorySink,
} from '../../src/engine/history/types.ts';
import type { CheckedHistory } from '../../src/engine/linux/states/read/check.ts';
import { lateIntervals } from '../../src/engine/linux/states/read/late-intervals.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import {
  type KernelTables,
  meantCpuValue,
  meantThreadValue,
  type StateTables,
} from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { STATE_BLOCKED_S, STATE_PARKED, stateOf } from '../../src/engine/linux/events/values.ts';
import type { StateChunk } from '../../src/engine/linux/states/map/transitions.ts';

interface MemoryInterval {
  readonly from: number;
  to: number;
  value: number;
}

/** A history that keeps every interval as an object. */
export interface MemoryHistory extends HistorySink {
  readonly attributes: readonly Attribute[];
  readonly texts: readonly string[];
  /** Intervals of the attribute at a path such as `threads/12/state`, ended at `close`. */
  intervals(path: string): readonly MemoryInterval[];
  /** Ends all at `end`, and gives those of threads the values that they turned out to have. */
  close(end: number, tables?: StateTables): void;
}

export function memoryHistory(): MemoryHistory {
  const attributes: Attribute[] = [];
  const families: AttributeFamily[] = [];
  const byPath = new Map<string, number>();
  const texts: string[] = [];
  const byText = new Map<string, number>();
  const lists: MemoryInterval[][] = [];
  const open: (MemoryInterval | undefined)[] = [];
  let now = -Infinity;

  function moveTo(time: number): void {
    if (!(time >= now)) throw new Error(`time goes back from ${now} to ${time}`);
    now = time;
  }

  function put(attribute: number, value: number | undefined): void {
    const time = now;
    const current = open[attribute];
    if (current !== undefined && value === current.value) return;
    if (current !== undefined) finishInterval(attribute, current, time);
    open[attribute] = value === undefined ? undefined : { from: time, to: Infinity, value };
    const last = lists[attribute].at(-1);
    if (last !== undefined && last.to === time && last.value === value) {
      open[attribute] = last;
      lists[attribute].pop();
    }
  }

  function finishInterval(attribute: number, interval: MemoryInterval, time: number): void {
    if (interval.from === time) return;
    interval.to = time;
    lists[attribute].push(interval);
  }

  function attributeOf(path: readonly string[], kind: AttributeKind): number {
    const key = path.join('/');
    let id = byPath.get(key);
    if (id === undefined) {
      id = attributes.push({ id: attributes.length, path, kind }) - 1;
      byPath.set(key, id);
      lists.push([]);
      open.push(undefined);
    }
    return id;
  }

  return {
    attributes,
    texts,
    attribute: attributeOf,
    family: (family) => families.push(family) - 1,
    member: (family, first, second) =>
      attributeOf(families[family].pathOf(first, second), families[family].kind),
    string(text) {
      let index = byText.get(text);
      if (index === undefined) {
        index = texts.push(text) - 1;
        byText.set(text, index);
      }
      return index;
    },
    moveTo,
    set: put,
    settle(attribute, past, value) {
      const current = open[attribute];
      if (current !== undefined) current.value = past;
      put(attribute, value);
    },
    end: (attribute) => put(attribute, undefined),
    intervals(path) {
      const id = byPath.get(path);
      return id === undefined ? [] : lists[id];
    },
    close(end, tables) {
      const rulesOf = tables === undefined ? () => undefined : lateIntervals(tables).overrules;
      open.forEach((current, attribute) => {
        if (current !== undefined) finishInterval(attribute, current, end);
        open[attribute] = undefined;
        const rules = rulesOf(attribute);
        if (rules !== undefined)
          lists[attribute] = joined(lists[attribute].flatMap((one) => overruled(one, rules)));
      });
    },
  };
}

/** The parts of an interval by the values that hold in them. */
function overruled(interval: MemoryInterval, rules: Overrules): MemoryInterval[] {
  const parts: MemoryInterval[] = [];
  for (let begin = interval.from; begin < interval.to;) {
    const part = { begin, end: interval.to, value: interval.value };
    overrule(rules, part);
    parts.push({ from: begin, to: part.end, value: part.value });
    begin = part.end;
  }
  return parts;
}

/** Neighbours that are alike are one, but for waits. */
function joined(parts: readonly MemoryInterval[]): MemoryInterval[] {
  const found: MemoryInterval[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    const isWait = stateOf(part.value) >= STATE_BLOCKED_S && stateOf(part.value) <= STATE_PARKED;
    if (last !== undefined && !isWait && last.to === part.from && last.value === part.value)
      last.to = part.to;
    else found.push(part);
  }
  return found;
}

export interface StateRun {
  readonly history: MemoryHistory;
  readonly tables: KernelTables;
}

/** `end`: default the last event. Each batch is mapped before the next one is asked for. */
export function runStates(
  batches: Iterable<EventBatch>,
  host: Partial<ReducedHost> = {},
  end?: number,
): StateRun {
  const history = memoryHistory();
  const tables = reduceInto(history, batches, host, end);
  history.close(tables.end, tables);
  return { history, tables };
}

/** The same into any history. */
export function reduceInto(
  sink: HistorySink,
  batches: Iterable<EventBatch>,
  host: Partial<ReducedHost> = {},
  end?: number,
): KernelTables {
  const chunkResults: { batch: Pick<EventBatch, 'streamRank'>; chunkResult: StateChunk }[] = [];
  let hasWaking = false;
  let tellsQueues = false;
  let recordsCalls = false;
  for (const batch of batches) {
    const { streamRank } = batch;
    chunkResults.push({ batch: { streamRank }, chunkResult: kernelState.map(batch) });
    const declares = (...names: string[]) => batch.eventClasses.some(({ name = '' }) => names.includes(name));
    hasWaking ||= declares('sched_waking');
    recordsCalls ||= batch.eventClasses.some(({ name = '' }) => callOf(name) !== '');
    tellsQueues ||= declares('sched_wakeup', 'sched_migrate_task');
  }
  const reducer = kernelState.reducer(sink, {
    index: 0,
    name: 'test',
    kernelRelease: '6.1.0',
    cpus: [],
    hasWaking,
    tellsQueues,
    recordsCalls,
    begin: 0,
    ...host,
  });
  for (const { chunkResult, from, to } of mergedRuns(chunkResults)) reducer.run(chunkResult, from, to);
  const lasts = chunkResults.flatMap(({ chunkResult }) => chunkResult.windows.map((window) => window.last));
  return reducer.finish(end ?? Math.max(...lasts));
}

/** Runs of transitions in the order (greatest time so far in the stream, stream rank, position). */
function mergedRuns(
  chunkResults: readonly { batch: Pick<EventBatch, 'streamRank'>; chunkResult: StateChunk }[],
): { chunkResult: StateChunk; from: number; to: number }[] {
  const items: { key: number; rank: number; chunkResult: StateChunk; i: number }[] = [];
  const greatest = new Map<number, number>();
  for (const { batch, chunkResult } of chunkResults) {
    const rank = batch.streamRank;
    for (let i = 0; i < chunkResult.length; i++) {
      const key = Math.max(greatest.get(rank) ?? -Infinity, chunkResult.time[i]);
      greatest.set(rank, key);
      items.push({ key, rank, chunkResult, i });
    }
  }
  // Stable: within a stream the order of the list holds.
  items.sort((a, b) => a.key - b.key || a.rank - b.rank);
  const runs: { chunkResult: StateChunk; from: number; to: number }[] = [];
  for (const { chunkResult, i } of items) {
    const last = runs.at(-1);
    if (last !== undefined && last.chunkResult === chunkResult && last.to === i) last.to = i + 1;
    else runs.push({ chunkResult, from: i, to: i + 1 });
  }
  return runs;
}

/** The finished run as `checkKernelHistory` wants it. */
export function checked(run: StateRun): CheckedHistory {
  return {
    text: (index) => run.history.texts[index],
    intervals: (attribute) =>
      Promise.resolve(meantIntervals(run, attribute).map((interval) => ({ attribute, ...interval }))),
  };
}

/** A closed history, as far as it can be asked. */
export function queryOf(run: StateRun): Pick<HistoryQuery, 'scan' | 'at'> {
  return {
    at(attribute, time) {
      const found = meantIntervals(run, attribute).find(({ from, to }) => from <= time && time < to);
      return Promise.resolve(found && { attribute, ...found });
    },
    scan(attributes, from, to, visit) {
      attributes.forEach((attribute, place) => {
        for (const { from: begin, to: end, value } of meantIntervals(run, attribute))
          if (end > from && begin < to) visit(place, { begin, end, value });
      });
      return Promise.resolve();
    },
  };
}

/** The intervals of an attribute as they are meant; those that came to mean the same are one. */
function meantIntervals({ history, tables }: StateRun, attribute: number): readonly MemoryInterval[] {
  const stored = history.intervals(history.attributes[attribute].path.join('/'));
  const meant = kindOf(tables, attribute);
  const found: MemoryInterval[] = [];
  for (const [i, { from, to, value }] of stored.entries()) {
    const last = found.at(-1);
    const isOther = i > 0 && stored[i - 1].value !== value;
    if (last !== undefined && isOther && last.to === from && last.value === meant(value)) last.to = to;
    else found.push({ from, to, value: meant(value) });
  }
  return found;
}

function kindOf(tables: KernelTables, attribute: number): (value: number) => number {
  const thread = tables.threads.stateAttribute.indexOf(attribute);
  if (thread >= 0) return (value) => meantThreadValue(tables, thread, value);
  const isCpu = tables.cpus.some(({ stateAttribute }) => stateAttribute === attribute);
  return isCpu ? (value) => meantCpuValue(tables, value) : (value) => value;
}
