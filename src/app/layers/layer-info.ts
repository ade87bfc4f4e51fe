/** Information on a layer whose settings a dialog changes. */
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import type { AnswerOf } from '../../engine/protocol/queries.ts';
import { useApp } from '../context/app-context.ts';

/** Questions that have no answer before the end of reading. */
type LayerQuestion = 'overlays' | 'plots' | 'lockProviders';

interface LayerInfo<K extends LayerQuestion> {
  /** Undefined: nothing can be chosen yet. */
  readonly info: ReadonlySignal<AnswerOf<K>>;
  /** Asks again, since the layer was changed. Resolves to what is known then. */
  refresh(): Promise<AnswerOf<K>>;
}

/** @param onFirst called with the first answer */
export function useLayerInfo<K extends LayerQuestion>(
  question: K,
  onFirst: (info: NonNullable<AnswerOf<K>>) => void,
): LayerInfo<K> {
  const { session, experiment } = useApp();
  const info = useSignal<AnswerOf<K> | undefined>(undefined);
  useSignalEffect(() => {
    void experiment.progress.value;
    if (info.peek() !== undefined) return;
    void session.ask(question, {}).then((found) => {
      if (info.peek() !== undefined || found === undefined || found === null) return;
      info.value = found;
      onFirst(found);
    });
  });
  const refresh = async () => (info.value = (await session.ask(question, {})) ?? info.value);
  return { info: info as ReadonlySignal<AnswerOf<K>>, refresh: refresh as () => Promise<AnswerOf<K>> };
}
