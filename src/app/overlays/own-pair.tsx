/** A form for a pair of events that nothing suggests. */
import { useComputed, useSignal, type Signal } from '@preact/signals';
import type { EventShape, OverlayDefinition } from '../../workers/session-api.ts';
import { fieldsOf, mistakeOf } from './overlay-choice.ts';

interface OwnPairProps {
  readonly events: readonly EventShape[];
  onAdd(definition: OverlayDefinition): void;
}

const EVENT_NAMES = 'overlay-events';

export function OwnPair({ events, onAdd }: OwnPairProps) {
  const name = useSignal('');
  const begin = useSignal('');
  const end = useSignal('');
  const key = useSignal<readonly string[]>([]);
  const label = useSignal<readonly string[]>([]);
  const acrossThreads = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  const fields = useComputed(() => fieldsOf(events, begin.value, end.value));
  const submit = (event: Event) => {
    event.preventDefault();
    const definition: OverlayDefinition = {
      name: name.value.trim() || begin.value.trim(),
      begin: begin.value.trim(),
      end: end.value.trim(),
      key: key.value.filter((field) => fields.value.common.includes(field)),
      acrossThreads: acrossThreads.value,
      label: label.value.filter((field) => fields.value.all.includes(field)),
    };
    mistake.value = mistakeOf(definition, events);
    if (mistake.value !== undefined) return;
    onAdd(definition);
    for (const text of [name, begin, end]) text.value = '';
    key.value = label.value = [];
    acrossThreads.value = false;
  };
  return (
    <form class="own-pair" onSubmit={submit} aria-label="Another pair">
      <h3>Another pair</h3>
      <datalist id={EVENT_NAMES}>
        {events.map((event) => (
          <option key={event.name} value={event.name} />
        ))}
      </datalist>
      <TextField title="Begins with" text={begin} list={EVENT_NAMES} placeholder="app:work_begin" />
      <TextField title="Ends with" text={end} list={EVENT_NAMES} placeholder="app:work_end" />
      <TextField title="Name" text={name} placeholder={begin.value || 'that of the first event'} />
      <Fields title="Same in both" fields={fields.value.common} chosen={key} />
      <Fields title="Shown" fields={fields.value.all} chosen={label} />
      <label class="own-pair-across">
        <input
          type="checkbox"
          checked={acrossThreads.value}
          onChange={(event) => (acrossThreads.value = event.currentTarget.checked)}
        />
        May end in another thread than it began in
      </label>
      {mistake.value !== undefined && (
        <p class="own-pair-mistake" role="alert">
          {mistake.value}
        </p>
      )}
      <button class="button outlined" type="submit">
        Add the pair
      </button>
    </form>
  );
}

interface TextFieldProps {
  readonly title: string;
  readonly text: Signal<string>;
  readonly placeholder: string;
  readonly list?: string;
}

function TextField({ title, text, placeholder, list }: TextFieldProps) {
  return (
    <label class="own-pair-field">
      <span>{title}</span>
      <span class="field">
        <input
          type="text"
          list={list}
          placeholder={placeholder}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </span>
    </label>
  );
}

interface FieldsProps {
  readonly title: string;
  readonly fields: readonly string[];
  readonly chosen: Signal<readonly string[]>;
}

function Fields({ title, fields, chosen }: FieldsProps) {
  if (fields.length === 0) return null;
  const toggle = (field: string, isOn: boolean) => {
    const others = chosen.value.filter((other) => other !== field);
    chosen.value = isOn ? [...others, field] : others;
  };
  return (
    <fieldset class="own-pair-field">
      <legend>{title}</legend>
      <span class="own-pair-fields">
        {fields.map((field) => (
          <label key={field}>
            <input
              type="checkbox"
              checked={chosen.value.includes(field)}
              onChange={(event) => toggle(field, event.currentTarget.checked)}
            />
            <span class="mono">{field}</span>
          </label>
        ))}
      </span>
    </fieldset>
  );
}
