/** Call stacks as an analysis: what is read is part of its id. */
import type { HistoryAnalysis } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import type { LayerTrace } from '../contract/layer.ts';
import type { StackLeaf } from './stack-chunk.ts';
import type { StackLog } from './stack-log.ts';
import { stackMap } from './stack-map.ts';
import { StackReducer } from './stack-reducer.ts';
import type { StackSettings } from './stack-settings.ts';

/** @param kernelThreads of a host by index; only the reducer asks it */
export function stacks(
  settings: StackSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): HistoryAnalysis<StackLeaf, HistorySink, StackLog> {
  return {
    ...stackMap.of(settings),
    version: 2,
    reducer: (_, { index }) => new StackReducer(kernelThreads(index)),
  };
}
