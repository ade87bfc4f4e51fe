/**
 * Idle states of CPUs: which one a CPU was in, and when it left it, as the events of its idle loop say. The state history
 * only has that the CPU was idle, and few ask, so it is read on demand.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addTo } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { HostNs } from '../../base/units.ts';
import { lastTime, losesBefore, losesWithin, missingSince } from '../../ctf/decode/rows/rows.ts';
import { kernelKind } from '../events/kernel-events.ts';
import { placesOf, RowReader } from '../events/row-reader.ts';

/** The CPU is in no idle state: the kernel says so by the greatest number, or -1. */
export const IDLE_LEFT = -1;
/** Events were lost: the state is not known. */
const IDLE_LOST = -2;

interface IdleChange {
  readonly host: number;
  readonly cpu: number;
  readonly time: HostNs;
  /** Number of the state, IDLE_LEFT or IDLE_LOST. */
  readonly state: number;
}

/** A time from which on a CPU is in another state. */
export interface IdleSpan {
  readonly from: HostNs;
  readonly to: HostNs;
  /** IDLE_LEFT: in none any more; undefined: not known. */
  readonly state: number | undefined;
}

/** Idle states of the CPUs of all hosts. */
export class IdleStates {
  readonly #changes = new Map<string, IdleChange[]>();

  constructor(changes: readonly IdleChange[]) {
    for (const change of changes) addTo(this.#changes, `${change.host} ${change.cpu}`, change);
    for (const ofCpu of this.#changes.values()) ofCpu.sort((a, b) => a.time - b.time);
  }

  /** Spans that tile [from, to) on a CPU. */
  within(host: number, cpu: number, from: HostNs, to: HostNs): IdleSpan[] {
    const changes = this.#changes.get(`${host} ${cpu}`) ?? [];
    const spans: IdleSpan[] = [];
    let next = firstWhere(0, changes.length, (i) => changes[i].time > from);
    for (let at = from; at < to; next++) {
      const end = Math.min(to, changes.at(next)?.time ?? to);
      const state = next === 0 ? IDLE_LOST : changes[next - 1].state;
      if (at < end) spans.push({ from: at, to: end, state: state === IDLE_LOST ? undefined : state });
      at = end;
    }
    return spans;
  }
}

export const idleStates: Analysis<readonly IdleChange[], IdleStates> = {
  id: 'idle-states',
  version: 1,
  reads: { kinds: [kernelKind('idle-state', 'cpu_id', 'state')] },
  map: (batch) => (batch.domain === 'kernel' ? changeReader(batch.plan)(batch) : []),
  merge: (leaves) => leaves.flat(),
  empty: [],
  finish: (changes) => new IdleStates(changes),
};

const changeReader = cachedByKey((plan: ProjectionPlan) => {
  const kind = plan.kind('idle-state');
  const { cpu_id, state } = placesOf(plan, 'idle-state', ['cpu_id', 'state']);
  const reader = new RowReader();
  return ({ rows, packets, chunk: { host }, cpu: own }: EventBatch): IdleChange[] => {
    reader.open(rows);
    const changes: IdleChange[] = [];
    const lose = (time: HostNs) => {
      if (!Number.isNaN(time)) changes.push({ host, cpu: own, time, state: IDLE_LOST });
    };
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) lose(missingSince(packets, packet));
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
        if (rows.kind[row] !== kind) continue;
        const cpu = reader.has(row, cpu_id) ? reader.int(row, cpu_id) : own;
        const told = reader.has(row, state) ? Math.max(IDLE_LEFT, reader.int(row, state)) : IDLE_LOST;
        changes.push({ host, cpu, time: rows.time[row], state: told });
      }
      if (losesWithin(packets, packet)) lose(lastTime(packets, packet));
    }
    reader.close();
    return changes;
  };
});
