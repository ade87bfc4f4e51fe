/** Dialog that chooses numbers of events, which are shown as rows. */
import { useSignal } from '@preact/signals';
import {
  BY_CPU,
  fieldPlot,
  type PlotDefinition,
  MOST_PLOTS,
  sourcesOf,
} from '../../engine/layers/plots/definition.ts';
import { useApp } from '../context/app-context.ts';
import { type Choice, choicesOf, keyOf, shownOf, withShown, withToggled } from '../layers/choices.ts';
import { LayerChoice, LayerDialog } from '../layers/layer-dialog.tsx';
import { useLayerInfo } from '../layers/layer-info.ts';
import { showInstead } from '../layers/linked-layer.ts';
import { PLOTS_IN_LINK } from './plot-link.ts';
import { Check, EventNames, Mistake, Names, SelectField, TextField } from '../layers/fields.tsx';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { PlotInfo } from '../../engine/layers/plots/layer.ts';
import { plural } from '../format/text.ts';

export function PlotsDialog({ onClose }: { onClose(): void }) {
  const app = useApp();
  const choices = useSignal<readonly Choice<PlotDefinition>[]>([]);
  const { info, refresh } = useLayerInfo('plots', (found) => (choices.value = choicesOf(found)));
  const show = async () => {
    await showInstead(app, PLOTS_IN_LINK, shownOf(choices.value));
    return (await refresh())?.faults.length === 0;
  };
  const add = (definition: PlotDefinition) => (choices.value = withShown(choices.value, definition));
  const toggle = (at: number) => (choices.value = withToggled(choices.value, at));
  const known = info.value;
  return (
    <LayerDialog
      title="Plots"
      intro="Numbers of events over time, as rows of the group Resources; priorities as rows below their threads."
      info={known}
      withoutFiles="Other numbers are read from the files of the trace: drop its folder here again to change them."
      onShow={show}
      onClose={onClose}
    >
      {known && <Choices info={known} choices={choices.value} onToggle={toggle} onAdd={add} />}
    </LayerDialog>
  );
}

interface ChoicesProps {
  readonly info: PlotInfo;
  readonly choices: readonly Choice<PlotDefinition>[];
  onToggle(at: number): void;
  onAdd(definition: PlotDefinition): void;
}

function Choices({ info, choices, onToggle, onAdd }: ChoicesProps) {
  return (
    <>
      {choices.length === 0 && <p>The trace has no events about CPU power, disks or network devices.</p>}
      {info.leftOut > 0 && (
        <p class="muted">{plural(info.leftOut, 'number')} had no room: a plot has 256 rows at most.</p>
      )}
      <ul class="layer-choices">
        {choices.map(({ definition, isShown }, i) => (
          <LayerChoice
            key={keyOf(definition)}
            isShown={isShown}
            isFixed={!info.hasFiles}
            name={plotTitle(definition)}
            facts={plotFacts(definition, info)}
            events={plotEvents(definition)}
            onToggle={() => onToggle(i)}
          />
        ))}
      </ul>
      {info.hasFiles && <CustomPlot events={info.events} choices={choices} onAdd={onAdd} />}
    </>
  );
}

interface CustomPlotProps {
  readonly events: readonly EventShape[];
  readonly choices: readonly Choice<PlotDefinition>[];
  onAdd(definition: PlotDefinition): void;
}

const EVENT_NAMES = 'plot-events';
const FIELD_NAMES = 'plot-fields';

/** Form for a field of an event. */
function CustomPlot({ events, choices, onAdd }: CustomPlotProps) {
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
        into={by}
      />
      <Check title="Add the numbers up, and show the sum per second" isOn={isSummed} />
      <Mistake text={mistake.value} />
      <button class="button outlined" type="submit">
        Add the plot
      </button>
    </form>
  );
}

/** "CPU … frequency": what distinguishes its rows is not known here. */
function plotTitle({ name }: PlotDefinition): string {
  return name.replace('{}', () => '…');
}

/** Names of the events that have its numbers. */
function plotEvents(definition: PlotDefinition): string {
  return [...new Set(sourcesOf(definition).flatMap(({ events }) => events))].join(', ');
}

/** Number of events of a suggested plot, in words. */
function plotFacts(definition: PlotDefinition, { suggestions }: Pick<PlotInfo, 'suggestions'>): string {
  const key = keyOf(definition);
  const found = suggestions.find((suggestion) => keyOf(suggestion.definition) === key);
  return found === undefined ? '' : plural(found.events, 'event');
}

/** Why a field of an event cannot be plotted; undefined: it can, if it is a number. */
function fieldMistake(
  { events: [event], field }: PlotDefinition,
  shapes: readonly EventShape[],
  choices: readonly Choice<PlotDefinition>[],
): string | undefined {
  if (event === '' || field === '') return 'Name an event and a field of it.';
  if (!shapes.some(({ name }) => name === event)) return `No event of this trace is called ${event}.`;
  if (choices.filter(({ isShown }) => isShown).length >= MOST_PLOTS)
    return `No more than ${MOST_PLOTS} plots are shown.`;
  return undefined;
}
