/** The session reads an example while the start page waits, so that its code is compiled when a trace comes. */
import type { ReadonlySignal } from '@preact/signals';
import type { PageSession } from '../../workers/session-api.ts';
import type { Stage } from '../experiment/experiment.ts';
import { MARK_READY, markOnce } from '../browser/marks.ts';
import { fetchExample, loadExamples } from './examples.ts';

/** Delay of the rehearsal, ms, so that neither the start page nor a user who opens a trace at once waits for it. */
const PAUSE_MS = 500;

/** @param prepare loads and prepares what shows an open trace */
export async function rehearseSoon(
  session: Pick<PageSession, 'rehearse'>,
  stage: ReadonlySignal<Stage>,
  prepare: () => Promise<void>,
): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (stage.value !== 'start') return;
  const [example] = await loadExamples();
  const files = example && (await fetchExample(example));
  if (files === undefined || stage.value !== 'start') return;
  // Code that fails to load is loaded again when a trace is opened.
  await Promise.all([session.rehearse(files), prepare().catch(() => undefined)]);
  markOnce(MARK_READY);
}
