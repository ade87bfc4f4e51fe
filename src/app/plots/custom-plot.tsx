/** A form for a field of an event. */
import { useSignal } from '@preact/signals';
import { BY_CPU, fieldPlot, type PlotDefinition } from '../../engine/layers/plots/definition.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { Choice } from '../layers/choices.ts';
import { Check, EventNames, Mistake, Names, SelectField, TextField } from '../layers/fields.tsx';
import { fieldMistake } from './plot-choice.ts';

interface OwnPlotProps {
  readonly events: readonly EventShape[];
  readonly choices: readonly Choice<PlotDefinition>[];
  onAdd(definition: PlotDefinition): void;
}

const EVENT_NAMES = 'plot-events';
const FIELD_NAMES = 'plot-fields';

export function OwnPlot({ events, choices, onAdd }: OwnPlotProps) {
  const event = useSignal('');
  const field = useSignal('');
  const by = useSignal('');
  const isSummed = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  const fields = events.find(({ name }) => name === event.value.trim())?.fields ?? [];
  const named = fields.map((name) => ({ id: name, title: name }));
  const known = (name: string) => (fields.includes(name) || name === BY_CPU ? name : '');
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    const definition = fieldPlot(event.value.trim(), field.value.trim(), known(by.value), isSummed.value);
    mistake.value = fieldMistake(definition, events, choices);
    if (mistake.value === undefined) onAdd(definition);
  };
  return (
    <form class="layer-form" onSubmit={submit} aria-label="A field of an event">
      <h3>A field of an event</h3>
      <EventNames id={EVENT_NAMES} events={events} />
      <TextField title="Event" text={event} list={EVENT_NAMES} placeholder="sched_switch" />
      <Names id={FIELD_NAMES} names={fields} />
      <TextField title="Number" text={field} list={FIELD_NAMES} placeholder="a field or a context" />
      <SelectField
        title="A row for each"
        options={[{ id: '', title: 'host' }, { id: BY_CPU, title: 'CPU' }, ...named]}
        chosen={known(by.value)}
        onChoose={(name) => (by.value = name)}
      />
      <Check title="Add the numbers up, and show the sum per second" isOn={isSummed} />
      <Mistake text={mistake.value} />
      <button class="button outlined" type="submit">
        Add the plot
      </button>
    </form>
  );
}
