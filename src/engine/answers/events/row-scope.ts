/** Events that a row of the timeline stands for: those of a CPU, or of a row of event density. */
import { KEY } from '../../density/lanes.ts';
import { type HostEvents, MOST_THREADS, tellsThreads } from '../../density/thread-events.ts';
import type { LaneNode, ResolvedFilter } from '../../events/filter/filter.ts';
import { hasEventCpus } from '../../trace/untold.ts';
import type { Experiment, Trace } from '../../trace/types.ts';
import { lanesOfRow } from '../rows/row-density.ts';
import { hostOfRow } from '../context/thread-rows.ts';

export interface RowScope {
  /** Whether a stream may have some of its events. */
  isIn(trace: Trace, stream: number): boolean;
  /** Filter of the events of these streams; undefined: all. */
  readonly filter: ResolvedFilter | undefined;
}

/**
 * @param events of the row's host, by thread, if known
 * @returns undefined: the row shows states, not events
 */
export function rowScope(
  experiment: Experiment,
  events: HostEvents | undefined,
  row: string,
): RowScope | undefined {
  const host = hostOfRow(row);
  const [kind, , place = ''] = row.split(':');
  const isOfHost = (trace: Trace) => trace.host === host;
  if (kind === 'cpu') return cpuScope(experiment, host, Number(place));
  const shown = events && lanesOfRow(events, row);
  if (kind === 'stream') {
    return {
      isIn: (trace, stream) => place === `${trace.index}.${stream}`,
      filter: shown && laneNode(experiment, 'none', []),
    };
  }
  if (events === undefined || shown === undefined) return undefined;
  const { keys } = events.threads;
  const isOfMany = kind === 'more-threads';
  const those = isOfMany ? keys.subarray(0, KEY * MOST_THREADS) : keysOf(keys, shown.of);
  return {
    isIn: (trace, stream) =>
      isOfHost(trace) && tellsThreads(experiment, trace, trace.streams[stream].streamClass),
    filter: laneNode(experiment, isOfMany ? 'others' : 'these', Array.from(those)),
  };
}

/** Scope of a CPU: by stream where all packets of a stream have one CPU. */
function cpuScope({ traces }: Experiment, host: number, cpu: number): RowScope {
  const isMixed = (trace: Trace, stream: number) => hasEventCpus(trace) || trace.streams[stream].cpu < 0;
  const some = traces.some(
    (trace) => trace.host === host && trace.streams.some((_, stream) => isMixed(trace, stream)),
  );
  return {
    isIn: (trace, stream) =>
      trace.host === host && (trace.streams[stream].cpu === cpu || isMixed(trace, stream)),
    filter: some ? { kind: 'cpus', compare: '=', values: [cpu] } : undefined,
  };
}

function laneNode({ traces }: Experiment, of: LaneNode['of'], keys: readonly number[]): LaneNode {
  return { kind: 'lanes', of, keys, pids: traces.map(ownPid) };
}

/** Pid of the process that a trace was recorded of; -1: of several. */
function ownPid({ model }: Trace): number {
  const vpid = String(model.environment.find(({ name }) => name === 'vpid')?.value ?? '');
  return /^\d+$/.test(vpid) ? Number(vpid) | 0 : -1;
}

function keysOf(keys: Int32Array, lanes: readonly number[]): number[] {
  return lanes.flatMap((lane) => Array.from(keys.subarray(KEY * lane, KEY * (lane + 1))));
}
