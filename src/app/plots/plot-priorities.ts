/** Adds the plot of priorities to those that are shown. */
import type { SessionApi } from '../../workers/session-api.ts';
import { keyOf } from '../layers/choices.ts';

/** Does nothing where it is shown already, or the trace does not have its events. */
export async function plotPriorities({
  ask,
  changeLayer,
}: Pick<SessionApi, 'ask' | 'changeLayer'>): Promise<void> {
  const info = await ask('plots', {});
  const found = info?.suggestions.find(({ definition }) => definition.isOfThreads === true)?.definition;
  if (info === undefined || found === undefined) return;
  const isShown = info.definitions.some((definition) => keyOf(definition) === keyOf(found));
  if (!isShown) await changeLayer('resource', [...info.definitions, found]);
}
