/** Which pairs of events are shown as rows below their threads. */
import { useSignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import { visibleText } from '../format/text.ts';
import { LayerDialog } from '../layers/layer-dialog.tsx';
import { useLayerInfo } from '../layers/layer-info.ts';
import type { OverlayDefinition, OverlayInfo } from '../../workers/session-api.ts';
import { choicesOf, factsOf, keyOf, type OverlayChoice } from './overlay-choice.ts';
import { OwnPair } from './own-pair.tsx';
import './overlays.css';

export function OverlaysDialog({ onClose }: { onClose(): void }) {
  const { session } = useApp();
  const choices = useSignal<readonly OverlayChoice[]>([]);
  const { info, refresh } = useLayerInfo('overlays', (found) => (choices.value = choicesOf(found)));
  const show = async () => {
    await session.changeLayer('overlay', shownOf(choices.value));
    return (await refresh())?.faults.length === 0;
  };
  const add = (definition: OverlayDefinition) => {
    const others = choices.value.filter((choice) => keyOf(choice.definition) !== keyOf(definition));
    choices.value = [...others, { definition, isShown: true }];
  };
  const toggle = (at: number) => {
    choices.value = choices.value.map((choice, i) =>
      i === at ? { ...choice, isShown: !choice.isShown } : choice,
    );
  };
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

function shownOf(choices: readonly OverlayChoice[]): OverlayDefinition[] {
  return choices.filter(({ isShown }) => isShown).map(({ definition }) => definition);
}

interface ChoicesProps {
  readonly info: OverlayInfo;
  readonly choices: readonly OverlayChoice[];
  onToggle(at: number): void;
  onAdd(definition: OverlayDefinition): void;
}

function Choices({ info, choices, onToggle, onAdd }: ChoicesProps) {
  return (
    <>
      {choices.length === 0 && (
        <p>No two events of user space have names that make a pair, such as begin and end.</p>
      )}
      <ul class="overlay-choices">
        {choices.map((choice, i) => (
          <Choice key={keyOf(choice.definition)} choice={choice} info={info} onToggle={() => onToggle(i)} />
        ))}
      </ul>
      {info.hasFiles && <OwnPair events={info.events} onAdd={onAdd} />}
    </>
  );
}

interface ChoiceProps {
  readonly choice: OverlayChoice;
  readonly info: OverlayInfo;
  onToggle(): void;
}

function Choice({ choice: { definition, isShown }, info, onToggle }: ChoiceProps) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={isShown} disabled={!info.hasFiles} onChange={onToggle} />
        <span class="overlay-name">{visibleText(definition.name)}</span>
        <span class="overlay-facts faint">{factsOf(definition, info)}</span>
        <span class="overlay-events mono muted">
          {visibleText(definition.begin)} → {visibleText(definition.end)}
        </span>
      </label>
    </li>
  );
}
