/**
 * A second history of a host, beside the kernel's: which event of a name each CPU had last. They are numbered in the
 * total order, so that each value is another one, and all of them change with the order.
 */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { HistoryAnalysis, TransitionLeaf } from '../../src/engine/analysis/contract.ts';
import { earliestTime } from '../../src/engine/ctf/decode/rows.ts';
import type { HistorySink } from '../../src/engine/history/types.ts';

interface ToyLeaf extends TransitionLeaf {
  readonly cpu: Int32Array;
}

export interface ToyTables {
  readonly events: number;
  /** By CPU, in order of its first event. */
  readonly attributes: readonly { readonly cpu: number; readonly attribute: number }[];
  /** TimeNs of the last event, where the history ends. */
  readonly end: number;
}

export function toyHistory(event: string): AnyAnalysis {
  const name = `toy ${event}`;
  const analysis: HistoryAnalysis<ToyLeaf, HistorySink, ToyTables> = {
    id: name,
    version: 1,
    reads: { meanings: [{ meaning: name, events: [event], fields: {} }] },
    map({ rows, packets, plan }) {
      const meaning = plan.meaning(name);
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
      const soFar = (): ToyTables => {
        return {
          events: count,
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
  return analysis as unknown as AnyAnalysis;
}

export const toySwitches = toyHistory('sched_switch');
