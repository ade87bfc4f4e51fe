/** Dialog that chooses pairs of events, which are shown as rows below their threads. */
import { useSignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import { type Choice, choicesOf, keyOf, shownOf, withShown, withToggled } from '../layers/choices.ts';
import { LayerChoice, LayerDialog } from '../layers/layer-dialog.tsx';
import { useLayerInfo } from '../layers/layer-info.ts';
import { showInstead } from '../layers/linked-layer.ts';
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { factsOf, fieldsOf, mistakeOf } from './overlay-choice.ts';
import { OVERLAYS_IN_LINK } from './overlay-link.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import { Check, Checks, EventNames, Mistake, TextField } from '../layers/fields.tsx';

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

interface OwnPairProps {
  readonly events: readonly EventShape[];
  onAdd(definition: OverlayDefinition): void;
}

const EVENT_NAMES = 'overlay-events';

/** Form for a pair of events that nothing suggests. */
function OwnPair({ events, onAdd }: OwnPairProps) {
  const name = useSignal('');
  const begin = useSignal('');
  const end = useSignal('');
  const key = useSignal<readonly string[]>([]);
  const label = useSignal<readonly string[]>([]);
  const acrossThreads = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  const fields = fieldsOf(events, begin.value, end.value);
  const submit = (event: Event) => {
    event.preventDefault();
    const definition: OverlayDefinition = {
      name: name.value.trim() || begin.value.trim(),
      begin: begin.value.trim(),
      end: end.value.trim(),
      key: key.value.filter((field) => fields.common.includes(field)),
      acrossThreads: acrossThreads.value,
      label: label.value.filter((field) => fields.all.includes(field)),
    };
    mistake.value = mistakeOf(definition, events);
    if (mistake.value !== undefined) return;
    onAdd(definition);
    for (const text of [name, begin, end]) text.value = '';
    key.value = label.value = [];
    acrossThreads.value = false;
  };
  return (
    <form class="layer-form" onSubmit={submit} aria-label="Another pair">
      <h3>Another pair</h3>
      <EventNames id={EVENT_NAMES} events={events} />
      <TextField title="Begins with" text={begin} list={EVENT_NAMES} placeholder="app:work_begin" />
      <TextField title="Ends with" text={end} list={EVENT_NAMES} placeholder="app:work_end" />
      <TextField title="Name" text={name} placeholder={begin.value || 'that of the first event'} />
      <Checks title="Same in both" names={fields.common} chosen={key} />
      <Checks title="Shown" names={fields.all} chosen={label} />
      <Check title="May end in another thread than it began in" isOn={acrossThreads} />
      <Mistake text={mistake.value} />
      <button class="button outlined" type="submit">
        Add the pair
      </button>
    </form>
  );
}
