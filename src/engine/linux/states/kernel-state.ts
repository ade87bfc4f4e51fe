/** The kernel state as an analysis: threads, CPUs and disk requests of a host over time. */
import type { HistoryAnalysis, ReducedHost } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import type { KernelTables } from './reduce/kernel-tables.ts';
import { StateReducer } from './reduce/state-reducer.ts';
import { StartFinder } from './map/start-finder.ts';
import { kernelStateMap } from './map/state-map.ts';
import type { StateChunk } from './map/transitions.ts';

export interface KernelStateAnalysis extends HistoryAnalysis<StateChunk, HistorySink, KernelTables> {
  reducer(sink: HistorySink, host: ReducedHost): StateReducer;
}

export const kernelState: KernelStateAnalysis = {
  ...kernelStateMap,
  version: 23,
  reducer: (sink, host) => new StateReducer(sink, host),
  lookAhead: (streams, packets, host) => new StartFinder(streams, packets, host),
};
