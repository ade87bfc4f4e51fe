/** A dialog that chooses the definitions that a layer shows: suggested ones, and the reader's own. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useApp } from '../context/app-context.ts';
import { visibleText } from '../format/text.ts';
import { LayerDialog, type LayerDialogProps, type LayerInfo, useLayerInfo } from './layer-dialog.tsx';
import { keyOf, type LinkedLayer, type Offered, showInstead } from './linked-layer.ts';

interface DefinitionsDialogProps<Definition, Info extends Offered<Definition> & LayerInfo> extends Pick<
  LayerDialogProps,
  'title' | 'intro' | 'withoutFiles' | 'onClose'
> {
  readonly layer: LinkedLayer<Definition, Info>;
  wordsOf(definition: Definition, info: Info): ChoiceWords;
  /** Remarks before the choices. */
  before(info: Info, count: number): ComponentChildren;
  form(info: Info, shown: readonly Definition[], onAdd: (definition: Definition) => void): ComponentChildren;
}

interface ChoiceWords {
  readonly name: string;
  readonly facts: string;
  /** The events that it is made of. */
  readonly events: string;
}

interface Choice<Definition> {
  readonly definition: Definition;
  readonly isShown: boolean;
}

export function DefinitionsDialog<Definition, Info extends Offered<Definition> & LayerInfo>(
  props: DefinitionsDialogProps<Definition, Info>,
) {
  const { layer, wordsOf, before, form, ...dialog } = props;
  const app = useApp();
  const choices = useSignal<readonly Choice<Definition>[]>([]);
  const { info, refresh } = useLayerInfo(
    (session) => layer.offered(session),
    (found) => (choices.value = choicesOf(found)),
  );
  const shown = choices.value.filter(({ isShown }) => isShown).map(({ definition }) => definition);
  const show = async () => {
    await showInstead(app, layer, shown);
    return refresh();
  };
  const toggle = (at: number) =>
    (choices.value = choices.value.map((choice, i) =>
      i === at ? { ...choice, isShown: !choice.isShown } : choice,
    ));
  /** Adds a chosen definition, in place of an equal one. */
  const add = (definition: Definition) => {
    const others = choices.value.filter((choice) => keyOf(choice.definition) !== keyOf(definition));
    choices.value = [...others, { definition, isShown: true }];
  };
  const line = (
    { definition, isShown }: Choice<Definition>,
    i: number,
    { name, facts, events }: ChoiceWords,
  ) => (
    <li key={keyOf(definition)}>
      <label>
        <input type="checkbox" checked={isShown} disabled={!info?.hasFiles} onChange={() => toggle(i)} />
        <span class="layer-choice-name">{visibleText(name)}</span>
        <span class="layer-choice-facts faint">{facts}</span>
        <span class="layer-choice-events mono muted">{visibleText(events)}</span>
      </label>
    </li>
  );
  return (
    <LayerDialog {...dialog} info={info} onShow={show}>
      {info && (
        <>
          {before(info, choices.value.length)}
          <ul class="layer-choices">
            {choices.value.map((choice, i) => line(choice, i, wordsOf(choice.definition, info)))}
          </ul>
          {info.hasFiles && form(info, shown, add)}
        </>
      )}
    </LayerDialog>
  );
}

/** Suggested and shown definitions as choices, each once, suggestions first. */
function choicesOf<Definition>({ suggestions, definitions }: Offered<Definition>): Choice<Definition>[] {
  const shown = new Set(definitions.map(keyOf));
  const suggested = suggestions.map(({ definition }) => definition);
  const keys = new Set(suggested.map(keyOf));
  const own = definitions.filter((definition) => !keys.has(keyOf(definition)));
  return [...suggested, ...own].map((definition) => ({ definition, isShown: shown.has(keyOf(definition)) }));
}
