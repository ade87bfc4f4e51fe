/**
 * Priorities with which threads came to a CPU, from switches. The state history does not have them, and they are
 * rarely needed, so they are read on demand.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { byHost } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { trimmed } from '../../base/columns.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { f64, i32, joinTables, type Table, tableOf } from '../../base/tables.ts';
import type { HostNs } from '../../base/units.ts';
import { isKind, isPerfName } from '../../trace/event-kinds.ts';
import { kernelKind } from '../events/kernel-events.ts';
import { placesOf, RowReader } from '../events/row-reader.ts';

const SWITCHES = {
  /** HostNs. */
  time: f64(),
  tid: i32(),
  /** Priority as in LTTng: 0 to 39 are nice values from -20 on, lower ones are real time and deadlines. */
  priority: i32(),
};

/** The switches of a chunk. */
interface SwitchPart {
  readonly host: number;
  readonly switches: Table<typeof SWITCHES>;
}

/** Offset of the kernel's own numbers, which perf has and which count from the highest real-time priority. */
const PERF_OFFSET = 100;

/** Priorities of one host's threads. */
export class Priorities {
  readonly host: number;
  /** Times at which a thread's priority changed, and new values, by tid. */
  readonly #changes = new Map<number, { readonly times: number[]; readonly values: number[] }>();

  constructor(host: number, parts: readonly SwitchPart[]) {
    this.host = host;
    const switches = parts.map((part) => part.switches);
    const { time, tid, priority } = joinTables(SWITCHES, switches);
    for (const i of stableOrder(time)) this.#add(tid[i], time[i], priority[i]);
  }

  /** Priority with which a thread came to a CPU at this time; undefined: not known. */
  at(tid: number, time: HostNs): number | undefined {
    const { times, values } = this.#changes.get(tid) ?? { times: [], values: [] };
    const behind = firstWhere(0, times.length, (i) => times[i] > time);
    return behind === 0 ? undefined : values[behind - 1];
  }

  /** Whether a thread came to a CPU at this time with a real-time priority or a deadline; false also if not known. */
  isRealTime(tid: number, time: HostNs): boolean {
    const priority = this.at(tid, time);
    return priority !== undefined && priority < 0;
  }

  #add(tid: number, time: number, priority: number): void {
    const known = this.#changes.get(tid) ?? { times: [], values: [] };
    this.#changes.set(tid, known);
    if (known.values.at(-1) === priority) return;
    known.times.push(time);
    known.values.push(priority);
  }
}

export const priorities: Analysis<readonly SwitchPart[], readonly Priorities[]> = {
  id: 'priorities',
  version: 1,
  reads: { kinds: [kernelKind('switch', 'next_tid', 'next_prio')] },
  map: (batch) => (batch.domain === 'kernel' ? [switchReader(batch.plan)(batch)] : []),
  merge: (chunkResults) => chunkResults.flat(),
  empty: [],
  finish: (parts) => byHost(parts).map(([host, own]) => new Priorities(host, own)),
};

const switchReader = cachedByKey((plan: ProjectionPlan) => {
  const kind = plan.kind('switch');
  const { next_tid, next_prio } = placesOf(plan, 'switch', ['next_tid', 'next_prio']);
  const reader = new RowReader();
  return ({ rows, eventClasses, chunk }: EventBatch): SwitchPart => {
    reader.open(rows);
    const offset = eventClasses.some(({ name = '' }) => isKind('switch', name) && isPerfName(name))
      ? PERF_OFFSET
      : 0;
    const switches = tableOf(SWITCHES, rows.length);
    let length = 0;
    for (let row = 0; row < rows.length; row++) {
      if (rows.kind[row] !== kind || !reader.has(row, next_prio)) continue;
      switches.time[length] = rows.time[row];
      switches.tid[length] = reader.int(row, next_tid);
      switches.priority[length++] = reader.int(row, next_prio) - offset;
    }
    reader.close();
    return { host: chunk.host, switches: trimmed(switches, length) };
  };
});
