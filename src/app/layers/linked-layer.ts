/** Definitions that the reader had a layer show, as a choice of the page: a link has them, and shows them again. */
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
  /** Parts of a definition that tell it from others, as plain data. */
  words(definition: Definition): readonly unknown[];
  /** One of the reader's own; undefined: a link has words that make no sense. */
  own(words: readonly unknown[]): Definition | undefined;
  /** Without an answer nothing can be shown yet. */
  offered(session: Session): Promise<Info | null | undefined>;
  change(session: Session, definitions: readonly Definition[]): Promise<boolean>;
}

/** A link may come from anybody. */
const MOST_DEFINITIONS = 64;
const LONGEST_TEXT = 200;
const MOST_TEXTS = 8;

/** Distinguishes definitions, which are plain data. */
export function keyOf(definition: unknown): string {
  return JSON.stringify(definition);
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

/** Definitions that a link has, suggested ones or the reader's own; others are left out. @internal */
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

/** Names of events and fields, as a link has them. */
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
