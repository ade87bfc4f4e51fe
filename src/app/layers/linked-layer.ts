/** Definitions that the reader chose for a layer, as a choice of the page, so that links contain and restore them. */
import { computed, effect } from '@preact/signals';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { App } from '../context/app-context.ts';
import { isReading } from '../opening/progress-row.tsx';

type Session = Pick<SessionApi, 'ask' | 'changeLayer'>;

export interface Offered<Definition> {
  readonly suggestions: readonly { readonly definition: Definition }[];
  /** Definitions that are shown now. */
  readonly definitions: readonly Definition[];
}

export interface LinkedLayer<Definition, Info extends Offered<Definition> = Offered<Definition>> {
  /** Name of the choice. */
  readonly choice: string;
  /** Parts of a definition that identify it, as plain data. */
  words(definition: Definition): readonly unknown[];
  /** The reader's definition with these parts; undefined: they are invalid, as a link may have any. */
  own(words: readonly unknown[]): Definition | undefined;
  /** Definitions that the session offers; no answer: nothing can be shown yet. */
  offered(session: Session): Promise<Info | null | undefined>;
  change(session: Session, definitions: readonly Definition[]): Promise<boolean>;
}

/** Largest number of definitions in a link, which anybody may have written. */
const MOST_DEFINITIONS = 64;
const LONGEST_TEXT = 200;
const MOST_TEXTS = 8;

/** Key of a definition, which is plain data. */
export function keyOf(definition: unknown): string {
  return JSON.stringify(definition);
}

/** Replaces the shown definitions. */
export async function showInstead<Definition>(
  { session, choices }: Pick<App, 'session' | 'choices'>,
  layer: LinkedLayer<Definition>,
  definitions: readonly Definition[],
): Promise<void> {
  if (await layer.change(session, definitions))
    choices.choose(layer.choice, JSON.stringify(definitions.map(layer.words)));
}

/** Shows the definitions of a link once the trace has been read. The function returned ends that. */
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

/** Definitions in a link, suggested or the reader's own; invalid ones are left out. @internal */
export function linkedDefinitions<Definition>(
  { words, own }: Pick<LinkedLayer<Definition>, 'words' | 'own'>,
  text: string,
  { suggestions }: Pick<Offered<Definition>, 'suggestions'>,
): Definition[] {
  const suggested = new Map(suggestions.map(({ definition }) => [keyOf(words(definition)), definition]));
  return listIn(text)
    .slice(0, MOST_DEFINITIONS)
    .flatMap((each) => (Array.isArray(each) ? (suggested.get(keyOf(each)) ?? own(each) ?? []) : []));
}

/** Whether a value of a link may be the name of an event or field. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT;
}

export function areNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_TEXTS && value.every(isName);
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
