/** All analyses by id: the one list that a session and its decode workers share, so that only ids cross between them. */
import { createAnalysisSet } from './analysis/analysis-set.ts';
import type { AnalysisSet, AnyAnalysis } from './analysis/analysis-set.ts';
import { assert } from './base/assert.ts';
import { threadEvents } from './density/thread-events.ts';
import type { ValueScheme } from './history/types.ts';
import { callFailures } from './kernel/calls/call-failures.ts';
import { counts } from './kernel/counts.ts';
import { interrupts } from './kernel/interrupts/interrupts.ts';
import { ioUsage } from './kernel/io/io.ts';
import { kernelState } from './kernel/kernel-state.ts';
import { namespaces } from './kernel/namespaces/namespaces.ts';
import { cpuScheme, threadScheme } from './kernel/schemes.ts';
import { overlaysOfId } from './overlays/overlays.ts';
import { overlayScheme } from './overlays/values.ts';

/** What a session runs when it opens a trace: analyses whose results it answers with. */
const ANALYSES: readonly AnyAnalysis[] = [
  kernelState as AnyAnalysis,
  counts as AnyAnalysis,
  ioUsage as AnyAnalysis,
  interrupts as AnyAnalysis,
  callFailures as AnyAnalysis,
  threadEvents as AnyAnalysis,
  namespaces as AnyAnalysis,
];

export const SESSION_IDS: readonly string[] = ANALYSES.map(({ id }) => id);

/** `id version` of each: part of the key of stored results. */
export const SESSION_VERSIONS: readonly string[] = ANALYSES.map(({ id, version }) => `${id} ${version}`);

/** A scheme by its id: ids are what crosses to those who seal segments. */
export function schemeById(id: string): ValueScheme | undefined {
  return [threadScheme, cpuScheme, overlayScheme].find((scheme) => scheme.id === id);
}

export function analysisById(id: string): AnyAnalysis {
  // Settings of an analysis are part of its id.
  const found =
    ANALYSES.find((analysis) => analysis.id === id) ?? (overlaysOfId(id) as AnyAnalysis | undefined);
  assert(found !== undefined, `an analysis is called ${id}`);
  return found;
}

export function analysisSet(ids: readonly string[]): AnalysisSet {
  return createAnalysisSet(ids.map(analysisById));
}
