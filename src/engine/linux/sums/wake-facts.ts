/**
 * Facts about wake-ups that the state history does not have and that are rarely needed, so they are read on demand:
 * idle states of CPUs, and on which CPU a woken thread was queued and when. Between `sched_waking` and `sched_wakeup`
 * the history has the CPU on which the thread ran last.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { trimmed, widen } from '../../base/columns.ts';
import { byHost } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { f64, i32, joinTables, noRows, type Table, u8 } from '../../base/tables.ts';
import type { HostNs } from '../../base/units.ts';
import { lastTime, losesBefore, losesWithin, missingSince } from '../../ctf/decode/rows/rows.ts';
import { kernelKind } from '../events/kernel-events.ts';
import { placesOf, RowReader } from '../events/row-reader.ts';

/** The CPU is in no idle state: the kernel's number is the greatest one, or -1. */
const IDLE_LEFT = -1;
/** Events were lost: the state is not known. */
const IDLE_LOST = -2;

const OF_IDLE = 0;
const OF_WAKEUP = 1;

const FACTS = {
  /** HostNs. */
  time: f64(),
  /** OF_*. */
  kind: u8(),
  /** Number of the CPU that changes its idle state; tid that was woken. */
  subject: i32(),
  /** Number of the idle state, IDLE_LEFT or IDLE_LOST; number of the CPU that the thread is put on. */
  value: i32(),
};

interface FactPart {
  readonly host: number;
  readonly facts: Table<typeof FACTS>;
}

/** Times in order, and the value from each of them on. */
interface Changes {
  readonly times: number[];
  readonly values: number[];
}

interface IdleSpan {
  readonly from: HostNs;
  readonly to: HostNs;
  /** -1: the CPU had left its idle state; undefined: not known. */
  readonly state: number | undefined;
}

/** Facts of one host. */
export class WakeFacts {
  readonly host: number;
  readonly #idle = new Map<number, Changes>();
  readonly #wakeups = new Map<number, Changes>();

  constructor(host: number, parts: readonly FactPart[]) {
    this.host = host;
    const facts = parts.map((part) => part.facts);
    const { time, kind, subject, value } = joinTables(FACTS, facts);
    for (const row of stableOrder(time)) {
      const ofKind = kind[row] === OF_IDLE ? this.#idle : this.#wakeups;
      const known = ofKind.get(subject[row]) ?? { times: [], values: [] };
      ofKind.set(subject[row], known);
      known.times.push(time[row]);
      known.values.push(value[row]);
    }
  }

  /** Spans that tile [from, to) on a CPU. */
  idleWithin(cpu: number, from: HostNs, to: HostNs): IdleSpan[] {
    const { times, values } = this.#idle.get(cpu) ?? { times: [], values: [] };
    const spans: IdleSpan[] = [];
    let next = firstWhere(0, times.length, (i) => times[i] > from);
    for (let at = from; at < to; next++) {
      const end = Math.min(to, times.at(next) ?? to);
      const state = next === 0 ? IDLE_LOST : values[next - 1];
      if (at < end) spans.push({ from: at, to: end, state: state === IDLE_LOST ? undefined : state });
      at = end;
    }
    return spans;
  }

  /** First time within [from, to) at which a thread was queued on a CPU, and that CPU; undefined: not known. */
  queuedWithin(
    tid: number,
    from: HostNs,
    to: HostNs,
  ): { readonly time: HostNs; readonly cpu: number } | undefined {
    const { times, values } = this.#wakeups.get(tid) ?? { times: [], values: [] };
    const first = firstWhere(0, times.length, (i) => times[i] >= from);
    return first < times.length && times[first] < to ? { time: times[first], cpu: values[first] } : undefined;
  }
}

export const wakeFacts: Analysis<readonly FactPart[], readonly WakeFacts[]> = {
  id: 'wake-facts',
  version: 1,
  reads: { kinds: [kernelKind('idle-state', 'cpu_id', 'state'), kernelKind('wakeup', 'tid', 'target_cpu')] },
  map: (batch) => (batch.domain === 'kernel' ? [factReader(batch.plan)(batch)] : []),
  merge: (chunkResults) => chunkResults.flat(),
  empty: [],
  finish: (parts) => byHost(parts).map(([host, own]) => new WakeFacts(host, own)),
};

const factReader = cachedByKey((plan: ProjectionPlan) => {
  const [idle, wakeup] = [plan.kind('idle-state'), plan.kind('wakeup')];
  const { cpu_id, state } = placesOf(plan, 'idle-state', ['cpu_id', 'state']);
  const { tid, target_cpu } = placesOf(plan, 'wakeup', ['tid', 'target_cpu']);
  const reader = new RowReader();
  return ({ rows, packets, chunk: { host }, cpu: own }: EventBatch): FactPart => {
    reader.open(rows);
    const facts = noRows(FACTS);
    let length = 0;
    const add = (time: HostNs, kind: number, subject: number, value: number): void => {
      if (Number.isNaN(time)) return;
      if (length === facts.time.length) widen(facts);
      facts.time[length] = time;
      facts.kind[length] = kind;
      facts.subject[length] = subject;
      facts.value[length++] = value;
    };
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) add(missingSince(packets, packet), OF_IDLE, own, IDLE_LOST);
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
        const time = rows.time[row];
        if (rows.kind[row] === wakeup && reader.int(row, target_cpu) >= 0)
          add(time, OF_WAKEUP, reader.int(row, tid), reader.int(row, target_cpu));
        if (rows.kind[row] !== idle) continue;
        const cpu = reader.has(row, cpu_id) ? reader.int(row, cpu_id) : own;
        const value = reader.has(row, state) ? Math.max(IDLE_LEFT, reader.int(row, state)) : IDLE_LOST;
        add(time, OF_IDLE, cpu, value);
      }
      if (losesWithin(packets, packet)) add(lastTime(packets, packet), OF_IDLE, own, IDLE_LOST);
    }
    reader.close();
    return { host, facts: trimmed(facts, length) };
  };
});
