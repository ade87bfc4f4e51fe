/** Which events a row of event density or of a CPU stands for, to read them from the files again. */
import { environmentOf } from '../../analysis/chunk-mapper.ts';
import { compileProjections } from '../../analysis/projection.ts';
import { cpusOfRows, EVENTS_WITH_CPU } from '../../analysis/rows-by-cpu.ts';
import type { HostNs } from '../../base/units.ts';
import { createChunkDecoder } from '../../ctf/decode/chunk-decoder.ts';
import {
  type HostEvents,
  lanesOfEvents,
  NO_LANE,
  tellsThreads,
  threadEvents,
} from '../../density/thread-events.ts';
import { hasEventCpus } from '../../trace/event-cpus.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { Experiment } from '../../trace/types.ts';
import type { EventsOfRow } from '../events-around.ts';
import type { Stretch } from '../packet-places.ts';
import { lanesOfRow, type RowLanes } from './event-density.ts';

/**
 * @param events those that were counted by lane
 * @returns undefined: the row is none of these
 */
export function eventsOfRow(
  experiment: Experiment,
  events: HostEvents | undefined,
  row: string,
): EventsOfRow | undefined {
  const [kind, host, place = ''] = row.split(':');
  if (kind === 'cpu') return eventsOfCpu(Number(host), Number(place));
  const shown = events && lanesOfRow(events, row);
  const isStream = kind === 'stream';
  if (!isStream && shown === undefined) return undefined;
  const plan = compileProjections([threadEvents.reads]);
  const wanted = new Set(isStream ? [NO_LANE] : shown?.of);
  const keys = events?.threads.keys ?? new Int32Array(0);
  return {
    host: Number(host),
    isIn: (trace, stream) =>
      isStream
        ? place === `${trace.index}.${stream}`
        : tellsThreads(experiment, trace, trace.streams[stream].streamClass),
    near: (time) => (events && shown ? stretchesNear(events, shown, time) : []),
    among(trace, stream, input) {
      if (shown === undefined) return undefined;
      const { streamClass } = trace.streams[stream];
      const request = plan.requestOf(experiment, trace, streamClass);
      const map = clockOf(trace, streamClass);
      const { rows } = createChunkDecoder(trace.model, streamClass, request, map).decode(input);
      const lanes = lanesOfEvents({ rows, plan, environment: environmentOf(trace) }, keys);
      return [...lanes.keys()].filter((event) => wanted.has(lanes[event]));
    },
  };
}

/** As packets say where they were recorded, or events themselves. */
function eventsOfCpu(host: number, cpu: number): EventsOfRow {
  return {
    host,
    isIn: (trace, stream) => trace.streams[stream].cpu === cpu || hasEventCpus(trace),
    near: () => [],
    among(trace, stream, input) {
      if (!hasEventCpus(trace)) return undefined;
      const { streamClass } = trace.streams[stream];
      const map = clockOf(trace, streamClass);
      const { rows } = createChunkDecoder(trace.model, streamClass, EVENTS_WITH_CPU, map).decode(input);
      const cpus = cpusOfRows(rows, EVENTS_WITH_CPU);
      return [...cpus.keys()].filter((event) => cpus[event] === cpu);
    },
  };
}

/** The last bucket with events before a time, and the first one behind it, of each lane's. */
function stretchesNear({ scale }: HostEvents, { lanes, of }: RowLanes, time: HostNs): Stretch[] {
  const width = 2 ** scale.level;
  const near = Math.floor(time / width) - scale.first;
  let before = -Infinity;
  let after = Infinity;
  for (const lane of of) {
    for (let cell = lanes.cellStart[lane]; cell < lanes.cellStart[lane + 1]; cell++) {
      const bucket = lanes.bucket[cell];
      if (bucket <= near && bucket > before) before = bucket;
      if (bucket >= near && bucket < after) after = bucket;
    }
  }
  const found = before === after ? [before] : [before, after];
  return found.filter(Number.isFinite).map((bucket) => {
    const from = (scale.first + bucket) * width;
    return { from, to: from + width - 1 };
  });
}
