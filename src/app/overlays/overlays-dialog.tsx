/** Dialog that chooses pairs of events, which are shown as rows below their threads. */
import { useSignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import { type Choice, choicesOf, keyOf, shownOf, withShown, withToggled } from '../layers/choices.ts';
import { LayerChoice } from '../layers/layer-choice.tsx';
import { LayerDialog } from '../layers/layer-dialog.tsx';
import { useLayerInfo } from '../layers/layer-info.ts';
import { showInstead } from '../layers/linked-layer.ts';
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { factsOf } from './overlay-choice.ts';
import { OVERLAYS_IN_LINK } from './overlay-link.ts';
import { OwnPair } from './own-pair.tsx';

export function OverlaysDialog({ onClose }: { onClose(): void }) {
  const app = useApp();
  const choices = useSignal<readonly Choice<OverlayDefinition>[]>([]);
  const { info, refresh } = useLayerInfo('overlays', (found) => (choices.value = choicesOf(found)));
  const show = async () => {
    await showInstead(app, OVERLAYS_IN_LINK, shownOf(choices.value));
    return (await refresh())?.faults.length === 0;
  };
  const add = (definition: OverlayDefinition) => (choices.value = withShown(choices.value, definition));
  const toggle = (at: number) => (choices.value = withToggled(choices.value, at));
  const known = info.value;
  return (
    <LayerDialog
      title="Overlays"
      intro="What a program does between two of its events, as rows below the states of its threads."
      info={known}
      withoutFiles="Other pairs are read from the files of the trace: drop its folder here again to change them."
      onShow={show}
      onClose={onClose}
    >
      {known && <Choices info={known} choices={choices.value} onToggle={toggle} onAdd={add} />}
    </LayerDialog>
  );
}

interface ChoicesProps {
  readonly info: OverlayInfo;
  readonly choices: readonly Choice<OverlayDefinition>[];
  onToggle(at: number): void;
  onAdd(definition: OverlayDefinition): void;
}

function Choices({ info, choices, onToggle, onAdd }: ChoicesProps) {
  return (
    <>
      {choices.length === 0 && (
        <p>No two events of user space have names that make a pair, such as begin and end.</p>
      )}
      <ul class="layer-choices">
        {choices.map((choice, i) => (
          <PairChoice
            key={keyOf(choice.definition)}
            choice={choice}
            info={info}
            onToggle={() => onToggle(i)}
          />
        ))}
      </ul>
      {info.hasFiles && <OwnPair events={info.events} onAdd={onAdd} />}
    </>
  );
}

interface ChoiceProps {
  readonly choice: Choice<OverlayDefinition>;
  readonly info: OverlayInfo;
  onToggle(): void;
}

function PairChoice({ choice: { definition, isShown }, info, onToggle }: ChoiceProps) {
  return (
    <LayerChoice
      isShown={isShown}
      isFixed={!info.hasFiles}
      name={definition.name}
      facts={factsOf(definition, info)}
      events={`${definition.begin} → ${definition.end}`}
      onToggle={onToggle}
    />
  );
}
