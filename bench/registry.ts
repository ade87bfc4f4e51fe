/** The registry that benches and their workers use: that of the engine, and the third analysis of Reumont-Locke et al. 2019. */
import {
  createAnalysisSet,
  type AnalysisSet,
  type AnyAnalysis,
} from '../src/engine/analysis/analysis-set.ts';
import * as engine from '../src/engine/registry.ts';
import { cpuUsage } from '../test/support/cpu-usage/cpu-usage.ts';

export * from '../src/engine/registry.ts';

export function analysisById(id: string): AnyAnalysis {
  return id === cpuUsage.id ? (cpuUsage as AnyAnalysis) : engine.analysisById(id);
}

export function analysisSet(ids: readonly string[]): AnalysisSet {
  return createAnalysisSet(ids.map(analysisById));
}
