/**
 * A layer for tests: the spans from each event of a name to the next one on the same CPU, numbered in the total order, as
 * states and, in attributes of their own, as ids. All of them change with the order.
 */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { HistoryAnalysis, TransitionChunk } from '../../src/engine/analysis/contract.ts';
import { earliestTime } from '../../src/engine/ctf/decode/rows/rows.ts';
import type { HistorySink } from '../../src/engine/history/types.ts';
import { type Layer, settingsId } from '../../src/engine/layers/contract/layer.ts';
import { spanScheme, spanValue, textOf } from '../../src/engine/layers/contract/span-values.ts';

interface BeatChunk extends TransitionChunk {
  readonly cpu: Int32Array;
}

export interface BeatTables {
  /** In order of the first beat. */
  readonly cpus: readonly BeatCpu[];
  readonly beats: number;
  /** HostNs of the last beat. */
  readonly end: number;
}

interface BeatCpu {
  readonly cpu: number;
  readonly attribute: number;
  /** Attribute of ids. */
  readonly number: number;
  readonly first: number;
}

interface BeatSettings {
  readonly event: string;
}

/** What is found and wanted is the name of an event. */
export const toyLayer: Layer<string | undefined, string, BeatSettings, BeatTables> = {
  id: 'beats',
  title: 'Beat',
  schemes: { beats: spanScheme },
  tables: [],
  find: ({ countOf }) => ['sched_switch', 'job:begin'].find((event) => countOf(event) > 0),
  first: (found) => found,
  settings: (_, event) => ({ event }),
  analysis,
  // The first CPU has a row below its own, others are in a group.
  rows: ({ event }, { cpus }) =>
    cpus.map(({ cpu, attribute, first }) => ({
      key: String(cpu),
      name: `${event} ${cpu}`,
      attribute,
      subject: event,
      below: cpu === 0 ? { tid: -2, ns: 0, pid: -1, process: '' } : 'Beats',
      first,
    })),
  interval: (value, text) => ({ text: text(textOf(value)), hasEnd: true }),
};

/** The history alone, beside others in one run. */
export function beatsOf(event: string): AnyAnalysis {
  return analysis({ event }) as AnyAnalysis;
}

function analysis(settings: BeatSettings): HistoryAnalysis<BeatChunk, HistorySink, BeatTables> {
  return {
    id: settingsId('beats', settings),
    version: 1,
    reads: { kinds: [{ kind: 'beat', events: [settings.event], fields: {} }] },
    map({ rows, packets, plan }) {
      const kind = plan.kind('beat');
      const time: number[] = [];
      const cpu: number[] = [];
      let now = -Infinity;
      for (let packet = 0; packet < packets.length; packet++) {
        now = Math.max(now, earliestTime(packets, packet));
        for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
          now = Math.max(now, rows.time[row]);
          if (rows.kind[row] !== kind) continue;
          time.push(now);
          cpu.push(packets.cpu[packet]);
        }
      }
      return { length: time.length, time: Float64Array.from(time), cpu: Int32Array.from(cpu) };
    },
    reducer(sink) {
      const cpus = new Map<number, BeatCpu>();
      let beats = 0;
      let end = -Infinity;
      const tables = (): BeatTables => ({ cpus: [...cpus.values()], beats, end });
      const addCpu = (cpu: number): BeatCpu => {
        const attribute = sink.attribute(['beats', `${cpu}`], 'state');
        // The kernel's history has attributes of these names too.
        const number = sink.attribute(['cpus', `${cpu}`, 'state'], 'id');
        const added = { cpu, attribute, number, first: end };
        cpus.set(cpu, added);
        return added;
      };
      return {
        run({ time, cpu }, from, to) {
          for (let i = from; i < to; i++) {
            end = time[i];
            sink.moveTo(end);
            const { attribute, number } = cpus.get(cpu[i]) ?? addCpu(cpu[i]);
            sink.set(number, beats);
            sink.set(attribute, spanValue(3, beats % 2, sink.string(`beat ${beats++}`)));
          }
        },
        advance: () => undefined,
        soFar: tables,
        finish: tables,
      };
    },
  };
}
