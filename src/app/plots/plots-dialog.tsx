/** Dialog that chooses numeric fields of events, which are shown as rows. */
import { useSignal } from '@preact/signals';
import {
  BY_CPU,
  fieldPlot,
  type PlotDefinition,
  MOST_PLOTS,
  sourcesOf,
} from '../../engine/layers/plots/definition.ts';
import { DefinitionsDialog } from '../layers/definitions-dialog.tsx';
import { keyOf } from '../layers/linked-layer.ts';
import { PLOTS_IN_LINK } from './plot-link.ts';
import { Check, Mistake, Names, SelectField, TextField } from '../layers/fields.tsx';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { PlotInfo } from '../../engine/layers/plots/layer.ts';
import { plural } from '../format/text.ts';
import { TextButton } from '../controls/button.tsx';

export function PlotsDialog({ onClose }: { onClose(): void }) {
  return (
    <DefinitionsDialog
      title="Plots"
      intro="Numbers of events over time, as rows of the group Resources; priorities as rows below their threads."
      withoutFiles="Other numbers are read from the files of the trace: drop its folder here again to change them."
      onClose={onClose}
      layer={PLOTS_IN_LINK}
      wordsOf={(definition, info) => ({
        // `{}` stands for the value that distinguishes the rows of the plot.
        name: definition.name.replace('{}', () => '…'),
        facts: plotFacts(definition, info),
        events: [...new Set(sourcesOf(definition).flatMap(({ events }) => events))].join(', '),
      })}
      before={({ leftOut }, count) => (
        <>
          {count === 0 && <p>The trace has no events about CPU power, disks or network devices.</p>}
          {leftOut > 0 && (
            <p class="muted">{plural(leftOut, 'number')} had no room: a plot has 256 rows at most.</p>
          )}
        </>
      )}
      form={({ events }, shown, add) => <CustomPlot events={events} shown={shown.length} onAdd={add} />}
    />
  );
}

interface CustomPlotProps {
  readonly events: readonly EventShape[];
  /** Number of plots that are shown. */
  readonly shown: number;
  onAdd(definition: PlotDefinition): void;
}

const EVENT_NAMES = 'plot-events';
const FIELD_NAMES = 'plot-fields';

/** Form for a field of an event. */
function CustomPlot({ events, shown, onAdd }: CustomPlotProps) {
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
    mistake.value = fieldMistake(definition, events, shown);
    if (mistake.value === undefined) onAdd(definition);
  };
  return (
    <form class="layer-form" onSubmit={submit} aria-label="A field of an event">
      <h3>A field of an event</h3>
      <Names id={EVENT_NAMES} names={events.map(({ name }) => name)} />
      <TextField title="Event" text={event} list={EVENT_NAMES} placeholder="sched_switch" />
      <Names id={FIELD_NAMES} names={fields} />
      <TextField title="Number" text={field} list={FIELD_NAMES} placeholder="a field or a context" />
      <SelectField
        title="A row for each"
        options={[{ id: '', title: 'host' }, { id: BY_CPU, title: 'CPU' }, ...named]}
        chosen={known(by.value)}
        into={by}
      />
      <Check title="Add the numbers up, and show the sum per second" isOn={isSummed} />
      <Mistake text={mistake.value} />
      <TextButton class="button outlined" type="submit" text="Add the plot" />
    </form>
  );
}

/** Number of events of a suggested plot, in words. */
function plotFacts(definition: PlotDefinition, { suggestions }: Pick<PlotInfo, 'suggestions'>): string {
  const key = keyOf(definition);
  const found = suggestions.find((suggestion) => keyOf(suggestion.definition) === key);
  return found === undefined ? '' : plural(found.events, 'event');
}

/** Reason why a field of an event cannot be plotted; undefined: it can, if it is a number. */
function fieldMistake(
  { events: [event], field }: PlotDefinition,
  shapes: readonly EventShape[],
  shown: number,
): string | undefined {
  if (event === '' || field === '') return 'Name an event and a field of it.';
  if (!shapes.some(({ name }) => name === event)) return `No event of this trace is called ${event}.`;
  return shown >= MOST_PLOTS ? `No more than ${MOST_PLOTS} plots are shown.` : undefined;
}
