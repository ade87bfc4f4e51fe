/** Dialog that chooses pairs of events, whose spans are shown in rows below their threads. */
import { useSignal } from '@preact/signals';
import { DefinitionsDialog } from '../layers/definitions-dialog.tsx';
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import { factsOf, fieldsOf, mistakeOf } from './overlay-choice.ts';
import { OVERLAYS_IN_LINK } from './overlay-link.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import { Check, Checks, Mistake, Names, TextField } from '../layers/fields.tsx';
import { TextButton } from '../controls/button.tsx';

export function OverlaysDialog({ onClose }: { onClose(): void }) {
  return (
    <DefinitionsDialog
      title="Overlays"
      intro="What a program does between two of its events, as rows below the states of its threads."
      withoutFiles="Other pairs are read from the files of the trace: drop its folder here again to change them."
      onClose={onClose}
      layer={OVERLAYS_IN_LINK}
      wordsOf={(definition, info) => ({
        name: definition.name,
        facts: factsOf(definition, info),
        events: `${definition.begin} → ${definition.end}`,
      })}
      before={(_, count) =>
        count === 0 && <p>No two events of user space have names that make a pair, such as begin and end.</p>
      }
      form={({ events }, _, add) => <OwnPair events={events} onAdd={add} />}
    />
  );
}

interface OwnPairProps {
  readonly events: readonly EventShape[];
  onAdd(definition: OverlayDefinition): void;
}

const EVENT_NAMES = 'overlay-events';

/** Form for a pair of events that is not suggested. */
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
      <Names id={EVENT_NAMES} names={events.map((event) => event.name)} />
      <TextField title="Begins with" text={begin} list={EVENT_NAMES} placeholder="app:work_begin" />
      <TextField title="Ends with" text={end} list={EVENT_NAMES} placeholder="app:work_end" />
      <TextField title="Name" text={name} placeholder={begin.value || 'that of the first event'} />
      <Checks title="Same in both" names={fields.common} chosen={key} />
      <Checks title="Shown" names={fields.all} chosen={label} />
      <Check title="May end in another thread than it began in" isOn={acrossThreads} />
      <Mistake text={mistake.value} />
      <TextButton class="button outlined" type="submit" text="Add the pair" />
    </form>
  );
}
