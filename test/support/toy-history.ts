/**
 * A second history of a host, beside the kernel's: which switch of the host each CPU made last. Switches are numbered in
 * the total order, so that each value is another one, and all of them change with the order.
 */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { HistoryAnalysis, TransitionLeaf } from '../../src/engine/analysis/contract.ts';
import { earliestTime } from '../../src/engine/ctf/decode/rows.ts';
import type { HistorySink } from '../../src/engine/history/types.ts';

interface SwitchLeaf extends TransitionLeaf {
  readonly cpu: Int32Array;
}

export interface SwitchTables {
  readonly switches: number;
  /** By CPU, in order of its first switch. */
  readonly attributes: readonly { readonly cpu: number; readonly attribute: number }[];
  /** TimeNs of the last switch; what is told ends there. */
  readonly end: number;
}

const MEANING = 'toy-switch';

const switches: HistoryAnalysis<SwitchLeaf, HistorySink, SwitchTables> = {
  id: 'toy-switches',
  version: 1,
  reads: { meanings: [{ meaning: MEANING, events: ['sched_switch'], fields: {} }] },
  map({ rows, packets, plan }) {
    const meaning = plan.meaning(MEANING);
    const time = new Float64Array(rows.length);
    const cpu = new Int32Array(rows.length);
    let length = 0;
    let key = -Infinity;
    for (let packet = 0; packet < packets.length; packet++) {
      const earliest = earliestTime(packets, packet);
      if (earliest > key) key = earliest;
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
        if (rows.time[row] > key) key = rows.time[row];
        if (rows.meaning[row] !== meaning) continue;
        time[length] = key;
        cpu[length++] = packets.cpu[packet];
      }
    }
    return { length, time, cpu };
  },
  reducer(sink) {
    // The kernel's history has attributes of these names too.
    const attributes = new Map<number, number>();
    const attributeOf = (cpu: number): number => {
      const known = attributes.get(cpu) ?? sink.attribute(['cpus', `${cpu}`, 'state'], 'id');
      attributes.set(cpu, known);
      return known;
    };
    let count = 0;
    let end = -Infinity;
    const soFar = (): SwitchTables => {
      return {
        switches: count,
        attributes: Array.from(attributes, ([cpu, attribute]) => ({ cpu, attribute })),
        end,
      };
    };
    return {
      run(leaf, from, to) {
        for (let i = from; i < to; i++) {
          end = leaf.time[i];
          sink.moveTo(end);
          sink.set(attributeOf(leaf.cpu[i]), count++);
        }
      },
      advance: () => undefined,
      soFar,
      finish: soFar,
    };
  },
};

export const toySwitches = switches as unknown as AnyAnalysis;
