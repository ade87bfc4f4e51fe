/** Definitions that the reader had a layer show, as a choice of the page: a link has them, and shows them again. */
import { computed, effect } from '@preact/signals';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { App } from '../context/app-context.ts';
import { isReading } from '../opening/progress-row.tsx';
import { keyOf, type Offered } from './choices.ts';
import { type DefinitionWords, linkedDefinitions } from './linked-definitions.ts';

type Session = Pick<SessionApi, 'ask' | 'changeLayer'>;

export interface LinkedLayer<Definition> extends DefinitionWords<Definition> {
  /** Name of the choice. */
  readonly choice: string;
  /** Without an answer nothing can be shown yet. */
  offered(session: Session): Promise<Offered<Definition> | null | undefined>;
  change(session: Session, definitions: readonly Definition[]): Promise<boolean>;
}

/** Has definitions shown in place of those that are. */
export async function showInstead<Definition>(
  { session, choices }: Pick<App, 'session' | 'choices'>,
  layer: LinkedLayer<Definition>,
  definitions: readonly Definition[],
): Promise<void> {
  if (await layer.change(session, definitions))
    choices.choose(layer.choice, JSON.stringify(definitions.map(layer.words)));
}

/** Has shown what a link says, once the trace has been read. The function returned ends that. */
export function followLink<Definition>(
  { session, choices, experiment }: Pick<App, 'session' | 'choices' | 'experiment'>,
  layer: LinkedLayer<Definition>,
): () => void {
  const isRead = computed(() => !isReading(experiment.progress.value));
  const show = async (text: string) => {
    const offered = await layer.offered(session);
    if (offered === null || offered === undefined) return;
    const wanted = linkedDefinitions(layer, text, offered);
    if (keyOf(wanted) !== keyOf(offered.definitions)) await layer.change(session, wanted);
  };
  return effect(() => {
    const text = choices.text(layer.choice);
    if (text !== undefined && isRead.value) void show(text);
  });
}
